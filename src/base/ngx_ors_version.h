
/*
 * The version of the module.
 */


#ifndef _NGX_ORS_VERSION_H_INCLUDED_
#define _NGX_ORS_VERSION_H_INCLUDED_


#define NGX_ORS_VERSION  "0.1.0"


#endif /* _NGX_ORS_VERSION_H_INCLUDED_ */
