
/*
 * Copyright (C) Open Responses contributors
 */


/* Rows of histograms, what turns add to them, their text and their page. */


#include <ngx_ors_test.h>
#include <ngx_ors_stats.h>
#include <sys/wait.h>


static void test_rows(void);
static void test_dropped(void);
static void test_turns(void);
static void test_tokens(void);
static void test_recent(void);
static void test_text(void);
static void test_page(void);
static void take(ngx_ors_out_t *out);
static ngx_ors_metrics_turn_t *turn(ngx_ors_metrics_histogram_e end,
    ngx_msec_int_t first, int64_t output);
static ngx_pid_t gone(void);
static ngx_uint_t has(const char *part);


static ngx_ors_metrics_t         metrics;
static ngx_slab_pool_t           shpool;
static ngx_ors_peer_conf_t       peer = {
    ngx_string("a.example"), ngx_string("/to\""), 1, 10, NULL
};
static char                      page[65536];
static ngx_ors_metrics_labels_t  labels = {
    ngx_string("/v1/"), ngx_string("/to\n"), ngx_string("a\"\\"),
    ngx_string("acme"), ngx_ors_metrics_chat, NULL, NULL
};


static ngx_ors_metrics_space_t  stores[] = {
    { ngx_string("main"), 3145728, 4194304 },
    { ngx_string("other"), 8192, 1048576 }
};

static ngx_array_t  spaces = {
    stores, 2, sizeof(ngx_ors_metrics_space_t), 2, NULL
};


int
main(void)
{
    test_rows();
    test_dropped();
    test_turns();
    test_recent();
    test_text();
    test_page();
    test_tokens();

    return done_testing();
}


static void
test_rows(void)
{
    ngx_ors_metrics_row_t     *row;
    ngx_ors_metrics_labels_t   other;

    ngx_ors_metrics_attach(&metrics, &labels, &shpool);
    ok(labels.row == NULL && metrics.rows.first == NULL, "no memory, no row");

    /* the stand-in of the slab allocator has some */

    shpool.log_nomem = 1;

    ngx_ors_metrics_attach(&metrics, &labels, &shpool);
    row = labels.row;
    ok(row && metrics.rows.first == &row->named, "a new row");

    other = labels;
    ngx_ors_metrics_attach(&metrics, &other, &shpool);
    ok(other.row == row && row->named.next == NULL,
       "the same labels, the same row");

    ngx_str_set(&other.location, "/v1/x");
    ngx_str_null(&other.target);
    ngx_ors_metrics_attach(&metrics, &other, &shpool);
    ok(other.row != row && metrics.rows.first == &other.row->named,
       "others have their own");

    other = labels;
    other.operation = ngx_ors_metrics_embeddings;
    ngx_ors_metrics_attach(&metrics, &other, &shpool);
    ok(other.row != row, "another operation has its own");
}


/* rows that a configuration does not name, while older workers live */

static void
test_dropped(void)
{
    ngx_uint_t                 i, n;
    ngx_ors_named_t           *entry;
    static ngx_ors_metrics_t   m;
    ngx_ors_metrics_labels_t   old, new;

    /* of each: the generation of the oldest worker, entries that are left */

    static struct {
        ngx_uint_t   oldest;
        ngx_uint_t   left;
    } steps[] = { { 1, 0 }, { 1, 0 }, { 1, 1 }, { 2, 1 }, { 4, 0 } };

    ngx_memzero(&m, sizeof(ngx_ors_metrics_t));
    old = labels;
    new = labels;

    for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        ngx_ors_named_begin(&m.rows, steps[i].oldest, &shpool);

        n = 0;

        for (entry = m.rows.dropped; entry; entry = entry->next) {
            n++;
        }

        is_int(n, steps[i].left, "dropped rows before reload %d", (int) i);

        ngx_ors_metrics_attach(&m, &labels, &shpool);
        old.row = new.row;

        /* the last two have the same target */

        new.target.data = (u_char *) "0123" + ngx_min(i, 3);
        new.target.len = 1;

        ngx_ors_metrics_attach(&m, &new, &shpool);
        ngx_ors_named_end(&m.rows);

        ok(m.rows.first && m.rows.first->next
           && m.rows.first->next->next == NULL, "... and two are named");
    }

    ok(old.row == new.row, "a row that is named again stays");

    ngx_ors_metrics_process(&m, 2, getpid(), 4);
    ngx_ors_metrics_process(&m, 3, getpid(), 3);
    ngx_ors_metrics_process(&m, 4, gone(), 2);
    is_int(ngx_ors_metrics_oldest(&m), 3, "the oldest process that is there");

    ngx_ors_metrics_process(&m, 3, 0, 3);
    is_int(ngx_ors_metrics_oldest(&m), 4, "... when it has ended");

    ngx_ors_metrics_process(&m, 2, 0, 4);
    is_int(ngx_ors_metrics_oldest(&m), 5, "... when none is there");
}


static ngx_ors_metrics_turn_t *
turn(ngx_ors_metrics_histogram_e end, ngx_msec_int_t first, int64_t output)
{
    static ngx_ors_metrics_turn_t  t;

    t.end = end;
    t.delivery = (first < 0) ? ngx_ors_metrics_document
                             : ngx_ors_metrics_stream;
    t.background = 0;
    t.input = output;
    t.output = output;
    t.first = first;
    t.duration = 1280;
    t.own = 10001;

    return &t;
}


/* a sum that wraps looks as if nginx had been started again */

static void
test_tokens(void)
{
    uint64_t              sum;
    ngx_ors_histogram_t  *h;

    h = &labels.row->histograms[ngx_ors_metrics_output];
    sum = ngx_ors_metrics_sum(h);

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_completed, 1, INT64_MAX), 600);
    is_int(h->sum, sum, "tokens that nothing can have are not counted");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_completed, 1, INT32_MAX), 600);
    is_int(h->sum, sum + INT32_MAX, "others are");

    ngx_ors_metrics_observe(h, ngx_ors_metrics_durations, 5000000000);
    is_int(ngx_ors_metrics_sum(h), sum + INT32_MAX + 5000000000,
           "5 s in ns are more than 32 bits have");
    is_int((uintptr_t) &h->sum % 8, 0, "a sum is in one line of the cache");
}


static void
test_turns(void)
{
    ngx_ors_histogram_t  *h;

    h = labels.row->histograms;

    ngx_ors_metrics_turn(&metrics, NULL,
                         turn(ngx_ors_metrics_completed, -1, 1), 1);
    is_int(metrics.turns[0][ngx_ors_metrics_document], 1,
           "without a row a turn is in the totals");
    is_int(metrics.overhead.buckets[0], 0, "10,001 ns are not 10 us");
    is_int(metrics.overhead.buckets[1], 1, "... but the bucket above");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_completed, 280, 101), 600);
    is_int(h[ngx_ors_metrics_completed].buckets[7], 1,
           "a bound is of its bucket");
    is_int(h[ngx_ors_metrics_first].sum, 280000000, "first token");
    is_int(h[ngx_ors_metrics_each].sum, 10000000, "... and each after it");
    is_int(h[ngx_ors_metrics_each].buckets[0], 1, "... in its bucket");
    is_int(h[ngx_ors_metrics_output].sum, 101, "output tokens");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_ended
                              + ngx_ors_class_timeout, 280, 1), 600);
    is_int(ngx_ors_metrics_failed(labels.row), 1, "failed");
    is_int(ngx_ors_metrics_values(&h[ngx_ors_metrics_completed]), 1,
           "... is not completed");
    is_int(ngx_ors_metrics_values(&h[ngx_ors_metrics_each]), 1,
           "... and has no time for a token");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_canceled, -1, -1), 600);
    is_int(ngx_ors_metrics_values(&h[ngx_ors_metrics_output]), 2,
           "tokens that are not known are not counted");
    is_int(ngx_ors_metrics_values(&h[ngx_ors_metrics_first]), 2,
           "nor is a first token");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_completed, 2000, 2), 600);
    is_int(h[ngx_ors_metrics_each].sum, 10000000,
           "a clock that was set back");
}


static void
test_recent(void)
{
    is_int(ngx_ors_metrics_recent(labels.row, 600), 4, "the last minute");
    is_int(ngx_ors_metrics_recent(labels.row, 659), 4, "... to its end");
    is_int(ngx_ors_metrics_recent(labels.row, 660), 0, "... and not after");

    ngx_ors_metrics_turn(&metrics, labels.row,
                         turn(ngx_ors_metrics_canceled, -1, -1),
                         600 + NGX_ORS_METRICS_PIECES * NGX_ORS_METRICS_PIECE);
    is_int(ngx_ors_metrics_recent(labels.row, 680), 1, "its memory is reused");
}


static void
test_text(void)
{
    ngx_pool_t                 *pool;
    ngx_array_t                 list;
    ngx_ors_out_t               out;
    ngx_ors_named_list_t        peers;
    ngx_ors_metrics_shown_t     shown;
    ngx_ors_metrics_labels_t   *one[2], other;

    ngx_memzero(&peers, sizeof(ngx_ors_named_list_t));
    other = labels;
    ngx_str_set(&other.model, "c");
    ngx_ors_metrics_attach(&metrics, &other, &shpool);
    one[0] = &other;
    one[1] = &labels;

    list.elts = one;
    list.nelts = 2;

    shown.labels = &list;
    shown.spaces = &spaces;

    other.peer = &peer;
    labels.peer = &peer;
    ngx_ors_peer_attach(&peers, &peer, &shpool);
    ngx_ors_peer_failed(&peer, 680);

    ngx_ors_metrics_process(&metrics, 0, getpid(), 1);
    ngx_ors_metrics_process(&metrics, 1, getpid(), 1);
    ngx_ors_metrics_process(&metrics, NGX_MAX_PROCESSES - 1, getpid(), 1);
    metrics.gauges[0][ngx_ors_metrics_streams] = 3;
    metrics.gauges[NGX_MAX_PROCESSES - 1][ngx_ors_metrics_streams] = 2;
    metrics.gauges[1][ngx_ors_metrics_streams] = (ngx_atomic_t) -1;
    metrics.gauges[2][ngx_ors_metrics_websockets] = 9;
    ngx_ors_metrics_process(&metrics, 2, getpid(), 1);
    metrics.gauges[2][ngx_ors_metrics_websockets] = 5;
    ngx_ors_metrics_process(&metrics, 3, gone(), 1);
    metrics.gauges[3][ngx_ors_metrics_websockets] = 100;
    ngx_ors_metrics_store(&metrics, 1, 2, 5);

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_metrics_text(&out, &metrics, &shown, 680);

    take(&out);

    ok(has("gen_ai_client_token_usage_bucket{location=\"/v1/\","
           "target=\"/to\\n\",gen_ai_operation_name=\"chat\","
           "gen_ai_provider_name=\"acme\",gen_ai_request_model=\"a\\\"\\\\\","
           "gen_ai_token_type=\"output\",le=\"256\"} 3\n"),
       "labels are escaped, buckets are sums");
    ok(has(",error_type=\"timeout\"} 1.280000000\n"), "seconds");
    ok(has("\nopen_responses_streams 4\n"), "a gauge of all processes");
    ok(has("\nopen_responses_websockets 5\n"),
       "... that are there, since they began");
    ok(has("{engine=\"redis\",operation=\"put\",result=\"unavailable\"} 1\n"),
       "a store");
    ok(has("gauge\nopen_responses_store_used_bytes{store=\"main\"} 3145728\n")
       && has("\nopen_responses_store_size_bytes{store=\"other\"} 1048576\n"),
       "how full stores are");
    ok(has("{execution=\"foreground\",delivery=\"document\"} 3\n"), "turns");
    ok(has("counter\nopen_responses_target_failures_total{"
           "server=\"a.example\",target=\"/to\\\"\"} 1\n"),
       "failures of a target, which two rows share");
    ok(!has("} 1\nopen_responses_target_failures"), "... are shown once");
    ok(has("open_responses_target_up{server=\"a.example\","
           "target=\"/to\\\"\"} 0\n"), "a target that is down");

    one[0] = &labels;
    list.nelts = 1;

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_metrics_json(&out, &metrics, &shown, 680);
    take(&out);

    ok(has("\"open_streams\":4,\"background\":0,\"open_websockets\":5,"
           "\"metrics_missing\":0,\"targets\":[{"
           "\"location\":\"/v1/\",\"target\":\"/to\\n\","
           "\"model\":\"a\\\"\\\\\",\"provider\":\"acme\","
           "\"operation\":\"chat\",\"last_minute\":1,\"completed\":2,"
           "\"failed\":1,\"canceled\":2,\"input_tokens\":104,"
           "\"output_tokens\":104,\"up\":0,\"failures\":1}]"),
       "JSON");
    ok(has("\"stores\":[{\"store\":\"main\",\"used_bytes\":3145728,"
           "\"size_bytes\":4194304},{\"store\":\"other\","),
       "... and how full stores are");

    ngx_destroy_pool(pool);
}


static void
test_page(void)
{
    ngx_pool_t               *pool;
    ngx_ors_out_t             out;
    ngx_array_t               none;
    ngx_ors_stats_t           stats;
    ngx_ors_metrics_shown_t   shown;

    pool = ngx_ors_test_pool();

    ngx_memzero(&none, sizeof(ngx_array_t));
    ngx_ors_stats_init(&stats, 680);
    shown.labels = &none;
    shown.spaces = &spaces;

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page(&out, &stats, &shown, 680);
    take(&out);

    ok(has("<tr><th>main</th><td>3</td><td>4</td><td>75</td></tr>"),
       "how full a store is");

    ngx_str_set(&labels.model, "a<b>&c");

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page_row(&out, &labels, 680);
    take(&out);

    ok(has("<h3>a&lt;b&gt;&amp;c</h3>"), "a name has no markup");
    ok(has("<dt>turns in the last minute</dt><dd>1</dd>"), "recent turns");
    ok(has("<p>1 failed calls, <b>down</b></p>"), "failures");
    ok(has("<dt>canceled by clients</dt><dd>2</dd>"), "canceled turns");
    ok(has("time of a turn: half within 1.28 s, 95 % within 1.28 s"),
       "shares of a histogram");

    labels.row->histograms[ngx_ors_metrics_first].buckets[16] = 100;

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page_row(&out, &labels, 680);
    take(&out);

    ok(has("first token: half over 10 s"), "more than the last bound");
    ok(has("<i style=\"height:4%\"></i>"), "few of many are seen");
    ok(has("<i style=\"height:100%\"></i></div>"), "the most is the highest");

    ngx_str_null(&labels.target);

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page_row(&out, &labels, 680);
    take(&out);

    ok(has("<h3>/v1/</h3>\n<p class=\"of\">validated</p>"), "a validator");

    ngx_memzero(labels.row->histograms, sizeof(labels.row->histograms));

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page_row(&out, &labels, 680);
    take(&out);

    ok(has("no turns yet") && !has("<dl>"), "a target without turns");

    labels.operation = ngx_ors_metrics_embeddings;

    ngx_ors_out_init(&out, pool, 4096);
    ngx_ors_stats_page_row(&out, &labels, 680);
    take(&out);

    is_int(strlen(page), 0, "no embeddings, no place on the page");

    ngx_destroy_pool(pool);
}


static void
take(ngx_ors_out_t *out)
{
    char         *p;
    ngx_chain_t  *cl;

    is_int(ngx_ors_out_take(out, &cl), NGX_OK, "text");

    for (p = page; cl; cl = cl->next) {
        p = (char *) ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';
}


/* the id of a process that was there */

static ngx_pid_t
gone(void)
{
    ngx_pid_t  pid;

    pid = fork();

    if (pid == 0) {
        _exit(0);
    }

    (void) waitpid(pid, NULL, 0);

    return pid;
}


static ngx_uint_t
has(const char *part)
{
    return strstr(page, part) != NULL;
}
