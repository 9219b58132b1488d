
/*
 * Copyright (C) Open Responses contributors
 */


/* E57: thoughts in the text, in any pieces. */


#include <ngx_ors_test.h>
#include <ngx_ors_tags.h>


static void test_text(ngx_uint_t i);
static void test_pieces(void);
static void begin(ngx_ors_chat_think_e mode);
static void feed(const char *raw, size_t len);
static void end(void);
static void put(ngx_str_t *piece, ngx_uint_t thought);
static size_t letter(const char *p);
static void is_got(const char *expected, const char *name);


#define ON    ngx_ors_chat_think_on
#define OPEN  ngx_ors_chat_think_open

#define SPACES  "                                                  "


/* thoughts stand in brackets */

static struct {
    ngx_ors_chat_think_e    mode;
    const char             *name;
    const char             *text;
    const char             *expected;
} texts[] = {

    { ON, "both tags", "<think>hm</think>Hi", "[hm]Hi" },
    { ON, "white space",
      " \\n\\t<think>\\r\\n hm \\n</think>\\n\\n Hi \\n", "[hm \\n]Hi \\n" },
    { ON, "no tag", "Hi", "Hi" },
    { ON, "no tag, white space before", " \\n Hi", " \\n Hi" },
    { ON, "never closed", "<think>hm", "[hm]" },
    { ON, "never closed, the beginning of a tag", "<think>hm</thi",
      "[hm</thi]" },
    { ON, "never more than the beginning of a tag", "\\n<thi", "\\n<thi" },
    { ON, "only the second tag", "hm</think>Hi", "hm</think>Hi" },
    { ON, "nothing", "", "" },
    { ON, "white space alone", " \\n", "" },
    { ON, "an empty thought", "<think>\\n\\n</think>\\n\\nHi", "Hi" },
    { ON, "an empty thought, nothing else", "<think></think>", "" },
    { ON, "the first tag alone", "<think>", "" },
    { ON, "a tag in the text", "Hi <think>hm</think>", "Hi <think>hm</think>" },
    { ON, "tags after the second one", "<think>a</think>b<think>c</think>d",
      "[a]b<think>c</think>d" },
    { ON, "the first tag in a thought", "<think>a<think>b</think>c",
      "[a<think>b]c" },
    { ON, "other tags", "<think>a</b> </ think></thinker></<</think>c",
      "[a</b> </ think></thinker></<]c" },
    { ON, "another tag first", "<thinking>a</think>", "<thinking>a</think>" },
    { ON, "two brackets first", "<<think>a", "<<think>a" },
    { ON, "upper case", "<Think>a", "<Think>a" },
    { ON, "escapes", "\\u003cthink\\u003Ehm\\u003c\\/think>Hi", "[hm]Hi" },
    { ON, "tags of escapes only",
      "\\u003c\\u0074\\u0068\\u0069\\u006e\\u006B\\u003ea\\u003c\\u002f\\u0074"
      "\\u0068\\u0069\\u006e\\u006B\\u003eb", "[a]b" },
    { ON, "escapes that are no tag", "<think>\\u003c\\/\\u0074 \\u003c\\\\/b",
      "[\\u003c\\/\\u0074 \\u003c\\\\/b]" },
    { ON, "escapes that look like letters", "\\u013cthink>\\u0000\\\"",
      "\\u013cthink>\\u0000\\\"" },
    { ON, "other escapes", "<think>\\b\\f\\\"\\ud83d\\ude00\xc3\xa9</think>\\b",
      "[\\b\\f\\\"\\ud83d\\ude00\xc3\xa9]\\b" },
    { ON, "much white space, and a tag", SPACES "<think>a", "[a]" },
    { ON, "too much white space", SPACES SPACES SPACES "<think>a",
      SPACES SPACES SPACES "<think>a" },

    { OPEN, "open: only the second tag", "hm</think>\\nHi", "[hm]Hi" },
    { OPEN, "open: both tags", "\\n<think>hm</think>Hi", "[hm]Hi" },
    { OPEN, "open: no tag", "hm", "[hm]" },
    { OPEN, "open: white space", "\\n hm\\n</think>\\nHi", "[hm\\n]Hi" },
    { OPEN, "open: white space alone", "\\n", "" },
    { OPEN, "open: the second tag first", "</think>Hi", "Hi" },
    { OPEN, "open: the second tag first, white space",
      SPACES SPACES SPACES "\\n</think>\\nHi", "Hi" },
    { OPEN, "open: two brackets first", "<<think></</think>Hi",
      "[<<think></]Hi" },
    { OPEN, "open: a bracket alone", "<", "[<]" },
    { OPEN, "open: the beginning of a tag", "<thi", "[<thi]" },
    { OPEN, "open: the beginning of the other tag", "\\n</thi", "[</thi]" },
    { OPEN, "open: another tag first", "<b></think>Hi", "[<b>]Hi" },
    { OPEN, "open: too much white space", SPACES SPACES SPACES "a</think>b",
      "[a]b" }
};


static char             got[1024];
static ngx_uint_t       inside;      /* brackets are open */
static ngx_ors_tags_t  think;


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        test_text(i);
    }

    test_pieces();

    return done_testing();
}


static void
test_text(ngx_uint_t i)
{
    char         name[128];
    size_t       at, len;
    const char  *text;

    text = texts[i].text;
    len = strlen(text);

    begin(texts[i].mode);
    feed(text, len);
    end();
    is_got(texts[i].expected, texts[i].name);

    begin(texts[i].mode);

    for (at = 0; at < len; at += letter(text + at)) {
        feed(text + at, letter(text + at));
    }

    end();
    snprintf(name, sizeof(name), "%s, by letters", texts[i].name);
    is_got(texts[i].expected, name);

    for (at = 0; at < len; at += letter(text + at)) {
        begin(texts[i].mode);
        feed(text, at);
        feed(text + at, len - at);
        end();

        snprintf(name, sizeof(name), "%s, split at %d", texts[i].name,
                 (int) at);
        is_got(texts[i].expected, name);
    }
}


/* a text that comes in one piece is cut as rarely as possible */

static void
test_pieces(void)
{
    ngx_str_t    text, piece;
    ngx_uint_t   thought;

    begin(ON);

    ngx_str_set(&text, "<think>a < b </ c");
    is_int(ngx_ors_tags_next(&think, &text, &piece, &thought), NGX_OK,
           "a piece");
    is_str(&piece, "a < b </ c", "it is whole");
    is_int(thought, 1, "a thought");
    is_int(ngx_ors_tags_next(&think, &text, &piece, &thought), NGX_AGAIN,
           "no more");

    ngx_str_set(&text, "d</think>e<");
    is_int(ngx_ors_tags_next(&think, &text, &piece, &thought), NGX_OK,
           "the last thought");
    is_str(&piece, "d", "without the tag");
    is_int(ngx_ors_tags_next(&think, &text, &piece, &thought), NGX_OK,
           "the text");
    is_str(&piece, "e<", "nothing of it is held back");
    is_int(thought, 0, "no thought");
    is_int(ngx_ors_tags_next(&think, &text, &piece, &thought), NGX_AGAIN,
           "all is used up");
    is_int(ngx_ors_tags_end(&think, &piece, &thought), NGX_DECLINED,
           "nothing is held back");
}


static void
begin(ngx_ors_chat_think_e mode)
{
    got[0] = '\0';
    inside = 0;

    ngx_memzero(&think, sizeof(ngx_ors_tags_t));
    think.mode = mode;
}


/* the bytes are gone after it */

static void
feed(const char *raw, size_t len)
{
    u_char      *copy;
    ngx_str_t    text, piece;
    ngx_uint_t   thought;

    copy = malloc(len ? len : 1);
    memcpy(copy, raw, len);

    text.data = copy;
    text.len = len;

    while (ngx_ors_tags_next(&think, &text, &piece, &thought) == NGX_OK) {
        put(&piece, thought);
    }

    if (text.len) {
        fail("%d bytes are left", (int) text.len);
    }

    free(copy);
}


static void
end(void)
{
    ngx_str_t   piece;
    ngx_uint_t  thought;

    if (ngx_ors_tags_end(&think, &piece, &thought) == NGX_OK) {
        put(&piece, thought);
    }

    if (inside) {
        strcat(got, "]");
    }
}


static void
put(ngx_str_t *piece, ngx_uint_t thought)
{
    if (piece->len == 0) {
        fail("an empty piece");
    }

    if (thought != inside) {
        strcat(got, thought ? "[" : "]");
        inside = thought;
    }

    strncat(got, (char *) piece->data, piece->len);
}


/* pieces hold whole escapes */

static size_t
letter(const char *p)
{
    return (p[0] != '\\') ? 1 : (p[1] == 'u') ? 6 : 2;
}


static void
is_got(const char *expected, const char *name)
{
    ngx_str_t  s;

    s.data = (u_char *) got;
    s.len = strlen(got);

    is_str(&s, expected, "%s", name);
}
