
/*
 * "open_responses_target": which target the name of a model leads to.
 */


#ifndef _NGX_ORS_ROUTE_H_INCLUDED_
#define _NGX_ORS_ROUTE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


typedef struct ngx_ors_target_s  ngx_ors_target_t;


struct ngx_ors_target_s {
    ngx_str_t                 uri;
    ngx_str_t                 args;
    ngx_str_t                 provider;   /* of the model, or empty */
    ngx_ors_target_t         *next;       /* if this one fails, or NULL */
    ngx_uint_t                max_fails;  /* it is left out after so many, */
    time_t                    fail_timeout;     /* for so long; 0: never */
    void                     *conf;       /* of the location that serves */
                                          /* "uri", "rewrite" and "if" apart, */
                                          /* or NULL */
    ngx_uint_t                number;     /* of all targets of the routes, */
                                          /* the caller's to set */
    unsigned                  shared:1;   /* of several locations: not known */
};


typedef enum {
    ngx_ors_route_exact = 0,
    ngx_ors_route_prefix,
    ngx_ors_route_regex,
    ngx_ors_route_default
} ngx_ors_route_e;


typedef struct {
    ngx_ors_route_e           type;
    ngx_str_t                 name;       /* without the mark of its type */
    ngx_ors_target_t          target;
#if (NGX_PCRE)
    ngx_regex_t              *regex;
#endif
} ngx_ors_route_t;


/*
 * "open_responses_target MODEL URI... [provider=NAME] [max_fails=N]
 * [fail_timeout=TIME]": cmd->offset is that of an ngx_array_t *, at first
 * NGX_CONF_UNSET_PTR, of ngx_ors_route_t.
 */
char *ngx_ors_route_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Finds the target that serves "model", and is of "provider" unless that is
 * empty; both are plain text.
 *
 * NGX_OK         "*target" is it
 * NGX_DECLINED   no target matches
 * NGX_ERROR      a regular expression has failed, the log says which
 */
ngx_int_t ngx_ors_route_find(ngx_array_t *routes, ngx_str_t *model,
    ngx_str_t *provider, ngx_ors_target_t **target, ngx_log_t *log);

/*
 * Appends the answer to GET models: all models that have a route by their full
 * name; "created" is the time of the configuration.
 */
void ngx_ors_route_models(ngx_array_t *routes, time_t created,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_ROUTE_H_INCLUDED_ */
