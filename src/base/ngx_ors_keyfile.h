
/*
 * Files that hold secrets, read while the configuration is read.
 */


#ifndef _NGX_ORS_KEYFILE_H_INCLUDED_
#define _NGX_ORS_KEYFILE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Reads the file "name", which is made absolute, into "buf" of "size" bytes;
 * "text" is what was read, and the caller has to wipe all of "buf".  Warns of
 * a file that others than its owner can read or write.
 *
 * NGX_OK         done
 * NGX_DECLINED   it has "size" bytes or more
 * NGX_ERROR      it cannot be read, which has been logged
 */
ngx_int_t ngx_ors_keyfile_read(ngx_conf_t *cf, ngx_str_t *name, u_char *buf,
    size_t size, ngx_str_t *text);

/* Wipes "size" bytes at "secret" when the configuration is freed. */
ngx_int_t ngx_ors_keyfile_keep(ngx_conf_t *cf, u_char *secret, size_t size);


#endif /* _NGX_ORS_KEYFILE_H_INCLUDED_ */
