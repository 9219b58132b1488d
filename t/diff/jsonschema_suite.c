
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Verdicts about the cases of the JSON Schema Test Suite.  Reads the files
 * that are named, writes a line for each case: "ok", "wrong", "refused" (no
 * schema that can be used) or "busy" (cannot be checked), the file, the
 * group, the case and what the report says, with tabs between them; for a
 * file that jansson cannot carry one line, "unread".
 */


#include <ngx_ors_test.h>
#include <jansson.h>
#include <ngx_ors_jsonschema.h>


static void suite_file(char *path);
static void suite_group(const char *file, json_t *group);
static char *suite_case(ngx_ors_jsonschema_t *schema, json_t *test,
    ngx_ors_jsonschema_report_t *report);
static ngx_str_t suite_text(json_t *value);
static void suite_line(char *verdict, const char *file, json_t *group,
    json_t *test, ngx_ors_jsonschema_report_t *report);


int
main(int argc, char **argv)
{
    int  i;

    for (i = 1; i < argc; i++) {
        suite_file(argv[i]);
    }

    return 0;
}


static void
suite_file(char *path)
{
    char          *file;
    size_t         i;
    json_t        *root;
    json_error_t   jerr;

    file = strrchr(path, '/');
    file = file ? file + 1 : path;

    root = json_load_file(path, JSON_ALLOW_NUL, &jerr);

    if (root == NULL) {
        printf("unread\t%s\t\t\t%s\n", file, jerr.text);
        return;
    }

    for (i = 0; i < json_array_size(root); i++) {
        suite_group(file, json_array_get(root, i));
    }

    json_decref(root);
}


static void
suite_group(const char *file, json_t *group)
{
    size_t                        i;
    json_t                       *tests;
    ngx_int_t                     rc;
    ngx_str_t                     text;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_t         *schema;
    ngx_ors_jsonschema_report_t   report;
    ngx_ors_jsonschema_limits_t   limits;

    pool = ngx_ors_test_pool();
    tests = json_object_get(group, "tests");
    text = suite_text(json_object_get(group, "schema"));

    ngx_ors_jsonschema_limits_default(&limits);

    rc = ngx_ors_jsonschema_compile(&schema, pool, &text, &limits,
                                    &limits.steps, &report);

    /* a schema does not need its text any more */

    free(text.data);

    for (i = 0; i < json_array_size(tests); i++) {
        suite_line(rc == NGX_OK ? suite_case(schema, json_array_get(tests, i),
                                             &report)
                                : "refused",
                   file, group, json_array_get(tests, i), &report);
    }

    ngx_destroy_pool(pool);
}


static char *
suite_case(ngx_ors_jsonschema_t *schema, json_t *test,
    ngx_ors_jsonschema_report_t *report)
{
    ngx_int_t                    rc;
    ngx_str_t                    text;
    ngx_ors_jsonschema_limits_t  limits;

    ngx_ors_jsonschema_limits_default(&limits);

    report->text.len = 0;

    text = suite_text(json_object_get(test, "data"));
    rc = ngx_ors_jsonschema_check(schema, &text, &limits.steps, report);

    free(text.data);

    if (rc == NGX_BUSY) {
        return "busy";
    }

    return (rc == (json_is_true(json_object_get(test, "valid"))
                   ? NGX_OK : NGX_DECLINED))
           ? "ok" : "wrong";
}


static ngx_str_t
suite_text(json_t *value)
{
    ngx_str_t  text;

    text.data = (u_char *) json_dumps(value, JSON_ENCODE_ANY|JSON_COMPACT);
    text.len = ngx_strlen(text.data);

    return text;
}


static void
suite_line(char *verdict, const char *file, json_t *group, json_t *test,
    ngx_ors_jsonschema_report_t *report)
{
    printf("%s\t%s\t%s\t%s\t%.*s\n", verdict, file,
           json_string_value(json_object_get(group, "description")),
           json_string_value(json_object_get(test, "description")),
           (int) report->text.len, (char *) report->text.data);
}
