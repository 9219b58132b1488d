
/*
 * Copyright (C) Open Responses contributors
 *
 * What a request costs before it may pass: reading its JSON and walking
 * through the tables.
 *
 *   walk_bench FILE...         of requests, which are taken in turn, so that
 *                              no branch is known by heart
 *   walk_bench -1 FILE         once, for counting instructions
 *
 * They must be valid as the specification has it, or else as "openai" has.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_request.h>
#include <ngx_ors_validate.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>


#define WALK_BENCH_ROUNDS  100
#define WALK_BENCH_ROUND   3000000         /* ns */
#define WALK_BENCH_FILES   1024

#define WALK_BENCH_READ    1
#define WALK_BENCH_WALK    2


typedef struct {
    ngx_str_t         text;
    ngx_ors_json_t    json;
} walk_bench_doc_t;


static void walk_bench_load(walk_bench_doc_t *doc, const char *path);
static void walk_bench_reading(void);
static double walk_bench(ngx_uint_t what);
static ngx_int_t walk_bench_once(walk_bench_doc_t *doc, ngx_uint_t what);
static double walk_bench_now(void);


static walk_bench_doc_t   walk_bench_docs[WALK_BENCH_FILES];
static ngx_uint_t         walk_bench_n;

static ngx_pool_t        *walk_bench_pool;
static ngx_ors_error_t    walk_bench_err;
static ngx_ors_policy_t   walk_bench_policy = {
    NGX_ORS_STRICT_SPEC, ngx_ors_unknown_auto, 0, ngx_ors_reasoning_summary,
    ngx_ors_refusal_part, NULL
};


int
main(int argc, char **argv)
{
    int         i, once;
    size_t      bytes;
    ngx_uint_t  n, nodes;

    once = (argc > 1 && strcmp(argv[1], "-1") == 0);

    walk_bench_pool = ngx_ors_test_pool();

    for (i = 1 + once; i < argc && walk_bench_n < WALK_BENCH_FILES; i++) {
        walk_bench_load(&walk_bench_docs[walk_bench_n++], argv[i]);
    }

    if (once) {
        walk_bench_policy.profile = NGX_ORS_STRICT_OPENAI;

        return walk_bench_n == 1
               && walk_bench_once(walk_bench_docs, WALK_BENCH_READ
                                                   |WALK_BENCH_WALK)
                  == NGX_OK ? 0 : 1;
    }

    walk_bench_reading();

    bytes = 0;
    nodes = 0;

    for (n = 0; n < walk_bench_n; n++) {
        bytes += walk_bench_docs[n].text.len;
        nodes += walk_bench_docs[n].json.n;
    }

    printf("profile=%s files=%d bytes=%zu nodes=%d read=%.0f walk=%.0f "
           "both=%.0f\n",
           (walk_bench_policy.profile == NGX_ORS_STRICT_SPEC) ? "spec"
                                                              : "openai",
           (int) walk_bench_n, bytes / walk_bench_n,
           (int) (nodes / walk_bench_n), walk_bench(WALK_BENCH_READ),
           walk_bench(WALK_BENCH_WALK),
           walk_bench(WALK_BENCH_READ|WALK_BENCH_WALK));

    return 0;
}


/* exactly sized, as a body is */

static void
walk_bench_load(walk_bench_doc_t *doc, const char *path)
{
    long   len;
    FILE  *file;

    file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }

    (void) fseek(file, 0, SEEK_END);
    len = ftell(file);
    rewind(file);

    doc->text.data = malloc(len);
    doc->text.len = len;

    if (doc->text.data == NULL
        || fread(doc->text.data, 1, len, file) != doc->text.len)
    {
        exit(2);
    }

    fclose(file);

    ngx_ors_json_init(&doc->json, walk_bench_pool, 64, 1000000);
}


static void
walk_bench_reading(void)
{
    ngx_uint_t  n;

    for (n = 0; n < walk_bench_n; /* void */ ) {

        if (walk_bench_once(&walk_bench_docs[n], WALK_BENCH_READ
                                                 |WALK_BENCH_WALK)
            == NGX_OK)
        {
            n++;
            continue;
        }

        if (walk_bench_policy.profile == NGX_ORS_STRICT_OPENAI) {
            printf("error=\"%.*s\"\n", (int) walk_bench_err.message.len,
                   walk_bench_err.message.data);
            exit(2);
        }

        walk_bench_policy.profile = NGX_ORS_STRICT_OPENAI;
        n = 0;
    }
}


/* ns for one document, the best of some rounds; nodes are used again */

static double
walk_bench(ngx_uint_t what)
{
    double      best, from, ns;
    ngx_uint_t  d, i, n, round;

    best = 1e18;
    n = 1;

    for (round = 0; round < WALK_BENCH_ROUNDS; round++) {
        from = walk_bench_now();

        for (i = 0; i < n; i++) {
            for (d = 0; d < walk_bench_n; d++) {
                if (walk_bench_once(&walk_bench_docs[d], what) != NGX_OK) {
                    exit(2);
                }
            }
        }

        ns = (walk_bench_now() - from) / n;

        if (round) {
            best = ngx_min(best, ns);
        }

        n = 1 + WALK_BENCH_ROUND / ns;
    }

    return best / walk_bench_n;
}


static ngx_int_t
walk_bench_once(walk_bench_doc_t *doc, ngx_uint_t what)
{
    ngx_int_t             rc;
    ngx_ors_validate_t    v;
    ngx_ors_json_node_t  *found[ngx_ors_rq_n];

    if (what & WALK_BENCH_READ) {
        rc = ngx_ors_json_read(&doc->json, doc->text.data, doc->text.len);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (!(what & WALK_BENCH_WALK)) {
        return NGX_OK;
    }

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = &doc->json;
    v.policy = &walk_bench_policy;
    v.root = "the body";
    v.pool = walk_bench_pool;
    v.err = &walk_bench_err;
    v.nfound = ngx_ors_rq_n;

    return ngx_ors_validate(&v, doc->json.nodes, &ngx_ors_fields_create,
                            found);
}


static double
walk_bench_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1e9 + ts.tv_nsec;
}
