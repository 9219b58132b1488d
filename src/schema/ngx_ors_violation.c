
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The text and the path of a violation.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_violation.h>


/* characters of the client's text that a message may quote */
#define NGX_ORS_VIOLATION_CHARS  64

/* raw bytes of the longest character: "\ud83d\ude00" */
#define NGX_ORS_VIOLATION_CHAR   12


static size_t ngx_ors_violation_char_len(u_char *p, u_char *last);


void
ngx_ors_violation_init(ngx_ors_violation_t *m, ngx_ors_json_t *json,
    ngx_uint_t discreet)
{
    m->json = json;
    m->listed = 0;
    m->discreet = discreet;
    m->last = m->text_buf;
    m->path = m->path_buf + NGX_ORS_VIOLATION_PATH;
}


ngx_int_t
ngx_ors_violation_set(ngx_ors_violation_t *m, ngx_ors_code_e code,
    const char *fmt, ...)
{
    va_list  args;

    m->code = code;

    va_start(args, fmt);
    m->last = ngx_vslprintf(m->text_buf, m->text_buf + NGX_ORS_VIOLATION_TEXT,
                            fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


void
ngx_ors_violation_add(ngx_ors_violation_t *m, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    m->last = ngx_vslprintf(m->last, m->text_buf + NGX_ORS_VIOLATION_TEXT,
                            fmt, args);
    va_end(args);
}


void
ngx_ors_violation_found(ngx_ors_violation_t *m, ngx_ors_json_node_t *node)
{
    u_char     buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t  text;

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
        ngx_ors_violation_add(m, ", found null");
        break;

    case ngx_ors_json_false:
        ngx_ors_violation_add(m, ", found false");
        break;

    case ngx_ors_json_true:
        ngx_ors_violation_add(m, ", found true");
        break;

    case ngx_ors_json_number:

        if (m->discreet) {
            ngx_ors_violation_add(m, ", found a number");
            break;
        }

        ngx_ors_violation_quote(m, node, buf, &text);
        ngx_ors_violation_add(m, ", found number %V", &text);
        break;

    case ngx_ors_json_string:

        if (m->discreet) {
            ngx_ors_violation_add(m, ", found a string");
            break;
        }

        ngx_ors_violation_quote(m, node, buf, &text);
        ngx_ors_violation_add(m, ", found string \"%V\"", &text);
        break;

    case ngx_ors_json_array:
        ngx_ors_violation_add(m, ", found an array");
        break;

    case ngx_ors_json_object:
        ngx_ors_violation_add(m, ", found an object");
        break;
    }
}


void
ngx_ors_violation_at_name(ngx_ors_violation_t *m, const ngx_str_t *name)
{
    if ((size_t) (m->path - m->path_buf) <= name->len) {
        return;
    }

    m->path -= name->len + 1;

    *m->path = '.';
    ngx_memcpy(m->path + 1, name->data, name->len);
}


void
ngx_ors_violation_at_index(ngx_ors_violation_t *m, ngx_uint_t i)
{
    size_t  len;
    u_char  buf[NGX_INT_T_LEN + sizeof("[]") - 1];

    len = ngx_sprintf(buf, "[%ui]", i) - buf;

    if ((size_t) (m->path - m->path_buf) < len) {
        return;
    }

    m->path -= len;

    ngx_memcpy(m->path, buf, len);
}


void
ngx_ors_violation_quote(ngx_ors_violation_t *m, ngx_ors_json_node_t *node,
    u_char *buf, ngx_str_t *text)
{
    u_char               *p, *last;
    ngx_uint_t            n;
    ngx_ors_json_node_t   cut;

    p = ngx_ors_json_text(m->json, node);
    last = p + node->len;

    for (n = 0; n < NGX_ORS_VIOLATION_CHARS && p < last; n++) {
        p += ngx_ors_violation_char_len(p, last);
    }

    cut = *node;
    cut.len = p - ngx_ors_json_text(m->json, node);

    last = ngx_ors_json_decode(m->json, &cut, buf);

    text->data = buf;
    text->len = ngx_ors_line_copy(buf, buf, last - buf) - buf;
}


/* raw bytes of the character at "p", a pair of surrogates is one */

static size_t
ngx_ors_violation_char_len(u_char *p, u_char *last)
{
    if (*p != '\\') {
        return (*p < 0x80) ? 1 : (*p < 0xe0) ? 2 : (*p < 0xf0) ? 3 : 4;
    }

    if (p[1] != 'u') {
        return 2;
    }

    if (last - p >= NGX_ORS_VIOLATION_CHAR
        && ngx_tolower(p[2]) == 'd' && ngx_strchr("89abAB", p[3])
        && p[6] == '\\' && p[7] == 'u'
        && ngx_tolower(p[8]) == 'd' && ngx_strchr("cdefCDEF", p[9]))
    {
        return NGX_ORS_VIOLATION_CHAR;
    }

    return 6;
}


ngx_int_t
ngx_ors_violation_error(ngx_ors_violation_t *m, char *root, ngx_pool_t *pool,
    ngx_ors_error_t *err)
{
    ngx_str_t  text, path;

    text.data = m->text_buf;
    text.len = m->last - m->text_buf;

    path.data = m->path;
    path.len = m->path_buf + NGX_ORS_VIOLATION_PATH - m->path;

    if (path.len == 0) {
        return ngx_ors_error_set(err, pool, m->code, "%s %V", root,
                                 &text);
    }

    /* a dot is in front of the first name as well */
    path.data++;
    path.len--;

    ngx_ors_error_set(err, pool, m->code, "\"%V\" %V", &path, &text);

    err->param.data = ngx_pstrdup(pool, &path);
    if (err->param.data == NULL) {
        return NGX_ERROR;
    }

    err->param.len = path.len;

    return NGX_DECLINED;
}
