
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters in shared memory, and their pages: HTML, JSON, Prometheus.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_version.h>


#define NGX_ORS_STATS_OUTCOMES  4


typedef struct {
    ngx_str_t                  one;
    ngx_str_t                  many;
    ngx_ors_stats_counter_e    first;
} ngx_ors_stats_kind_t;


typedef struct {
    ngx_str_t                  name;
    ngx_str_t                  help;
} ngx_ors_stats_outcome_t;


typedef struct {
    ngx_str_t                  name;
    ngx_str_t                  title;
    ngx_ors_stats_counter_e    counter;
} ngx_ors_stats_single_t;


static void ngx_ors_stats_render_html(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats, time_t now);
static void ngx_ors_stats_html_row(ngx_ors_out_t *out, ngx_str_t *name,
    ngx_atomic_t *numbers, ngx_uint_t n);
static void ngx_ors_stats_html_age(ngx_ors_out_t *out, time_t age);
static void ngx_ors_stats_render_json(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_json_codes(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_json_pair(ngx_ors_out_t *out, ngx_str_t *name,
    ngx_atomic_uint_t n);
static void ngx_ors_stats_render_prometheus(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_prometheus_single(ngx_ors_out_t *out,
    ngx_ors_stats_single_t *single, ngx_atomic_uint_t n);
static void ngx_ors_stats_prometheus_code(ngx_ors_out_t *out,
    ngx_str_t *code, char *action, ngx_atomic_uint_t n);


static ngx_ors_stats_kind_t  ngx_ors_stats_kinds[] = {

    { ngx_string("request"), ngx_string("requests"),
      ngx_ors_stats_request_checked },

    { ngx_string("answer"), ngx_string("answers"),
      ngx_ors_stats_answer_checked },

    { ngx_string("stream"), ngx_string("streams"),
      ngx_ors_stats_stream_checked },

    { ngx_null_string, ngx_null_string, 0 }
};


/* in the order of the counters */

static ngx_ors_stats_outcome_t  ngx_ors_stats_outcomes[] = {

    { ngx_string("checked"),
      ngx_string("Requests, answers and streams that were checked.") },

    { ngx_string("repaired"),
      ngx_string("Those of them with something that was put right, and passed "
                 "on.") },

    { ngx_string("refused"),
      ngx_string("Those of them that violate the schema or a limit, and did "
                 "not pass.") },

    { ngx_string("reported"),
      ngx_string("Those of them that would have been refused, and passed as "
                 "they are only reported.") }
};


static ngx_ors_stats_single_t  ngx_ors_stats_singles[] = {

    { ngx_string("schema_violations"),
      ngx_string("Calls and outputs of models that violate their schema"),
      ngx_ors_stats_schema_violation },

    { ngx_string("schema_repeats"),
      ngx_string("Rounds that were repeated for such a violation"),
      ngx_ors_stats_schema_repeat },

    { ngx_string("schema_unchecked"),
      ngx_string("Calls and outputs whose schema cannot be used"),
      ngx_ors_stats_schema_unchecked },

    { ngx_string("websocket_connections"),
      ngx_string("WebSockets that were opened"),
      ngx_ors_stats_ws_connection },

    { ngx_string("websocket_turns"),
      ngx_string("Turns that were begun in a WebSocket"),
      ngx_ors_stats_ws_turn },

    { ngx_null_string, ngx_null_string, 0 }
};


/* letters and "_" only, as they need no escaping; the last one is for all */

static ngx_str_t  ngx_ors_stats_codes[NGX_ORS_STATS_CODES] = {
    ngx_string("answer_too_large"),
    ngx_string("array_above_max_length"),
    ngx_string("array_below_min_length"),
    ngx_string("authentication_required"),
    ngx_string("context_length_exceeded"),
    ngx_string("duplicate_call_id"),
    ngx_string("duplicate_key"),
    ngx_string("event_too_large"),
    ngx_string("integer_above_max_value"),
    ngx_string("integer_below_min_value"),
    ngx_string("invalid_json"),
    ngx_string("invalid_previous_response"),
    ngx_string("invalid_type"),
    ngx_string("invalid_upstream_answer"),
    ngx_string("invalid_value"),
    ngx_string("item_not_found"),
    ngx_string("method_not_allowed"),
    ngx_string("missing_required_parameter"),
    ngx_string("model_error"),
    ngx_string("model_not_found"),
    ngx_string("not_found"),
    ngx_string("not_implemented"),
    ngx_string("object_above_max_properties"),
    ngx_string("previous_response_not_found"),
    ngx_string("request_too_large"),
    ngx_string("server_error"),
    ngx_string("store_unavailable"),
    ngx_string("string_above_max_length"),
    ngx_string("string_below_min_length"),
    ngx_string("too_many_tool_calls"),
    ngx_string("tool_not_found"),
    ngx_string("unknown_call_id"),
    ngx_string("unknown_parameter"),
    ngx_string("unsupported_item"),
    ngx_string("unsupported_media_type"),
    ngx_string("unsupported_parameter"),
    ngx_string("unsupported_value"),
    ngx_string("upstream_disconnected"),
    ngx_string("upstream_error"),
    ngx_string("upstream_timeout"),
    ngx_string("upstream_unavailable"),
    ngx_string("websocket_connection_limit_reached"),
    ngx_string("websocket_not_supported"),
    ngx_string("websocket_stream_limit_reached"),
    ngx_string("other")
};


/* in the order of ngx_ors_stats_format_e */

static ngx_str_t  ngx_ors_stats_types[] = {
    ngx_string("text/html; charset=utf-8"),
    ngx_string("application/json"),
    ngx_string("text/plain; version=0.0.4; charset=utf-8")
};


void
ngx_ors_stats_init(ngx_ors_stats_t *stats, time_t now)
{
    ngx_memzero(stats, sizeof(ngx_ors_stats_t));

    stats->version = NGX_ORS_STATS_VERSION;
    stats->size = sizeof(ngx_ors_stats_t);
    stats->since = now;
}


ngx_uint_t
ngx_ors_stats_usable(ngx_ors_stats_t *stats)
{
    return stats->version == NGX_ORS_STATS_VERSION
           && stats->size == sizeof(ngx_ors_stats_t);
}


void
ngx_ors_stats_count(ngx_ors_stats_t *stats, ngx_ors_stats_counter_e counter)
{
    ngx_ors_stats_add(stats, counter, 1);
}


void
ngx_ors_stats_add(ngx_ors_stats_t *stats, ngx_ors_stats_counter_e counter,
    ngx_uint_t n)
{
    if (stats && n) {
        (void) ngx_atomic_fetch_add(&stats->counters[counter], n);
    }
}


void
ngx_ors_stats_code(ngx_ors_stats_t *stats, ngx_str_t *code,
    ngx_uint_t reported)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (stats == NULL) {
        return;
    }

    for (i = 0; i < NGX_ORS_STATS_CODES - 1; i++) {
        name = &ngx_ors_stats_codes[i];

        if (name->len == code->len
            && ngx_memcmp(name->data, code->data, code->len) == 0)
        {
            break;
        }
    }

    (void) ngx_atomic_fetch_add(reported ? &stats->reported[i]
                                         : &stats->refused[i], 1);
}


ngx_str_t *
ngx_ors_stats_type(ngx_ors_stats_format_e format)
{
    return &ngx_ors_stats_types[format];
}


void
ngx_ors_stats_render(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_stats_format_e format, ngx_array_t *labels, time_t now)
{
    switch (format) {

    case ngx_ors_stats_html:
        ngx_ors_stats_render_html(out, stats, now);
        break;

    case ngx_ors_stats_json:
        ngx_ors_stats_render_json(out, stats);
        break;

    case ngx_ors_stats_prometheus:
        ngx_ors_stats_render_prometheus(out, stats);
        ngx_ors_metrics_text(out, &stats->metrics, labels);
        break;
    }
}


static void
ngx_ors_stats_render_html(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    time_t now)
{
    ngx_uint_t               i;
    ngx_atomic_t             pair[2];
    ngx_ors_stats_kind_t    *kind;
    ngx_ors_stats_single_t  *single;

    ngx_ors_out_lit(out,
        "<!DOCTYPE html>\n"
        "<html lang=\"en\">\n"
        "<head>\n"
        "<meta charset=\"utf-8\">\n"
        "<title>Open Responses</title>\n"
        "<style>td { text-align: right; } td, th { padding: 0.2em 1em; }"
        "</style>\n"
        "</head>\n"
        "<body>\n"
        "<h1>Open Responses</h1>\n"
        "<p>Counted for ");

    ngx_ors_stats_html_age(out, now - stats->since);

    ngx_ors_out_lit(out,
        ".</p>\n"
        "<table>\n"
        "<tr><th></th><th>checked</th><th>repaired</th><th>refused</th>"
        "<th>reported</th></tr>\n");

    for (kind = ngx_ors_stats_kinds; kind->one.len; kind++) {
        ngx_ors_stats_html_row(out, &kind->many,
                               &stats->counters[kind->first],
                               NGX_ORS_STATS_OUTCOMES);
    }

    ngx_ors_out_lit(out,
        "</table>\n"
        "<p>Errors of model servers: ");
    ngx_ors_out_int(out,
                  (int64_t) stats->counters[ngx_ors_stats_upstream_error]);
    ngx_ors_out_lit(out, "</p>\n<p>Failovers: ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_failover]);
    ngx_ors_out_lit(out, "</p>\n<p>Responses that could not be stored: ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_unstored]);
    ngx_ors_out_lit(out, "</p>\n<p>Unknown fields that were not sent on: ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_ignored]);

    for (single = ngx_ors_stats_singles; single->name.len; single++) {
        ngx_ors_out_lit(out, "</p>\n<p>");
        ngx_ors_out_str(out, &single->title);
        ngx_ors_out_lit(out, ": ");
        ngx_ors_out_int(out, (int64_t) stats->counters[single->counter]);
    }

    ngx_ors_out_lit(out,
        "</p>\n"
        "<table>\n"
        "<tr><th>code</th><th>refused</th><th>reported</th></tr>\n");

    for (i = 0; i < NGX_ORS_STATS_CODES; i++) {
        pair[0] = stats->refused[i];
        pair[1] = stats->reported[i];

        if (pair[0] || pair[1]) {
            ngx_ors_stats_html_row(out, &ngx_ors_stats_codes[i], pair, 2);
        }
    }

    ngx_ors_out_lit(out,
        "</table>\n"
        "</body>\n"
        "</html>\n");
}


static void
ngx_ors_stats_html_row(ngx_ors_out_t *out, ngx_str_t *name,
    ngx_atomic_t *numbers, ngx_uint_t n)
{
    ngx_uint_t  i;

    ngx_ors_out_lit(out, "<tr><th>");
    ngx_ors_out_str(out, name);
    ngx_ors_out_lit(out, "</th>");

    for (i = 0; i < n; i++) {
        ngx_ors_out_lit(out, "<td>");
        ngx_ors_out_int(out, (int64_t) numbers[i]);
        ngx_ors_out_lit(out, "</td>");
    }

    ngx_ors_out_lit(out, "</tr>\n");
}


static void
ngx_ors_stats_html_age(ngx_ors_out_t *out, time_t age)
{
    /* a clock may be set back */

    if (age < 0) {
        age = 0;
    }

    ngx_ors_out_int(out, (int64_t) (age / 86400));
    ngx_ors_out_lit(out, " d ");
    ngx_ors_out_int(out, (int64_t) (age / 3600 % 24));
    ngx_ors_out_lit(out, " h ");
    ngx_ors_out_int(out, (int64_t) (age / 60 % 60));
    ngx_ors_out_lit(out, " min ");
    ngx_ors_out_int(out, (int64_t) (age % 60));
    ngx_ors_out_lit(out, " s");
}


static void
ngx_ors_stats_render_json(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t               i;
    ngx_ors_stats_kind_t    *kind;
    ngx_ors_stats_single_t  *single;

    ngx_ors_out_lit(out, "{\"since\":");
    ngx_ors_out_int(out, (int64_t) stats->since);

    for (kind = ngx_ors_stats_kinds; kind->one.len; kind++) {
        ngx_ors_out_lit(out, ",\"");
        ngx_ors_out_str(out, &kind->many);
        ngx_ors_out_lit(out, "\":{");

        for (i = 0; i < NGX_ORS_STATS_OUTCOMES; i++) {

            if (i) {
                ngx_ors_out_lit(out, ",");
            }

            ngx_ors_stats_json_pair(out, &ngx_ors_stats_outcomes[i].name,
                                    stats->counters[kind->first + i]);
        }

        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, ",\"upstream_errors\":");
    ngx_ors_out_int(out,
                  (int64_t) stats->counters[ngx_ors_stats_upstream_error]);

    ngx_ors_out_lit(out, ",\"failovers\":");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_failover]);

    ngx_ors_out_lit(out, ",\"unstored\":");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_unstored]);

    ngx_ors_out_lit(out, ",\"ignored_fields\":");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_ignored]);

    for (single = ngx_ors_stats_singles; single->name.len; single++) {
        ngx_ors_out_lit(out, ",");
        ngx_ors_stats_json_pair(out, &single->name,
                                stats->counters[single->counter]);
    }

    ngx_ors_out_lit(out, ",\"codes\":{");
    ngx_ors_stats_json_codes(out, stats);
    ngx_ors_out_lit(out, "}}\n");
}


static void
ngx_ors_stats_json_codes(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t          i, comma;
    ngx_atomic_uint_t   refused, reported;

    comma = 0;

    for (i = 0; i < NGX_ORS_STATS_CODES; i++) {
        refused = stats->refused[i];
        reported = stats->reported[i];

        if (refused == 0 && reported == 0) {
            continue;
        }

        if (comma) {
            ngx_ors_out_lit(out, ",");
        }

        comma = 1;

        ngx_ors_out_lit(out, "\"");
        ngx_ors_out_str(out, &ngx_ors_stats_codes[i]);
        ngx_ors_out_lit(out, "\":{");
        ngx_ors_stats_json_pair(out, &ngx_ors_stats_outcomes[2].name, refused);
        ngx_ors_out_lit(out, ",");
        ngx_ors_stats_json_pair(out, &ngx_ors_stats_outcomes[3].name,
                                reported);
        ngx_ors_out_lit(out, "}");
    }
}


static void
ngx_ors_stats_json_pair(ngx_ors_out_t *out, ngx_str_t *name,
    ngx_atomic_uint_t n)
{
    ngx_ors_out_lit(out, "\"");
    ngx_ors_out_str(out, name);
    ngx_ors_out_lit(out, "\":");
    ngx_ors_out_int(out, (int64_t) n);
}


static void
ngx_ors_stats_render_prometheus(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t                i;
    ngx_ors_stats_kind_t     *kind;
    ngx_ors_stats_single_t   *single;
    ngx_ors_stats_outcome_t  *outcome;

    ngx_ors_out_lit(out,
        "# HELP open_responses_info "
        "The version of the module, the value is always 1.\n"
        "# TYPE open_responses_info gauge\n"
        "open_responses_info{version=\"" NGX_ORS_VERSION "\"} 1\n");

    for (i = 0; i < NGX_ORS_STATS_OUTCOMES; i++) {
        outcome = &ngx_ors_stats_outcomes[i];

        ngx_ors_out_lit(out, "# HELP open_responses_");
        ngx_ors_out_str(out, &outcome->name);
        ngx_ors_out_lit(out, "_total ");
        ngx_ors_out_str(out, &outcome->help);
        ngx_ors_out_lit(out, "\n# TYPE open_responses_");
        ngx_ors_out_str(out, &outcome->name);
        ngx_ors_out_lit(out, "_total counter\n");

        for (kind = ngx_ors_stats_kinds; kind->one.len; kind++) {
            ngx_ors_out_lit(out, "open_responses_");
            ngx_ors_out_str(out, &outcome->name);
            ngx_ors_out_lit(out, "_total{kind=\"");
            ngx_ors_out_str(out, &kind->one);
            ngx_ors_out_lit(out, "\"} ");
            ngx_ors_out_int(out, (int64_t) stats->counters[kind->first + i]);
            ngx_ors_out_lit(out, "\n");
        }
    }

    ngx_ors_out_lit(out,
        "# HELP open_responses_upstream_errors_total "
        "Errors of model servers: answers that are errors, and calls "
        "without an answer.\n"
        "# TYPE open_responses_upstream_errors_total counter\n"
        "open_responses_upstream_errors_total ");
    ngx_ors_out_int(out,
                  (int64_t) stats->counters[ngx_ors_stats_upstream_error]);

    ngx_ors_out_lit(out,
        "\n"
        "# HELP open_responses_failovers_total "
        "Targets that were called in place of one that had failed.\n"
        "# TYPE open_responses_failovers_total counter\n"
        "open_responses_failovers_total ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_failover]);

    ngx_ors_out_lit(out,
        "\n"
        "# HELP open_responses_unstored_total "
        "Responses that should have been stored: the store was down, "
        "full, or had no more room for the client.\n"
        "# TYPE open_responses_unstored_total counter\n"
        "open_responses_unstored_total ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_unstored]);

    for (single = ngx_ors_stats_singles; single->name.len; single++) {
        ngx_ors_stats_prometheus_single(out, single,
                                        stats->counters[single->counter]);
    }

    ngx_ors_out_lit(out,
        "\n"
        "# HELP open_responses_ignored_fields_total "
        "Fields of requests that are not known and were not sent on.\n"
        "# TYPE open_responses_ignored_fields_total counter\n"
        "open_responses_ignored_fields_total ");
    ngx_ors_out_int(out, (int64_t) stats->counters[ngx_ors_stats_ignored]);

    ngx_ors_out_lit(out,
        "\n"
        "# HELP open_responses_codes_total "
        "What was refused or reported, by its error code.\n"
        "# TYPE open_responses_codes_total counter\n");

    for (i = 0; i < NGX_ORS_STATS_CODES; i++) {
        ngx_ors_stats_prometheus_code(out, &ngx_ors_stats_codes[i], "refused",
                                      stats->refused[i]);
        ngx_ors_stats_prometheus_code(out, &ngx_ors_stats_codes[i],
                                      "reported", stats->reported[i]);
    }
}


static void
ngx_ors_stats_prometheus_single(ngx_ors_out_t *out,
    ngx_ors_stats_single_t *single, ngx_atomic_uint_t n)
{
    ngx_ors_out_lit(out, "\n# HELP open_responses_");
    ngx_ors_out_str(out, &single->name);
    ngx_ors_out_lit(out, "_total ");
    ngx_ors_out_str(out, &single->title);
    ngx_ors_out_lit(out, ".\n# TYPE open_responses_");
    ngx_ors_out_str(out, &single->name);
    ngx_ors_out_lit(out, "_total counter\nopen_responses_");
    ngx_ors_out_str(out, &single->name);
    ngx_ors_out_lit(out, "_total ");
    ngx_ors_out_int(out, (int64_t) n);
}


static void
ngx_ors_stats_prometheus_code(ngx_ors_out_t *out, ngx_str_t *code,
    char *action, ngx_atomic_uint_t n)
{
    ngx_ors_out_lit(out, "open_responses_codes_total{code=\"");
    ngx_ors_out_str(out, code);
    ngx_ors_out_lit(out, "\",action=\"");
    ngx_ors_out_copy(out, (u_char *) action, ngx_strlen(action));
    ngx_ors_out_lit(out, "\"} ");
    ngx_ors_out_int(out, (int64_t) n);
    ngx_ors_out_lit(out, "\n");
}
