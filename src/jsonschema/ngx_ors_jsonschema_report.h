
/*
 * The sentence about a schema or an instance, and the path that it is about.
 */


#ifndef _NGX_ORS_JSONSCHEMA_REPORT_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_REPORT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


/*
 * Both fill "report" for a whole text: "The JSON ..." and what "fmt" makes,
 * as ngx_sprintf() does; "keyword" is static.  They return NGX_BUSY and
 * NGX_DECLINED.
 */
ngx_int_t ngx_ors_jsonschema_busy(ngx_ors_jsonschema_report_t *report,
    const char *fmt, ...);
ngx_int_t ngx_ors_jsonschema_refuse(ngx_ors_jsonschema_report_t *report,
    char *keyword, const char *fmt, ...);

/*
 * The instance at "at" does not have what "keyword" asks for; "fmt" goes on
 * after its path: "must be ...".  Nothing is written where the walk is quiet.
 * Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_jsonschema_fail(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, const char *fmt, ...);

/* The same for a keyword whose values are listed: "must be one of 1, 2". */
ngx_int_t ngx_ors_jsonschema_fail_value(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, char *must, json_t *value);


#endif /* _NGX_ORS_JSONSCHEMA_REPORT_H_INCLUDED_ */
