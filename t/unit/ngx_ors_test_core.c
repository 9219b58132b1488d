
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The stand-in for the nginx core: same names and same results, written for
 * finding mistakes, not for speed.
 */


#include <ngx_ors_test.h>


#define NGX_ORS_TEST_GARBAGE  0xa5


/* an allocation of a pool */

typedef struct {
    ngx_pool_large_t     large;       /* must be the first */
    size_t               size;
} ngx_ors_test_block_t;


static ngx_uint_t ngx_ors_test_fails(void);
static void *ngx_ors_test_alloc(ngx_pool_t *pool, size_t size, size_t shift);
static void ngx_ors_test_free(ngx_pool_large_t *large);


static __thread ngx_uint_t  ngx_ors_test_fail_n;
static __thread ngx_uint_t  ngx_ors_test_fail_hit;
static __thread ngx_uint_t  ngx_ors_test_alloc_n;

static __thread size_t      ngx_ors_test_bytes;
static __thread size_t      ngx_ors_test_bytes_most;

static ngx_log_t        ngx_ors_test_log_value;
static ngx_uint_t       ngx_ors_test_log_n[NGX_LOG_DEBUG + 1];
static u_char           ngx_ors_test_log_line[NGX_MAX_ERROR_STR + 1];

static ngx_time_t       ngx_ors_test_now = { 1700000000, 0, 0 };

volatile ngx_time_t    *ngx_cached_time = &ngx_ors_test_now;
volatile ngx_msec_t     ngx_current_msec = 1000;

volatile ngx_str_t      ngx_cached_err_log_time =
    ngx_string("2023/11/14 22:13:20");
volatile ngx_str_t      ngx_cached_http_time =
    ngx_string("Tue, 14 Nov 2023 22:13:20 GMT");
volatile ngx_str_t      ngx_cached_http_log_time =
    ngx_string("14/Nov/2023:22:13:20 +0000");
volatile ngx_str_t      ngx_cached_http_log_iso8601 =
    ngx_string("2023-11-14T22:13:20+00:00");
volatile ngx_str_t      ngx_cached_syslog_time =
    ngx_string("Nov 14 22:13:20");

volatile ngx_cycle_t   *ngx_cycle;

ngx_uint_t              ngx_pagesize = 4096;
ngx_uint_t              ngx_pagesize_shift = 12;
ngx_uint_t              ngx_cacheline_size = 64;
ngx_pid_t               ngx_pid = 4242;
ngx_uint_t              ngx_process;


ngx_pool_t *
ngx_ors_test_pool(void)
{
    ngx_pool_t  *pool;

    pool = ngx_create_pool(4096, ngx_ors_test_log());
    if (pool == NULL) {
        abort();
    }

    return pool;
}


ngx_log_t *
ngx_ors_test_log(void)
{
    ngx_ors_test_log_value.log_level = NGX_LOG_DEBUG_ALL;

    return &ngx_ors_test_log_value;
}


ngx_uint_t
ngx_ors_test_logged(ngx_uint_t level)
{
    return ngx_ors_test_log_n[level];
}


u_char *
ngx_ors_test_log_last(void)
{
    return ngx_ors_test_log_line;
}


void
ngx_ors_test_log_reset(void)
{
    ngx_memzero(ngx_ors_test_log_n, sizeof(ngx_ors_test_log_n));
    ngx_ors_test_log_line[0] = '\0';
}


void
ngx_ors_test_fail_after(ngx_uint_t n)
{
    ngx_ors_test_fail_n = n;
    ngx_ors_test_fail_hit = 0;
}


ngx_uint_t
ngx_ors_test_failed(void)
{
    return ngx_ors_test_fail_hit;
}


ngx_uint_t
ngx_ors_test_allocs(void)
{
    return ngx_ors_test_alloc_n;
}


void
ngx_ors_test_memory_reset(void)
{
    ngx_ors_test_bytes_most = ngx_ors_test_bytes;
}


size_t
ngx_ors_test_memory(void)
{
    return ngx_ors_test_bytes_most;
}


void
ngx_ors_test_time(time_t sec, ngx_uint_t msec)
{
    ngx_ors_test_now.sec = sec;
    ngx_ors_test_now.msec = msec % 1000;
    ngx_current_msec = msec;
}


static ngx_uint_t
ngx_ors_test_fails(void)
{
    ngx_ors_test_alloc_n++;

    if (ngx_ors_test_fail_n && --ngx_ors_test_fail_n == 0) {
        ngx_ors_test_fail_hit = 1;
        return 1;
    }

    return 0;
}


/* memory */

void *
ngx_alloc(size_t size, ngx_log_t *log)
{
    void  *p;

    if (ngx_ors_test_fails()) {
        return NULL;
    }

    p = malloc(size);
    if (p == NULL) {
        abort();
    }

    ngx_memset(p, NGX_ORS_TEST_GARBAGE, size);

    return p;
}


void *
ngx_calloc(size_t size, ngx_log_t *log)
{
    void  *p;

    p = ngx_alloc(size, log);
    if (p) {
        ngx_memzero(p, size);
    }

    return p;
}


ngx_pool_t *
ngx_create_pool(size_t size, ngx_log_t *log)
{
    ngx_pool_t  *pool;

    pool = ngx_calloc(sizeof(ngx_pool_t), log);
    if (pool == NULL) {
        return NULL;
    }

    pool->max = size;
    pool->current = pool;
    pool->log = log;

    return pool;
}


void
ngx_destroy_pool(ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *c;

    for (c = pool->cleanup; c; c = c->next) {
        if (c->handler) {
            c->handler(c->data);
        }
    }

    ngx_reset_pool(pool);

    free(pool);
}


void
ngx_reset_pool(ngx_pool_t *pool)
{
    ngx_pool_large_t  *large;

    while (pool->large) {
        large = pool->large;
        pool->large = large->next;

        ngx_ors_test_free(large);
    }

    pool->chain = NULL;
    pool->cleanup = NULL;
}


static void *
ngx_ors_test_alloc(ngx_pool_t *pool, size_t size, size_t shift)
{
    u_char                *p;
    ngx_ors_test_block_t  *block;

    if (ngx_ors_test_fails()) {
        return NULL;
    }

    p = malloc(size + shift);
    block = malloc(sizeof(ngx_ors_test_block_t));

    if (p == NULL || block == NULL) {
        abort();
    }

    ngx_memset(p, NGX_ORS_TEST_GARBAGE, size + shift);

    block->size = size;
    block->large.alloc = p;
    block->large.next = pool->large;
    pool->large = &block->large;

    ngx_ors_test_bytes += size;
    ngx_ors_test_bytes_most = ngx_max(ngx_ors_test_bytes_most,
                                      ngx_ors_test_bytes);

    return p + shift;
}


static void
ngx_ors_test_free(ngx_pool_large_t *large)
{
    ngx_ors_test_block_t  *block;

    block = (ngx_ors_test_block_t *) large;

    ngx_ors_test_bytes -= block->size;

    free(large->alloc);
    free(block);
}


void *
ngx_palloc(ngx_pool_t *pool, size_t size)
{
    return ngx_ors_test_alloc(pool, size, 0);
}


void *
ngx_pnalloc(ngx_pool_t *pool, size_t size)
{
    return ngx_ors_test_alloc(pool, size, 1);
}


void *
ngx_pcalloc(ngx_pool_t *pool, size_t size)
{
    void  *p;

    p = ngx_palloc(pool, size);
    if (p) {
        ngx_memzero(p, size);
    }

    return p;
}


void *
ngx_pmemalign(ngx_pool_t *pool, size_t size, size_t alignment)
{
    u_char  *p;

    p = ngx_palloc(pool, size + alignment);

    return p ? ngx_align_ptr(p, alignment) : NULL;
}


ngx_int_t
ngx_pfree(ngx_pool_t *pool, void *p)
{
    ngx_pool_large_t  *large, **ll;

    for (ll = &pool->large; *ll; ll = &(*ll)->next) {
        large = *ll;

        if (large->alloc == p || (u_char *) large->alloc + 1 == p) {
            *ll = large->next;
            ngx_ors_test_free(large);
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


ngx_pool_cleanup_t *
ngx_pool_cleanup_add(ngx_pool_t *pool, size_t size)
{
    ngx_pool_cleanup_t  *c;

    c = ngx_palloc(pool, sizeof(ngx_pool_cleanup_t));
    if (c == NULL) {
        return NULL;
    }

    c->data = NULL;

    if (size) {
        c->data = ngx_palloc(pool, size);
        if (c->data == NULL) {
            return NULL;
        }
    }

    c->handler = NULL;
    c->next = pool->cleanup;
    pool->cleanup = c;

    return c;
}


/* buffers, arrays, lists */

ngx_buf_t *
ngx_create_temp_buf(ngx_pool_t *pool, size_t size)
{
    ngx_buf_t  *b;

    b = ngx_calloc_buf(pool);
    if (b == NULL) {
        return NULL;
    }

    b->start = ngx_palloc(pool, size);
    if (b->start == NULL) {
        return NULL;
    }

    b->pos = b->start;
    b->last = b->start;
    b->end = b->last + size;
    b->temporary = 1;

    return b;
}


ngx_chain_t *
ngx_alloc_chain_link(ngx_pool_t *pool)
{
    ngx_chain_t  *cl;

    cl = pool->chain;

    if (cl) {
        pool->chain = cl->next;
        return cl;
    }

    return ngx_palloc(pool, sizeof(ngx_chain_t));
}


ngx_int_t
ngx_chain_add_copy(ngx_pool_t *pool, ngx_chain_t **chain, ngx_chain_t *in)
{
    ngx_chain_t  *cl, **ll;

    for (ll = chain; *ll; ll = &(*ll)->next) { /* void */ }

    for ( /* void */ ; in; in = in->next) {

        cl = ngx_alloc_chain_link(pool);
        if (cl == NULL) {
            *ll = NULL;
            return NGX_ERROR;
        }

        cl->buf = in->buf;
        *ll = cl;
        ll = &cl->next;
    }

    *ll = NULL;

    return NGX_OK;
}


ngx_array_t *
ngx_array_create(ngx_pool_t *p, ngx_uint_t n, size_t size)
{
    ngx_array_t  *a;

    a = ngx_palloc(p, sizeof(ngx_array_t));
    if (a == NULL || ngx_array_init(a, p, n, size) != NGX_OK) {
        return NULL;
    }

    return a;
}


void
ngx_array_destroy(ngx_array_t *a)
{
    ngx_pfree(a->pool, a->elts);
    ngx_pfree(a->pool, a);
}


void *
ngx_array_push(ngx_array_t *a)
{
    return ngx_array_push_n(a, 1);
}


void *
ngx_array_push_n(ngx_array_t *a, ngx_uint_t n)
{
    void        *elts;
    u_char      *elt;
    ngx_uint_t   nalloc;

    if (a->nelts + n > a->nalloc) {
        nalloc = 2 * ngx_max(n, a->nalloc);

        elts = ngx_palloc(a->pool, nalloc * a->size);
        if (elts == NULL) {
            return NULL;
        }

        ngx_memcpy(elts, a->elts, a->nelts * a->size);
        ngx_pfree(a->pool, a->elts);

        a->elts = elts;
        a->nalloc = nalloc;
    }

    elt = (u_char *) a->elts + a->size * a->nelts;
    a->nelts += n;

    return elt;
}


ngx_list_t *
ngx_list_create(ngx_pool_t *pool, ngx_uint_t n, size_t size)
{
    ngx_list_t  *list;

    list = ngx_palloc(pool, sizeof(ngx_list_t));
    if (list == NULL || ngx_list_init(list, pool, n, size) != NGX_OK) {
        return NULL;
    }

    return list;
}


void *
ngx_list_push(ngx_list_t *list)
{
    ngx_list_part_t  *part;

    part = list->last;

    if (part->nelts == list->nalloc) {

        part = ngx_palloc(list->pool, sizeof(ngx_list_part_t));
        if (part == NULL) {
            return NULL;
        }

        part->elts = ngx_palloc(list->pool, list->nalloc * list->size);
        if (part->elts == NULL) {
            return NULL;
        }

        part->nelts = 0;
        part->next = NULL;

        list->last->next = part;
        list->last = part;
    }

    return (u_char *) part->elts + list->size * part->nelts++;
}


/* the log */

void
ngx_log_error_core(ngx_uint_t level, ngx_log_t *log, ngx_err_t err,
    const char *fmt, ...)
{
    u_char   *p;
    va_list   args;

    va_start(args, fmt);
    p = ngx_vslprintf(ngx_ors_test_log_line,
                      ngx_ors_test_log_line + NGX_MAX_ERROR_STR, fmt, args);
    va_end(args);

    *p = '\0';

    ngx_ors_test_log_n[ngx_min(level, NGX_LOG_DEBUG)]++;
}
