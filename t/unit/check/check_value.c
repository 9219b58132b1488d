
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The part of the checker that reads values, writes the text of the contents
 * and remembers the first thing that is wrong.
 */


#include "check.h"
#include <stdarg.h>


static ngx_str_t check_plain(check_t *c, ngx_ors_json_node_t *node);


ngx_ors_json_node_t *
check_get(check_t *c, ngx_ors_json_node_t *object, const char *name)
{
    ngx_ors_json_node_t  *node;

    node = object ? ngx_ors_json_get(&c->json, object, (u_char *) name,
                                     strlen(name))
                  : NULL;

    /* members that a server has to send are the schema's matter */

    if (node == NULL && !(c->answer && c->answer->passed)) {
        wrong(c, "no %s", name);
    }

    return node;
}


ngx_ors_json_node_t *
check_find(check_t *c, ngx_ors_json_node_t *object, const char *name)
{
    ngx_ors_json_node_t  *node;

    node = object ? ngx_ors_json_get(&c->json, object, (u_char *) name,
                                     strlen(name))
                  : NULL;

    return (node && node->type != ngx_ors_json_null) ? node : NULL;
}


void
check_is(check_t *c, ngx_ors_json_node_t *object, const char *name,
    const char *value)
{
    ngx_ors_json_node_t  *node;

    node = check_get(c, object, name);

    if (node && !ngx_ors_json_equal(&c->json, node, (u_char *) value,
                                    strlen(value)))
    {
        wrong(c, "%s is not %s", name, value);
    }
}


/* a member of the event */

void
check_number(check_t *c, const char *name, ngx_uint_t value)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = check_get(c, c->json.nodes, name);

    if (node && (ngx_ors_json_integer(&c->json, node, &n) != NGX_OK
                 || n != (int64_t) value))
    {
        wrong(c, "%s is not %d", name, (int) value);
    }
}


ngx_uint_t
check_same(check_t *c, ngx_ors_json_node_t *node, ngx_str_t *s)
{
    ngx_str_t  raw;

    if (node == NULL) {
        return 0;
    }

    raw = check_plain(c, node);

    return raw.len == s->len
           && (s->len == 0 || memcmp(raw.data, s->data, s->len) == 0);
}


void
check_copy(check_t *c, ngx_str_t *s, ngx_ors_json_node_t *node)
{
    ngx_str_t  raw;

    if (node) {
        raw = check_plain(c, node);
        s->len = raw.len;
        s->data = ngx_pstrdup(c->pool, &raw);
    }
}


/* the same string may have other escapes in each event of a server */

static ngx_str_t
check_plain(check_t *c, ngx_ors_json_node_t *node)
{
    ngx_str_t  raw;

    raw = check_raw(c, node);

    if (c->answer->passed && node->type == ngx_ors_json_string
        && node->escaped)
    {
        raw.data = ngx_pnalloc(c->pool, raw.len);
        raw.len = ngx_ors_json_decode(&c->json, node, raw.data) - raw.data;
    }

    return raw;
}


ngx_str_t
check_raw(check_t *c, ngx_ors_json_node_t *node)
{
    ngx_str_t  raw;

    ngx_ors_json_raw(&c->json, node, &raw);

    return raw;
}


ngx_uint_t
check_type(ngx_str_t *type, const char *name)
{
    return type->len == strlen(name)
           && memcmp(type->data, name, type->len) == 0;
}


void
check_put(check_t *c, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    c->len += vsnprintf(c->digest + c->len, CHECK_DIGEST - c->len, fmt, args);
    va_end(args);

    c->len = ngx_min(c->len, CHECK_DIGEST - 1);
}


void
check_put_node(check_t *c, ngx_ors_json_node_t *node)
{
    u_char     *p, *end, *part;
    ngx_str_t   raw;

    if (node == NULL) {
        return;
    }

    raw = check_raw(c, node);

    if (node->type != ngx_ors_json_string) {
        check_put(c, "%.*s", (int) raw.len, raw.data);
        return;
    }

    p = malloc(raw.len + 1);
    end = ngx_ors_json_decode(&c->json, node, p);
    *end = '\0';

    /* the picture of a zero, which would end the text */

    for (part = p; part <= end; part += strlen((char *) part) + 1) {
        check_put(c, "%s%s", part == p ? "" : "\xe2\x90\x80", part);
    }

    free(p);
}


/* the first thing that is wrong */

void
wrong(check_t *c, const char *fmt, ...)
{
    size_t   len;
    va_list  args;

    if (c->error[0]) {
        return;
    }

    len = snprintf(c->error, sizeof(c->error), "event %d: ",
                   (int) c->events - 1);

    va_start(args, fmt);
    vsnprintf(c->error + len, sizeof(c->error) - len, fmt, args);
    va_end(args);
}
