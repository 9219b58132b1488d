
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters, and the pages that show them.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_version.h>


#define is_text(text, expected, name)                                         \
    is_mem(text, strlen(text), expected, strlen(expected), name)


static void test_init(void);
static void test_nothing(void);
static void test_codes(void);
static void test_repairs(void);
static void test_json(void);
static void test_prometheus(void);
static void test_prometheus_line(char *line, ngx_uint_t n);
static void test_html(void);
static void test_no_memory(void);
static char *render(ngx_ors_stats_format_e format, time_t now);


static ngx_array_t              none;
static ngx_ors_metrics_shown_t  shown = { &none, &none };
static void count(void);
static uint64_t value(char *text, const char *name);
static ngx_uint_t has(char *text, const char *part);


static ngx_ors_stats_t  stats;
static ngx_uint_t       samples, families;
static char             family[128];


int
main(void)
{
    test_init();
    test_nothing();
    test_codes();
    test_repairs();
    test_json();
    test_prometheus();
    test_html();
    test_no_memory();

    return done_testing();
}


static void
test_init(void)
{
    ngx_memset(&stats, 0xa5, sizeof(stats));
    ok(!ngx_ors_stats_usable(&stats), "garbage is not usable");

    ngx_ors_stats_init(&stats, 1700000000);
    ok(ngx_ors_stats_usable(&stats), "usable after init");
    is_int(stats.counters[ngx_ors_stats_counters - 1], 0, "zero");
    is_int(stats.codes[NGX_ORS_NCODES - 1][1], 0, "codes are zero");

    stats.version++;
    ok(!ngx_ors_stats_usable(&stats), "another version is not usable");
    stats.version--;

    stats.size += sizeof(ngx_atomic_t);
    ok(!ngx_ors_stats_usable(&stats), "another size is not usable");
}


static void
test_nothing(void)
{
    ngx_str_t  code = ngx_string("invalid_json");

    ngx_ors_stats_count(NULL, ngx_ors_stats_request_checked);
    ngx_ors_stats_code(NULL, &code, 0);
    pass("without memory nothing is counted");
}


static void
test_codes(void)
{
    char       *text;
    ngx_uint_t  i;

    static ngx_str_t  others[] = {
        ngx_string("no_such_code"), ngx_string("invalid_jso"),
        ngx_string("invalid_json "), ngx_string("other"), ngx_null_string,
        ngx_string("a\"b\\c\n")
    };

    ngx_ors_stats_init(&stats, 1700000000);

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        ngx_ors_stats_code(&stats, &others[i], i % 2);
    }

    text = render(ngx_ors_stats_json, 1700000000);
    ok(has(text, "\"codes\":{\"other\":{\"refused\":3,\"reported\":3}},"),
       "unknown codes are counted as other");
    free(text);
}


/* a counter and a line in a minute for each field, as long as there is room */

static void
test_repairs(void)
{
    char       *text;
    u_char      name[3];
    ngx_str_t   field;
    ngx_uint_t  i;

    static ngx_str_t  model = ngx_string("model"), mode = ngx_string("mode");
    static ngx_str_t  longer =
                          ngx_string("a_name_that_is_longer_than_there_is");

    ngx_ors_stats_init(&stats, 1700000000);

    is_int(ngx_ors_stats_repair(NULL, &model, 0, 1700000000), 0,
           "repairs without memory");
    is_int(ngx_ors_stats_repair(&stats, &model, 0, 1700000000), 1,
           "the first one has a line");
    is_int(ngx_ors_stats_repair(&stats, &model, 0, 1700000001), 0,
           "the second one in a minute has none");
    is_int(ngx_ors_stats_repair(&stats, &model, 1, 1700000001), 1,
           "one that is reported has its own");
    is_int(ngx_ors_stats_repair(&stats, &mode, 0, 1700000001), 1,
           "and so has another field");
    is_int(ngx_ors_stats_repair(&stats, &model, 0, 1700000060), 1,
           "and one of the next minute");
    is_int(ngx_ors_stats_repair(&stats, &longer, 0, 1700000060), 0,
           "a name that is too long");

    text = render(ngx_ors_stats_json, 1700000000);
    ok(has(text, "\"repairs\":{\"model\":{\"repaired\":3,\"reported\":1},"
                 "\"mode\":{\"repaired\":1,\"reported\":0}},"),
       "repairs in JSON");
    free(text);

    text = render(ngx_ors_stats_prometheus, 1700000000);
    ok(has(text, "\nopen_responses_repairs_total{field=\"model\","
                 "action=\"reported\"} 1\n"), "repairs for Prometheus");
    free(text);

    text = render(ngx_ors_stats_html, 1700000000);
    ok(has(text, "<tr><th>mode</th>"), "repairs on the page");
    free(text);

    field.data = name;
    field.len = sizeof(name);

    for (i = 0; i < NGX_ORS_STATS_REPAIRS; i++) {
        (void) ngx_sprintf(name, "%03ui", i);
        (void) ngx_ors_stats_repair(&stats, &field, 0, 1700000000);
    }

    is_int(stats.fields, NGX_ORS_STATS_REPAIRS, "no more than there is room");
    is_int(stats.repairs[NGX_ORS_STATS_REPAIRS - 1].answers[0], 1,
           "the last one is counted");
    is_int(ngx_ors_stats_repair(&stats, &model, 0, 1700000120), 1,
           "one that is known is counted on");

    /* another worker adds a field */

    ngx_ors_stats_init(&stats, 1700000000);

    stats.lock = 1;

    is_int(ngx_ors_stats_repair(&stats, &model, 0, 1700000000), 0,
           "a field that cannot be added now");
    is_int(stats.fields, 0, "is none");
}


/* some numbers: a counter has its index and one, others are known below */

static void
count(void)
{
    ngx_uint_t  i, j;

    static ngx_str_t  first = ngx_string("answer_too_large");
    static ngx_str_t  json = ngx_string("invalid_json");
    static ngx_str_t  last = ngx_string("upstream_unavailable");

    ngx_ors_stats_init(&stats, 1700000000);

    for (i = 0; i < ngx_ors_stats_counters; i++) {
        for (j = 0; j <= i; j++) {
            ngx_ors_stats_count(&stats, i);
        }
    }

    ngx_ors_stats_code(&stats, &first, 1);
    ngx_ors_stats_code(&stats, &json, 0);
    ngx_ors_stats_code(&stats, &json, 0);
    ngx_ors_stats_code(&stats, &json, 1);
    ngx_ors_stats_code(&stats, &last, 0);

    /* more than 32 bits */

    stats.counters[ngx_ors_stats_request_checked] = 12345678901234;
}


static void
test_json(void)
{
    char  *text;

    ngx_ors_stats_init(&stats, 1700000000);

    text = render(ngx_ors_stats_json, 1700000000);
    is_text(text,
           "{\"since\":1700000000,"
           "\"requests\":{\"checked\":0,\"repaired\":0,\"refused\":0,"
           "\"reported\":0},"
           "\"answers\":{\"checked\":0,\"repaired\":0,\"refused\":0,"
           "\"reported\":0},"
           "\"streams\":{\"checked\":0,\"repaired\":0,\"refused\":0,"
           "\"reported\":0},"
           "\"upstream_errors\":0,\"failovers\":0,\"unstored\":0,"
           "\"ignored_fields\":0,"
           "\"schema_violations\":0,\"schema_repeats\":0,"
           "\"schema_unchecked\":0,"
           "\"websocket_connections\":0,\"websocket_turns\":0,"
           "\"requests_unrepaired\":0,\"answers_unrepaired\":0,"
           "\"streams_unrepaired\":0,"
           "\"codes\":{},\"repairs\":{},\"version\":\"" NGX_ORS_VERSION "\","
           "\"open_streams\":0,\"background\":0,\"open_websockets\":0,"
           "\"metrics_missing\":0,"
           "\"targets\":[],\"tools\":[],\"stores\":[]}\n",
           "json of nothing");
    free(text);

    count();

    text = render(ngx_ors_stats_json, 1700000000);
    is_text(text,
           "{\"since\":1700000000,"
           "\"requests\":{\"checked\":12345678901234,\"repaired\":2,"
           "\"refused\":3,\"reported\":4},"
           "\"answers\":{\"checked\":5,\"repaired\":6,\"refused\":7,"
           "\"reported\":8},"
           "\"streams\":{\"checked\":9,\"repaired\":10,\"refused\":11,"
           "\"reported\":12},"
           "\"upstream_errors\":13,\"failovers\":14,\"unstored\":15,"
           "\"ignored_fields\":16,"
           "\"schema_violations\":17,\"schema_repeats\":18,"
           "\"schema_unchecked\":19,"
           "\"websocket_connections\":20,\"websocket_turns\":21,"
           "\"requests_unrepaired\":22,\"answers_unrepaired\":23,"
           "\"streams_unrepaired\":24,"
           "\"codes\":{"
           "\"answer_too_large\":{\"refused\":0,\"reported\":1},"
           "\"invalid_json\":{\"refused\":2,\"reported\":1},"
           "\"upstream_unavailable\":{\"refused\":1,\"reported\":0}},"
           "\"repairs\":{},"
           "\"version\":\"" NGX_ORS_VERSION "\",\"open_streams\":0,"
           "\"background\":0,\"open_websockets\":0,"
           "\"metrics_missing\":0,\"targets\":[],"
           "\"tools\":[],\"stores\":[]}\n",
           "json");
    free(text);
}


static void
test_prometheus(void)
{
    char        *text, *line, *next;
    ngx_uint_t   n;

    count();

    text = render(ngx_ors_stats_prometheus, 1700000000);

    is_int(value(text, "open_responses_checked_total{kind=\"request\"}"),
           12345678901234, "requests checked");
    is_int(value(text, "open_responses_refused_total{kind=\"answer\"}"),
           7, "answers refused");
    is_int(value(text, "open_responses_repaired_total{kind=\"stream\"}"),
           10, "streams repaired");
    is_int(value(text, "open_responses_reported_total{kind=\"stream\"}"),
           12, "streams reported");
    is_int(value(text, "open_responses_upstream_errors_total"), 13,
           "upstream errors");
    is_int(value(text, "open_responses_failovers_total"), 14, "failovers");
    is_int(value(text, "open_responses_unstored_total"), 15, "unstored");
    is_int(value(text, "open_responses_ignored_fields_total"), 16,
           "ignored fields");
    is_int(value(text, "open_responses_schema_violations_total"), 17,
           "violations of schemas");
    is_int(value(text, "open_responses_schema_repeats_total"), 18,
           "rounds that were repeated");
    is_int(value(text, "open_responses_schema_unchecked_total"), 19,
           "schemas of no use");
    is_int(value(text, "open_responses_websocket_connections_total"), 20,
           "WebSockets");
    is_int(value(text, "open_responses_websocket_turns_total"), 21,
           "turns of WebSockets");
    is_int(value(text, "open_responses_codes_total{code=\"invalid_json\","
                       "action=\"refused\"}"), 2, "code refused");
    is_int(value(text, "open_responses_codes_total{code=\"invalid_json\","
                       "action=\"reported\"}"), 1, "code reported");
    is_int(value(text, "open_responses_codes_total{code=\"other\","
                       "action=\"refused\"}"), 0, "a code of which is none");

    samples = 0;
    families = 0;
    family[0] = '\0';

    for (line = text, n = 1; *line; line = next, n++) {
        next = strchr(line, '\n');

        if (!ok(next != NULL, "line %d ends", (int) n)) {
            break;
        }

        *next++ = '\0';
        test_prometheus_line(line, n);
    }

    /* the version, repairs, our time, gauges, turns, stores and tools */

    is_int(families, 17 + 18, "families");
    is_int(samples, 3 * 4 + 12 + 2 * NGX_ORS_NCODES + 1 + 17 + 4 + 6,
           "samples");

    free(text);
}


/*
 * HELP, TYPE and its samples; a sample is name, labels and a number, and
 * belongs to the family above
 */

static void
test_prometheus_line(char *line, ngx_uint_t n)
{
    char    help[128], key[64], label[64];
    size_t  len;

    if (sscanf(line, "# HELP %127s", help) == 1) {
        families++;
        strcpy(family, help);
        ok(strlen(line) > strlen(help) + 8, "line %d: help has a text",
           (int) n);
        return;
    }

    if (sscanf(line, "# TYPE %127s", help) == 1) {
        ok(strcmp(help, family) == 0, "line %d: type of the same", (int) n);
        ok(has(line, " counter") || has(line, " gauge")
           || has(line, " histogram"), "line %d: a type", (int) n);
        return;
    }

    samples++;
    len = strlen(family);

    ok(len && strncmp(line, family, len) == 0, "line %d: of %s", (int) n,
       family);
    line += len + strcspn(line + len, " {");

    if (*line == '{') {

        do {
            line++;

            is_int(sscanf(line, "%63[a-z]=\"%63[a-zI_0-9.+]\"", key, label), 2,
                   "line %d: label", (int) n);
            line += strlen(key) + strlen(label) + 3;
        } while (*line == ',');

        ok(*line++ == '}', "line %d: end of labels", (int) n);
    }

    len = strspn(line + 1, "0123456789.");
    ok(line[0] == ' ' && len && line[len + 1] == '\0', "line %d: number",
       (int) n);
}


static void
test_html(void)
{
    char  *text;

    count();

    text = render(ngx_ors_stats_html, 1700000000 + 90061);

    ok(has(text, "<!DOCTYPE html>"), "html");
    ok(has(text, "Counted for 1 d 1 h 1 min 1 s."), "age");
    ok(has(text, "<tr><th>requests</th><td>12345678901234</td><td>2</td>"
                 "<td>3</td><td>4</td></tr>"), "row of requests");
    ok(has(text, "<tr><th>streams</th><td>9</td><td>10</td>"
                 "<td>11</td><td>12</td></tr>"), "row of streams");
    ok(has(text, "<dt>Errors of model servers</dt><dd>13</dd>"),
       "upstream errors");
    ok(has(text, "<tr><th>invalid_json</th><td class=\"says\">A body is not "
                 "JSON.</td><td>2</td><td>1</td></tr>"),
       "row of a code, with a sentence");
    ok(!has(text, "duplicate_key"), "no row of a code that was never seen");
    ok(has(text, "http-equiv=\"refresh\""), "refreshes itself");
    ok(!has(text, "<script"), "no scripts");
    free(text);

    text = render(ngx_ors_stats_html, 1600000000);
    ok(has(text, "Counted for 0 d 0 h 0 min 0 s."), "the clock was set back");
    free(text);
}


static void
test_no_memory(void)
{
    ngx_uint_t      i, format;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    for (format = ngx_ors_stats_html; format <= ngx_ors_stats_prometheus;
         format++)
    {
        for (i = 1; /* void */ ; i++) {
            pool = ngx_ors_test_pool();

            ngx_ors_out_init(&out, pool, 64);

            ngx_ors_test_fail_after(i);
            ngx_ors_stats_render(&out, &stats, format, &shown,
                                 1700000000);

            if (!ngx_ors_test_failed()) {
                ngx_ors_test_fail_after(0);
                ngx_destroy_pool(pool);
                break;
            }

            if (ngx_ors_out_take(&out, &cl) != NGX_ERROR) {
                fail("format %d without allocation %d", (int) format, (int) i);
            }

            ngx_destroy_pool(pool);
        }

        ok(i > 4, "format %d: each allocation has failed", (int) format);
    }
}


/* the page as a C string, the caller's to free() */

static char *
render(ngx_ors_stats_format_e format, time_t now)
{
    char           *text, *p;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 100);
    ngx_ors_stats_render(&out, &stats, format, &shown, now);

    text = malloc(out.size + 1);
    p = text;

    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "rendered");

    for ( /* void */ ; cl; cl = cl->next) {
        p = (char *) ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';

    ngx_destroy_pool(pool);

    return text;
}


/* of the line that begins with "name" and a blank */

static uint64_t
value(char *text, const char *name)
{
    char    *p;
    size_t   len;

    len = strlen(name);

    for (p = text; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
        if (strncmp(p, name, len) == 0 && p[len] == ' ') {
            return strtoull(p + len, NULL, 10);
        }
    }

    return (uint64_t) -1;
}


static ngx_uint_t
has(char *text, const char *part)
{
    return strstr(text, part) != NULL;
}
