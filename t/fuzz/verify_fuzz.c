
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator of streams: whatever a server sends, the client gets a stream
 * that is well-formed and ends, or an error document, and the same in any
 * pieces.
 *
 * Input: flags, the allocation that fails, where the first piece ends, the
 * length of the others, and the body, as it is or as a list of fragments.
 */


#include <answer/stream_check.h>
#include <answer/stream_script.h>


#define GUARD_FUZZ_CHAT       0x01
#define GUARD_FUZZ_READING    0x06       /* two bits */
#define GUARD_FUZZ_MASK       0x08
#define GUARD_FUZZ_SMALL      0x10       /* small limits */
#define GUARD_FUZZ_NO_MEMORY  0x20
#define GUARD_FUZZ_LIST       0x40       /* of fragments */
#define GUARD_FUZZ_UNKNOWN    0x80       /* unknown keys are stripped */

#define GUARD_FUZZ_MAX        16384


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static size_t verify_fuzz_list(char *body, const uint8_t *p,
    const uint8_t *last, const char **fragments, size_t n);
static void verify_fuzz_no_memory(answer_t *a, ngx_uint_t n);
static void verify_fuzz_wrong(answer_t *a, const char *what);


#define I  "i%"
#define P  PLACE(I, "%", "%")
#define S  SPLACE(I, "%", "%")
#define O  OWN(I, "%")


/* % is a digit that the next byte chooses, # the next number */

static const char  *verify_fuzz_events[] = {

    START,
    CREATED,
    QUEUED,
    RUNNING,
    START,
    COMPLETED(""),
    COMPLETED(HELLO_ITEM),
    COMPLETED(MESSAGE("i0", "completed", TEXT("a")) ","
              CALL("i1", "completed", "a")),
    COMPLETED(CALL("i0", "completed", "a") "," CALL("i1", "completed", "")),
    COMPLETED(REASONING("i0", SUMMARY("a"), THOUGHT("b"))),
    COMPLETED(MESSAGE(I, "completed", TEXT(""))),
    INCOMPLETE(""),
    INCOMPLETE(MESSAGE(I, "incomplete", TEXT("a"))),
    FAILED("oops"),
    FAILED("invalid_api_key"),
    ERROR("rate_limit_exceeded"),
    EVENT("error", ",'code':'c%','message':'m','param':null"),
    DONE,
    ":\n\n",
    ": c",
    "\n",
    "\r\n\r\n",
    "data:",
    "data: {'type':'acme:\\u00%0','sequence_number':%}\n\n",
    "\xef\xbb\xbf",
    "event: acme:x\nid: %\n",
    EVENT("acme:x%", ""),
    EVENT("acme:x", ",'output_index':%,'item_id':'x'"),
    EVENT("keepalive", ""),

    HELLO HELLO_DONE,
    HELLO,
    HELLO_DONE,
    CALLED(I, "%"),
    ADDED("%", MESSAGE(I, "in_progress", "")),
    ADDED("%", MESSAGE(I, "completed", TEXT("a"))),
    ADDED("%", CALL(I, "in_progress", "")),
    ADDED("%", REASONING(I, "", "")),
    ADDED("%", "{'type':'message','id':'i%','role':'assistant',"
          "'content':[]}"),
    ADDED("%", "{'type':'acme:x','id':'i%','status':'s'}"),
    ADDED("%", "null"),
    ADDED("%", "{'type':'custom_tool_call','id':'i%','call_id':'c',"
          "'name':'n','input':''}"),
    ADDED("%", "{'type':'custom_tool_call_output','call_id':'c',"
          "'output':''}"),
    ENDED("%", MESSAGE(I, "completed", "")),
    ENDED("%", MESSAGE(I, "completed", TEXT("a"))),
    ENDED("%", MESSAGE(I, "incomplete", TEXT("") "," REFUSAL("a"))),
    ENDED("%", CALL(I, "completed", "a")),
    ENDED("%", CALL(I, "completed", "")),
    ENDED("%", REASONING(I, SUMMARY("a"), THOUGHT("b"))),
    ENDED("%", REASONING(I, SUMMARY("a"), "")),
    ENDED("%", "{'type':'acme:x','id':'i%','status':'s'}"),
    ENDED("%", "{'type':'custom_tool_call','id':'i%','call_id':'c',"
          "'name':'n','input':'a'}"),

    PART_ADDED(P, TEXT("")),
    PART_ADDED(P, TEXT("a")),
    PART_ADDED(P, REFUSAL("")),
    PART_ADDED(P, THOUGHT("")),
    SPART_ADDED(S, SUMMARY("")),
    PART_DONE(P, TEXT("a")),
    PART_DONE(P, TEXT("")),
    PART_DONE(P, REFUSAL("a")),
    PART_DONE(P, THOUGHT("b")),
    SPART_DONE(S, SUMMARY("a")),
    TDELTA(P, "a"),
    TDELTA(P, "\\u0061"),
    TDELTA(P, "\\ud83d"),
    TDELTA(P, "\\ude00"),
    TDELTA(P, ""),
    TDONE(P, "a"),
    TDONE(P, ""),
    TDONE(P, "a\xf0\x9f\x98\x80"),
    DELTA("refusal", P, "a"),
    FULL("refusal", P, "refusal", "a"),
    DELTA("reasoning", P, "b"),
    FULL("reasoning", P, "text", "b"),
    DELTA("reasoning_text", P, "b"),
    FULL("reasoning_text", P, "text", "b"),
    DELTA("reasoning_summary_text", S, "a"),
    FULL("reasoning_summary_text", S, "text", "a"),
    ADELTA(O, "a"),
    ADONE(O, "a"),
    ADONE(O, ""),
    DELTA("custom_tool_call_input", O, "a"),
    FULL("custom_tool_call_input", O, "input", "a"),
    EVENT("response.web_search_call.searching", O),
    EVENT("response.output_text.annotation.added",
          P ",'annotation_index':0,'annotation':null"),

    "data: {'type':'response.created',\ndata: 'response':"
        RESP("in_progress", "") "}\n\n",
    "data: {'type':'response.in_progress','sequence_number':%%,'response':"
        RESP("in_progress", "") "}\n\n",
    "data: {'type':'response.output_text.delta'" P ",'delta':'a',"
        "'x':[%]}\r\n\r\n",
    "event: response.completed\ndata: {'type':'acme:%','a':{'b':[]}}\n\n",
    "data: {'type':'response.completed','response':"
        RESP("completed", "") "}\n\n"
};


#define CHUNK(delta, reason)                                                  \
    "data: {'id':'c','object':'chat.completion.chunk','created':1,"           \
    "'model':'m','choices':[{'index':%,'delta':{" delta "},"                  \
    "'finish_reason':" reason "}]}\n\n"

static const char  *verify_fuzz_chunks[] = {

    CHUNK("'role':'assistant','content':''", "null"),
    CHUNK("'content':'a'", "null"),
    CHUNK("'content':'\\'error\\''", "null"),
    CHUNK("'content':'a'", "'stop'"),
    CHUNK("", "'length'"),
    CHUNK("'tool_calls':[{'index':%,'id':'t','type':'function','function':"
          "{'name':'f','arguments':''}}]", "null"),
    CHUNK("'tool_calls':[{'index':%}]", "'tool_calls'"),
    CHUNK("'x':null", "null"),
    "data: {'choices':[{'delta':{}}]}\n\n",
    "data: {'choices':[{'index':12%,'delta':{}}]}\n\n",
    "data: {'id':'c','object':'chat.completion.chunk','created':1,'model':"
        "'m','choices':[],'usage':{'prompt_tokens':%,'completion_tokens':1,"
        "'total_tokens':1}}\n\n",
    "data: {'error':{'message':'m','type':'t','code':42%}}\n\n",
    "data: {'error':null,'choices':[]}\n\n",
    "data: {'error':'m'}\n\n",
    "event: error\ndata: {'message':'m'}\n\n",
    "data: [%]\n\n",
    "data: {\n",
    "data: }\n\n",
    "data:\n\n",
    ": c\n\n",
    "\r",
    DONE
};

#define GUARD_FUZZ_N(list)  (sizeof(list) / sizeof(list[0]))


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t            len;
    static char       body[GUARD_FUZZ_MAX];
    answer_t          a, piece;
    check_t    c;

    static ngx_uint_t  profiles[] = {
        NGX_ORS_STRICT_SPEC, NGX_ORS_STRICT_OPENAI,
        NGX_ORS_TOLERANT_SPEC, NGX_ORS_TOLERANT_OPENAI
    };

    if (size < 5) {
        return 0;
    }

    ngx_ors_test_log_reset();

    if (input[0] & GUARD_FUZZ_LIST) {
        len = (input[0] & GUARD_FUZZ_CHAT)
              ? verify_fuzz_list(body, input + 4, input + size,
                                 verify_fuzz_chunks,
                                 GUARD_FUZZ_N(verify_fuzz_chunks))
              : verify_fuzz_list(body, input + 4, input + size,
                                 verify_fuzz_events,
                                 GUARD_FUZZ_N(verify_fuzz_events));

    } else {
        len = ngx_min(size - 4, GUARD_FUZZ_MAX);
        memcpy(body, input + 4, len);
    }

    if (len == 0) {
        return 0;
    }

    stream_init(&a, body);

    a.len = len;
    a.endpoint = (input[0] & GUARD_FUZZ_CHAT) ? ngx_ors_endpoint_chat
                                              : ngx_ors_endpoint_responses;
    a.policy.profile = profiles[(input[0] & GUARD_FUZZ_READING) >> 1];
    a.policy.mask = (input[0] & GUARD_FUZZ_MASK) ? 1 : 0;
    a.policy.unknown = (input[0] & GUARD_FUZZ_UNKNOWN)
                       ? ngx_ors_unknown_strip : ngx_ors_unknown_auto;

    if (input[0] & GUARD_FUZZ_SMALL) {
        a.limits.depth = 6;
        a.limits.nodes = 60;
        a.limits.event = 400;
        a.limits.answer = 300;
    }

    if (input[0] & GUARD_FUZZ_NO_MEMORY) {
        verify_fuzz_no_memory(&a, input[1] + 1);
    }

    piece = a;
    piece.at = input[2];
    piece.step = input[3];

    stream_run(&a);
    stream_check(&c, &a);

    if (c.error[0]) {
        verify_fuzz_wrong(&a, c.error);
    }

    if (ngx_ors_test_logged(NGX_LOG_ALERT)) {
        verify_fuzz_wrong(&a, (char *) ngx_ors_test_log_last());
    }

    if (piece.at || piece.step) {
        stream_run(&piece);

        if (piece.size != a.size || piece.verify.status != a.verify.status
            || memcmp(piece.text, a.text, a.size) != 0)
        {
            verify_fuzz_wrong(&piece, "in pieces it is another answer");
        }

        answer_free(&piece);
    }

    answer_free(&a);

    if (ngx_ors_test_failures()) {
        abort();
    }

    return 0;
}


static size_t
verify_fuzz_list(char *body, const uint8_t *p, const uint8_t *last,
    const char **fragments, size_t n)
{
    int          number;
    char        *dst, *end;
    const char  *f;

    dst = body;
    end = body + GUARD_FUZZ_MAX - 16;
    number = 0;

    while (p < last) {

        for (f = fragments[*p++ % n]; *f && dst < end; f++) {

            if (*f == '#') {
                dst += sprintf(dst, "%d", number++);

            } else if (*f == '%') {
                *dst++ = '0' + ((p < last) ? *p++ % 4 : 0);

            } else {
                *dst++ = *f;
            }
        }
    }

    return dst - body;
}


static void
verify_fuzz_no_memory(answer_t *a, ngx_uint_t n)
{
    answer_t        b;
    ngx_uint_t      failed;
    check_t  c;

    b = *a;
    answer_begin(&b);

    ngx_ors_test_fail_after(n);
    stream_run(&b);

    failed = ngx_ors_test_failed();
    ngx_ors_test_fail_after(0);

    if (b.rc != NGX_ERROR) {
        stream_check(&c, &b);

        if (c.error[0]) {
            verify_fuzz_wrong(&b, c.error);
        }

    } else if (!failed) {
        verify_fuzz_wrong(&b, "an error for no reason");
    }

    answer_free(&b);
}


static void
verify_fuzz_wrong(answer_t *a, const char *what)
{
    fprintf(stderr, "%s\n\nmodel server:\n%.*s\n\nclient, status %d:\n%s\n",
            what, (int) a->len, a->body, (int) a->verify.status,
            a->text ? (char *) a->text : "");
    abort();
}
