
/*
 * Copyright (C) Open Responses contributors
 */


/* Metrics as Prometheus reads them, and as members of the JSON page. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_version.h>


/* a series of a family: a histogram of a row, and the label it adds */

typedef struct {
    ngx_ors_metrics_histogram_e     histogram;
    char                           *label;
} ngx_ors_metrics_series_t;


typedef struct {
    char                           *name;
    char                           *help;
    const uint64_t                 *bounds;
    char                          **tags;       /* of the names of an entry, */
                                                /* to NULL */
    ngx_ors_metrics_series_t        series[ngx_ors_classes + 2];
                                                    /* to one of no label */
} ngx_ors_metrics_family_t;


#define ngx_ors_callee_mcp(callee)                                            \
    ((callee)->named.names[ngx_ors_callee_kind].data[0] == 'm')


static void ngx_ors_metrics_family(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, ngx_array_t *labels);
static void ngx_ors_metrics_histogram(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, ngx_ors_named_t *entry,
    char *more, ngx_ors_histogram_t *histogram);
static void ngx_ors_metrics_total(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, char *what, ngx_ors_named_t *entry,
    char *more);
static void ngx_ors_metrics_labels(ngx_ors_out_t *out, char **tags,
    ngx_ors_named_t *entry, char *more);
static void ngx_ors_metrics_label(ngx_ors_out_t *out, char *name,
    ngx_str_t *value);
static void ngx_ors_metrics_turns(ngx_ors_out_t *out,
    ngx_ors_metrics_t *metrics);
static void ngx_ors_metrics_stores(ngx_ors_out_t *out,
    ngx_ors_metrics_t *metrics);
static void ngx_ors_metrics_spaces(ngx_ors_out_t *out, ngx_array_t *spaces);
static void ngx_ors_metrics_targets(ngx_ors_out_t *out, ngx_array_t *labels,
    time_t now);
static void ngx_ors_metrics_callees(ngx_ors_out_t *out,
    ngx_ors_callee_t *first);
static void ngx_ors_metrics_json_row(ngx_ors_out_t *out,
    ngx_ors_metrics_labels_t *labels, time_t now);
static void ngx_ors_metrics_json_callees(ngx_ors_out_t *out,
    ngx_ors_callee_t *first);
static void ngx_ors_metrics_json_text(ngx_ors_out_t *out, char *name,
    ngx_str_t *text);


#undef ngx_ors_class_row
#define ngx_ors_class_row(name, origin)                                       \
        { ngx_ors_metrics_ended + ngx_ors_class_##name,                       \
          ",error_type=\"" #name "\"" },

static char  *ngx_ors_metrics_row_tags[] = {
    "location", ",target", ",gen_ai_operation_name", ",gen_ai_provider_name",
    ",gen_ai_request_model", NULL
};

static char  *ngx_ors_metrics_callee_tags[] = {
    "server", ",tool", ",kind", ",target", NULL
};


static const ngx_ors_metrics_family_t  ngx_ors_metrics_families[] = {

    { "gen_ai_client_token_usage",
      "Input and output tokens of a turn, as the model server counts them.",
      ngx_ors_metrics_tokens, ngx_ors_metrics_row_tags,
      { { ngx_ors_metrics_input, ",gen_ai_token_type=\"input\"" },
        { ngx_ors_metrics_output, ",gen_ai_token_type=\"output\"" },
        { 0, NULL } } },

    { "gen_ai_server_request_duration_seconds",
      "Time from the start of a request to the end of its turn, all rounds "
      "and tools included.",
      ngx_ors_metrics_durations, ngx_ors_metrics_row_tags,
      { { ngx_ors_metrics_completed, "" },
        NGX_ORS_CLASSES(ngx_ors_class_row)
        { ngx_ors_metrics_canceled, ",error_type=\"canceled\"" },
        { 0, NULL } } },

    { "gen_ai_server_time_to_first_token_seconds",
      "Time from the start of a request to the first output of the model, of "
      "streams.",
      ngx_ors_metrics_firsts, ngx_ors_metrics_row_tags,
      { { ngx_ors_metrics_first, "" }, { 0, NULL } } },

    { "gen_ai_server_time_per_output_token_seconds",
      "Mean time for an output token after the first one, of streams that "
      "completed.",
      ngx_ors_metrics_eaches, ngx_ors_metrics_row_tags,
      { { ngx_ors_metrics_each, "" }, { 0, NULL } } },

    { NULL, NULL, NULL, NULL, { { 0, NULL } } }
};


static const ngx_ors_metrics_family_t  ngx_ors_metrics_overhead = {
    "open_responses_overhead_seconds",
    "Time that this module itself worked on a turn: checks and translation, "
    "without waiting for servers or clients.",
    ngx_ors_metrics_overheads, NULL,
    { { 0, NULL } }
};


/* in the order of ngx_ors_metrics_gauge_e */

static const struct {
    char  *name;
    char  *help;
} ngx_ors_metrics_now[] = {

    { "open_responses_streams",
      "Streams to clients that are open now." },

    { "open_responses_background",
      "Background responses that run now." },

    { "open_responses_websockets",
      "WebSockets that are open now." }
};


static const ngx_ors_metrics_family_t  ngx_ors_metrics_tools = {
    "open_responses_tool_duration_seconds",
    "Time of calls of hosted tools and MCP servers that have completed or "
    "failed.",
    ngx_ors_metrics_durations, ngx_ors_metrics_callee_tags,
    { { 0, NULL } }
};


static char  *ngx_ors_metrics_ends[] = {
    "completed", "failed", "canceled"
};


static char  *ngx_ors_metrics_engines[] = {
    "lmdb", "redis", "location"
};

char *const  ngx_ors_metrics_ops[NGX_ORS_METRICS_OPS] = {
    "get", "chain", "put", "delete", "add"
};

static char  *ngx_ors_metrics_results[] = {
    "ok", "absent", "limit", "full", "timeout", "unavailable", "corrupt",
    "share", "large", "version"
};


void
ngx_ors_metrics_text(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_shown_t *shown, time_t now)
{
    char                            *name;
    ngx_uint_t                       i;
    const ngx_ors_metrics_family_t  *family;

    for (family = ngx_ors_metrics_families; family->name; family++) {
        ngx_ors_metrics_family(out, family, shown->labels);
    }

    family = &ngx_ors_metrics_overhead;

    ngx_ors_metrics_head(out, family->name, family->help, "histogram");
    ngx_ors_metrics_histogram(out, family, NULL, "", &metrics->overhead);

    for (i = 0; i <= ngx_ors_metrics_websockets; i++) {
        name = ngx_ors_metrics_now[i].name;

        ngx_ors_metrics_head(out, name, ngx_ors_metrics_now[i].help, "gauge");
        ngx_ors_metrics_print(out, "%s %L\n", name,
                              ngx_ors_metrics_gauge(metrics, i));
    }

    ngx_ors_metrics_head(out, "open_responses_metrics_missing",
                         "Targets, models and tools of the configuration that "
                         "the zone of metrics has no room for.", "gauge");
    ngx_ors_metrics_print(out, "open_responses_metrics_missing %ui\n",
                          metrics->missing);

    ngx_ors_metrics_turns(out, metrics);
    ngx_ors_metrics_stores(out, metrics);
    ngx_ors_metrics_callees(out,
                            (ngx_ors_callee_t *) metrics->callees.first);
    ngx_ors_metrics_targets(out, shown->labels, now);

    if (shown->spaces->nelts) {
        ngx_ors_metrics_spaces(out, shown->spaces);
    }
}


static void
ngx_ors_metrics_spaces(ngx_ors_out_t *out, ngx_array_t *spaces)
{
    ngx_uint_t                i, limit;
    ngx_ors_metrics_space_t  *space;

    static char  *names[] = { "open_responses_store_used_bytes",
                              "open_responses_store_size_bytes" };

    static char  *helps[] = { "Bytes of the store that are in use.",
                              "Bytes that the store may have." };

    space = spaces->elts;

    for (limit = 0; limit < 2; limit++) {
        ngx_ors_metrics_head(out, names[limit], helps[limit], "gauge");

        for (i = 0; i < spaces->nelts; i++) {
            ngx_ors_metrics_print(out, "%s", names[limit]);
            ngx_ors_metrics_label(out, "{store", &space[i].store);
            ngx_ors_metrics_print(out, "} %L\n",
                                  limit ? space[i].size : space[i].used);
        }
    }
}


static void
ngx_ors_metrics_family(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, ngx_array_t *labels)
{
    ngx_uint_t                       i;
    ngx_ors_histogram_t             *histogram;
    ngx_ors_metrics_labels_t       **label;
    const ngx_ors_metrics_series_t  *series;

    ngx_ors_metrics_head(out, family->name, family->help, "histogram");

    label = labels->elts;

    for (i = 0; i < labels->nelts; i++) {
        for (series = family->series; series->label; series++) {
            histogram = &label[i]->row->histograms[series->histogram];

            if (ngx_ors_metrics_values(histogram)) {
                ngx_ors_metrics_histogram(out, family, &label[i]->row->named,
                                          series->label, histogram);
            }
        }
    }
}


void
ngx_ors_metrics_head(ngx_ors_out_t *out, char *name, char *help, char *type)
{
    ngx_ors_metrics_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
                          type);
}


/* "+Inf" and "_count" are one sum, as other workers count meanwhile */

static void
ngx_ors_metrics_histogram(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, ngx_ors_named_t *entry,
    char *more, ngx_ors_histogram_t *histogram)
{
    u_char       text[NGX_ORS_METRICS_BOUND], *last;
    int64_t      count;
    uint64_t     sum, bound;
    ngx_uint_t   i;

    count = 0;
    i = 0;

    do {
        count += (int64_t) histogram->buckets[i];
        bound = family->bounds[i];

        last = bound ? ngx_ors_metrics_bound(text, family->bounds, i)
                     : ngx_cpymem(text, "+Inf", 4);
        i++;

        ngx_ors_metrics_print(out, "%s_bucket{", family->name);

        if (entry) {
            ngx_ors_metrics_labels(out, family->tags, entry, more);
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_metrics_print(out, "le=\"%*s\"} %L\n",
                              (size_t) (last - text), text, count);
    } while (bound);

    sum = ngx_ors_metrics_sum(histogram);

    ngx_ors_metrics_total(out, family, "_sum", entry, more);

    if (family->bounds == ngx_ors_metrics_tokens) {
        ngx_ors_metrics_print(out, " %uL\n", sum);

    } else {
        /* times are counted in ns and shown in seconds */

        ngx_ors_metrics_print(out, " %uL.%09uL\n", sum / 1000000000,
                              sum % 1000000000);
    }

    ngx_ors_metrics_total(out, family, "_count", entry, more);
    ngx_ors_metrics_print(out, " %L\n", count);
}


static void
ngx_ors_metrics_total(ngx_ors_out_t *out,
    const ngx_ors_metrics_family_t *family, char *what, ngx_ors_named_t *entry,
    char *more)
{
    ngx_ors_metrics_print(out, "%s%s", family->name, what);

    if (entry) {
        ngx_ors_out_lit(out, "{");
        ngx_ors_metrics_labels(out, family->tags, entry, more);
        ngx_ors_out_lit(out, "}");
    }
}


static void
ngx_ors_metrics_labels(ngx_ors_out_t *out, char **tags, ngx_ors_named_t *entry,
    char *more)
{
    ngx_uint_t  i;

    for (i = 0; tags[i]; i++) {
        ngx_ors_metrics_label(out, tags[i], &entry->names[i]);
    }

    ngx_ors_metrics_print(out, "%s", more);
}


static void
ngx_ors_metrics_label(ngx_ors_out_t *out, char *name, ngx_str_t *value)
{
    static char  *texts[] = { "\\n", "\\\"", "\\\\" };

    ngx_ors_metrics_print(out, "%s=\"", name);
    ngx_ors_metrics_escape(out, value, "\n\"\\", texts);
    ngx_ors_out_lit(out, "\"");
}


void
ngx_ors_metrics_escape(ngx_ors_out_t *out, ngx_str_t *text, char *special,
    char **texts)
{
    char    *c;
    u_char  *p;

    for (p = text->data; p < text->data + text->len; p++) {
        c = *p ? ngx_strchr(special, *p) : NULL;

        if (c) {
            ngx_ors_metrics_print(out, "%s", texts[c - special]);

        } else {
            ngx_ors_out_copy(out, p, 1);
        }
    }
}


static void
ngx_ors_metrics_turns(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics)
{
    ngx_uint_t  i, j;

    static char  *executions[] = { "foreground", "background" };
    static char  *deliveries[] = { "document", "stream", "websocket" };

    ngx_ors_metrics_head(out, "open_responses_turns_total",
                         "Turns that a target was found for and that are over, "
                         "by where they ran and how the client got them.",
                         "counter");

    for (i = 0; i < 2; i++) {
        for (j = 0; j < ngx_ors_metrics_deliveries; j++) {
            ngx_ors_metrics_print(out,
                                  "open_responses_turns_total{execution=\"%s\","
                                  "delivery=\"%s\"} %uA\n", executions[i],
                                  deliveries[j], metrics->turns[i][j]);
        }
    }
}


static void
ngx_ors_metrics_stores(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics)
{
    ngx_uint_t         i, j;
    ngx_atomic_uint_t  n;

    ngx_ors_metrics_head(out, "open_responses_store_operations_total",
                         "Operations of stores that are over, by what came of "
                         "them.", "counter");

    for (i = 0; i < NGX_ORS_METRICS_STORES; i++) {
        for (j = 0; j < NGX_ORS_METRICS_RESULTS; j++) {
            n = metrics->store[i][j];

            if (n == 0) {
                continue;
            }

            ngx_ors_metrics_print(out,
                                  "open_responses_store_operations_total{"
                                  "engine=\"%s\",operation=\"%s\","
                                  "result=\"%s\"} %uA\n",
                                  ngx_ors_metrics_engines[i
                                                    / NGX_ORS_METRICS_OPS],
                                  ngx_ors_metrics_ops[i % NGX_ORS_METRICS_OPS],
                                  ngx_ors_metrics_results[j], n);
        }
    }
}


/* several models may share a target, which is shown once */

static void
ngx_ors_metrics_targets(ngx_ors_out_t *out, ngx_array_t *labels, time_t now)
{
    ngx_uint_t                  i, j, total;
    ngx_ors_peer_conf_t        *peer;
    ngx_ors_metrics_labels_t  **label;

    static char  *names[] = { "open_responses_target_up",
                              "open_responses_target_failures_total" };

    label = labels->elts;

    for (total = 0; total < 2; total++) {
        ngx_ors_metrics_head(out, names[total],
                             total ? "Calls to the target that failed, whether "
                                     "another target was called then or not."
                                   : "1 if the target has not failed too often "
                                     "of late, else 0.",
                             total ? "counter" : "gauge");

        for (i = 0; i < labels->nelts; i++) {

            peer = label[i]->peer;

            if (peer == NULL || peer->peer == NULL) {
                continue;
            }

            for (j = 0; label[j]->peer == NULL
                        || label[j]->peer->peer != peer->peer; j++)
            {
                /* void */
            }

            if (j < i) {
                continue;
            }

            ngx_ors_metrics_print(out, "%s", names[total]);
            ngx_ors_metrics_label(out, "{server", &peer->server);
            ngx_ors_metrics_label(out, ",target", &peer->target);
            ngx_ors_metrics_print(out, "} %uA\n",
                                  total ? peer->peer->total
                                        : ngx_ors_peer_up(peer, now));
        }
    }
}


void ngx_cdecl
ngx_ors_metrics_print(ngx_ors_out_t *out, const char *fmt, ...)
{
    u_char   buf[NGX_ORS_METRICS_LINE], *last;
    va_list  args;

    va_start(args, fmt);
    last = ngx_vslprintf(buf, buf + sizeof(buf), fmt, args);
    va_end(args);

    ngx_ors_out_copy(out, buf, last - buf);
}


/* also outcomes that were never seen */

static void
ngx_ors_metrics_callees(ngx_ors_out_t *out, ngx_ors_callee_t *first)
{
    ngx_uint_t         i;
    ngx_ors_callee_t  *callee;

    ngx_ors_metrics_head(out, "open_responses_tool_calls_total",
                         "Calls of hosted tools and MCP servers that are over, "
                         "by what came of them.", "counter");

    for (callee = first; callee; callee = ngx_ors_callee_next(callee)) {
        for (i = 0; i < ngx_ors_callee_ends; i++) {
            ngx_ors_out_lit(out, "open_responses_tool_calls_total{");
            ngx_ors_metrics_labels(out, ngx_ors_metrics_callee_tags,
                                   &callee->named, "");
            ngx_ors_metrics_print(out, ",outcome=\"%s\"} %uA\n",
                                  ngx_ors_metrics_ends[i], callee->ends[i]);
        }
    }

    ngx_ors_metrics_head(out, "open_responses_mcp_dropped_total",
                         "Messages about the end of calls and sessions that an "
                         "MCP server did not get.", "counter");

    for (callee = first; callee; callee = ngx_ors_callee_next(callee)) {
        if (ngx_ors_callee_mcp(callee)) {
            ngx_ors_out_lit(out, "open_responses_mcp_dropped_total{");
            ngx_ors_metrics_labels(out, ngx_ors_metrics_callee_tags,
                                   &callee->named, "} ");
            ngx_ors_metrics_print(out, "%uA\n", callee->dropped);
        }
    }

    ngx_ors_metrics_head(out, ngx_ors_metrics_tools.name,
                         ngx_ors_metrics_tools.help, "histogram");

    for (callee = first; callee; callee = ngx_ors_callee_next(callee)) {
        if (ngx_ors_metrics_values(&callee->times)) {
            ngx_ors_metrics_histogram(out, &ngx_ors_metrics_tools,
                                      &callee->named, "", &callee->times);
        }
    }
}


/* Turns, targets, tools and stores, as members of the JSON page. */


void
ngx_ors_metrics_json(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_shown_t *shown, time_t now)
{
    ngx_uint_t                  i;
    ngx_ors_metrics_space_t    *space;
    ngx_ors_metrics_labels_t  **label;

    ngx_ors_metrics_print(out,
        "\"version\":\"" NGX_ORS_VERSION "\",\"open_streams\":%L,"
        "\"background\":%L,\"open_websockets\":%L,"
        "\"metrics_missing\":%ui,\"targets\":[",
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_streams),
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_background),
        ngx_ors_metrics_gauge(metrics, ngx_ors_metrics_websockets),
        metrics->missing);

    label = shown->labels->elts;

    for (i = 0; i < shown->labels->nelts; i++) {
        ngx_ors_metrics_json_text(out, i ? ",{\"location\":" : "{\"location\":",
                                  &label[i]->location);
        ngx_ors_metrics_json_row(out, label[i], now);
    }

    ngx_ors_out_lit(out, "],\"tools\":[");
    ngx_ors_metrics_json_callees(out,
                                (ngx_ors_callee_t *) metrics->callees.first);
    ngx_ors_out_lit(out, "],\"stores\":[");

    space = shown->spaces->elts;

    for (i = 0; i < shown->spaces->nelts; i++) {
        ngx_ors_metrics_json_text(out, i ? ",{\"store\":" : "{\"store\":",
                                  &space[i].store);
        ngx_ors_metrics_print(out, ",\"used_bytes\":%L,\"size_bytes\":%L}",
                              space[i].used, space[i].size);
    }

    ngx_ors_out_lit(out, "]");
}


static void
ngx_ors_metrics_json_callees(ngx_ors_out_t *out, ngx_ors_callee_t *first)
{
    ngx_uint_t         i;
    ngx_ors_callee_t  *callee;

    static char  *names[] = { "{\"server\":", ",\"tool\":", ",\"kind\":",
                              ",\"target\":" };

    for (callee = first; callee; callee = ngx_ors_callee_next(callee)) {

        if (callee != first) {
            ngx_ors_out_lit(out, ",");
        }

        for (i = 0; i < ngx_ors_callee_names; i++) {
            ngx_ors_metrics_json_text(out, names[i], &callee->named.names[i]);
        }

        for (i = 0; i < ngx_ors_callee_ends; i++) {
            ngx_ors_metrics_print(out, ",\"%s\":%uA", ngx_ors_metrics_ends[i],
                                  callee->ends[i]);
        }

        if (ngx_ors_callee_mcp(callee)) {
            ngx_ors_metrics_print(out, ",\"dropped\":%uA", callee->dropped);
        }

        ngx_ors_metrics_print(out, ",\"milliseconds\":%uL}",
                              ngx_ors_metrics_sum(&callee->times) / 1000000);
    }
}


static void
ngx_ors_metrics_json_row(ngx_ors_out_t *out, ngx_ors_metrics_labels_t *labels,
    time_t now)
{
    ngx_ors_histogram_t  *h;

    h = labels->row->histograms;

    ngx_ors_metrics_json_text(out, ",\"target\":", &labels->target);
    ngx_ors_metrics_json_text(out, ",\"model\":", &labels->model);
    ngx_ors_metrics_json_text(out, ",\"provider\":", &labels->provider);

    ngx_ors_metrics_print(out,
        ",\"operation\":\"%V\",\"last_minute\":%ui,\"completed\":%uL,"
        "\"failed\":%uL,\"canceled\":%uL,\"input_tokens\":%uL,"
        "\"output_tokens\":%uL",
        &labels->row->named.names[2],
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
