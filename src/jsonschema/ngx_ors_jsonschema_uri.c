
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The merge of a reference with its base, and what a fragment decodes to.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_uri.h>


/* ends of the parts of a URI: each begins where the previous one ends */

typedef struct {
    size_t    scheme;        /* with its colon, 0: there is none */
    size_t    authority;     /* with two slashes */
    size_t    path;
    size_t    query;
} ngx_ors_jsonschema_uri_t;


static void ngx_ors_jsonschema_uri_parse(u_char *p, size_t len,
    ngx_ors_jsonschema_uri_t *u);
static size_t ngx_ors_jsonschema_uri_decode(u_char *dst, u_char *p,
    size_t len);
static size_t ngx_ors_jsonschema_uri_dots(u_char *path, size_t len);


void
ngx_ors_jsonschema_uri_resolve(ngx_str_t *base, ngx_str_t *ref, ngx_str_t *uri,
    ngx_str_t *fragment)
{
    size_t                     len, keep;
    u_char                    *p, *path;
    ngx_ors_jsonschema_uri_t   b, r;

    p = ngx_strlchr(ref->data, ref->data + ref->len, '#');
    len = p ? (size_t) (p - ref->data) : ref->len;

    fragment->len = p ? ref->len - len - 1 : 0;

    if (p) {
        fragment->len = ngx_ors_jsonschema_uri_decode(fragment->data, p + 1,
                                                      fragment->len);
    }

    ngx_ors_jsonschema_uri_parse(base->data, base->len, &b);
    ngx_ors_jsonschema_uri_parse(ref->data, len, &r);

    /* how much of the base is in front of what the reference has */

    if (r.scheme) {
        keep = 0;

    } else if (r.authority) {
        keep = b.scheme;

    } else if (r.path == 0) {
        keep = (r.query == 0) ? b.query : b.path;

    } else if (ref->data[0] == '/') {
        keep = b.authority;

    } else {
        for (keep = b.path; keep > b.authority; keep--) {

            if (base->data[keep - 1] == '/') {
                break;
            }
        }
    }

    p = ngx_cpymem(uri->data, base->data, keep);
    path = uri->data + (r.authority ? keep + r.authority
                                    : ngx_min(keep, b.authority));

    if (keep && keep == b.authority && b.authority > b.scheme && r.path
        && ref->data[0] != '/')
    {
        *p++ = '/';
    }

    p = ngx_cpymem(p, ref->data, r.path);

    if (r.path > r.authority) {
        p = path + ngx_ors_jsonschema_uri_dots(path, p - path);
    }

    p = ngx_cpymem(p, ref->data + r.path, r.query - r.path);

    uri->len = p - uri->data;
}


static void
ngx_ors_jsonschema_uri_parse(u_char *p, size_t len,
    ngx_ors_jsonschema_uri_t *u)
{
    size_t  i;

    for (i = 0; i < len; i++) {

        if (p[i] == ':' || p[i] == '/' || p[i] == '?') {
            break;
        }
    }

    u->scheme = (i && i < len && p[i] == ':') ? i + 1 : 0;

    i = u->scheme;

    if (i + 1 < len && p[i] == '/' && p[i + 1] == '/') {

        for (i += 2; i < len && p[i] != '/' && p[i] != '?'; i++) {
            /* void */
        }
    }

    u->authority = i;

    while (i < len && p[i] != '?') {
        i++;
    }

    u->path = i;
    u->query = len;
}


/* returns the length; "%" without two digits stays as it is */

static size_t
ngx_ors_jsonschema_uri_decode(u_char *dst, u_char *p, size_t len)
{
    u_char     *last, *start;
    ngx_int_t   n;

    last = p + len;

    for (start = dst; p < last; p++) {

        if (*p == '%' && last - p > 2) {
            n = ngx_hextoi(p + 1, 2);

            if (n != NGX_ERROR) {
                *dst++ = (u_char) n;
                p += 2;
                continue;
            }
        }

        *dst++ = *p;
    }

    return dst - start;
}


/* removes the segments "." and ".." in place, returns the length */

static size_t
ngx_ors_jsonschema_uri_dots(u_char *path, size_t len)
{
    size_t   n;
    u_char  *p, *last, *dst, *next;

    last = path + len;
    dst = path;

    for (p = path; p < last; p = next) {

        next = ngx_strlchr(p, last, '/');
        next = next ? next + 1 : last;
        n = next - p - (next[-1] == '/');

        if (n == 1 && p[0] == '.') {
            continue;
        }

        if (n == 2 && p[0] == '.' && p[1] == '.') {

            if (dst - path > 1) {

                for (dst--; dst > path && dst[-1] != '/'; dst--) {
                    /* void */
                }
            }

            continue;
        }

        dst = ngx_movemem(dst, p, next - p);
    }

    return dst - path;
}


size_t
ngx_ors_jsonschema_uri_token(u_char *name, size_t len)
{
    u_char  *p, *last, *dst;

    last = name + len;

    for (p = name, dst = name; p < last; p++) {

        if (p[0] == '~' && p + 1 < last && (p[1] == '0' || p[1] == '1')) {
            p++;
            *dst++ = (*p == '0') ? '~' : '/';
            continue;
        }

        *dst++ = *p;
    }

    return dst - name;
}
