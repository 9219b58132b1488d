
/*
 * The items of stored turns on a page of a list.
 */


#ifndef _NGX_ORS_OPERATION_ITEMS_H_INCLUDED_
#define _NGX_ORS_OPERATION_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_store.h>


/*
 * Adds to "list" the items of the turns that "job" has read, the oldest one
 * first; of the newest one those of its input only.
 *
 * NGX_OK         done
 * NGX_DECLINED   these are no records
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_operation_list_job(ngx_ors_listing_t *list,
    ngx_ors_store_job_t *job, ngx_pool_t *pool);


#endif /* _NGX_ORS_OPERATION_ITEMS_H_INCLUDED_ */
