
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Sentences and paths, cut to the size of a report.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>
#include <ngx_ors_error.h>
#include <ngx_ors_utf8.h>


/* bytes of a name in a path, and of values of a schema in a sentence */
#define NGX_ORS_JSONSCHEMA_NAME    64
#define NGX_ORS_JSONSCHEMA_VALUES  384

/* bytes that jansson prints in the time of a step */
#define NGX_ORS_JSONSCHEMA_DUMPED  16


static void ngx_ors_jsonschema_root(ngx_ors_jsonschema_report_t *report,
    char *keyword, const char *fmt, va_list args);
static void ngx_ors_jsonschema_text(ngx_ors_jsonschema_report_t *report,
    u_char *p, const char *fmt, va_list args);
static void ngx_ors_jsonschema_path(ngx_ors_jsonschema_report_t *report,
    ngx_ors_jsonschema_at_t *at);
static u_char *ngx_ors_jsonschema_path_name(u_char *p, u_char *last,
    ngx_str_t *name);
static ngx_uint_t ngx_ors_jsonschema_plain(ngx_str_t *name);
static u_char *ngx_ors_jsonschema_dump(ngx_ors_jsonschema_walk_t *w, u_char *p,
    u_char *last, json_t *value);


ngx_int_t
ngx_ors_jsonschema_busy(ngx_ors_jsonschema_report_t *report, const char *fmt,
    ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_ors_jsonschema_root(report, "", fmt, args);
    va_end(args);

    return NGX_BUSY;
}


ngx_int_t
ngx_ors_jsonschema_refuse(ngx_ors_jsonschema_report_t *report, char *keyword,
    const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    ngx_ors_jsonschema_root(report, keyword, fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


/* fills the report for a whole text */

static void
ngx_ors_jsonschema_root(ngx_ors_jsonschema_report_t *report, char *keyword,
    const char *fmt, va_list args)
{
    u_char  *p;

    report->keyword = keyword;
    report->path.len = 0;
    report->path.data = report->path_buf;

    p = ngx_cpymem(report->text_buf, "The JSON ", sizeof("The JSON ") - 1);

    ngx_ors_jsonschema_text(report, p, fmt, args);
}


ngx_int_t
ngx_ors_jsonschema_fail(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, const char *fmt, ...)
{
    u_char                       *p;
    va_list                       args;
    ngx_ors_jsonschema_report_t  *report;

    w->depth = at->depth;

    if (w->quiet) {
        return NGX_DECLINED;
    }

    report = w->report;
    report->keyword = keyword;

    ngx_ors_jsonschema_path(report, at);

    p = ngx_slprintf(report->text_buf,
                     report->text_buf + NGX_ORS_JSONSCHEMA_TEXT,
                     report->path.len == 0 ? "%sThe value%V "
                                           : "%s\"%V\" ",
                     at->is_name ? "The name of " : "", &report->path);

    va_start(args, fmt);
    ngx_ors_jsonschema_text(report, p, fmt, args);
    va_end(args);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_jsonschema_fail_value(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_at_t *at, char *keyword, char *must, json_t *value)
{
    size_t      i;
    u_char      buf[NGX_ORS_JSONSCHEMA_VALUES], *p, *last;
    ngx_str_t   text;

    if (w->quiet) {
        w->depth = at->depth;
        return NGX_DECLINED;
    }

    p = buf;
    last = buf + NGX_ORS_JSONSCHEMA_VALUES;

    if (ngx_strcmp(keyword, "enum") == 0) {

        for (i = 0; i < json_array_size(value) && p < last; i++) {
            p = ngx_slprintf(p, last, i ? ", " : "");
            p = ngx_ors_jsonschema_dump(w, p, last,
                                        json_array_get(value, i));
        }

    } else {
        p = ngx_ors_jsonschema_dump(w, p, last, value);
    }

    text.data = buf;
    text.len = ngx_ors_line_copy(buf, buf, p - buf) - buf;

    return ngx_ors_jsonschema_fail(w, at, keyword, "%s %V%s", must, &text,
                                   p < last ? "" : " ...");
}


/* the end of a sentence, one line, cut between characters */

static void
ngx_ors_jsonschema_text(ngx_ors_jsonschema_report_t *report, u_char *p,
    const char *fmt, va_list args)
{
    size_t  len;

    p = ngx_vslprintf(p, report->text_buf + NGX_ORS_JSONSCHEMA_TEXT, fmt,
                      args);
    len = p - report->text_buf;

    if (len == NGX_ORS_JSONSCHEMA_TEXT) {
        len = ngx_ors_utf8_valid(report->text_buf, len);
    }

    p = ngx_ors_line_copy(report->text_buf, report->text_buf, len);

    report->text.data = report->text_buf;
    report->text.len = p - report->text_buf;
}


/* a.b[2]: from the root on, what does not fit is left out */

static void
ngx_ors_jsonschema_path(ngx_ors_jsonschema_report_t *report,
    ngx_ors_jsonschema_at_t *at)
{
    u_char                   *p, *last;
    ngx_uint_t                n;
    ngx_ors_jsonschema_at_t  *a;

    p = report->path_buf;
    last = p + NGX_ORS_JSONSCHEMA_PATH;

    for (n = 1; n <= at->depth; n++) {

        for (a = at; a->depth > n; a = a->parent) { /* void */ }

        if (a->name.data == NULL) {
            p = ngx_slprintf(p, last, "[%ui]", a->index);
            continue;
        }

        p = ngx_ors_jsonschema_path_name(p, last, &a->name);
    }

    report->path.data = report->path_buf;
    report->path.len = p - report->path_buf;

    if (p == last) {
        report->path.len = ngx_ors_utf8_valid(report->path_buf,
                                              report->path.len);
    }

    if (report->path.len && report->path_buf[0] == '.') {
        report->path.data++;
        report->path.len--;
    }
}


static u_char *
ngx_ors_jsonschema_path_name(u_char *p, u_char *last, ngx_str_t *name)
{
    size_t      len;
    u_char      buf[NGX_ORS_JSONSCHEMA_NAME];
    ngx_str_t   text;

    if (ngx_ors_jsonschema_plain(name)) {
        return ngx_slprintf(p, last, ".%V", name);
    }

    len = ngx_ors_utf8_cut(name->data, name->len, NGX_ORS_JSONSCHEMA_NAME);

    text.data = buf;
    text.len = ngx_ors_line_copy(buf, name->data, len) - buf;

    return ngx_slprintf(p, last, "['%V']", &text);
}


/* 1 if the name reads well after a dot */

static ngx_uint_t
ngx_ors_jsonschema_plain(ngx_str_t *name)
{
    size_t  i;
    u_char  ch;

    if (name->len == 0 || name->len > NGX_ORS_JSONSCHEMA_NAME) {
        return 0;
    }

    for (i = 0; i < name->len; i++) {
        ch = name->data[i];

        if ((ch < '0' || ch > '9') && ch != '_' && ch != '-' && ch != '$'
            && (ngx_tolower(ch) < 'a' || ngx_tolower(ch) > 'z'))
        {
            return 0;
        }
    }

    return 1;
}


/* a value of the schema, up to "last" */

static u_char *
ngx_ors_jsonschema_dump(ngx_ors_jsonschema_walk_t *w, u_char *p, u_char *last,
    json_t *value)
{
    size_t  len;

    /* jansson leaves out a piece that does not fit, and goes on after it */

    ngx_memset(p, ' ', last - p);

    len = json_dumpb(value, (char *) p, last - p,
                     JSON_ENCODE_ANY|JSON_REAL_PRECISION(15));

    (void) ngx_ors_jsonschema_step(w->steps,
                                   len / NGX_ORS_JSONSCHEMA_DUMPED);

    return (len < (size_t) (last - p)) ? p + len : last;
}
