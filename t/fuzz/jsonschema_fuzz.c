
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A JSON Schema in the first line, an instance after it: the same text has the
 * same verdict again, and every refusal has a sentence of one line.
 */


#include "fuzz.h"
#include <ngx_ors_jsonschema.h>
#include <ngx_ors_error.h>


#define JSONSCHEMA_FUZZ_STEPS  20000


static void jsonschema_fuzz_check(ngx_ors_jsonschema_t *schema,
    ngx_str_t *text);
static void jsonschema_fuzz_report(ngx_ors_jsonschema_report_t *report);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_int_t                     rc;
    ngx_str_t                     schema_text, text;
    ngx_pool_t                   *pool;
    const uint8_t                *p, *last;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_report_t   report;
    ngx_ors_jsonschema_limits_t   limits;

    p = input;
    last = input + size;

    schema_text = fuzz_line(&p, last, LF);
    schema_text.data = fuzz_copy(schema_text.data, schema_text.len);

    text.len = last - p;
    text.data = fuzz_copy(p, text.len);

    pool = ngx_ors_test_pool();

    ngx_ors_jsonschema_limits_default(&limits);

    limits.steps = JSONSCHEMA_FUZZ_STEPS;

    rc = ngx_ors_jsonschema_compile(&schema, pool, &schema_text, &limits,
                                    &limits.steps, &report);

    /* the schema does not need its text any more */

    free(schema_text.data);

    if (rc == NGX_OK) {
        jsonschema_fuzz_check(schema, &text);

    } else {
        fuzz_check(rc == NGX_DECLINED || rc == NGX_BUSY);
        fuzz_check(rc == NGX_DECLINED || limits.steps == 0);
        jsonschema_fuzz_report(&report);
    }

    free(text.data);
    ngx_destroy_pool(pool);

    return 0;
}


static void
jsonschema_fuzz_check(ngx_ors_jsonschema_t *schema, ngx_str_t *text)
{
    ngx_int_t                    rc;
    ngx_uint_t                   steps, left;
    ngx_ors_jsonschema_report_t  report, again;

    steps = JSONSCHEMA_FUZZ_STEPS;
    left = JSONSCHEMA_FUZZ_STEPS;

    rc = ngx_ors_jsonschema_check(schema, text, &steps, &report);

    fuzz_check(rc == ngx_ors_jsonschema_check(schema, text, &left, &again));
    fuzz_check(steps == left);

    if (rc == NGX_OK) {
        return;
    }

    fuzz_check(rc == NGX_DECLINED || rc == NGX_BUSY);
    fuzz_check(rc == NGX_DECLINED || report.path.len == 0);

    jsonschema_fuzz_report(&report);

    fuzz_check(strcmp(report.keyword, again.keyword) == 0);
    fuzz_check(fuzz_same(report.path.data, report.path.len, again.path.data,
                         again.path.len));
    fuzz_check(fuzz_same(report.text.data, report.text.len, again.text.data,
                         again.text.len));
}


static void
jsonschema_fuzz_report(ngx_ors_jsonschema_report_t *report)
{
    fuzz_check(report->text.len > 0);
    fuzz_check(ngx_ors_line_clean(&report->text));
    fuzz_check(ngx_ors_line_clean(&report->path));
}
