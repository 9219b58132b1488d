
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Documents as the tables judge them.  Reads lines of three columns with tabs
 * between them: a kind, a profile, and JSON text, in which "\001N:text\001"
 * stands for N times that text.  Writes a line for each: "ok", or the path,
 * the code and the message of the error.
 *
 * Documents are not repaired, and unknown keys pass.
 */


#include <ngx_ors_fields.h>
#include <ngx_ors_test.h>


#define WALK_MARK   '\001'
#define WALK_NODES  (1024 * 1024)


typedef struct {
    char                   *name;
    const ngx_ors_shape_t  *shape;
} walk_kind_t;


typedef struct {
    char                   *name;
    ngx_uint_t              profile;
} walk_reading_t;


static int walk_line(char *line, char *last);
static const ngx_ors_shape_t *walk_shape(const char *name);
static ngx_uint_t walk_reading(const char *name);
static u_char *walk_expand(char *p, char *last, size_t *len);
static size_t walk_text(char *p, char *last, u_char *dst);
static int walk_document(const ngx_ors_shape_t *shape, ngx_uint_t profile,
    u_char *text, size_t len);
static ngx_int_t walk_validate(ngx_ors_validate_t *v,
    const ngx_ors_shape_t *shape, u_char *text, size_t len);


static const walk_kind_t  walk_kinds[] = {
    { "create", &ngx_ors_fields_create },
    { "compact", &ngx_ors_fields_compact },
    { "response", &ngx_ors_fields_response },
    { "compaction", &ngx_ors_fields_compaction },
    { "event", &ngx_ors_fields_event },
    { "error", &ngx_ors_fields_error },
    { NULL, NULL }
};


static const walk_reading_t  walk_readings[] = {
    { "spec", NGX_ORS_STRICT_SPEC },
    { "openai", NGX_ORS_STRICT_OPENAI },
    { "loose", NGX_ORS_TOLERANT_SPEC },
    { "loose_openai", NGX_ORS_TOLERANT_OPENAI },
    { NULL, 0 }
};


int
main(void)
{
    int      rc;
    char    *line;
    size_t   size;
    ssize_t  n;

    rc = 0;
    line = NULL;
    size = 0;

    while (rc == 0 && (n = getline(&line, &size, stdin)) > 0) {

        if (line[n - 1] == '\n') {
            n--;
        }

        rc = walk_line(line, line + n);
    }

    free(line);

    return rc;
}


static int
walk_line(char *line, char *last)
{
    int                     rc;
    char                   *name, *text;
    size_t                  len;
    u_char                 *document;
    ngx_uint_t              profile;
    const ngx_ors_shape_t  *shape;

    *last = '\0';

    name = strchr(line, '\t');
    text = name ? strchr(name + 1, '\t') : NULL;

    if (text == NULL) {
        fprintf(stderr, "not three columns: \"%.60s\"\n", line);
        return 2;
    }

    *name++ = '\0';
    *text++ = '\0';

    shape = walk_shape(line);
    profile = walk_reading(name);

    if (shape == NULL || profile == 0) {
        fprintf(stderr, "unknown: \"%s\", \"%s\"\n", line, name);
        return 2;
    }

    document = walk_expand(text, last, &len);

    rc = walk_document(shape, profile, document, len);

    free(document);

    return rc;
}


static const ngx_ors_shape_t *
walk_shape(const char *name)
{
    const walk_kind_t  *kind;

    for (kind = walk_kinds; kind->name; kind++) {

        if (strcmp(kind->name, name) == 0) {
            return kind->shape;
        }
    }

    return NULL;
}


static ngx_uint_t
walk_reading(const char *name)
{
    const walk_reading_t  *profile;

    for (profile = walk_readings; profile->name; profile++) {

        if (strcmp(profile->name, name) == 0) {
            return profile->profile;
        }
    }

    return 0;
}


/* exactly sized, for the sanitizer */

static u_char *
walk_expand(char *p, char *last, size_t *len)
{
    u_char  *text;

    *len = walk_text(p, last, NULL);

    text = malloc(*len);

    if (text == NULL) {
        abort();
    }

    (void) walk_text(p, last, text);

    return text;
}


/* the size of the text, which is written if there is a place for it */

static size_t
walk_text(char *p, char *last, u_char *dst)
{
    char    *mark, *end;
    size_t   n, len, size;

    size = 0;

    while (p < last) {
        n = 1;
        end = last;
        mark = memchr(p, WALK_MARK, last - p);

        if (mark == p) {
            n = strtoul(p + 1, &p, 10);
            p++;
            end = memchr(p, WALK_MARK, last - p);

        } else if (mark) {
            end = mark;
        }

        if (end == NULL) {
            break;
        }

        len = end - p;
        size += n * len;

        for ( /* void */ ; dst && n; n--) {
            dst = ngx_cpymem(dst, p, len);
        }

        p = (mark == NULL || end == mark) ? end : end + 1;
    }

    return size;
}


static int
walk_document(const ngx_ors_shape_t *shape, ngx_uint_t profile,
    u_char *text, size_t len)
{
    ngx_int_t            rc;
    ngx_ors_error_t      err;
    ngx_ors_policy_t     policy;
    ngx_ors_validate_t   v;

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));
    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));

    policy.profile = profile;

    v.policy = &policy;
    v.root = "the document";
    v.pool = ngx_ors_test_pool();
    v.err = &err;

    rc = walk_validate(&v, shape, text, len);

    if (rc == NGX_OK) {
        puts("ok");

    } else if (rc == NGX_DECLINED) {
        printf("%.*s\t%.*s\t%.*s\n", (int) err.param.len, err.param.data,
               (int) err.code.len, err.code.data,
               (int) err.message.len, err.message.data);
    }

    ngx_destroy_pool(v.pool);

    return (rc == NGX_ERROR) ? 2 : 0;
}


static ngx_int_t
walk_validate(ngx_ors_validate_t *v, const ngx_ors_shape_t *shape,
    u_char *text, size_t len)
{
    ngx_int_t       rc;
    ngx_ors_json_t  json;

    ngx_ors_json_init(&json, v->pool, NGX_ORS_JSON_MAX_DEPTH, WALK_NODES);

    rc = ngx_ors_json_read(&json, text, len);

    if (rc == NGX_DECLINED) {
        return ngx_ors_error_set(v->err, v->pool, ngx_ors_code_invalid_json,
                                 "%V", ngx_ors_json_strerror(json.error));
    }

    if (rc != NGX_OK) {
        return rc;
    }

    v->json = &json;

    return ngx_ors_validate(v, json.nodes, shape, NULL);
}
