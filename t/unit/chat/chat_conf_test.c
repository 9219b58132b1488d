
/*
 * Copyright (C) Open Responses contributors
 */


/* Directives about chat servers: words that are taken, and errors. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_chat_options_conf.h>


static void test_rows(ngx_pool_t *pool);
static void test_options(ngx_pool_t *pool);
static void test_merge(ngx_pool_t *pool);
static void test_efforts(ngx_pool_t *pool);
static void test_types(ngx_pool_t *pool);


/* lines of one location, separated by ";", and what the last one logs */

typedef struct {
    char  *lines;
    char  *error;
} test_row_t;


static ngx_command_t  test_commands[] = {
    { ngx_string("options"), 0, ngx_ors_chat_options_slot, 0, 0, NULL },
    { ngx_string("effort"), 0, ngx_ors_chat_effort_slot, 0,
      offsetof(ngx_ors_chat_options_t, efforts), NULL },
    { ngx_string("type"), 0, ngx_ors_chat_type_slot, 0,
      offsetof(ngx_ors_chat_options_t, types), NULL }
};


static test_row_t  test_errors[] = {
    { "options tokens=auto tokens=auto", "option \"tokens\" is duplicate" },
    { "options files=on;options files=on", "option \"files\" is duplicate" },
    { "options usage=maybe", "invalid value \"maybe\" of option \"usage\", "
      "it must be \"on\" or \"off\"" },
    { "options params=seed,,user", "invalid name \"\" in option \"params\"" },
    { "options params=seed,none", "invalid name \"none\" in option" },
    { "options params", "invalid option \"params\", it must be \"tokens=\"" },
    { "effort huge", "invalid effort \"huge\", it must be \"none\", " },
    { "effort low;effort low", "effort \"low\" is duplicate" },
    { "effort low;effort low /a 1", "effort \"low\" is duplicate" },
    { "effort low /a 1;effort low", "effort \"low\" is duplicate" },
    { "effort low a 1", "invalid pointer \"a\", it must be one to a member" },
    { "effort low /a 1;effort low /a/b 1", "pointer \"/a/b\" is to a place" },
    { "effort low /model 'm'", "\"model\" of a request cannot be changed" },
    { "effort low /a low", "invalid JSON \"low\"" },
    { "type - skip", "invalid type \"\", it must be a type, " },
    { "type * skip", "invalid type \"*\"" },
    { "type function skip", "invalid type \"function\"" },
    { "type x skip;type x reject", "type \"x\" is duplicate" },
    { "type default skip;type default skip", "type \"default\" is dup" },
    { "type x drop", "invalid value \"drop\" of type \"x\"" },
    { "type x skip {}", "invalid parameter \"{}\" after \"skip\"" },
    { "type x send", "\"send\" needs the JSON of a tool after it" },
    { "type x send []", "invalid JSON \"[]\", it must be an object" }
};


static char *test_lines(ngx_pool_t *pool, ngx_ors_chat_options_t *options,
    char *lines);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_rows(pool);
    test_options(pool);
    test_merge(pool);
    test_efforts(pool);
    test_types(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_rows(ngx_pool_t *pool)
{
    char                    *rv, *error;
    test_row_t              *row;
    ngx_uint_t               i;
    ngx_ors_chat_options_t   options;

    for (i = 0; i < sizeof(test_errors) / sizeof(test_row_t); i++) {
        row = &test_errors[i];

        rv = test_lines(pool, &options, row->lines);
        error = (char *) ngx_ors_test_log_last();

        ok(rv == NGX_CONF_ERROR && ngx_ors_test_logged(NGX_LOG_EMERG) == 1,
           "%s: refused with one message", row->lines);

        if (!ok(strstr(error, row->error) != NULL, "%s: says why",
                row->lines))
        {
            diag("%s", error);
        }
    }
}


/* calls the setters for each line; returns what the last one does */

static char *
test_lines(ngx_pool_t *pool, ngx_ors_chat_options_t *options, char *lines)
{
    char        *rv, *end, line[256];
    ngx_uint_t   i;

    ngx_ors_chat_options_init(options);

    rv = NGX_CONF_OK;

    for ( ;; ) {
        end = strchr(lines, ';');
        end = end ? end : lines + strlen(lines);

        ngx_memcpy(line, lines, end - lines);
        line[end - lines] = '\0';

        for (i = 0; strncmp((char *) test_commands[i].name.data, line, 4) != 0;
             i++)
        {
            /* void */
        }

        rv = ngx_ors_test_conf(pool, &test_commands[i], options, line);

        if (*end == '\0' || rv != NGX_CONF_OK) {
            return rv;
        }

        lines = end + 1;
    }
}


static void
test_options(ngx_pool_t *pool)
{
    ngx_ors_chat_options_t  options;

    ok(test_lines(pool, &options,
                  "options tokens=max_tokens developer=developer think=open;"
                  "options params=none stream=always")
       == NGX_CONF_OK, "options of two lines");

    is_int(options.tokens, ngx_ors_chat_tokens_max, "... tokens");
    is_int(options.developer, 1, "... developer");
    is_int(options.think, ngx_ors_chat_think_open, "... think");
    is_int(options.stream, ngx_ors_chat_stream_always, "... stream");
    is_int(options.params, 0, "... no fields");
    is_int(options.usage, NGX_CONF_UNSET_UINT, "... and none of the rest");

    ok(test_lines(pool, &options, "options params=seed,user") == NGX_CONF_OK,
       "a list of fields");
    ok(options.params != 0 && (options.params & (options.params - 1)) != 0,
       "... has a bit for each");
}


static void
test_merge(ngx_pool_t *pool)
{
    ngx_ors_chat_options_t  options, prev;

    (void) test_lines(pool, &prev, "options images=off files=url;effort low");
    (void) test_lines(pool, &options, "options files=off");

    ngx_ors_chat_options_merge(&options, &prev);

    is_int(options.files, ngx_ors_chat_files_off, "an option of its own");
    is_int(options.images, 0, "an inherited one");
    is_int(options.usage, ngx_ors_chat_options.usage, "a default");
    ok(options.efforts == prev.efforts, "inherited efforts");
    ok(options.types == NULL, "no types at all");
}


static void
test_efforts(ngx_pool_t *pool)
{
    ngx_ors_chat_effort_t   *effort;
    ngx_ors_chat_options_t   options;

    ok(test_lines(pool, &options, "effort none;effort high /a/b 1;"
                                  "effort high /a/c 'x'")
       == NGX_CONF_OK, "efforts");

    effort = options.efforts->elts;

    is_int(options.efforts->nelts, 2, "... two of them");
    ok(effort[0].members.first == NULL, "... one becomes nothing");
    is_str(&effort[1].members.first->name, "a", "... one has a member");
    is_str(&effort[1].members.first->first->name, "b", "... and that two");
    is_str(&effort[1].members.first->first->next->name, "c", "... in order");
}


static void
test_types(ngx_pool_t *pool)
{
    ngx_ors_chat_type_t     *type;
    ngx_ors_chat_options_t   options;

    ok(test_lines(pool, &options, "type web skip;type web* reject;"
                                  "type default send {'type':'x'}")
       == NGX_CONF_OK, "types");

    type = options.types->elts;

    is_int(options.types->nelts, 3, "... three of them");
    is_str(&type[0].type, "web", "... a type");
    ok(!type[0].prefix && type[1].prefix, "... and a prefix");
    is_str(&type[1].type, "web", "... without its mark");
    is_int(type[1].action, ngx_ors_chat_type_reject, "... and its action");
    ok(type[2].prefix && type[2].type.len == 0, "... the default");
    is_str(&type[2].json, "{\"type\":\"x\"}", "... and what it sends");
}
