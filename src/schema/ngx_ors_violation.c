
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Rules that tables share, the text and the path of a violation, and keys in
 * another spelling.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_violation.h>
#include <ngx_ors_names.h>


/* characters of the client's text that a message may quote */
#define NGX_ORS_VIOLATION_CHARS  64

/* raw bytes of the longest character: "\ud83d\ude00" */
#define NGX_ORS_VIOLATION_CHAR   12


static size_t ngx_ors_violation_char_len(u_char *p, u_char *last);
static void ngx_ors_mismatch_name(ngx_ors_violation_t *violation,
    const ngx_str_t *last, const ngx_str_t *text);
static u_char ngx_ors_fold_next(u_char **pos, u_char *last);


/* a-z, 0-9, "_" */

static const uint32_t  ngx_ors_fold_chars[] = {
    0x00000000, 0x03ff0000, 0x80000000, 0x07fffffe,
    0x00000000, 0x00000000, 0x00000000, 0x00000000
};


static const ngx_ors_rule_t  ngx_ors_mismatch_string = {
    NGX_ORS_V_STRING, 0, 0, NULL, 0, 0, NULL, NULL
};


/*
 * Rules that several tables share: lists of words, limits, formats.
 */


const ngx_ors_rule_t  ngx_ors_boolean_rule =
    ngx_ors_rule(NGX_ORS_V_BOOL, 0, 0);

const ngx_ors_rule_t  ngx_ors_boolean_null_rule =
    ngx_ors_rule(NGX_ORS_V_BOOL|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_number_rule =
    ngx_ors_rule(NGX_ORS_V_NUMBER, 0, 0);

const ngx_ors_rule_t  ngx_ors_number_null_rule =
    ngx_ors_rule(NGX_ORS_V_NUMBER|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_integer_rule =
    ngx_ors_rule_integer(NGX_ORS_NO_MIN, 0);

const ngx_ors_rule_t  ngx_ors_integer_null_rule =
    ngx_ors_rule(NGX_ORS_V_INTEGER|NGX_ORS_V_NULL, NGX_ORS_NO_MIN, 0);

const ngx_ors_rule_t  ngx_ors_string_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 0);

const ngx_ors_rule_t  ngx_ors_string_null_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_null_rule =
    ngx_ors_rule(NGX_ORS_V_NULL, 0, 0);

const ngx_ors_rule_t  ngx_ors_object_rule =
    ngx_ors_rule_object(0, NULL);

const ngx_ors_rule_t  ngx_ors_object_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, NULL);

const ngx_ors_rule_t  ngx_ors_text_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 10 * NGX_ORS_MI);

const ngx_ors_rule_t  ngx_ors_count_rule =
    ngx_ors_rule_integer(0, 0);

const ngx_ors_rule_t  ngx_ors_objects_rule =
    ngx_ors_rule_list(0, &ngx_ors_object_rule);

const ngx_ors_rule_t  ngx_ors_name_rule =
    ngx_ors_rule(NGX_ORS_V_NAME, 1, 64);

const ngx_ors_rule_t  ngx_ors_any_code_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_NUMBER|NGX_ORS_V_NULL, 0, 0);


/* metadata: the specification limits its keys in words only */

static const ngx_ors_rule_t  ngx_ors_metadata_value_rule =
    ngx_ors_rule(NGX_ORS_V_STRING, 0, 512);

static const ngx_ors_map_t  ngx_ors_metadata_map = {
    16, 64, &ngx_ors_metadata_value_rule
};

static const ngx_ors_shape_t  ngx_ors_metadata_shape =
    ngx_ors_shape_map(&ngx_ors_metadata_map);

const ngx_ors_rule_t  ngx_ors_metadata_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_metadata_shape);


ngx_ors_members_needed(ngx_ors_plain_shape,
    ngx_ors_row_needed("type", NULL));


ngx_ors_open_needed(ngx_ors_typed_shape,
    ngx_ors_row_needed("type", NULL));


/* values */

ngx_ors_words(ngx_ors_phase_rule, 0,
    ngx_ors_word("commentary"), ngx_ors_word("final_answer"));


ngx_ors_words(ngx_ors_truncation_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("disabled"));


ngx_ors_words(ngx_ors_verbosity_rule, 0,
    ngx_ors_word("low"), ngx_ors_word("medium"), ngx_ors_word("high"));


/* "minimal" is described and not listed (C12), clients send it */

ngx_ors_words(ngx_ors_effort_null_rule, NGX_ORS_V_NULL,
    ngx_ors_word("none"), ngx_ors_word_in("minimal", WIDE),
    ngx_ors_word("low"), ngx_ors_word("medium"), ngx_ors_word("high"),
    ngx_ors_word("xhigh"), ngx_ors_word_in("max", OPENAI));


ngx_ors_words(ngx_ors_brevity_null_rule, NGX_ORS_V_NULL,
    ngx_ors_word("concise"), ngx_ors_word("detailed"), ngx_ors_word("auto"));


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

    return (ngx_ors_str_copy(&err->param, pool, &path) == NGX_OK)
           ? NGX_DECLINED : NGX_ERROR;
}


/*
 * Sentences about a value that does not fit its rule: what it must be.
 */


ngx_int_t
ngx_ors_mismatch_type(ngx_ors_violation_t *violation,
    ngx_ors_json_node_t *node, const ngx_ors_rule_t *rule)
{
    char  *or;

    ngx_ors_violation_set(violation, ngx_ors_code_invalid_type, "must be ");

    or = "";

    if (rule->types & NGX_ORS_V_BOOL) {
        ngx_ors_violation_add(violation, "a boolean");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_NUMBER) {
        ngx_ors_violation_add(violation, "%s%s", or,
                              ((rule->types & NGX_ORS_V_INTEGER)
                               == NGX_ORS_V_INTEGER)
                              ? "an integer" : "a number");
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_STRING) {
        ngx_ors_violation_add(violation, "%sa string", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_ARRAY) {
        ngx_ors_violation_add(violation, "%san array", or);
        or = " or ";
    }

    if (rule->types & NGX_ORS_V_OBJECT) {
        ngx_ors_violation_add(violation, "%san object", or);
    }

    if (rule->types == NGX_ORS_V_NULL) {
        ngx_ors_violation_add(violation, "null");
    }

    ngx_ors_violation_found(violation, node);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_mismatch_value(ngx_ors_violation_t *violation, ngx_uint_t profile,
    ngx_ors_json_node_t *node, const ngx_ors_value_t *values)
{
    const ngx_str_t        *text;
    const ngx_ors_value_t  *value;

    ngx_ors_violation_set(violation, ngx_ors_code_invalid_value, "must be ");

    text = NULL;

    for (value = values; value->text.len; value++) {

        if (value->in & profile) {
            ngx_ors_mismatch_name(violation, text, &value->text);
            text = &value->text;
        }
    }

    ngx_ors_mismatch_name(violation, text, NULL);
    ngx_ors_violation_found(violation, node);

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_mismatch_choice(ngx_ors_violation_t *violation,
    ngx_ors_policy_t *policy, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape)
{
    ngx_uint_t                i;
    ngx_array_t              *types;
    ngx_keyval_t             *type;
    const ngx_str_t          *text;
    const ngx_ors_variant_t  *variant;

    if (node->type == ngx_ors_json_string) {
        ngx_ors_violation_set(violation, shape->code, "must be ");

        text = NULL;
        types = (shape->tool || shape->item) ? policy->types : NULL;

        /* a long list is cut */

        for (i = 0; types && i < types->nelts; i++) {
            type = (ngx_keyval_t *) types->elts + i;

            ngx_ors_mismatch_name(violation, text,
                                  shape->tool ? &type->key : &type->value);
            text = shape->tool ? &type->key : &type->value;
        }

        for (variant = shape->values; variant->name.len; variant++) {

            if (variant->in & policy->profile) {
                ngx_ors_mismatch_name(violation, text, &variant->name);
                text = &variant->name;
            }
        }

        ngx_ors_mismatch_name(violation, text, NULL);
        ngx_ors_violation_found(violation, node);

    } else {
        ngx_ors_mismatch_type(violation, node, &ngx_ors_mismatch_string);
    }

    ngx_ors_violation_at_name(violation, &shape->key);

    return NGX_DECLINED;
}


/* a list of names: each is added when the next one is known, NULL: no more */

static void
ngx_ors_mismatch_name(ngx_ors_violation_t *violation, const ngx_str_t *last,
    const ngx_str_t *text)
{
    if (last == NULL) {
        return;
    }

    if (violation->listed) {
        ngx_ors_violation_add(violation, text ? ", " : " or ");
    }

    ngx_ors_violation_add(violation, "\"%V\"", last);

    violation->listed = 1;
}


/*
 * Keys that a reader which folds letters takes for known ones.
 */


const ngx_ors_field_t *
ngx_ors_spelling_field(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_ors_shape_t *shape)
{
    u_char     buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t  name;

    if (ngx_ors_spelling_name(json, key, buf, &name) != NGX_OK) {
        return NULL;
    }

    return ngx_ors_spelling_row(&name, shape);
}


const ngx_ors_field_t *
ngx_ors_spelling_row(const ngx_str_t *name, const ngx_ors_shape_t *shape)
{
    size_t                  len;
    u_char                  first, folded[NGX_ORS_SPELLING_RAW];
    const ngx_ors_field_t  *field, *last;

    /* names of tables are their own folding: a row, or another name */

    if (ngx_ors_fold_plain(name)) {
        return NULL;
    }

    len = ngx_ors_fold(folded, name) - folded;

    if (len == 0) {
        return NULL;
    }

    first = *folded;
    last = shape->fields + shape->nfields;

    for (field = shape->fields; field < last; field++) {

        if (field->name.len == len && *field->name.data == first
            && ngx_memcmp(field->name.data, folded, len) == 0)
        {
            return field;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_ors_spelling_is(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *name)
{
    u_char     buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t  text;

    if (ngx_ors_json_equal(json, key, name->data, name->len)) {
        return 1;
    }

    if (key->ascii && !key->escaped && key->len != name->len) {
        return 0;
    }

    return ngx_ors_spelling_name(json, key, buf, &text) == NGX_OK
           && ngx_ors_fold_equal(&text, name);
}


ngx_int_t
ngx_ors_spelling_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *buf, ngx_str_t *name)
{
    ngx_ors_json_raw(json, key, name);

    if (name->len > NGX_ORS_SPELLING_RAW) {
        return NGX_DECLINED;
    }

    if (key->escaped) {
        name->len = ngx_ors_json_decode(json, key, buf) - buf;
        name->data = buf;
    }

    return NGX_OK;
}


/*
 * Comparison of names without regard to case, as far as other readers of JSON
 * go.
 */


ngx_uint_t
ngx_ors_fold_equal(const ngx_str_t *a, const ngx_str_t *b)
{
    u_char  *p, *q, *last, *end;

    p = a->data;
    last = p + a->len;

    q = b->data;
    end = q + b->len;

    while (p < last && q < end) {

        if (ngx_ors_fold_next(&p, last) != ngx_ors_fold_next(&q, end)) {
            return 0;
        }
    }

    return p == last && q == end;
}


u_char *
ngx_ors_fold(u_char *dst, const ngx_str_t *text)
{
    u_char  *p, *last;

    p = text->data;
    last = p + text->len;

    while (p < last) {
        *dst++ = ngx_ors_fold_next(&p, last);
    }

    return dst;
}


/* the next byte, or the letter that is meant by the next character */

static u_char
ngx_ors_fold_next(u_char **pos, u_char *last)
{
    u_char  *p;

    p = *pos;

    if (last - p >= 2) {

        if (p[0] == 0xc5 && p[1] == 0xbf) {
            *pos = p + 2;
            return 's';
        }

        if (p[0] == 0xc4 && (p[1] == 0xb0 || p[1] == 0xb1)) {
            *pos = p + 2;
            return 'i';
        }
    }

    if (last - p >= 3 && p[0] == 0xe2 && p[1] == 0x84 && p[2] == 0xaa) {
        *pos = p + 3;
        return 'k';
    }

    *pos = p + 1;

    return ngx_tolower(*p);
}


ngx_uint_t
ngx_ors_fold_plain(const ngx_str_t *text)
{
    u_char  *p, *last;

    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        if (!(ngx_ors_fold_chars[*p >> 5] & (1U << (*p & 0x1f)))) {
            return 0;
        }
    }

    return 1;
}
