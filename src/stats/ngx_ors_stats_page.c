
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The page that people read: what happens now, and what has happened since
 * the start.  It refreshes itself without a script.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_version.h>


static void ngx_ors_stats_page_now(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_array_t *labels, time_t now);
static void ngx_ors_stats_page_checked(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_page_codes(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_page_store(ngx_ors_out_t *out,
    ngx_ors_metrics_t *metrics);
static void ngx_ors_stats_page_spaces(ngx_ors_out_t *out, ngx_array_t *spaces);
static void ngx_ors_stats_page_tools(ngx_ors_out_t *out,
    ngx_ors_metrics_t *metrics);
static void ngx_ors_stats_page_cells(ngx_ors_out_t *out,
    ngx_atomic_t *numbers, ngx_uint_t n);
static void ngx_ors_stats_page_text(ngx_ors_out_t *out, ngx_str_t *text);
static void ngx_ors_stats_page_bars(ngx_ors_out_t *out, char *name,
    ngx_ors_histogram_t *histogram, const uint64_t *bounds);
static void ngx_ors_stats_page_share(ngx_ors_out_t *out,
    ngx_ors_histogram_t *histogram, const uint64_t *bounds,
    ngx_uint_t percent);


static char  *ngx_ors_stats_page_engines[NGX_ORS_METRICS_ENGINES] = {
    "LMDB", "Redis", "location"
};


void
ngx_ors_stats_page(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_metrics_shown_t *shown, time_t now)
{
    time_t                         age;
    const ngx_ors_stats_single_t  *single;

    ngx_ors_out_lit(out,
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta http-equiv=\"refresh\" content=\"5\">\n"
        "<title>Open Responses</title>\n"
        "<style>\n"
        ":root { color-scheme: light dark; --line: #8884; --bar: #2a6fdb; }\n"
        "body { font: 15px/1.45 system-ui, sans-serif; margin: 1rem auto;\n"
        "  max-width: 70rem; padding: 0 1rem; }\n"
        "h1 { font-size: 1.4rem; margin: 0; }\n"
        "h2 { font-size: 1.1rem; margin: 1.6rem 0 0.5rem; }\n"
        "h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }\n"
        "p, dl, dd { margin: 0; }\n"
        "small, dt, .of { opacity: 0.75; font-size: 0.85rem; }\n"
        ".cards { display: grid; gap: 0.7rem;\n"
        "  grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); }\n"
        ".rows { display: grid; gap: 0.7rem;\n"
        "  grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%),"
        " 1fr)); }\n"
        ".cards div, .rows section { border: 1px solid var(--line);\n"
        "  border-radius: 0.5rem; padding: 0.6rem 0.8rem; }\n"
        ".cards b { display: block; font-size: 1.6rem; }\n"
        "dl { display: grid; grid-template-columns: 1fr auto;\n"
        "  gap: 0 1rem; margin-top: 0.4rem; }\n"
        "dd { text-align: right; }\n"
        "dd, td, b { font-variant-numeric: tabular-nums; }\n"
        ".bars { display: flex; align-items: flex-end; gap: 2px;\n"
        "  height: 2.2rem; margin-top: 0.5rem;\n"
        "  border-bottom: 1px solid var(--line); }\n"
        ".bars i { flex: 1; background: var(--bar); min-height: 0; }\n"
        ".wide { overflow-x: auto; }\n"
        "table { border-collapse: collapse; width: 100%; }\n"
        "th, td { border-bottom: 1px solid var(--line); padding: 0.25rem"
        " 0.6rem;\n"
        "  text-align: right; vertical-align: top; }\n"
        "th:first-child, td.says { text-align: left; font-weight: normal; }\n"
        "thead th { font-weight: 600; }\n"
        "@media (prefers-color-scheme: dark) { :root { --bar: #79b0ff; } }\n"
        "</style>\n"
        "</head>\n"
        "<body>\n"
        "<h1>Open Responses <small>" NGX_ORS_VERSION "</small></h1>\n"
        "<p class=\"of\">Counted for ");

    /* a clock may be set back */

    age = ngx_max(now - stats->since, 0);

    ngx_ors_metrics_print(out,
        "%T d %T h %T min %T s. This page refreshes itself every 5 s.</p>\n",
        age / 86400, age / 3600 % 24, age / 60 % 60, age % 60);

    ngx_ors_stats_page_now(out, stats, shown->labels, now);
    ngx_ors_stats_page_checked(out, stats);
    ngx_ors_stats_page_codes(out, stats);

    ngx_ors_out_lit(out, "<h2>Since the start</h2>\n<dl>\n");

    for (single = ngx_ors_stats_singles; single->name; single++) {
        ngx_ors_metrics_print(out, "<dt>%s</dt><dd>%uA</dd>\n", single->title,
                              stats->counters[single->counter]);
    }

    ngx_ors_out_lit(out, "</dl>\n");

    ngx_ors_stats_page_tools(out, &stats->metrics);
    ngx_ors_stats_page_store(out, &stats->metrics);

    if (shown->spaces->nelts) {
        ngx_ors_stats_page_spaces(out, shown->spaces);
    }

    ngx_ors_out_lit(out,
        "</body>\n"
        "</html>\n");
}


static void
ngx_ors_stats_page_now(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_array_t *labels, time_t now)
{
    ngx_uint_t                  i, recent;
    ngx_ors_metrics_labels_t  **label;

    recent = 0;
    label = labels->elts;

    for (i = 0; i < labels->nelts; i++) {
        recent += ngx_ors_metrics_recent(label[i]->row, now);
    }

    ngx_ors_metrics_print(out,
        "<h2>Now</h2>\n"
        "<div class=\"cards\">\n"
        "<div><b>%ui</b>turns in the last minute</div>\n"
        "<div><b>%L</b>open streams</div>\n"
        "<div><b>%L</b>running in the background</div>\n"
        "<div><b>%L</b>open WebSockets</div>\n"
        "</div>\n", recent,
        ngx_ors_metrics_gauge(&stats->metrics, ngx_ors_metrics_streams),
        ngx_ors_metrics_gauge(&stats->metrics, ngx_ors_metrics_background),
        ngx_ors_metrics_gauge(&stats->metrics, ngx_ors_metrics_websockets));

    if (labels->nelts == 0) {
        return;
    }

    ngx_ors_out_lit(out, "<h2>Targets and validated locations</h2>\n"
                         "<div class=\"rows\">\n");

    for (i = 0; i < labels->nelts; i++) {
        ngx_ors_stats_page_row(out, label[i], now);
    }

    ngx_ors_out_lit(out, "</div>\n");
}


static void
ngx_ors_stats_page_checked(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t  i;

    ngx_ors_out_lit(out,
        "<h2>What was checked</h2>\n"
        "<div class=\"wide\"><table>\n"
        "<thead><tr><th></th><th>checked</th><th>repaired</th><th>refused</th>"
        "<th>reported</th></tr></thead>\n");

    for (i = 0; i < NGX_ORS_STATS_KINDS; i++) {
        ngx_ors_metrics_print(out, "<tr><th>%ss</th>", ngx_ors_stats_kinds[i]);
        ngx_ors_stats_page_cells(out,
                                 &stats->counters[i * NGX_ORS_STATS_OUTCOMES],
                                 NGX_ORS_STATS_OUTCOMES);
    }

    ngx_ors_out_lit(out,
        "</table></div>\n"
        "<p class=\"of\">Repaired: put right and passed on. Refused: did not "
        "pass. Reported: would have been refused, and passed, as the "
        "validator only reports.</p>\n");
}


static void
ngx_ors_stats_page_codes(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t     i, any;
    ngx_atomic_t  *n;

    any = 0;

    for (i = 0; i < NGX_ORS_NCODES; i++) {
        n = stats->codes[i];

        if (n[0] == 0 && n[1] == 0) {
            continue;
        }

        if (!any) {
            any = 1;
            ngx_ors_out_lit(out,
                "<h2>Why it was refused or reported</h2>\n"
                "<div class=\"wide\"><table>\n"
                "<thead><tr><th>code</th><th></th><th>refused</th>"
                "<th>reported</th></tr></thead>\n");
        }

        ngx_ors_metrics_print(out, "<tr><th>%V</th><td class=\"says\">%V</td>",
                              &ngx_ors_codes[i].name, &ngx_ors_codes[i].text);
        ngx_ors_stats_page_cells(out, n, 2);
    }

    if (any) {
        ngx_ors_out_lit(out, "</table></div>\n");
    }

    if (stats->fields == 0) {
        return;
    }

    ngx_ors_out_lit(out,
        "<h2>Fields of answers that were repaired</h2>\n"
        "<div class=\"wide\"><table>\n"
        "<thead><tr><th>field</th><th>repaired</th><th>reported</th></tr>"
        "</thead>\n");

    for (i = 0; i < stats->fields; i++) {
        ngx_ors_metrics_print(out, "<tr><th>%s</th>", stats->repairs[i].name);
        ngx_ors_stats_page_cells(out, stats->repairs[i].answers, 2);
    }

    ngx_ors_out_lit(out, "</table></div>\n");
}


/* an operation that finds nothing has gone well */

static void
ngx_ors_stats_page_store(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics)
{
    ngx_uint_t     i, j, any;
    ngx_atomic_t  *n, pair[2];

    any = 0;

    for (i = 0; i < NGX_ORS_METRICS_STORES; i++) {
        n = metrics->store[i];

        pair[0] = n[0] + n[1];
        pair[1] = 0;

        for (j = 2; j < NGX_ORS_METRICS_RESULTS; j++) {
            pair[1] += n[j];
        }

        if (pair[0] == 0 && pair[1] == 0) {
            continue;
        }

        if (!any) {
            any = 1;
            ngx_ors_out_lit(out,
                "<h2>Store</h2>\n"
                "<div class=\"wide\"><table>\n"
                "<thead><tr><th>operation</th><th>done</th><th>failed</th>"
                "</tr></thead>\n");
        }

        ngx_ors_metrics_print(out, "<tr><th>%s %s</th>",
                              ngx_ors_stats_page_engines[i
                                                    / NGX_ORS_METRICS_OPS],
                              ngx_ors_metrics_ops[i % NGX_ORS_METRICS_OPS]);

        ngx_ors_stats_page_cells(out, pair, 2);
    }

    if (any) {
        ngx_ors_out_lit(out, "</table></div>\n");
    }
}


/* a name or a label has no character that HTML would need escaped */

static void
ngx_ors_stats_page_spaces(ngx_ors_out_t *out, ngx_array_t *spaces)
{
    ngx_uint_t                i;
    ngx_ors_metrics_space_t  *space;

    ngx_ors_out_lit(out,
        "<h2>Room in stores</h2>\n"
        "<div class=\"wide\"><table>\n"
        "<thead><tr><th>store</th><th>MB used</th><th>MB in all</th>"
        "<th>%</th></tr></thead>\n");

    space = spaces->elts;

    for (i = 0; i < spaces->nelts; i++) {
        ngx_ors_out_lit(out, "<tr><th>");
        ngx_ors_out_str(out, &space[i].store);
        ngx_ors_metrics_print(out,
                              "</th><td>%L</td><td>%L</td><td>%L</td></tr>\n",
                              space[i].used / (1024 * 1024),
                              space[i].size / (1024 * 1024),
                              space[i].used * 100 / space[i].size);
    }

    ngx_ors_out_lit(out, "</table></div>\n");
}


static void
ngx_ors_stats_page_tools(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics)
{
    ngx_ors_callee_t  *callee;

    callee = (ngx_ors_callee_t *) metrics->callees.first;

    if (callee == NULL) {
        return;
    }

    ngx_ors_out_lit(out,
        "<h2>Tools</h2>\n"
        "<div class=\"wide\"><table>\n"
        "<thead><tr><th>tool or MCP server</th><th>completed</th>"
        "<th>failed</th><th>canceled</th></tr></thead>\n");

    for ( /* void */ ; callee; callee = ngx_ors_callee_next(callee)) {
        ngx_ors_out_lit(out, "<tr><th>");
        ngx_ors_out_str(out, &callee->named.names[ngx_ors_callee_tool]);
        ngx_ors_out_lit(out, "</th>");
        ngx_ors_stats_page_cells(out, callee->ends, ngx_ors_callee_ends);
    }

    ngx_ors_out_lit(out, "</table></div>\n");
}


/* to the end of a row of a table */

static void
ngx_ors_stats_page_cells(ngx_ors_out_t *out, ngx_atomic_t *numbers,
    ngx_uint_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {
        ngx_ors_metrics_print(out, "<td>%uA</td>", numbers[i]);
    }

    ngx_ors_out_lit(out, "</tr>\n");
}


/* A target or a validated location on the page: turns, tokens, times. */


void
ngx_ors_stats_page_row(ngx_ors_out_t *out, ngx_ors_metrics_labels_t *labels,
    time_t now)
{
    uint64_t              completed, failed, canceled;
    ngx_ors_histogram_t  *h;

    h = labels->row->histograms;

    completed = ngx_ors_metrics_values(&h[ngx_ors_metrics_completed]);
    failed = ngx_ors_metrics_failed(labels->row);
    canceled = ngx_ors_metrics_values(&h[ngx_ors_metrics_canceled]);

    if (labels->operation == ngx_ors_metrics_embeddings
        && completed + failed + canceled == 0)
    {
        return;
    }

    ngx_ors_out_lit(out, "<section>\n<h3>");
    ngx_ors_stats_page_text(out, labels->target.len ? &labels->model
                                                    : &labels->location);
    ngx_ors_out_lit(out, "</h3>\n<p class=\"of\">");

    if (labels->target.len == 0) {
        ngx_ors_out_lit(out, "validated");

    } else {
        ngx_ors_stats_page_text(out, &labels->location);
        ngx_ors_out_lit(out, " &rarr; ");
        ngx_ors_stats_page_text(out, &labels->target);
        ngx_ors_out_lit(out, ", ");
        ngx_ors_stats_page_text(out, &labels->provider);
    }

    if (labels->operation == ngx_ors_metrics_embeddings) {
        ngx_ors_out_lit(out, ", embeddings");
    }

    ngx_ors_out_lit(out, "</p>\n");

    if (labels->peer && labels->peer->peer && labels->peer->peer->total) {
        ngx_ors_metrics_print(out, "<p>%uA failed calls%s</p>\n",
                              labels->peer->peer->total,
                              ngx_ors_peer_up(labels->peer, now)
                              ? "" : ", <b>down</b>");
    }

    if (completed + failed + canceled == 0) {
        ngx_ors_out_lit(out, "<p class=\"of\">no turns yet</p>\n"
                             "</section>\n");
        return;
    }

    ngx_ors_metrics_print(out,
        "<dl>\n"
        "<dt>turns in the last minute</dt><dd>%ui</dd>\n"
        "<dt>completed</dt><dd>%uL</dd>\n"
        "<dt>failed</dt><dd>%uL</dd>\n"
        "<dt>canceled by clients</dt><dd>%uL</dd>\n"
        "<dt>input tokens</dt><dd>%uL</dd>\n"
        "<dt>output tokens</dt><dd>%uL</dd>\n"
        "</dl>\n",
        ngx_ors_metrics_recent(labels->row, now), completed, failed, canceled,
        ngx_ors_metrics_sum(&h[ngx_ors_metrics_input]),
        ngx_ors_metrics_sum(&h[ngx_ors_metrics_output]));

    ngx_ors_stats_page_bars(out, "time of a turn",
                            &h[ngx_ors_metrics_completed],
                            ngx_ors_metrics_durations);
    ngx_ors_stats_page_bars(out, "time to the first token",
                            &h[ngx_ors_metrics_first],
                            ngx_ors_metrics_firsts);

    ngx_ors_out_lit(out, "</section>\n");
}


static void
ngx_ors_stats_page_text(ngx_ors_out_t *out, ngx_str_t *text)
{
    static char  *texts[] = { "&lt;", "&gt;", "&amp;" };

    ngx_ors_metrics_escape(out, text, "<>&", texts);
}


static void
ngx_ors_stats_page_bars(ngx_ors_out_t *out, char *name,
    ngx_ors_histogram_t *histogram, const uint64_t *bounds)
{
    uint64_t    most, n;
    ngx_uint_t  i;

    most = 0;

    for (i = 0; i < NGX_ORS_METRICS_BUCKETS; i++) {
        n = histogram->buckets[i];
        most = ngx_max(most, n);
    }

    if (most == 0) {
        return;
    }

    ngx_ors_out_lit(out, "<div class=\"bars\">");

    for (i = 0; /* void */ ; i++) {
        n = histogram->buckets[i];

        /* the smallest number is a line at least */

        n = n ? ngx_max(n * 100 / most, 4) : 0;

        ngx_ors_metrics_print(out, "<i style=\"height:%uL%%\"></i>",
                              ngx_min(n, 100));

        if (bounds[i] == 0) {
            break;
        }
    }

    ngx_ors_metrics_print(out, "</div>\n<p class=\"of\">%s: half ", name);
    ngx_ors_stats_page_share(out, histogram, bounds, 50);
    ngx_ors_out_lit(out, ", 95 % ");
    ngx_ors_stats_page_share(out, histogram, bounds, 95);
    ngx_ors_out_lit(out, "</p>\n");
}


/* the bound that so many of a hundred are within */

static void
ngx_ors_stats_page_share(ngx_ors_out_t *out, ngx_ors_histogram_t *histogram,
    const uint64_t *bounds, ngx_uint_t percent)
{
    u_char       text[NGX_ORS_METRICS_BOUND], *last;
    uint64_t     n, sum;
    ngx_uint_t   i;

    n = ngx_ors_metrics_values(histogram);
    sum = histogram->buckets[0];

    for (i = 0; bounds[i] && sum * 100 < n * percent; i++) {
        sum += histogram->buckets[i + 1];
    }

    last = ngx_ors_metrics_bound(text, bounds, bounds[i] ? i : i - 1);

    ngx_ors_metrics_print(out, "%s %*s s", bounds[i] ? "within" : "over",
                          (size_t) (last - text), text);
}
