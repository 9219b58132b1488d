
/*
 * Copyright (C) Open Responses contributors
 */


/* A target or a validated location on the page: turns, tokens, times. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics_bounds.h>
#include <ngx_ors_stats_page.h>


static void ngx_ors_stats_page_head(ngx_ors_out_t *out,
    ngx_ors_metrics_labels_t *labels);
static void ngx_ors_stats_page_text(ngx_ors_out_t *out, ngx_str_t *text);
static void ngx_ors_stats_page_bars(ngx_ors_out_t *out, char *name,
    ngx_ors_histogram_t *histogram, const uint64_t *bounds);
static void ngx_ors_stats_page_share(ngx_ors_out_t *out,
    ngx_ors_histogram_t *histogram, const uint64_t *bounds,
    ngx_uint_t percent);


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

    ngx_ors_out_lit(out, "<section>\n");
    ngx_ors_stats_page_head(out, labels);

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
ngx_ors_stats_page_head(ngx_ors_out_t *out, ngx_ors_metrics_labels_t *labels)
{
    ngx_ors_out_lit(out, "<h3>");
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
}


/* a configuration may have any text */

static void
ngx_ors_stats_page_text(ngx_ors_out_t *out, ngx_str_t *text)
{
    u_char  *p;

    for (p = text->data; p < text->data + text->len; p++) {

        switch (*p) {

        case '<':
            ngx_ors_out_lit(out, "&lt;");
            break;

        case '>':
            ngx_ors_out_lit(out, "&gt;");
            break;

        case '&':
            ngx_ors_out_lit(out, "&amp;");
            break;

        default:
            ngx_ors_out_copy(out, p, 1);
        }
    }
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
    char        *word;
    u_char       text[NGX_ORS_METRICS_BOUND], *last;
    uint64_t     n, sum;
    ngx_uint_t   i;

    n = ngx_ors_metrics_values(histogram);
    sum = histogram->buckets[0];

    for (i = 0; bounds[i] && sum * 100 < n * percent; i++) {
        sum += histogram->buckets[i + 1];
    }

    word = bounds[i] ? "within" : "over";
    last = ngx_ors_metrics_bound(text, bounds, bounds[i] ? i : i - 1);

    ngx_ors_metrics_print(out, "%s %*s s", word, (size_t) (last - text), text);
}
