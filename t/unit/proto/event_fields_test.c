
/*
 * Copyright (C) Open Responses contributors
 */


/* The events of a stream. */


#include "answer_table.h"


/*
 * "members" are all but type and sequence_number: "-" may be absent, then
 * what it is: "s" a string, "i" an integer, "l" logprobs, "n" may be null,
 * and documents of more kinds.
 */

typedef struct {
    char         *type;
    ngx_uint_t    in;
    char         *members;
} event_t;


typedef struct {
    char         *name;
    char          kind;
    unsigned      optional:1;
    unsigned      null:1;
} event_member_t;


static void test_event(event_t *event);
static void test_member(event_t *event, ngx_uint_t n, ngx_uint_t profile);
static ngx_uint_t read_members(event_t *event, event_member_t *members);
static void write_event(event_t *event, ngx_uint_t n, char *value,
    char *text);
static void test_sequence_number(event_t *event);
static void test_flat(void);
static void test_stream(void);
static ngx_int_t validate(char *document, ngx_uint_t profile,
    ngx_ors_error_t *err, ngx_pool_t *pool);


#define TEXT       "item_id:s output_index:i content_index:i "
#define SUMMARY    "item_id:s output_index:i summary_index:i "
#define CALL       "item_id:s output_index:i "

static event_t  events[] = {
    { "response.created", NGX_ORS_IN_ALL, "response:R" },
    { "response.queued", NGX_ORS_IN_ALL, "response:R" },
    { "response.in_progress", NGX_ORS_IN_ALL, "response:R" },
    { "response.completed", NGX_ORS_IN_ALL, "response:R" },
    { "response.incomplete", NGX_ORS_IN_ALL, "response:R" },
    { "response.failed", NGX_ORS_IN_ALL, "response:R" },
    { "response.output_item.added", NGX_ORS_IN_ALL, "output_index:i item:In" },
    { "response.output_item.done", NGX_ORS_IN_ALL, "output_index:i item:In" },
    { "response.content_part.added", NGX_ORS_IN_ALL, TEXT "part:P" },
    { "response.content_part.done", NGX_ORS_IN_ALL, TEXT "part:P" },
    { "response.output_text.delta", NGX_ORS_IN_ALL,
      TEXT "delta:s logprobs:-l obfuscation:-s" },
    { "response.output_text.done", NGX_ORS_IN_ALL,
      TEXT "text:s logprobs:-l" },
    { "response.output_text.annotation.added", NGX_ORS_IN_ALL,
      TEXT "annotation_index:i annotation:An" },
    { "response.refusal.delta", NGX_ORS_IN_ALL, TEXT "delta:s" },
    { "response.refusal.done", NGX_ORS_IN_ALL, TEXT "refusal:s" },
    { "response.reasoning.delta", NGX_ORS_IN_ALL,
      TEXT "delta:s obfuscation:-s" },
    { "response.reasoning.done", NGX_ORS_IN_ALL, TEXT "text:s" },
    { "response.reasoning_summary_part.added", NGX_ORS_IN_ALL,
      SUMMARY "part:P" },
    { "response.reasoning_summary_part.done", NGX_ORS_IN_ALL,
      SUMMARY "part:P" },
    { "response.reasoning_summary_text.delta", NGX_ORS_IN_ALL,
      SUMMARY "delta:s obfuscation:-s" },
    { "response.reasoning_summary_text.done", NGX_ORS_IN_ALL,
      SUMMARY "text:s" },
    { "response.function_call_arguments.delta", NGX_ORS_IN_ALL,
      CALL "delta:s obfuscation:-s" },
    { "response.function_call_arguments.done", NGX_ORS_IN_ALL,
      CALL "arguments:s" },
    { "error", NGX_ORS_IN_ALL, "error:E" },

    /* extensions, which may hold anything */

    { "acme:progress", NGX_ORS_IN_ALL, "" },

    /* the other name (C3) */

    { "response.reasoning_text.delta", WIDE,
      TEXT "delta:s obfuscation:-s" },
    { "response.reasoning_text.done", WIDE, TEXT "text:s" },

    /* flavor "openai" */

    { "response.custom_tool_call_input.delta", OPENAI,
      CALL "delta:s obfuscation:-s" },
    { "response.custom_tool_call_input.done", OPENAI, CALL "input:s" },
    { "response.web_search_call.in_progress", OPENAI, CALL },
    { "response.web_search_call.searching", OPENAI, CALL },
    { "response.web_search_call.completed", OPENAI, CALL },
    { "response.file_search_call.in_progress", OPENAI, CALL },
    { "response.file_search_call.searching", OPENAI, CALL },
    { "response.file_search_call.completed", OPENAI, CALL },
    { "response.image_generation_call.in_progress", OPENAI, CALL },
    { "response.image_generation_call.generating", OPENAI, CALL },
    { "response.image_generation_call.completed", OPENAI, CALL },
    { "response.image_generation_call.partial_image", OPENAI,
      CALL "partial_image_index:i partial_image_b64:s size:-s quality:-s "
      "background:-s output_format:-s" },
    { "response.code_interpreter_call.in_progress", OPENAI, CALL },
    { "response.code_interpreter_call.interpreting", OPENAI, CALL },
    { "response.code_interpreter_call.completed", OPENAI, CALL },
    { "response.code_interpreter_call_code.delta", OPENAI,
      CALL "delta:s obfuscation:-s" },
    { "response.code_interpreter_call_code.done", OPENAI, CALL "code:s" },
    { "response.mcp_call.in_progress", OPENAI, CALL },
    { "response.mcp_call.completed", OPENAI, CALL },
    { "response.mcp_call.failed", OPENAI, CALL },
    { "response.mcp_call_arguments.delta", OPENAI,
      CALL "delta:s obfuscation:-s" },
    { "response.mcp_call_arguments.done", OPENAI,
      CALL "arguments:s name:-s" },
    { "response.mcp_list_tools.in_progress", OPENAI, CALL },
    { "response.mcp_list_tools.completed", OPENAI, CALL },
    { "response.mcp_list_tools.failed", OPENAI, CALL },
    { "response.compaction.compacting", OPENAI, CALL },
    { "response.shell_call_command.added", OPENAI,
      "output_index:i item_id:-s command_index:-i command:-s" },
    { "response.shell_call_command.delta", OPENAI,
      "output_index:i item_id:-s command_index:-i obfuscation:-s" },
    { "response.shell_call_command.done", OPENAI,
      "output_index:i item_id:-s command_index:-i command:-s" },
    { "response.shell_call_output_content.delta", OPENAI,
      "output_index:i item_id:-s command_index:-i" },
    { "response.shell_call_output_content.done", OPENAI,
      "output_index:i item_id:-s command_index:-i" },
    { "response.apply_patch_call_operation_diff.delta", OPENAI,
      "output_index:i item_id:-s delta:-s obfuscation:-s" },
    { "response.apply_patch_call_operation_diff.done", OPENAI,
      "output_index:i item_id:-s diff:-s" },
    { "response.audio.delta", OPENAI, "delta:-s" },
    { "response.audio.done", OPENAI, "" },
    { "response.audio.transcript.delta", OPENAI, "delta:-s" },
    { "response.audio.transcript.done", OPENAI, "" },
    { "keepalive", OPENAI, "" },

    /* there are no such events */

    { "response.output_text", NONE, "" },
    { "response.reasoning_summary.delta", NONE, SUMMARY "delta:s" },
    { "response.cancelled", NONE, "response:R" },
    { "response", NONE, "response:R" },
    { "", NONE, "" },

    { NULL, NONE, NULL }
};


/* in all kinds of events: their members are what they are elsewhere */

static shape_case_t  nested_cases[] = {
    { "'type':'response.created','response':{'id':'r'}", NONE,
      "missing_required_parameter", "response.object" },
    { "'type':'response.output_item.added','output_index':0,"
      "'item':{'type':'acme:i','id':'i','status':'s'}", ALL },
    { "'type':'response.output_item.added','output_index':0,"
      "'item':{'type':'computer_call','id':'i','call_id':'c',"
      "'status':'s'}", OPENAI, "invalid_value", "item.type" },
    { "'type':'response.content_part.added','item_id':'i',"
      "'output_index':0,'content_index':0,"
      "'part':{'type':'input_video','video_url':'u'}", NONE,
      "invalid_value", "part.type" },
    { "'type':'response.output_text.annotation.added','item_id':'i',"
      "'output_index':0,'content_index':0,'annotation_index':0,"
      "'annotation':{'type':'acme:a','any':1}", ALL },
    { "'type':'response.output_text.annotation.added','item_id':'i',"
      "'output_index':0,'content_index':0,'annotation_index':0,"
      "'annotation':{'type':'file_path','file_id':'f','index':0}", OPENAI,
      "invalid_value", "annotation.type" },
    { "'type':'response.function_call_arguments.done','item_id':'i',"
      "'output_index':0,'arguments':'','name':1", CORE, "invalid_type",
      "name" },
    { "'type':'response.refusal.delta','item_id':'i','output_index':0,"
      "'content_index':0,'delta':'','obfuscation':1", CORE, "invalid_type",
      "obfuscation" },
    { "'type':'response.output_text.delta','item_id':'i',"
      "'output_index':0,'content_index':0,'delta':''", CORE,
      "missing_required_parameter", "logprobs" },
    { "'type':'acme:progress','response':1", ALL },

    /* errors: flat, nested, both, neither */

    { "'type':'error','code':'c','message':'m','param':null", OPENAI,
      "missing_required_parameter", "error" },
    { "'type':'error','code':400,'message':'m','param':null", OPENAI,
      "missing_required_parameter", "error" },
    { "'type':'error','code':'c','message':'m','param':null,'error':"
      "{'type':'t','code':'c','message':'m','param':null}", ALL },
    { "'type':'error'", NONE, "missing_required_parameter", "error" },
    { "'type':'error','error':{'type':'t','code':'c','message':'m'}", NONE,
      "missing_required_parameter", "error.param" },
    { NULL, 0, NULL, NULL }
};


static struct {
    char          letter;
    char         *text;
} values[] = {
    { '-', NULL },
    { 'n', "null" },
    { 'i', "5" },
    { 'i', "-1" },
    { 'f', "5.5" },
    { 's', "'x'" },
    { 's', "''" },
    { 'a', "[]" },
    { 'o', "{}" },
    { 'b', "true" },
    { 0, NULL }
};


/* the stream of the specification's reference, and how it may fail */

static char  *stream[] = {
    "{'type':'response.created','sequence_number':0,'response':%s}",
    "{'type':'response.in_progress','sequence_number':1,'response':%s}",
    "{'type':'response.output_item.added','sequence_number':2,"
    "'output_index':0,'item':{'type':'reasoning','id':'rs_1',"
    "'status':'in_progress','summary':[]}}",
    "{'type':'response.content_part.added','sequence_number':3,"
    "'item_id':'rs_1','output_index':0,'content_index':0,"
    "'part':{'type':'reasoning_text','text':''}}",
    "{'type':'response.reasoning.delta','sequence_number':4,"
    "'item_id':'rs_1','output_index':0,'content_index':0,"
    "'delta':'Need the weather.'}",
    "{'type':'response.reasoning.done','sequence_number':5,"
    "'item_id':'rs_1','output_index':0,'content_index':0,"
    "'text':'Need the weather.'}",
    "{'type':'response.content_part.done','sequence_number':6,"
    "'item_id':'rs_1','output_index':0,'content_index':0,"
    "'part':{'type':'reasoning_text','text':'Need the weather.'}}",
    "{'type':'response.output_item.done','sequence_number':7,"
    "'output_index':0,'item':{'type':'reasoning','id':'rs_1',"
    "'status':'completed','summary':[],'content':[{'type':'reasoning_text',"
    "'text':'Need the weather.'}]}}",
    "{'type':'response.output_item.added','sequence_number':8,"
    "'output_index':1,'item':{'type':'message','id':'msg_1',"
    "'status':'in_progress','role':'assistant','content':[]}}",
    "{'type':'response.content_part.added','sequence_number':9,"
    "'item_id':'msg_1','output_index':1,'content_index':0,"
    "'part':{'type':'output_text','text':'','annotations':[],"
    "'logprobs':[]}}",
    "{'type':'response.output_text.delta','sequence_number':10,"
    "'item_id':'msg_1','output_index':1,'content_index':0,'delta':'One ',"
    "'logprobs':[]}",
    "{'type':'response.output_text.delta','sequence_number':11,"
    "'item_id':'msg_1','output_index':1,'content_index':0,"
    "'delta':'moment.','logprobs':[]}",
    "{'type':'response.output_text.done','sequence_number':12,"
    "'item_id':'msg_1','output_index':1,'content_index':0,"
    "'text':'One moment.','logprobs':[]}",
    "{'type':'response.content_part.done','sequence_number':13,"
    "'item_id':'msg_1','output_index':1,'content_index':0,"
    "'part':{'type':'output_text','text':'One moment.','annotations':[],"
    "'logprobs':[]}}",
    "{'type':'response.output_item.done','sequence_number':14,"
    "'output_index':1,'item':{'type':'message','id':'msg_1',"
    "'status':'completed','role':'assistant',"
    "'content':[{'type':'output_text','text':'One moment.',"
    "'annotations':[],'logprobs':[]}]}}",
    "{'type':'response.output_item.added','sequence_number':15,"
    "'output_index':2,'item':{'type':'function_call','id':'fc_1',"
    "'status':'in_progress','call_id':'call_1','name':'get_weather',"
    "'arguments':''}}",
    "{'type':'response.function_call_arguments.delta','sequence_number':16,"
    "'item_id':'fc_1','output_index':2,'delta':'{\\\"city\\\":'}",
    "{'type':'response.function_call_arguments.delta','sequence_number':17,"
    "'item_id':'fc_1','output_index':2,'delta':'\\\"Oslo\\\"}'}",
    "{'type':'response.function_call_arguments.done','sequence_number':18,"
    "'item_id':'fc_1','output_index':2,"
    "'arguments':'{\\\"city\\\":\\\"Oslo\\\"}'}",
    "{'type':'response.output_item.done','sequence_number':19,"
    "'output_index':2,'item':{'type':'function_call','id':'fc_1',"
    "'status':'completed','call_id':'call_1','name':'get_weather',"
    "'arguments':'{\\\"city\\\":\\\"Oslo\\\"}'}}",
    "{'type':'response.completed','sequence_number':20,'response':%s}",
    "{'type':'error','sequence_number':21,'error':{'type':'server_error',"
    "'code':'upstream_disconnected','message':'m','param':null}}",
    "{'type':'response.failed','sequence_number':22,'response':%s}",
    NULL
};


int
main(void)
{
    event_t  *event;

    for (event = events; event->type; event++) {
        test_event(event);
    }

    shape_cases(nested_cases, "{'sequence_number':0,%s}",
                &ngx_ors_fields_event);
    test_flat();
    test_stream();

    return done_testing();
}


static void
test_event(event_t *event)
{
    char              text[SHAPE_TEXT];
    ngx_int_t         rc;
    ngx_uint_t        i, n, profile;
    ngx_pool_t       *pool;
    event_member_t    members[16];
    ngx_ors_error_t   err;

    write_event(event, 0, NULL, text);

    n = read_members(event, members);

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        pool = ngx_ors_test_pool();

        rc = validate(text, profile, &err, pool);

        if (event->in & profile) {
            is_int(rc, NGX_OK, "%s, profile %d", event->type, (int) profile);

            for (i = 0; i < n; i++) {
                test_member(event, i, profile);
            }

        } else if (is_int(rc, NGX_DECLINED, "no %s in profile %d",
                          event->type, (int) profile))
        {
            is_str(&err.code, "invalid_value", "with a code");
            is_str(&err.param, "type", "with a param");
        }

        ngx_destroy_pool(pool);
    }

    if (event->in) {
        test_sequence_number(event);
    }
}


/* each value in its place */

static void
test_member(event_t *event, ngx_uint_t n, ngx_uint_t profile)
{
    char              text[SHAPE_TEXT], taken[16], *p;
    size_t            len;
    ngx_int_t         rc;
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    event_member_t   *member, members[16];
    ngx_ors_error_t   err;

    (void) read_members(event, members);
    member = &members[n];

    /* flavor "openai" has them always */

    if (member->kind == 'l' && (profile & OPENAI)) {
        member->optional = 0;
    }

    p = taken;

    if (member->optional) {
        *p++ = '-';
    }

    if (member->null || (member->optional && profile != SPEC)) {
        *p++ = 'n';
    }

    *p++ = (member->kind == 'l') ? 'a' : member->kind;
    *p = '\0';

    len = ngx_strlen(member->name);

    for (i = 0; values[i].letter; i++) {
        pool = ngx_ors_test_pool();

        write_event(event, n, values[i].text ? values[i].text : "-", text);

        rc = validate(text, profile, &err, pool);

        if (strchr(taken, values[i].letter)) {
            is_int(rc, NGX_OK, "%s takes %s: %s, profile %d", event->type,
                   member->name, values[i].text, (int) profile);

        } else if (is_int(rc, NGX_DECLINED, "%s refuses %s: %s, profile %d",
                          event->type, member->name, values[i].text,
                          (int) profile))
        {
            ok(err.param.len >= len
               && ngx_memcmp(err.param.data, member->name, len) == 0,
               "with its name");
        }

        ngx_destroy_pool(pool);
    }
}


/* the number of members; their names live until the next call */

static ngx_uint_t
read_members(event_t *event, event_member_t *members)
{
    char        *p, *kind;
    ngx_uint_t   n;

    static char  text[256];

    n = 0;
    snprintf(text, sizeof(text), "%s", event->members);

    for (p = strtok(text, " "); p; p = strtok(NULL, " ")) {
        kind = strchr(p, ':');
        *kind++ = '\0';

        members[n].name = p;
        members[n].optional = (*kind == '-');
        kind += members[n].optional;
        members[n].kind = *kind;
        members[n].null = (kind[1] == 'n');
        n++;
    }

    return n;
}


/* member "n" has "value", "-": is not there; NULL: as it should be */

static void
write_event(event_t *event, ngx_uint_t n, char *value, char *text)
{
    char            *p, *last, *good;
    ngx_uint_t       i, count;
    event_member_t   members[16];

    p = text;
    last = text + SHAPE_TEXT;

    p += snprintf(p, last - p, "{'type':'%s','sequence_number':5",
                  event->type);

    count = read_members(event, members);

    for (i = 0; i < count; i++) {

        switch (members[i].kind) {

        case 's':
            good = "'x'";
            break;

        case 'i':
            good = "5";
            break;

        case 'l':
            good = "[{'token':'t','logprob':-1.5,'bytes':[1],"
                   "'top_logprobs':[]}]";
            break;

        case 'R':
            good = ANSWER_RESPONSE;
            break;

        case 'I':
            good = "{'type':'function_call','id':'i','call_id':'c',"
                   "'name':'n','arguments':'','status':'completed'}";
            break;

        case 'P':
            good = "{'type':'output_text','text':'','annotations':[],"
                   "'logprobs':[]}";
            break;

        case 'A':
            good = "{'type':'url_citation','url':'u','title':'t',"
                   "'start_index':0,'end_index':1}";
            break;

        default:
            good = "{'type':'t','code':null,'message':'m','param':null,"
                   "'headers':{'a':'b'}}";
            break;
        }

        if (value && i == n) {
            good = value;
        }

        if (strcmp(good, "-") != 0) {
            p += snprintf(p, last - p, ",'%s':%s", members[i].name, good);
        }
    }

    (void) snprintf(p, last - p, "}");
}


/* the table's number is a zero, others are of any size */

static void
test_sequence_number(event_t *event)
{
    char              text[SHAPE_TEXT], *p;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    shape_walk_t      w;
    ngx_ors_error_t   err;

    static answer_case_t  numbers[] = {
        { "sequence_number", "-5", ALL },
        { "sequence_number", "1.0", ALL },
        { "sequence_number", "1.5", NONE, "invalid_type", "sequence_number" },
        { "sequence_number", "'1'", NONE, "invalid_type", "sequence_number" },
        { "sequence_number", "null", NONE, "invalid_type",
          "sequence_number" },
        { "sequence_number", NULL, NONE, "missing_required_parameter",
          "sequence_number" },
        { NULL, NULL, 0, NULL, NULL }
    };

    write_event(event, 0, NULL, text);

    if (event->in == NGX_ORS_IN_ALL) {

        answer_cases(text, &ngx_ors_fields_event, numbers);
    }

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        if (!(event->in & profile)) {
            continue;
        }

        answer_repair(text, &ngx_ors_fields_event, "sequence_number", "0",
                      profile);

        pool = ngx_ors_test_pool();

        p = shape_read(&w, &ngx_ors_fields_event, text, pool);

        if (answer_find(&w, "sequence_number")) {
            p = answer_change(&w, p, "'x'", pool);
            is_int(validate(p, profile, &err, pool), NGX_DECLINED, "%s", p);
        }

        ngx_destroy_pool(pool);
    }
}


static void
test_flat(void)
{
    char              *flat, **event;
    ngx_pool_t        *pool;
    ngx_ors_error_t    err;

    static char  *bad[] = {
        "{'type':'error','sequence_number':0,'code':'c','param':'p',"
            "'message':1}",
        "{'type':'error','sequence_number':0,'code':[],'param':'p',"
            "'message':'m'}",
        "{'type':'error','sequence_number':0,'code':'c','param':1,"
            "'message':'m'}",
        "{'type':'error','sequence_number':0,'code':'c','param':'p',"
            "'message':'m','error':1}",
        "{'type':'error','sequence_number':0,'code':'c','param':'p',"
            "'message':null}",
        NULL
    };

    for (event = bad; *event; event++) {
        pool = ngx_ors_test_pool();

        is_int(validate(*event, NGX_ORS_STRICT_OPENAI, &err, pool),
               NGX_DECLINED, "%s", *event);

        ngx_destroy_pool(pool);
    }

    flat = "{'type':'error','sequence_number':0,'code':'c','message':'m',"
           "'param':'p'}";

    answer_repair(flat, &ngx_ors_fields_event, "code", "\"\"",
                  NGX_ORS_STRICT_OPENAI);
    answer_repair(flat, &ngx_ors_fields_event, "param", "\"\"",
                  NGX_ORS_TOLERANT_OPENAI);
    answer_repair(flat, &ngx_ors_fields_event, "sequence_number", "0",
                  NGX_ORS_STRICT_OPENAI);
}


static void
test_stream(void)
{
    char              text[SHAPE_TEXT], **event;
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    for (event = stream; *event; event++) {

        snprintf(text, sizeof(text), *event, ANSWER_RESPONSE);

        for (profile = NGX_ORS_STRICT_SPEC;
             profile <= NGX_ORS_TOLERANT_OPENAI;
             profile <<= 1)
        {
            pool = ngx_ors_test_pool();

            is_int(validate(text, profile, &err, pool), NGX_OK,
                   "event %d of the example, profile %d",
                   (int) (event - stream), (int) profile);

            ngx_destroy_pool(pool);
        }
    }
}


static ngx_int_t
validate(char *document, ngx_uint_t profile, ngx_ors_error_t *err,
    ngx_pool_t *pool)
{
    char  *text;

    text = shape_quotes(document, ngx_pnalloc(pool, SHAPE_TEXT));

    return shape_validate(text, &ngx_ors_fields_event, profile, pool, err,
                          NULL);
}
