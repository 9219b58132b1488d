
/*
 * Copyright (C) Open Responses contributors
 */


/* Turns and targets, as members of the JSON page. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_metrics.h>
#include <ngx_ors_version.h>


static void ngx_ors_metrics_json_row(ngx_ors_out_t *out,
    ngx_ors_metrics_labels_t *labels, time_t now);
static void ngx_ors_metrics_json_callees(ngx_ors_out_t *out,
    ngx_ors_metrics_t *metrics);
static void ngx_ors_metrics_json_text(ngx_ors_out_t *out, char *name,
    ngx_str_t *text);


void
ngx_ors_metrics_json(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_shown_t *shown, time_t now)
{
    ngx_uint_t                  i;
    ngx_array_t                *labels, *spaces;
    ngx_ors_metrics_space_t    *space;
    ngx_ors_metrics_labels_t  **label;

    ngx_ors_out_lit(out, "\"version\":\"" NGX_ORS_VERSION "\"");

    ngx_ors_metrics_print(out,
        ",\"open_streams\":%L,\"background\":%L,\"open_websockets\":%L,"
        "\"metrics_missing\":%ui,\"targets\":[",
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_streams),
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_background),
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_websockets),
        metrics->missing);

    labels = shown->labels;
    label = labels ? labels->elts : NULL;

    for (i = 0; labels && i < labels->nelts; i++) {

        if (i) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_metrics_json_row(out, label[i], now);
    }

    ngx_ors_out_lit(out, "],\"tools\":[");
    ngx_ors_metrics_json_callees(out, metrics);
    ngx_ors_out_lit(out, "],\"stores\":[");

    spaces = shown->spaces;
    space = spaces ? spaces->elts : NULL;

    for (i = 0; spaces && i < spaces->nelts; i++) {
        ngx_ors_metrics_json_text(out, i ? ",{\"store\":" : "{\"store\":",
                                  &space[i].store);
        ngx_ors_metrics_print(out, ",\"used_bytes\":%L,\"size_bytes\":%L}",
                              space[i].used, space[i].size);
    }

    ngx_ors_out_lit(out, "]");
}


static void
ngx_ors_metrics_json_callees(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics)
{
    char                   *sep;
    ngx_ors_callee_t       *callee;
    ngx_ors_callee_conf_t   conf;

    sep = "{\"server\":";

    conf.callee = NULL;

    while ((callee = ngx_ors_callee_next(&metrics->callees, &conf)) != NULL) {
        ngx_ors_metrics_json_text(out, sep, &conf.server);
        ngx_ors_metrics_json_text(out, ",\"tool\":", &conf.name);
        ngx_ors_metrics_print(out, ",\"kind\":\"%s\"",
                              ngx_ors_metrics_kinds[conf.mcp]);
        ngx_ors_metrics_json_text(out, ",\"target\":", &conf.uri);
        ngx_ors_metrics_print(out,
                              ",\"completed\":%uA,\"failed\":%uA,"
                              "\"canceled\":%uA",
                              callee->ends[ngx_ors_callee_completed],
                              callee->ends[ngx_ors_callee_failed],
                              callee->ends[ngx_ors_callee_canceled]);

        if (conf.mcp) {
            ngx_ors_metrics_print(out, ",\"dropped\":%uA", callee->dropped);
        }

        ngx_ors_metrics_print(out, ",\"milliseconds\":%uL}",
                              ngx_ors_metrics_sum(&callee->times) / 1000000);

        sep = ",{\"server\":";
    }
}


static void
ngx_ors_metrics_json_row(ngx_ors_out_t *out, ngx_ors_metrics_labels_t *labels,
    time_t now)
{
    ngx_ors_histogram_t  *h;

    h = labels->row->histograms;

    ngx_ors_metrics_json_text(out, "{\"location\":", &labels->location);
    ngx_ors_metrics_json_text(out, ",\"target\":", &labels->target);
    ngx_ors_metrics_json_text(out, ",\"model\":", &labels->model);
    ngx_ors_metrics_json_text(out, ",\"provider\":", &labels->provider);

    ngx_ors_metrics_print(out,
        ",\"operation\":\"%s\",\"last_minute\":%ui,\"completed\":%uL,"
        "\"failed\":%uL,\"canceled\":%uL,\"input_tokens\":%uL,"
        "\"output_tokens\":%uL",
        ngx_ors_metrics_operations_of[labels->operation],
        ngx_ors_metrics_recent(labels->row, now),
        ngx_ors_metrics_values(&h[ngx_ors_metrics_completed]),
        ngx_ors_metrics_failed(labels->row),
        ngx_ors_metrics_values(&h[ngx_ors_metrics_canceled]),
        ngx_ors_metrics_sum(&h[ngx_ors_metrics_input]),
        ngx_ors_metrics_sum(&h[ngx_ors_metrics_output]));

    if (labels->peer && labels->peer->peer) {
        ngx_ors_metrics_print(out, ",\"up\":%ui,\"failures\":%uA",
                              ngx_ors_peer_up(labels->peer, now),
                              labels->peer->peer->total);
    }

    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_metrics_json_text(ngx_ors_out_t *out, char *name, ngx_str_t *text)
{
    ngx_ors_out_copy(out, (u_char *) name, ngx_strlen(name));
    ngx_ors_json_quote(out, text->data, text->len);
}
