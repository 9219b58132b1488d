
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters in shared memory, and their pages: HTML, JSON, Prometheus.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_same.h>
#include <ngx_ors_stats_page.h>
#include <ngx_ors_version.h>


static void ngx_ors_stats_render_json(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats, ngx_ors_metrics_shown_t *shown, time_t now);
static void ngx_ors_stats_json_codes(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_json_pair(ngx_ors_out_t *out,
    const ngx_str_t *name, ngx_atomic_uint_t n);
static void ngx_ors_stats_render_prometheus(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_prometheus_single(ngx_ors_out_t *out,
    const ngx_ors_stats_single_t *single, ngx_atomic_uint_t n);
static void ngx_ors_stats_prometheus_code(ngx_ors_out_t *out,
    const ngx_str_t *code, char *action, ngx_atomic_uint_t n);


const ngx_ors_stats_kind_t  ngx_ors_stats_kinds[] = {

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


const ngx_ors_stats_single_t  ngx_ors_stats_singles[] = {

    { ngx_string("schema_violations"),
      ngx_string("Calls and outputs of models that violate their schema"),
      ngx_ors_stats_schema_violation },

    { ngx_string("schema_repeats"),
      ngx_string("Rounds that were repeated for such a violation"),
      ngx_ors_stats_schema_repeat },

    { ngx_string("schema_unchecked"),
      ngx_string("Calls and outputs not checked: unusable schema"),
      ngx_ors_stats_schema_unchecked },

    { ngx_string("websocket_connections"),
      ngx_string("WebSockets that were opened"),
      ngx_ors_stats_ws_connection },

    { ngx_string("websocket_turns"),
      ngx_string("Turns that were begun in a WebSocket"),
      ngx_ors_stats_ws_turn },

    { ngx_string("requests_unrepaired"),
      ngx_string("Requests that would be repaired, and are only reported"),
      ngx_ors_stats_request_unrepaired },

    { ngx_string("answers_unrepaired"),
      ngx_string("Answers that would be repaired, and are only reported"),
      ngx_ors_stats_answer_unrepaired },

    { ngx_string("streams_unrepaired"),
      ngx_string("Streams that would be repaired, and are only reported"),
      ngx_ors_stats_stream_unrepaired },

    { ngx_null_string, ngx_null_string, 0 }
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
    ngx_ors_code_e  n;

    if (stats == NULL) {
        return;
    }

    n = ngx_ors_error_code(code);

    (void) ngx_atomic_fetch_add(reported ? &stats->reported[n]
                                         : &stats->refused[n], 1);
}


ngx_str_t *
ngx_ors_stats_type(ngx_ors_stats_format_e format)
{
    return &ngx_ors_stats_types[format];
}


void
ngx_ors_stats_render(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_stats_format_e format, ngx_ors_metrics_shown_t *shown, time_t now)
{
    switch (format) {

    case ngx_ors_stats_html:
        ngx_ors_stats_page(out, stats, shown, now);
        break;

    case ngx_ors_stats_json:
        ngx_ors_stats_render_json(out, stats, shown, now);
        break;

    case ngx_ors_stats_prometheus:
        ngx_ors_stats_render_prometheus(out, stats);
        ngx_ors_metrics_text(out, &stats->metrics, shown, now);
        break;
    }
}


static void
ngx_ors_stats_render_json(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_metrics_shown_t *shown, time_t now)
{
    ngx_uint_t                     i;
    const ngx_ors_stats_kind_t    *kind;
    const ngx_ors_stats_single_t  *single;

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
    ngx_ors_out_lit(out, "},");
    ngx_ors_metrics_json(out, &stats->metrics, shown, now);
    ngx_ors_out_lit(out, "}\n");
}


static void
ngx_ors_stats_json_codes(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    ngx_uint_t          i, comma;
    ngx_atomic_uint_t   refused, reported;

    comma = 0;

    for (i = 0; i < NGX_ORS_NCODES; i++) {
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
        ngx_ors_out_str(out, &ngx_ors_codes[i].name);
        ngx_ors_out_lit(out, "\":{");
        ngx_ors_stats_json_pair(out, &ngx_ors_stats_outcomes[2].name, refused);
        ngx_ors_out_lit(out, ",");
        ngx_ors_stats_json_pair(out, &ngx_ors_stats_outcomes[3].name,
                                reported);
        ngx_ors_out_lit(out, "}");
    }
}


static void
ngx_ors_stats_json_pair(ngx_ors_out_t *out, const ngx_str_t *name,
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
    ngx_uint_t                     i;
    ngx_ors_stats_outcome_t       *outcome;
    const ngx_ors_stats_kind_t    *kind;
    const ngx_ors_stats_single_t  *single;

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

    for (i = 0; i < NGX_ORS_NCODES; i++) {
        ngx_ors_stats_prometheus_code(out, &ngx_ors_codes[i].name,
                                      "refused", stats->refused[i]);
        ngx_ors_stats_prometheus_code(out, &ngx_ors_codes[i].name,
                                      "reported", stats->reported[i]);
    }
}


static void
ngx_ors_stats_prometheus_single(ngx_ors_out_t *out,
    const ngx_ors_stats_single_t *single, ngx_atomic_uint_t n)
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
ngx_ors_stats_prometheus_code(ngx_ors_out_t *out, const ngx_str_t *code,
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
