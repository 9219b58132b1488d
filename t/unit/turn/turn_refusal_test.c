
/*
 * Copyright (C) Open Responses contributors
 */


/* A refusal as what it is, and as text. */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_way(ngx_uint_t i);


#define DENY(text)  DELTA("'refusal':'" text "'")


static struct {
    const char   *name;
    const char   *body;
    const char   *part;
    const char   *text;
} ways[] = {

    { "E59 alone", DENY("I ") DENY("will not.") FINISH("stop") DONE,
      "completed | message refusal(I will not.) | usage 0+0=0",
      "completed | message text(I will not.) | usage 0+0=0" },

    { "E59 after a text", TEXT("I ") DENY("will") DENY(" not.")
      FINISH("stop") DONE,
      "completed | message text(I ) refusal(will not.) | usage 0+0=0",
      "completed | message text(I will not.) | usage 0+0=0" },

    { "E59 after thoughts, cut",
      DELTA("'reasoning_content':'h'") DENY("No") FINISH("length") DONE,
      "incomplete max_output_tokens | reasoning text(h)"
      " | message! refusal(No) | usage 0+0=0",
      "incomplete max_output_tokens | reasoning text(h)"
      " | message! text(No) | usage 0+0=0" },

    { "E56 in parts",
      DELTA("'content':[{'type':'refusal','refusal':'No'}]") FINISH("stop")
      DONE,
      "completed | message refusal(No) | usage 0+0=0",
      "completed | message text(No) | usage 0+0=0" },

    { "E61 again",
      DENY("No") DATA("{'choices':[{'message':{'refusal':'No'},"
                      "'finish_reason':'stop'}]}") DONE,
      "completed | message refusal(No) | usage 0+0=0",
      "completed | message text(No) | usage 0+0=0" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_way(i);
    }

    return done_testing();
}


static void
test_way(ngx_uint_t i)
{
    char         name[128];
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   n;
    const char  *expected;

    body = run_text(ways[i].body, &len);

    run_init(&run, body, len);

    for (n = 0; n < 4; n++) {
        run.stream = n & 1;
        run.policy.refusal = (n & 2) ? ngx_ors_refusal_text
                                     : ngx_ors_refusal_part;

        expected = (n & 2) ? ways[i].text : ways[i].part;

        snprintf(name, sizeof(name), "%s, %s, %s", ways[i].name,
                 (n & 2) ? "text" : "part", (n & 1) ? "stream" : "plain");

        run_turn(&run);
        check_digest(&run, expected, name);
        run_free(&run);

        check_split(&run, expected, name);
    }

    free(body);
}
