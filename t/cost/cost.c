
/*
 * Copyright (C) Open Responses contributors
 *
 * Runs inputs of a growing size through the parsers, to be counted:
 *
 *     cost [I N] [NAME]
 *
 * Runs the rows with NAME in "group, name", or each N-th of all from the
 * I-th on, and prints a line for each variant and size:
 *
 *     group, name, variant, bytes, memory, more memory allowed, rc
 *
 * with tabs between them.
 *
 * Under callgrind each line has a dump of its own, in this order.
 */


#include <valgrind/callgrind.h>
#include <ngx_ors_test_items.h>

#include "cost.h"


#define COST_GROWTH  4


static void cost_row(const cost_group_t *group, const cost_row_t *row);
static void cost_run(const cost_group_t *group, const cost_row_t *row,
    ngx_uint_t variant, ngx_uint_t n);
static void cost_make(cost_t *cost, ngx_uint_t n);
static ngx_uint_t cost_first(cost_t *cost, const char *unit, u_char *p);
static u_char *cost_put(u_char *p, const char *text, ngx_uint_t i,
    ngx_uint_t n);


static const char  cost_chars[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";


ngx_ors_limits_t  cost_limits = {
    .depth = 64, .nodes = 200000, .items = 10000, .tools = 1024, .calls = 128,
    .event = 16 * 1024 * 1024, .answer = 32 * 1024 * 1024, .queue = 65536,
    .turns = 4096, .context = 8 * 1024 * 1024, .truncate = 512 * 1024
};


int
main(int argc, char **argv)
{
    char                  name[256];
    ngx_uint_t            i, n, nth, step;
    const char           *wanted;
    const cost_row_t     *row;
    const cost_group_t   *group, *list[] = {
        cost_requests, cost_contexts, cost_sessions, cost_streams,
        cost_documents, cost_others, cost_schemas, NULL
    };

    nth = (argc > 2) ? atoi(argv[1]) : 0;
    step = (argc > 2) ? atoi(argv[2]) : 1;
    wanted = (argc == 2 || argc == 4) ? argv[argc - 1] : "";
    n = 0;

    for (i = 0; list[i]; i++) {

        for (group = list[i]; group->name; group++) {

            for (row = group->rows; row->name; row++) {
                snprintf(name, sizeof(name), "%s, %s", group->name,
                         row->name);

                if ((strstr(name, wanted) || row == group->rows)
                    && n++ % step == nth)
                {
                    cost_row(group, row);
                }
            }
        }
    }

    return 0;
}


static void
cost_row(const cost_group_t *group, const cost_row_t *row)
{
    ngx_uint_t  i;

    for (i = 0; group->variants[i]; i++) {
        cost_run(group, row, i, row->n);
        cost_run(group, row, i, COST_GROWTH * row->n);
    }
}


static void
cost_run(const cost_group_t *group, const cost_row_t *row, ngx_uint_t variant,
    ngx_uint_t n)
{
    size_t     memory;
    cost_t     cost;
    ngx_int_t  rc;

    memset(&cost, 0, sizeof(cost_t));

    cost.group = group;
    cost.row = row;
    cost.nvariant = variant;
    cost.variant = group->variants[variant];

    cost_make(&cost, n);

    cost.sent = cost.len;
    cost.pool = ngx_ors_test_pool();

    ngx_ors_test_memory_reset();

    CALLGRIND_TOGGLE_COLLECT;

    rc = group->run(&cost);

    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS;

    memory = ngx_ors_test_memory();

    ngx_destroy_pool(cost.pool);
    free(cost.text);

    printf("%s\t%s\t%s\t%d\t%d\t%d\t%d\n", group->name, row->name,
           cost.variant, (int) cost.sent, (int) memory, (int) row->more,
           (int) rc);
}


static void
cost_make(cost_t *cost, ngx_uint_t n)
{
    u_char            *p;
    size_t             size;
    ngx_uint_t         i;
    const cost_row_t  *row;

    row = cost->row;

    /* a number has as many characters as four of what stands for it */

    size = 4 * (strlen(row->head) + strlen(row->tail)
                + n * strlen(row->unit));

    if (row->middle) {
        size += 4 * (strlen(row->middle) + n * strlen(row->back));
    }

    p = malloc(size + 1);
    if (p == NULL) {
        abort();
    }

    cost->text = p;

    p = cost_put(p, row->head, 0, n);

    for (i = 0; i < n; i++) {
        p = cost_put(p, row->unit + cost_first(cost, row->unit, p), i, n);
    }

    if (row->middle) {
        p = cost_put(p, row->middle, 0, n);

        for (i = 0; i < n; i++) {
            p = cost_put(p, row->back + cost_first(cost, row->back, p), i, n);
        }
    }

    p = cost_put(p, row->tail, 0, n);

    cost->len = p - cost->text;
}


/* 1 if it begins with a comma that cannot stand at "p" */

static ngx_uint_t
cost_first(cost_t *cost, const char *unit, u_char *p)
{
    return unit[0] == ',' && (p == cost->text || p[-1] == '[' || p[-1] == '{'
                              || p[-1] == LF);
}


static u_char *
cost_put(u_char *p, const char *text, ngx_uint_t i, ngx_uint_t n)
{
    for ( /* void */ ; *text; text++) {

        switch (*text) {

        case '\'':
            *p++ = '"';
            break;

        case '#':
            p += sprintf((char *) p, "%d", (int) i);
            break;

        case '@':
            p += sprintf((char *) p, "%d", (int) (n - 1 - i));
            break;

        case '~':
            *p++ = cost_chars[i & 63];
            *p++ = cost_chars[i >> 6 & 63];
            break;

        default:
            *p++ = *text;
            break;
        }
    }

    return p;
}


ngx_int_t
cost_sent(ngx_ors_out_t *out)
{
    return ngx_ors_out_drop(out);
}


void
cost_list(cost_t *cost, u_char *p, u_char *last, ngx_str_t *list)
{
    list->len = last - p + 2;
    list->data = ngx_pnalloc(cost->pool, list->len);

    list->data[0] = '[';
    ngx_memcpy(&list->data[1], p, last - p);
    list->data[list->len - 1] = ']';
}


void
cost_index(cost_t *cost, ngx_str_t *list, ngx_ors_index_t *index)
{
    ngx_pool_t       *pool;
    ngx_ors_index_t   made;

    CALLGRIND_TOGGLE_COLLECT;

    pool = ngx_ors_test_pool();

    ngx_ors_test_items(&made, list, pool);

    *index = made;
    index->items = ngx_palloc(cost->pool, made.n * sizeof(ngx_ors_index_item_t)
                                          + 1);
    if (made.n) {
        ngx_memcpy(index->items, made.items,
                   made.n * sizeof(ngx_ors_index_item_t));
    }

    ngx_destroy_pool(pool);

    /* earlier work of a store's engine is not counted */

    ngx_ors_test_memory_reset();

    CALLGRIND_TOGGLE_COLLECT;
}
