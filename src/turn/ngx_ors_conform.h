
/*
 * Output of a model against the JSON Schemas of its request: arguments of
 * calls and structured outputs are checked, and what comes of it is logged
 * and counted.
 */


#ifndef _NGX_ORS_CONFORM_H_INCLUDED_
#define _NGX_ORS_CONFORM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_json.h>
#include <ngx_ors_request.h>


#define NGX_ORS_CONFORM_RETRY      1
#define NGX_ORS_CONFORM_RETRY_MAX  5


typedef enum {
    ngx_ors_conform_off = 0,
    ngx_ors_conform_report,               /* violations are only logged */
    ngx_ors_conform_enforce
} ngx_ors_conform_mode_e;


/* zeroed memory checks nothing */

typedef struct {
    ngx_uint_t                   mode;    /* ngx_ors_conform_mode_e */
    ngx_uint_t                   retry;   /* rounds that may be repeated */
    ngx_ors_jsonschema_cache_t  *cache;   /* the worker's, borrowed */
    ngx_uint_t                   steps;   /* that this round has taken */

    ngx_uint_t                   violations;
    ngx_uint_t                   unchecked;
    ngx_uint_t                   repeats;
} ngx_ors_conform_t;


/*
 * Checks "json", which was made for "what", a phrase for the log, against
 * "schema".  An empty schema takes everything.  So does one that cannot be
 * used, and any when the round has taken all of its steps: that is logged and
 * counted.
 *
 * NGX_OK         it conforms
 * NGX_DECLINED   it does not: "why" is a sentence for a model, from "pool"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_conform(ngx_ors_conform_t *conform, ngx_str_t *what,
    ngx_str_t *schema, ngx_str_t *json, ngx_pool_t *pool, ngx_log_t *log,
    ngx_str_t *why);

/* Sets "schema" to that of a structured output, borrowed, or empty: none. */
void ngx_ors_conform_format(ngx_ors_request_t *req, ngx_str_t *schema);

/*
 * "open_responses_schema off|report|enforce [retry=N]": cmd->offset is that of
 * an ngx_ors_conform_t in "conf", whose mode is NGX_CONF_UNSET_UINT.
 */
char *ngx_ors_conform_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * "open_responses_schema_cache max=N [size=SIZE]": cmd->offset is that of an
 * ngx_ors_jsonschema_cache_t in "conf", zeroed.
 */
char *ngx_ors_conform_cache_slot(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/*
 * Prepares the cache of each worker, with defaults for what is not configured;
 * it is emptied with the configuration.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_conform_cache_init(ngx_conf_t *cf,
    ngx_ors_jsonschema_cache_t *cache);


#endif /* _NGX_ORS_CONFORM_H_INCLUDED_ */
