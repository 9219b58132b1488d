
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_limits": a table of limits, their bounds and defaults. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_json.h>
#include <ngx_ors_limits.h>


#define ngx_ors_limits_field(limits, limit)                                   \
    ((size_t *) ((u_char *) (limits) + (limit)->offset))


typedef struct {
    ngx_str_t     name;
    size_t        offset;
    ngx_uint_t    min;
    ngx_uint_t    max;
    ngx_uint_t    value;      /* default */
    unsigned      size:1;     /* takes "k", "m" and "g" */
} ngx_ors_limit_t;


static char *ngx_ors_limit(ngx_conf_t *cf, ngx_ors_limits_t *limits,
    ngx_str_t *value);


static ngx_ors_limit_t  ngx_ors_limits[] = {

    { ngx_string("depth"), offsetof(ngx_ors_limits_t, depth),
      4, NGX_ORS_JSON_MAX_DEPTH, 64, 0 },

    { ngx_string("nodes"), offsetof(ngx_ors_limits_t, nodes),
      64, 64 * 1024 * 1024, 200000, 0 },

    { ngx_string("items"), offsetof(ngx_ors_limits_t, items),
      1, 1024 * 1024, 10000, 0 },

    { ngx_string("tools"), offsetof(ngx_ors_limits_t, tools),
      1, 65536, 1024, 0 },

    { ngx_string("calls"), offsetof(ngx_ors_limits_t, calls),
      1, 65536, 128, 0 },

    { ngx_string("event"), offsetof(ngx_ors_limits_t, event),
      4096, 1024 * 1024 * 1024, 16 * 1024 * 1024, 1 },

    { ngx_string("answer"), offsetof(ngx_ors_limits_t, answer),
      4096, 1024 * 1024 * 1024, 32 * 1024 * 1024, 1 },

    { ngx_string("queue"), offsetof(ngx_ors_limits_t, queue),
      4096, 64 * 1024 * 1024, 64 * 1024, 1 },

    { ngx_string("turns"), offsetof(ngx_ors_limits_t, turns),
      1, 1024 * 1024, 4096, 0 },

    { ngx_string("context"), offsetof(ngx_ors_limits_t, context),
      4096, 1024 * 1024 * 1024, 4 * 1024 * 1024, 1 },

    { ngx_string("truncate"), offsetof(ngx_ors_limits_t, truncate),
      1024, 1024 * 1024 * 1024, 512 * 1024, 1 },

    { ngx_string("tool_answer"), offsetof(ngx_ors_limits_t, tool_answer),
      1024, 64 * 1024 * 1024, 256 * 1024, 1 },

    { ngx_string("tool_calls"), offsetof(ngx_ors_limits_t, tool_calls),
      1, 1024, 5, 0 },

    { ngx_string("scope_context"), offsetof(ngx_ors_limits_t, scope_context),
      0, NGX_MAX_SIZE_T_VALUE, 512 * 1024 * 1024, 1 },

    { ngx_null_string, 0, 0, 0, 0, 0 }
};


char *
ngx_ors_limits_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char              *rv;
    ngx_str_t         *value;
    ngx_uint_t         i;
    ngx_ors_limits_t  *limits;

    limits = (ngx_ors_limits_t *) ((u_char *) conf + cmd->offset);
    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        rv = ngx_ors_limit(cf, limits, &value[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return NGX_CONF_OK;
}


static char *
ngx_ors_limit(ngx_conf_t *cf, ngx_ors_limits_t *limits, ngx_str_t *value)
{
    u_char           *last, buf[NGX_MAX_CONF_ERRSTR];
    size_t           *field;
    ssize_t           n;
    ngx_str_t         s;
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {

        if (value->len > limit->name.len
            && value->data[limit->name.len] == '='
            && ngx_strncmp(value->data, limit->name.data, limit->name.len)
               == 0)
        {
            break;
        }
    }

    if (limit->name.len == 0) {
        last = ngx_ors_conf_words(buf, ngx_ors_limits, sizeof(ngx_ors_limit_t),
                                  "=", value);

        ngx_ors_conf_error(cf, 0,
                           "invalid limit \"%V\", it must be %*s", value,
                           (size_t) (last - buf), buf);
        return NGX_CONF_ERROR;
    }

    s.data = value->data + limit->name.len + 1;
    s.len = value->data + value->len - s.data;

    n = limit->size ? (ssize_t) ngx_parse_offset(&s)
                    : ngx_atoi(s.data, s.len);

    if (n == NGX_ERROR || (ngx_uint_t) n < limit->min
        || (ngx_uint_t) n > limit->max)
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid limit \"%V\", it must be a %s from %ui "
                           "to %ui%s", value, limit->size ? "size" : "number",
                           limit->min, limit->max,
                           limit->size ? ", as in \"64k\", \"16m\" or \"1g\""
                                       : "");
        return NGX_CONF_ERROR;
    }

    field = ngx_ors_limits_field(limits, limit);

    if (*field != NGX_CONF_UNSET_SIZE) {
        ngx_ors_conf_error(cf, 0,
                           "limit \"%V\" is duplicate", &limit->name);
        return NGX_CONF_ERROR;
    }

    *field = n;

    return NGX_CONF_OK;
}


void
ngx_ors_limits_init(ngx_ors_limits_t *limits)
{
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {
        *ngx_ors_limits_field(limits, limit) = NGX_CONF_UNSET_SIZE;
    }
}


void
ngx_ors_limits_merge(ngx_ors_limits_t *limits, ngx_ors_limits_t *prev)
{
    size_t           *field, *prev_field;
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {
        field = ngx_ors_limits_field(limits, limit);
        prev_field = ngx_ors_limits_field(prev, limit);

        ngx_conf_merge_size_value(*field, *prev_field, limit->value);
    }
}
