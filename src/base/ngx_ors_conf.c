
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Words of directives, looked up in tables, and what several setters need.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_same.h>


/* the longest name that is compared, and names with one typo at most */
#define NGX_ORS_CONF_NAME   32
#define NGX_ORS_CONF_SHORT  4


static size_t ngx_ors_conf_name(const ngx_str_t *word);
static ngx_uint_t ngx_ors_conf_distance(u_char *a, size_t alen, u_char *b,
    size_t blen);


/* ngx_conf_set_enum_slot() does not say what is allowed */

void
ngx_ors_conf_error(ngx_conf_t *cf, ngx_err_t err, const char *fmt, ...)
{
    u_char     *last, buf[NGX_MAX_CONF_ERRSTR];
    va_list     args;
    ngx_str_t  *name;

    va_start(args, fmt);
    last = ngx_vslprintf(buf, buf + NGX_MAX_CONF_ERRSTR - 1, fmt, args);
    va_end(args);

    *last = '\0';

    /* a closing brace is parsed without a directive: there is no name */

    name = (cf->args && cf->args->nelts) ? cf->args->elts : NULL;

    if (name == NULL || name->len == 0 || ngx_strstr(buf, name->data)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, err, "%*s",
                           (size_t) (last - buf), buf);
        return;
    }

    ngx_conf_log_error(NGX_LOG_EMERG, cf, err, "\"%V\": %*s", name,
                       (size_t) (last - buf), buf);
}


char *
ngx_ors_conf_enum_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t   *value;
    ngx_uint_t  *field;

    field = (ngx_uint_t *) ((u_char *) conf + cmd->offset);

    if (*field != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_ors_conf_value(cf, "", &cmd->name, cmd->post, &value[1], field)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


char *
ngx_ors_conf_text_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value, *field;

    field = (ngx_str_t *) ((u_char *) conf + cmd->offset);

    if (field->data) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (value[1].len == 0) {
        ngx_ors_conf_error(cf, 0, "\"%V\" must not be empty", &cmd->name);
        return NGX_CONF_ERROR;
    }

    *field = value[1];

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_conf_value(ngx_conf_t *cf, char *what, ngx_str_t *name,
    ngx_conf_enum_t *e, ngx_str_t *value, ngx_uint_t *field)
{
    u_char      *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_uint_t   i;

    for (i = 0; e[i].name.len; i++) {

        if (ngx_ors_same(&e[i].name, value)) {
            *field = e[i].value;
            return NGX_OK;
        }
    }

    last = ngx_ors_conf_words(buf, e, sizeof(ngx_conf_enum_t), "", value);

    ngx_ors_conf_error(cf, 0,
                       "invalid value \"%V\" of %s\"%V\", it must be %*s",
                       value, what, name, (size_t) (last - buf), buf);
    return NGX_ERROR;
}


u_char *
ngx_ors_conf_words(u_char *buf, const void *words, size_t size, char *mark,
    ngx_str_t *found)
{
    char             *sep;
    u_char           *last;
    const ngx_str_t  *word, *next;

    sep = "";
    last = buf;

    for (word = words; word->len; word = next) {
        next = (const ngx_str_t *) ((const u_char *) word + size);

        last = ngx_slprintf(last, buf + NGX_MAX_CONF_ERRSTR, "%s\"%V%s\"",
                            sep, word, mark);

        if (next->len == 0) {
            break;
        }

        sep = ((const ngx_str_t *) ((const u_char *) next + size))->len
              ? ", " : " or ";
    }

    word = found ? ngx_ors_conf_near(words, size, found) : NULL;

    if (word) {
        last = ngx_slprintf(last, buf + NGX_MAX_CONF_ERRSTR,
                            "; did you mean \"%V%s\"?", word, mark);
    }

    return last;
}


const ngx_str_t *
ngx_ors_conf_near(const void *words, size_t size, ngx_str_t *found)
{
    size_t            len;
    ngx_uint_t        n, least;
    const ngx_str_t  *word, *near;

    near = NULL;
    len = ngx_ors_conf_name(found);
    least = (len < NGX_ORS_CONF_SHORT) ? 2 : 3;

    for (word = words; word->len; /* void */ ) {
        n = ngx_ors_conf_distance(found->data, len, word->data,
                                  ngx_ors_conf_name(word));

        if (n < least) {
            least = n;
            near = word;
        }

        word = (const ngx_str_t *) ((const u_char *) word + size);
    }

    return near;
}


static size_t
ngx_ors_conf_name(const ngx_str_t *word)
{
    u_char  *p;

    p = ngx_strlchr(word->data, word->data + word->len, '=');

    return p ? (size_t) (p - word->data) : word->len;
}


/* letters that are added, removed or replaced; names are short */

static ngx_uint_t
ngx_ors_conf_distance(u_char *a, size_t alen, u_char *b, size_t blen)
{
    size_t      i, j;
    ngx_uint_t  above, corner, row[NGX_ORS_CONF_NAME + 1];

    if (alen > NGX_ORS_CONF_NAME || blen > NGX_ORS_CONF_NAME) {
        return NGX_ORS_CONF_NAME;
    }

    for (j = 0; j <= blen; j++) {
        row[j] = j;
    }

    for (i = 0; i < alen; i++) {
        corner = row[0]++;

        for (j = 0; j < blen; j++) {
            above = row[j + 1];

            if (ngx_tolower(a[i]) != b[j]) {
                corner = ngx_min(corner, ngx_min(above, row[j])) + 1;
            }

            row[j + 1] = corner;
            corner = above;
        }
    }

    return row[blen];
}


ngx_int_t
ngx_ors_conf_file(ngx_conf_t *cf, ngx_str_t *name, ngx_fd_t fd,
    ngx_str_t *text)
{
    size_t   size;
    ssize_t  n;

    size = text->len;
    text->len = 0;

    do {
        n = ngx_read_fd(fd, text->data + text->len, size - text->len);

        if (n == -1) {
            ngx_ors_conf_error(cf, ngx_errno,
                               ngx_read_fd_n " \"%V\" failed", name);
            break;
        }

        text->len += n;

    } while (n && text->len < size);

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    if (n == -1) {
        return NGX_ERROR;
    }

    return (n == 0) ? NGX_OK : NGX_DECLINED;
}
