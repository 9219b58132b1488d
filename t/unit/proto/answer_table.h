
/*
 * Tables of answers: what each member of a good document may be, and what
 * comes of it when a member has another value.  JSON is written with ' for
 * ".
 */


#ifndef _ANSWER_TABLE_H_INCLUDED_
#define _ANSWER_TABLE_H_INCLUDED_


#include "shape_table.h"


/* the smallest complete response */

#define ANSWER_RESPONSE                                                       \
    "{'id':'resp_1','object':'response','created_at':1767225600,"             \
    "'completed_at':1767225601,'status':'completed',"                         \
    "'incomplete_details':null,'model':'m','previous_response_id':null,"      \
    "'instructions':null,'output':[{'type':'message','id':'msg_1',"           \
    "'status':'completed','role':'assistant','content':["                     \
    "{'type':'output_text','text':'Hello','annotations':[],'logprobs':[]}"    \
    "]}],'error':null,'tools':[],'tool_choice':'auto',"                       \
    "'truncation':'disabled','parallel_tool_calls':true,"                     \
    "'text':{'format':{'type':'text'}},'top_p':1,'presence_penalty':0,"       \
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,"                 \
    "'reasoning':null,'usage':{'input_tokens':8,'output_tokens':1,"           \
    "'total_tokens':9,'input_tokens_details':{'cached_tokens':0},"            \
    "'output_tokens_details':{'reasoning_tokens':0}},"                        \
    "'max_output_tokens':null,'max_tool_calls':null,'store':false,"           \
    "'background':false,'service_tier':'default','metadata':{},"              \
    "'safety_identifier':null,'prompt_cache_key':null}"

/* the profiles of a case */
#define ALL       NGX_ORS_IN_ALL, NULL, NULL
#define SPEC      NGX_ORS_STRICT_SPEC
#define OPENAI    NGX_ORS_IN_OPENAI
#define CORE      (NGX_ORS_STRICT_SPEC|NGX_ORS_TOLERANT_SPEC)
#define TOLERANT  NGX_ORS_IN_TOLERANT
#define WIDE      NGX_ORS_IN_WIDE
#define NONE      0


/* letters as in shape_member_t; NULL: what null stands for, and no more */

typedef struct {
    char                   *path;
    char                   *spec;
    char                   *openai;
} answer_member_t;


/* a value for a member of the document, and the profiles that take it */

typedef struct {
    char                   *path;
    char                   *value;    /* NULL: no member */
    ngx_uint_t              in;
    char                   *code;     /* of the others' error */
    char                   *param;
} answer_case_t;


static ngx_inline void
answer_letters(shape_walk_t *w, char *text, answer_member_t *member)
{
    char  letters[16], expected[16];

    shape_letters(w, text, NGX_ORS_STRICT_SPEC, letters);

    is_mem(letters, ngx_strlen(letters), member->spec,
           ngx_strlen(member->spec), "%s", w->path);

    if (member->openai) {
        snprintf(expected, sizeof(expected), "%s", member->openai);

    } else {
        snprintf(expected, sizeof(expected), "%s%s",
                 (member->spec[0] == '-') ? "-n" : "",
                 member->spec + ((member->spec[0] == '-')
                                 ? strspn(member->spec, "-n") : 0));
    }

    shape_letters(w, text, NGX_ORS_STRICT_OPENAI, letters);

    is_mem(letters, ngx_strlen(letters), expected, ngx_strlen(expected),
           "%s, openai", w->path);
}


/* on to the next key whose path is "path" */

static ngx_inline ngx_uint_t
answer_find(shape_walk_t *w, char *path)
{
    while (shape_step(w)) {
        if (strcmp(w->path, path) == 0) {
            return 1;
        }
    }

    fail("no member %s", path);

    return 0;
}


/* "value" NULL: without the member */

static ngx_inline char *
answer_change(shape_walk_t *w, char *text, char *value, ngx_pool_t *pool)
{
    char  *buf;

    buf = ngx_pnalloc(pool, SHAPE_TEXT);

    if (value) {
        value = shape_quotes(value, ngx_pnalloc(pool, SHAPE_TEXT));
    }

    shape_change(w, text, value, buf);

    return buf;
}


/* a row for each member, in the document's order */

static ngx_inline void
answer_members(char *document, const ngx_ors_shape_t *shape,
    answer_member_t *member)
{
    char          *text;
    ngx_pool_t    *pool;
    shape_walk_t   w;

    pool = ngx_ors_test_pool();

    text = shape_read(&w, shape, document, pool);

    for ( /* void */ ; shape_row(&w, member->path); member++) {
        answer_letters(&w, text, member);
    }

    ngx_destroy_pool(pool);
}


static ngx_inline void
answer_cases(char *document, const ngx_ors_shape_t *shape,
    answer_case_t *test)
{
    char             *text;
    ngx_int_t         rc;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    shape_walk_t      w;
    ngx_ors_error_t   err;

    for ( /* void */ ; test->path; test++) {
        pool = ngx_ors_test_pool();

        text = shape_read(&w, shape, document, pool);

        if (answer_find(&w, test->path)) {
            text = answer_change(&w, text, test->value, pool);
        }

        for (profile = NGX_ORS_STRICT_SPEC;
             profile <= NGX_ORS_TOLERANT_OPENAI;
             profile <<= 1)
        {
            rc = shape_validate(text, shape, profile, pool, &err, NULL);

            if (test->in & profile) {
                is_int(rc, NGX_OK, "profile %d takes %s: %s", (int) profile,
                       test->path, test->value);

            } else if (is_int(rc, NGX_DECLINED, "profile %d refuses %s: %s",
                              (int) profile, test->path, test->value))
            {
                is_str(&err.code, test->code, "with a code");
                is_str(&err.param, test->param, "with a param");
            }
        }

        ngx_destroy_pool(pool);
    }
}


/*
 * a member that is taken out is put back, or, "value" NULL, cannot be
 * repaired
 */

static ngx_inline void
answer_repair(char *document, const ngx_ors_shape_t *shape, char *path,
    char *value, ngx_uint_t profile)
{
    char             *text;
    size_t            len;
    ngx_int_t         rc;
    ngx_buf_t        *b;
    ngx_pool_t       *pool;
    ngx_chain_t      *chain;
    shape_walk_t      w, m;
    ngx_ors_out_t     out;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    text = shape_read(&w, shape, document, pool);

    if (!answer_find(&w, path)) {
        goto done;
    }

    text = answer_change(&w, text, NULL, pool);

    rc = shape_validate(text, shape, profile, pool, &err, NULL);
    is_int(rc, NGX_DECLINED, "%s is needed", path);

    ngx_ors_out_init(&out, pool, SHAPE_TEXT);

    rc = shape_validate(text, shape, profile, pool, &err, &out);

    if (value == NULL) {
        is_int(rc, NGX_DECLINED, "%s cannot be filled in", path);
        goto done;
    }

    if (!is_int(rc, NGX_OK, "%s is filled in", path)
        || ngx_ors_out_take(&out, &chain) != NGX_OK)
    {
        goto done;
    }

    b = chain->buf;
    text = ngx_pnalloc(pool, b->last - b->pos + 1);
    *ngx_cpymem(text, b->pos, b->last - b->pos) = '\0';

    text = shape_read(&m, shape, text, pool);

    is_int(shape_validate(text, shape, profile, pool, &err, NULL), NGX_OK,
           "%s is as it should be then", path);

    if (answer_find(&m, path)) {
        len = ngx_ors_edit_end(m.target + 1)
              - ngx_ors_edit_start(m.target + 1);
        is_mem(text + ngx_ors_edit_start(m.target + 1), len, value,
               ngx_strlen(value), "%s is what the table has", path);
    }

done:

    ngx_destroy_pool(pool);
}


#endif /* _ANSWER_TABLE_H_INCLUDED_ */
