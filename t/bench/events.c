
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Event streams of the protocol for benchmarks, ready to be sent.
 */


#include "events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define EVENTS_WORDS   16
#define EVENTS_DELTA   512
#define EVENTS_FIRST   4                /* numbers before the first delta */
#define EVENTS_DIGITS  8                /* spaces before a number are legal */

#define EVENTS_PART(text)                                                     \
    "{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[],"           \
    "\"text\":\"" text "\"}"

#define EVENTS_ITEM(status, parts)                                            \
    "{\"id\":\"msg_0a3f5c7e9b1d2f40\",\"type\":\"message\",\"status\":\""     \
    status "\",\"content\":[" parts "],\"role\":\"assistant\"}"

#define EVENTS_RESPONSE(status, completed, output, usage)                     \
    "{\"id\":\"resp_0a3f5c7e9b1d2f40\",\"object\":\"response\","              \
    "\"created_at\":1795256156,\"completed_at\":" completed ","               \
    "\"status\":\"" status "\",\"incomplete_details\":null,"                  \
    "\"model\":\"meta-llama/Llama-3.3-70B-Instruct\","                        \
    "\"previous_response_id\":null,\"instructions\":null,"                    \
    "\"output\":[" output "],\"error\":null,\"tools\":[],"                    \
    "\"tool_choice\":\"auto\",\"truncation\":\"disabled\","                   \
    "\"parallel_tool_calls\":true,\"text\":{\"format\":{\"type\":\"text\"}}," \
    "\"top_p\":1.0,\"presence_penalty\":0,\"frequency_penalty\":0,"           \
    "\"top_logprobs\":0,\"temperature\":0.7,\"reasoning\":null,"              \
    "\"usage\":" usage ",\"max_output_tokens\":4096,"                         \
    "\"max_tool_calls\":null,\"store\":false,\"background\":false,"           \
    "\"service_tier\":\"default\",\"metadata\":{},"                           \
    "\"safety_identifier\":null,\"prompt_cache_key\":null}"

#define EVENTS_USAGE                                                          \
    "{\"input_tokens\":812,\"input_tokens_details\":{\"cached_tokens\":768}," \
    "\"output_tokens\":118,\"output_tokens_details\":"                        \
    "{\"reasoning_tokens\":0},\"total_tokens\":930}"

#define EVENTS_PLACE                                                          \
    ",\"item_id\":\"msg_0a3f5c7e9b1d2f40\",\"output_index\":0,"               \
    "\"content_index\":0"

#define EVENTS_EVENT(type, rest)                                              \
    "event: " type "\ndata: {\"type\":\"" type "\",\"sequence_number\":%u"    \
    rest "}\n\n"

#define EVENTS_STATE(type, status)                                            \
    EVENTS_EVENT("response." type, ",\"response\":"                           \
                 EVENTS_RESPONSE(status, "null", "", "null"))


static char *events_chunk(const char *body, size_t size, const char *end,
    size_t *len);
static char *events_text(unsigned n);


/* a delta for each word, ready but for its number */

static char         events_deltas[EVENTS_WORDS][EVENTS_DELTA];
static size_t       events_delta_len, events_number;
static const char  *events_words[EVENTS_WORDS];
static unsigned     events_nwords;


char *
bench_events_answer(const char *text, size_t *len)
{
    char  *answer;
    FILE  *f;

    f = open_memstream(&answer, len);
    if (f == NULL) {
        bench_fatal("open_memstream()");
    }

    fprintf(f, EVENTS_RESPONSE("completed", "1795256159",
                               EVENTS_ITEM("completed", EVENTS_PART("%s")),
                               EVENTS_USAGE), text);
    fclose(f);

    return answer;
}


char *
bench_events_begin(size_t *len)
{
    char    *body, *begin;
    FILE    *f;
    size_t   size;

    f = open_memstream(&body, &size);
    if (f == NULL) {
        bench_fatal("open_memstream()");
    }

    fprintf(f, EVENTS_STATE("created", "in_progress"), 0);
    fprintf(f, EVENTS_STATE("in_progress", "in_progress"), 1);
    fprintf(f, EVENTS_EVENT("response.output_item.added",
                            ",\"output_index\":0,\"item\":"
                            EVENTS_ITEM("in_progress", "")), 2);
    fprintf(f, EVENTS_EVENT("response.content_part.added",
                            EVENTS_PLACE ",\"part\":" EVENTS_PART("")),
            EVENTS_FIRST - 1);
    fclose(f);

    begin = events_chunk(body, size, "", len);
    free(body);

    return begin;
}


void
bench_events_words(const char **words, unsigned nwords)
{
    char      data[EVENTS_DELTA], *p;
    size_t    size;
    unsigned  n;

    for (n = 0; n < nwords && n < EVENTS_WORDS; n++) {
        size = sprintf(data, "event: response.output_text.delta\n"
                       "data: {\"type\":\"response.output_text.delta\","
                       "\"sequence_number\":%*u" EVENTS_PLACE
                       ",\"delta\":\"%s\",\"logprobs\":[]}\n\n",
                       EVENTS_DIGITS, 0, words[n]);

        p = events_deltas[n];
        events_delta_len = sprintf(p, "%zx\r\n%s\r\n", size, data);
        events_number = strstr(p, "_number\":") + 9 - p;

        events_words[n] = words[n];
    }

    events_nwords = n;
}


char *
bench_events_deltas(char *buf, unsigned from, unsigned n)
{
    char      *p;
    unsigned   i, number;

    for (i = from; i < from + n; i++) {
        memcpy(buf, events_deltas[i % events_nwords], events_delta_len);

        p = buf + events_number + EVENTS_DIGITS;

        for (number = EVENTS_FIRST + i; number; number /= 10) {
            *--p = '0' + number % 10;
        }

        buf += events_delta_len;
    }

    return buf;
}


size_t
bench_events_delta_len(void)
{
    return events_delta_len;
}


char *
bench_events_finish(unsigned n, size_t *len)
{
    char      *body, *finish, *text;
    FILE      *f;
    size_t     size;
    unsigned   number;

    f = open_memstream(&body, &size);
    if (f == NULL) {
        bench_fatal("open_memstream()");
    }

    text = events_text(n);
    number = EVENTS_FIRST + n;

    fprintf(f, EVENTS_EVENT("response.output_text.done", EVENTS_PLACE
                            ",\"text\":\"%s\",\"logprobs\":[]"),
            number, text);
    fprintf(f, EVENTS_EVENT("response.content_part.done", EVENTS_PLACE
                            ",\"part\":" EVENTS_PART("%s")),
            number + 1, text);
    fprintf(f, EVENTS_EVENT("response.output_item.done",
                            ",\"output_index\":0,\"item\":"
                            EVENTS_ITEM("completed", EVENTS_PART("%s"))),
            number + 2, text);
    fprintf(f, EVENTS_EVENT("response.completed", ",\"response\":"
                            EVENTS_RESPONSE("completed", "1795256159",
                                            EVENTS_ITEM("completed",
                                                        EVENTS_PART("%s")),
                                            EVENTS_USAGE)),
            number + 3, text);
    fprintf(f, "data: [DONE]\n\n");
    fclose(f);

    finish = events_chunk(body, size, "0\r\n\r\n", len);

    free(text);
    free(body);

    return finish;
}


/* "body" as one chunk, and "end" */

static char *
events_chunk(const char *body, size_t size, const char *end, size_t *len)
{
    char  *chunk;

    chunk = bench_alloc(size + 64);

    *len = sprintf(chunk, "%zx\r\n", size);
    memcpy(chunk + *len, body, size);
    *len += size;
    *len += sprintf(chunk + *len, "\r\n%s", end);

    return chunk;
}


static char *
events_text(unsigned n)
{
    char      *text;
    size_t     len;
    unsigned   i;

    len = strlen(events_words[0]);
    text = bench_alloc(n * len + 1);

    for (i = 0; i < n; i++) {
        memcpy(text + i * len, events_words[i % events_nwords], len);
    }

    text[n * len] = '\0';

    return text;
}
