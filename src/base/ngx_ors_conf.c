
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Words of directives, looked up in tables, and what several setters need.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>


/* the longest name that is compared, and names with one typo at most */
#define NGX_ORS_CONF_NAME   32
#define NGX_ORS_CONF_SHORT  4


static size_t ngx_ors_conf_name(const ngx_str_t *word);
static ngx_uint_t ngx_ors_conf_distance(u_char *a, size_t alen, u_char *b,
    size_t blen);
static ngx_int_t ngx_ors_conf_param_fits(ngx_ors_conf_param_t *param, off_t n);
static void ngx_ors_conf_param_error(ngx_conf_t *cf, ngx_str_t *word,
    char *must, size_t len, char *what, ngx_str_t *name);


ngx_conf_enum_t  ngx_ors_conf_flags[] = {
    { ngx_string("on"), 1 },
    { ngx_string("off"), 0 },
    { ngx_null_string, 0 }
};


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


/* ngx_conf_set_enum_slot() does not say which words are allowed */

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


/*
 * Parameters of directives, read by tables.
 */


char *
ngx_ors_conf_params(ngx_conf_t *cf, ngx_ors_conf_param_t *params, void *conf,
    ngx_uint_t n, char *what, ngx_str_t *name)
{
    ngx_int_t    rc;
    ngx_str_t   *value;

    value = cf->args->elts;

    for ( /* void */ ; n < cf->args->nelts; n++) {
        rc = ngx_ors_conf_param(cf, params, conf, &value[n], what, name);

        if (rc == NGX_DECLINED) {
            ngx_ors_conf_param_unknown(cf, params, &value[n], what, name);
        }

        if (rc != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_conf_param(ngx_conf_t *cf, ngx_ors_conf_param_t *params, void *conf,
    ngx_str_t *word, char *what, ngx_str_t *name)
{
    ngx_int_t              rc;
    ngx_str_t              value;
    ngx_ors_conf_param_t  *param;

    for (param = params; param->name.len; param++) {

        if (ngx_strncmp(word->data, param->name.data, param->name.len) == 0) {
            break;
        }
    }

    if (param->name.len == 0) {
        return NGX_DECLINED;
    }

    value.data = word->data + param->name.len;
    value.len = word->len - param->name.len;

    rc = param->set(cf, param, &value, (u_char *) conf + param->offset);

    if (rc == NGX_OK) {
        return NGX_OK;
    }

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_param_error(cf, word, param->must,
                                 ngx_strlen(param->must), what, name);

    } else if (rc == NGX_BUSY && name) {
        ngx_ors_conf_error(cf, 0,
                           "parameter \"%*s\" of %s \"%V\" is duplicate",
                           param->name.len - 1, param->name.data, what, name);

    } else if (rc == NGX_BUSY) {
        ngx_ors_conf_error(cf, 0, "parameter \"%*s\" is duplicate",
                           param->name.len - 1, param->name.data);
    }

    return NGX_ERROR;
}


void
ngx_ors_conf_param_unknown(ngx_conf_t *cf, ngx_ors_conf_param_t *params,
    ngx_str_t *word, char *what, ngx_str_t *name)
{
    u_char  *last, buf[NGX_MAX_CONF_ERRSTR];

    last = ngx_ors_conf_words(buf, params, sizeof(ngx_ors_conf_param_t), "",
                              word);

    ngx_ors_conf_param_error(cf, word, (char *) buf, last - buf, what, name);
}


static void
ngx_ors_conf_param_error(ngx_conf_t *cf, ngx_str_t *word, char *must,
    size_t len, char *what, ngx_str_t *name)
{
    if (name) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\" of %s \"%V\", it must be "
                           "%*s", word, what, name, len, must);
        return;
    }

    ngx_ors_conf_error(cf, 0, "invalid parameter \"%V\", it must be %*s", word,
                       len, must);
}


char *
ngx_ors_conf_param_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t              rc;
    ngx_str_t             *value;
    ngx_ors_conf_param_t  *param;

    value = cf->args->elts;
    param = cmd->post;

    rc = param->set(cf, param, &value[1], (u_char *) conf + cmd->offset);

    if (rc == NGX_OK) {
        return NGX_CONF_OK;
    }

    if (rc == NGX_BUSY) {
        return "is duplicate";
    }

    ngx_ors_conf_error(cf, 0, "invalid value \"%V\" of \"%V\", it must be %s",
                       &value[1], &cmd->name, param->must);

    return NGX_CONF_ERROR;
}


ngx_int_t
ngx_ors_conf_param_msec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_msec_t  *msec = field;

    if (*msec != NGX_CONF_UNSET_MSEC) {
        return NGX_BUSY;
    }

    *msec = ngx_parse_time(value, 0);

    return ngx_ors_conf_param_fits(param, (ngx_msec_int_t) *msec);
}


ngx_int_t
ngx_ors_conf_param_sec(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    time_t  *sec = field;

    if (*sec != NGX_CONF_UNSET) {
        return NGX_BUSY;
    }

    *sec = ngx_parse_time(value, 1);

    return ngx_ors_conf_param_fits(param, *sec);
}


ngx_int_t
ngx_ors_conf_param_size(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    off_t    n;
    size_t  *size = field;

    if (*size != NGX_CONF_UNSET_SIZE) {
        return NGX_BUSY;
    }

    n = ngx_parse_offset(value);
    *size = n;

    /* off_t has more bits than size_t on 32-bit platforms */

    if (n < 0 || (uint64_t) n != *size) {
        n = NGX_ERROR;
    }

    return ngx_ors_conf_param_fits(param, n);
}


ngx_int_t
ngx_ors_conf_param_offset(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    off_t  *offset = field;

    if (*offset != NGX_CONF_UNSET) {
        return NGX_BUSY;
    }

    *offset = ngx_parse_offset(value);

    return ngx_ors_conf_param_fits(param, *offset);
}


ngx_int_t
ngx_ors_conf_param_number(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_uint_t  *number = field;

    if (*number != NGX_CONF_UNSET_UINT) {
        return NGX_BUSY;
    }

    *number = ngx_atoi(value->data, value->len);

    return ngx_ors_conf_param_fits(param, (ngx_int_t) *number);
}


/* NGX_ERROR of nginx's parsers is below all bounds */

static ngx_int_t
ngx_ors_conf_param_fits(ngx_ors_conf_param_t *param, off_t n)
{
    return (n >= param->low && (param->high == 0 || n <= param->high))
           ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_conf_param_word(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_uint_t       *number = field;
    ngx_conf_enum_t  *word;

    if (*number != NGX_CONF_UNSET_UINT) {
        return NGX_BUSY;
    }

    for (word = param->words; word->name.len; word++) {

        if (ngx_strcmp(word->name.data, value->data) == 0) {
            *number = word->value;
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_conf_param_text(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_str_t  *text = field;

    if (text->data) {
        return NGX_BUSY;
    }

    *text = *value;

    return value->len ? NGX_OK : NGX_DECLINED;
}
