
/*
 * Tables of shapes: what each member of a good document may be, and pieces
 * of documents with what comes of them.  JSON is written with ' for ".
 */


#ifndef _SHAPE_TABLE_H_INCLUDED_
#define _SHAPE_TABLE_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_fields.h>


#define SHAPE_TEXT  8192


/*
 * Values in place of a member's: "-" no member, "n" null, "b" true, "i" 5,
 * "f" 5.5, "s" "x", "a" [] and "o" {}. In the flavor of OpenAI a member that
 * may be absent may be null as well.
 */

typedef struct {
    char                   *path;
    char                   *strict;
    char                   *loose;
} shape_member_t;


/* a piece for the %s of a document, and the profiles that take it */

typedef struct {
    char                   *text;
    ngx_uint_t              in;
    char                   *code;     /* of the others' error */
    char                   *param;    /* NULL: not the same in all */
} shape_case_t;


typedef struct {
    char                   *name;
    char                   *text;
    char                   *repaired;
} shape_repair_t;


typedef struct {
    const ngx_ors_shape_t  *shape;
    ngx_ors_json_t          json;
    ngx_ors_json_node_t    *target;   /* the key that is looked for */
    char                    path[256];
    ngx_uint_t              n;        /* keys passed on the way to it */
    ngx_uint_t              i;        /* keys that were targets before */
} shape_walk_t;


static struct {
    char                    letter;
    char                   *text;
} shape_values[] = {
    { '-', NULL },
    { 'n', "null" },
    { 'b', "true" },
    { 'i', "5" },
    { 'f', "5.5" },
    { 's', "\"x\"" },
    { 'a', "[]" },
    { 'o', "{}" },
    { 0, NULL }
};


static ngx_inline ngx_int_t
shape_validate(char *text, const ngx_ors_shape_t *shape, ngx_uint_t profile,
    ngx_pool_t *pool, ngx_ors_error_t *err, ngx_ors_out_t *repaired)
{
    ngx_int_t           rc;
    ngx_ors_json_t      json;
    ngx_ors_edits_t     edits;
    ngx_ors_policy_t    policy = { profile, ngx_ors_unknown_auto, 0, 0, 0,
                                   NULL };
    ngx_ors_validate_t  v;

    ngx_memzero(err, sizeof(ngx_ors_error_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    ngx_ors_edits_init(&edits, pool);
    ngx_ors_json_init(&json, pool, 32, 10000);

    if (ngx_ors_json_read(&json, (u_char *) text, ngx_strlen(text))
        != NGX_OK)
    {
        fail("not JSON: %s", text);
        return NGX_ERROR;
    }

    v.json = &json;
    v.policy = &policy;
    v.root = "the document";
    v.pool = pool;
    v.err = err;
    v.edits = &edits;
    v.repair = (repaired != NULL);

    rc = ngx_ors_validate(&v, &json.nodes[0], shape, NULL);

    if (rc == NGX_OK && repaired) {
        ngx_ors_edits_write(&edits, &json, 0, ngx_strlen(text), 0, repaired);
    }

    return rc;
}


static ngx_inline char *
shape_quotes(char *text, char *buf)
{
    snprintf(buf, SHAPE_TEXT, "%s", text);
    ngx_ors_test_quotes(buf, buf, strlen(buf));

    return buf;
}


/* the walk over the keys of "document"; gives its text */

static ngx_inline char *
shape_read(shape_walk_t *w, const ngx_ors_shape_t *shape, char *document,
    ngx_pool_t *pool)
{
    char  *text;

    text = shape_quotes(document, ngx_pnalloc(pool, SHAPE_TEXT));

    w->shape = shape;
    w->i = 0;

    ngx_ors_json_init(&w->json, pool, 32, 10000);

    if (ngx_ors_json_read(&w->json, (u_char *) text, ngx_strlen(text))
        != NGX_OK)
    {
        fail("not JSON: %s", text);
    }

    return text;
}


/* walks to key number w->n from the root, the path to it goes to w->path */

static ngx_inline ngx_uint_t
shape_find(shape_walk_t *w, ngx_ors_json_node_t *node, size_t len)
{
    size_t                n;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *child, *value;

    i = 0;

    for (child = ngx_ors_json_first(&w->json, node);
         child;
         child = ngx_ors_json_next(&w->json, child))
    {
        value = child;
        n = len;

        if (node->type == ngx_ors_json_object) {
            value = child + 1;
            n += snprintf(w->path + len, sizeof(w->path) - len, "%s%.*s",
                          len ? "." : "", (int) child->len,
                          ngx_ors_json_text(&w->json, child));

            if (w->n-- == 0) {
                w->target = child;
                return 1;
            }

        } else {
            n += snprintf(w->path + len, sizeof(w->path) - len, "[%d]",
                          (int) i++);
        }

        if (value->type >= ngx_ors_json_array && shape_find(w, value, n)) {
            return 1;
        }
    }

    return 0;
}


/* the next key of all; 0: there is none */

static ngx_inline ngx_uint_t
shape_step(shape_walk_t *w)
{
    w->n = w->i++;

    return shape_find(w, &w->json.nodes[0], 0);
}


/* the same, and "path" is of its row: NULL after the last */

static ngx_inline ngx_uint_t
shape_row(shape_walk_t *w, char *path)
{
    if (!shape_step(w)) {
        ok(path == NULL, "a member for each row");
        return 0;
    }

    if (path == NULL) {
        fail("%s has no row", w->path);
        return 0;
    }

    if (strcmp(w->path, path) != 0) {
        fail("%s has no row, but \"%s\"", w->path, path);
    }

    return 1;
}


/* the document with "value" in place of the target's, NULL: without it */

static ngx_inline void
shape_change(shape_walk_t *w, char *text, char *value, char *buf)
{
    size_t                pos, last;
    ngx_ors_json_node_t  *next;

    last = ngx_ors_edit_end(w->target + 1);

    if (value) {
        pos = ngx_ors_edit_start(w->target + 1);

    } else {
        value = "";
        pos = ngx_ors_edit_start(w->target);
        next = ngx_ors_json_next(&w->json, w->target);

        if (next) {
            last = ngx_ors_edit_start(next);

        } else if (text[pos - 1] == ',') {
            pos--;
        }
    }

    snprintf(buf, SHAPE_TEXT, "%.*s%s%s", (int) pos, text, value,
             text + last);
}


/* the letters of what is taken; a refusal must name the member or one in it */

static ngx_inline void
shape_letters(shape_walk_t *w, char *text, ngx_uint_t profile, char *letters)
{
    char              buf[SHAPE_TEXT];
    size_t            len;
    ngx_int_t         rc;
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    len = ngx_strlen(w->path);

    for (i = 0; shape_values[i].letter; i++) {
        pool = ngx_ors_test_pool();

        shape_change(w, text, shape_values[i].text, buf);

        rc = shape_validate(buf, w->shape, profile, pool, &err, NULL);

        if (rc == NGX_OK) {
            *letters++ = shape_values[i].letter;

        } else if (err.status != 400 || err.param.len < len
                   || ngx_memcmp(err.param.data, w->path, len) != 0)
        {
            fail("%s refused with param \"%.*s\"", buf, (int) err.param.len,
                 err.param.data);
        }

        ngx_destroy_pool(pool);
    }

    *letters = '\0';
}


static ngx_inline void
shape_member(shape_walk_t *w, char *text, shape_member_t *member)
{
    char  strict[16], openai[16], loose[16], nulls[16], expected[16];

    shape_letters(w, text, NGX_ORS_STRICT_SPEC, strict);
    shape_letters(w, text, NGX_ORS_STRICT_OPENAI, openai);
    shape_letters(w, text, NGX_ORS_TOLERANT_SPEC, loose);
    shape_letters(w, text, NGX_ORS_TOLERANT_OPENAI, nulls);

    is_mem(strict, ngx_strlen(strict), member->strict,
           ngx_strlen(member->strict), "%s, strict", w->path);

    is_mem(loose, ngx_strlen(loose), member->loose,
           ngx_strlen(member->loose), "%s, tolerant", w->path);

    /* "-n" for "-" */

    snprintf(expected, sizeof(expected), "%s%s",
             (strict[0] == '-') ? "-n" : "",
             strict + (strict[0] == '-') + (strncmp(strict, "-n", 2) == 0));

    ok(strcmp(openai, expected) == 0, "%s, strict, openai: %s", w->path,
       openai);
    ok(strcmp(nulls, loose) == 0, "%s, tolerant, openai: %s", w->path, nulls);
}


/* a row for each member, in the document's order */

static ngx_inline void
shape_members(char *document, const ngx_ors_shape_t *shape,
    shape_member_t *member)
{
    char             *text;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    shape_walk_t      w;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    text = shape_read(&w, shape, document, pool);

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        is_int(shape_validate(text, shape, profile, pool, &err, NULL), NGX_OK,
               "the document is good in profile %d", (int) profile);
    }

    for ( /* void */ ; shape_row(&w, member->path); member++) {
        shape_member(&w, text, member);
    }

    ngx_destroy_pool(pool);
}


/* "format" has one %s for the piece */

static ngx_inline void
shape_cases(shape_case_t *test, const char *format,
    const ngx_ors_shape_t *shape)
{
    char              document[SHAPE_TEXT], text[SHAPE_TEXT];
    ngx_int_t         rc;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    for ( /* void */ ; test->text; test++) {

        for (profile = NGX_ORS_STRICT_SPEC;
             profile <= NGX_ORS_TOLERANT_OPENAI;
             profile <<= 1)
        {
            pool = ngx_ors_test_pool();

            snprintf(document, sizeof(document), format, test->text);
            shape_quotes(document, text);

            rc = shape_validate(text, shape, profile, pool, &err, NULL);

            if (test->in & profile) {
                is_int(rc, NGX_OK, "profile %d takes %s", (int) profile,
                       test->text);

            } else if (is_int(rc, NGX_DECLINED, "profile %d refuses %s",
                              (int) profile, test->text))
            {
                is_str(&err.code, test->code, "with a code");

                if (test->param) {
                    is_str(&err.param, test->param, "with a param");
                }
            }

            ngx_destroy_pool(pool);
        }
    }
}


/*
 * members that are filled in, in all profiles; the result is good without
 * that
 */

static ngx_inline void
shape_repairs(shape_repair_t *test, const ngx_ors_shape_t *shape)
{
    char              text[SHAPE_TEXT], repaired[SHAPE_TEXT];
    ngx_int_t         rc;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    ngx_ors_out_t     out;
    ngx_ors_error_t   err;

    for ( /* void */ ; test->name; test++) {

        for (profile = NGX_ORS_STRICT_SPEC;
             profile <= NGX_ORS_TOLERANT_OPENAI;
             profile <<= 1)
        {
            pool = ngx_ors_test_pool();
            chain = NULL;

            shape_quotes(test->text, text);
            shape_quotes(test->repaired, repaired);

            ngx_ors_out_init(&out, pool, 4096);

            rc = shape_validate(text, shape, profile, pool, &err, &out);

            is_int(rc, NGX_OK, "%s is repaired in profile %d", test->name,
                   (int) profile);

            (void) ngx_ors_out_take(&out, &chain);
            is_chain(chain, repaired, "with what is expected");

            rc = shape_validate(repaired, shape, profile, pool, &err, NULL);
            is_int(rc, NGX_OK, "which is good");

            ngx_destroy_pool(pool);
        }
    }
}


#endif /* _SHAPE_TABLE_H_INCLUDED_ */
