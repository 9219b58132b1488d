
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counters in shared memory, and their pages: HTML, JSON, Prometheus.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_version.h>


/* the outcomes of a kind follow the counter of all of it */

#define NGX_ORS_STATS_REPAIRED  1
#define NGX_ORS_STATS_REFUSED   2
#define NGX_ORS_STATS_REPORTED  3


static void ngx_ors_stats_render_json(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats, ngx_ors_metrics_shown_t *shown, time_t now);
static void ngx_ors_stats_render_prometheus(ngx_ors_out_t *out,
    ngx_ors_stats_t *stats);
static void ngx_ors_stats_outcome(ngx_ors_stats_t *stats, ngx_uint_t kind,
    ngx_ors_error_t *err, ngx_uint_t repaired, ngx_uint_t report);
static ngx_ors_stats_repair_t *ngx_ors_stats_repair_find(
    ngx_ors_stats_t *stats, const ngx_str_t *name);


char *const  ngx_ors_stats_kinds[NGX_ORS_STATS_KINDS] = {
    "request", "answer", "stream"
};


/* in the order of the counters */

static const struct {
    char  *name;
    char  *help;
} ngx_ors_stats_outcomes[NGX_ORS_STATS_OUTCOMES] = {

    { "open_responses_checked_total",
      "Requests, answers and streams that were checked." },

    { "open_responses_repaired_total",
      "Those of them with something that was put right, and passed on." },

    { "open_responses_refused_total",
      "Those of them that violate the schema or a limit, and did not pass." },

    { "open_responses_reported_total",
      "Those of them that would have been refused, and passed as they are only "
      "reported." }
};


#undef ngx_ors_stats_single
#define ngx_ors_stats_single(counter, name, title, more)                      \
    { ngx_ors_stats_##counter, name, title, more },

const ngx_ors_stats_single_t  ngx_ors_stats_singles[] = {
    NGX_ORS_STATS_SINGLES(ngx_ors_stats_single)
    { 0, NULL, NULL, NULL }
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
    if (stats) {
        (void) ngx_atomic_fetch_add(
                   &stats->codes[ngx_ors_error_code(code)][reported != 0], 1);
    }
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
    char                          *sep;
    ngx_uint_t                     i;
    ngx_atomic_t                  *n;
    const ngx_ors_stats_single_t  *single;

    ngx_ors_metrics_print(out, "{\"since\":%T", stats->since);

    for (i = 0; i < NGX_ORS_STATS_KINDS; i++) {
        n = &stats->counters[i * NGX_ORS_STATS_OUTCOMES];

        ngx_ors_metrics_print(out,
                              ",\"%ss\":{\"checked\":%uA,\"repaired\":%uA,"
                              "\"refused\":%uA,\"reported\":%uA}",
                              ngx_ors_stats_kinds[i], n[0], n[1], n[2], n[3]);
    }

    for (single = ngx_ors_stats_singles; single->name; single++) {
        ngx_ors_metrics_print(out, ",\"%s\":%uA", single->name,
                              stats->counters[single->counter]);
    }

    ngx_ors_out_lit(out, ",\"codes\":{");

    sep = "";

    for (i = 0; i < NGX_ORS_NCODES; i++) {

        n = stats->codes[i];

        if (n[0] == 0 && n[1] == 0) {
            continue;
        }

        ngx_ors_metrics_print(out,
                              "%s\"%V\":{\"refused\":%uA,\"reported\":%uA}",
                              sep, &ngx_ors_codes[i].name, n[0], n[1]);
        sep = ",";
    }

    ngx_ors_out_lit(out, "},\"repairs\":{");

    for (i = 0; i < stats->fields; i++) {
        n = stats->repairs[i].answers;

        ngx_ors_metrics_print(out,
                              "%s\"%s\":{\"repaired\":%uA,\"reported\":%uA}",
                              i ? "," : "", stats->repairs[i].name, n[0],
                              n[1]);
    }

    ngx_ors_out_lit(out, "},");
    ngx_ors_metrics_json(out, &stats->metrics, shown, now);
    ngx_ors_out_lit(out, "}\n");
}


static void
ngx_ors_stats_render_prometheus(ngx_ors_out_t *out, ngx_ors_stats_t *stats)
{
    char                          *name;
    ngx_uint_t                     i, j;
    const ngx_ors_stats_single_t  *single;

    ngx_ors_metrics_head(out, "open_responses_info",
                         "The version of the module, the value is always 1.",
                         "gauge");
    ngx_ors_out_lit(out,
                  "open_responses_info{version=\"" NGX_ORS_VERSION "\"} 1\n");

    for (i = 0; i < NGX_ORS_STATS_OUTCOMES; i++) {
        name = ngx_ors_stats_outcomes[i].name;

        ngx_ors_metrics_head(out, name, ngx_ors_stats_outcomes[i].help,
                             "counter");

        for (j = 0; j < NGX_ORS_STATS_KINDS; j++) {
            ngx_ors_metrics_print(out, "%s{kind=\"%s\"} %uA\n", name,
                                  ngx_ors_stats_kinds[j],
                                  stats->counters[j * NGX_ORS_STATS_OUTCOMES
                                                  + i]);
        }
    }

    for (single = ngx_ors_stats_singles; single->name; single++) {
        name = single->name;

        ngx_ors_metrics_print(out,
                              "# HELP open_responses_%s_total %s%s.\n"
                              "# TYPE open_responses_%s_total counter\n"
                              "open_responses_%s_total %uA\n",
                              name, single->title, single->more, name, name,
                              stats->counters[single->counter]);
    }

    name = "open_responses_codes_total";

    ngx_ors_metrics_head(out, name,
                         "What was refused or reported, by its error code.",
                         "counter");

    for (i = 0; i < NGX_ORS_NCODES; i++) {
        ngx_ors_metrics_print(out,
                              "%s{code=\"%V\",action=\"refused\"} %uA\n"
                              "%s{code=\"%V\",action=\"reported\"} %uA\n",
                              name, &ngx_ors_codes[i].name,
                              stats->codes[i][0], name,
                              &ngx_ors_codes[i].name, stats->codes[i][1]);
    }

    name = "open_responses_repairs_total";

    ngx_ors_metrics_head(out, name,
                         "Answers by the field in them that was repaired, or "
                         "is only reported.", "counter");

    for (i = 0; i < stats->fields; i++) {
        ngx_ors_metrics_print(out,
                              "%s{field=\"%s\",action=\"repaired\"} %uA\n"
                              "%s{field=\"%s\",action=\"reported\"} %uA\n",
                              name, stats->repairs[i].name,
                              stats->repairs[i].answers[0], name,
                              stats->repairs[i].name,
                              stats->repairs[i].answers[1]);
    }
}


/* Counting of requests and answers, and the place of the counters. */


void
ngx_ors_stats_request(ngx_ors_stats_t *stats, ngx_ors_error_t *err,
    ngx_uint_t repaired, ngx_uint_t report)
{
    ngx_ors_stats_outcome(stats, ngx_ors_stats_request_checked, err,
                          repaired, report);
}


void
ngx_ors_stats_answer(ngx_ors_stats_t *stats, ngx_ors_stats_answer_t *answer)
{
    if (answer->upstream) {
        ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);
        return;
    }

    ngx_ors_stats_outcome(stats, answer->stream ? ngx_ors_stats_stream_checked
                                                : ngx_ors_stats_answer_checked,
                          answer->error, answer->repaired, answer->report);
}


static void
ngx_ors_stats_outcome(ngx_ors_stats_t *stats, ngx_uint_t kind,
    ngx_ors_error_t *err, ngx_uint_t repaired, ngx_uint_t report)
{
    ngx_ors_stats_count(stats, kind);

    if (err->status) {
        ngx_ors_stats_count(stats, kind + (report ? NGX_ORS_STATS_REPORTED
                                                  : NGX_ORS_STATS_REFUSED));
        ngx_ors_stats_code(stats, &err->code, report);

    } else if (repaired && report) {
        ngx_ors_stats_count(stats, ngx_ors_stats_request_unrepaired
                                   + kind / NGX_ORS_STATS_OUTCOMES);

    } else if (repaired) {
        ngx_ors_stats_count(stats, kind + NGX_ORS_STATS_REPAIRED);
    }
}


ngx_uint_t
ngx_ors_stats_repair(ngx_ors_stats_t *stats, const ngx_str_t *name,
    ngx_uint_t reported, time_t now)
{
    ngx_ors_stats_repair_t  *repair;

    repair = stats ? ngx_ors_stats_repair_find(stats, name) : NULL;

    if (repair == NULL) {
        return 0;
    }

    (void) ngx_atomic_fetch_add(&repair->answers[reported != 0], 1);

    return ngx_ors_minute(&repair->minute[reported != 0], now);
}


/* NULL: there is no room, or another worker adds a field now */

static ngx_ors_stats_repair_t *
ngx_ors_stats_repair_find(ngx_ors_stats_t *stats, const ngx_str_t *name)
{
    ngx_uint_t               i;
    ngx_ors_stats_repair_t  *repair;

    if (name->len > NGX_ORS_STATS_FIELD) {
        return NULL;
    }

    for (i = 0; i < stats->fields; i++) {
        repair = &stats->repairs[i];

        if (ngx_strncmp(repair->name, name->data, name->len) == 0
            && repair->name[name->len] == '\0')
        {
            return repair;
        }
    }

    repair = NULL;

    if (i == NGX_ORS_STATS_REPAIRS || !ngx_trylock(&stats->lock)) {
        return NULL;
    }

    /* it may have been added meanwhile, and is found the next time */

    if (i == stats->fields) {
        repair = &stats->repairs[i];
        ngx_memcpy(repair->name, name->data, name->len);

        ngx_memory_barrier();

        stats->fields = i + 1;
    }

    ngx_unlock(&stats->lock);

    return repair;
}


ngx_int_t
ngx_ors_stats_zone(ngx_shm_zone_t *zone, void *data)
{
    ngx_ors_stats_t  *stats;
    ngx_slab_pool_t  *shpool;

    static u_char  context[] = " in the zone \"open_responses\"";

    shpool = (ngx_slab_pool_t *) zone->shm.addr;
    stats = data ? data : (zone->shm.exists ? shpool->data : NULL);

    if (stats && ngx_ors_stats_usable(stats)) {
        zone->data = stats;
        return NGX_OK;
    }

    shpool->log_ctx = context;

    /* workers of the previous configuration may still count in the old one */

    stats = ngx_slab_alloc(shpool, sizeof(ngx_ors_stats_t));
    if (stats == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_stats_init(stats, ngx_time());

    shpool->data = stats;
    zone->data = stats;

    return NGX_OK;
}
