
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Reads the cases of t/data/edges.
 */


#include "edge_case.h"


static char *edge_line(char **text);
static void edge_setting(edge_t *edge, char *line);
static void edge_put(edge_t *edge, char *key, char *value);
static char *edge_part(char *text);
static u_char *edge_chunks(const char *chunks, u_char *p);
static u_char *edge_lines(const char *text, u_char *p);
static size_t edge_break(u_char *text, size_t len, const char *lines);


ngx_uint_t
edge_next(edge_t *edge, char **text)
{
    char  *line, *key;

    memset(edge, 0, sizeof(edge_t));

    while (*text && strncmp(*text, "=== ", 4) != 0) {
        edge_line(text);
    }

    if (*text == NULL) {
        return 0;
    }

    edge->name = edge_line(text) + 4;

    while (*text && strncmp(*text, "--- ", 4) != 0
           && strncmp(*text, "=== ", 4) != 0)
    {
        line = edge_line(text);

        if (*line) {
            edge_setting(edge, line);
        }
    }

    while (*text && strncmp(*text, "--- ", 4) == 0) {
        key = edge_line(text) + 4;
        line = *text ? *text : key + strlen(key);

        *text = edge_part(line);

        edge_put(edge, key, line);
    }

    return 1;
}


/* the line that begins here, ended; "text" is left at the next one, or NULL */

static char *
edge_line(char **text)
{
    char  *line, *end;

    line = *text;
    end = strchr(line, '\n');

    *text = NULL;

    if (end) {
        *end = '\0';
        *text = end[1] ? end + 1 : NULL;
    }

    return line;
}


/* "key: value"; directives may have several lines: each is of its own */

static void
edge_setting(edge_t *edge, char *line)
{
    char  *value;

    value = strstr(line, ": ");

    if (value == NULL) {
        fail("%s: \"%s\"", edge->name, line);
        return;
    }

    *value = '\0';

    edge_put(edge, line, value + 2);
}


static void
edge_put(edge_t *edge, char *key, char *value)
{
    if (edge->nparts == EDGE_PARTS) {
        fail("%s has too many parts", edge->name);
        return;
    }

    edge->keys[edge->nparts] = key;
    edge->values[edge->nparts] = value;
    edge->nparts++;
}


/* ends a part before the empty lines after it, and returns what follows */

static char *
edge_part(char *text)
{
    char  *p, *next;

    for (p = text; *p; p = next) {

        if (strncmp(p, "--- ", 4) == 0 || strncmp(p, "=== ", 4) == 0) {
            break;
        }

        next = strchr(p, '\n');
        next = next ? next + 1 : p + strlen(p);
    }

    next = *p ? p : NULL;

    while (p > text && p[-1] == '\n') {
        p--;
    }

    /* the first letter of what follows is never here */

    if (p != next) {
        *p = '\0';
    }

    return next;
}


char *
edge_get(edge_t *edge, const char *key)
{
    ngx_uint_t  i;

    for (i = 0; i < edge->nparts; i++) {
        if (strcmp(edge->keys[i], key) == 0) {
            return edge->values[i];
        }
    }

    return NULL;
}


u_char *
edge_body(edge_t *edge, const char *form, size_t *len)
{
    char    *text;
    u_char  *body, *p;

    text = edge_get(edge, form);

    if (text == NULL && strcmp(form, "bytes") == 0) {
        text = edge_get(edge, "chunks");
    }

    if (text == NULL) {
        return NULL;
    }

    /* a line costs "data: " and one more line end, a line end one byte */

    body = malloc(10 * strlen(text) + 16);
    if (body == NULL) {
        abort();
    }

    p = body;

    if (strcmp(form, "document") == 0) {
        p = edge_lines(text, p);

    } else {

        if (edge_get(edge, "mark")) {
            p = ngx_cpymem(p, "\xef\xbb\xbf", 3);
        }

        p = edge_get(edge, "chunks") ? edge_chunks(text, p)
                                     : edge_lines(text, p);
        *p++ = '\n';

        if (!edge_get(edge, "bare")) {
            *p++ = '\n';
        }
    }

    *len = edge_break(body, p - body, edge_get(edge, "lines"));

    return body;
}


static u_char *
edge_chunks(const char *chunks, u_char *p)
{
    size_t       len;
    const char  *line;

    for (line = chunks; *line; line += len) {
        line += strspn(line, "\n");
        len = strcspn(line, "\n");

        if (line != chunks) {
            p = ngx_cpymem(p, "\n\n", 2);
        }

        p = ngx_cpymem(p, "data: ", 6);
        p = ngx_cpymem(p, line, len);
    }

    return p;
}


static u_char *
edge_lines(const char *text, u_char *p)
{
    return ngx_cpymem(p, text, strlen(text));
}


/* line ends as "lines" says: crlf, cr, or NULL */

static size_t
edge_break(u_char *text, size_t len, const char *lines)
{
    size_t  i;

    if (lines == NULL) {
        return len;
    }

    for (i = 0; i < len; i++) {

        if (text[i] != '\n') {
            continue;
        }

        if (strcmp(lines, "crlf") == 0) {
            memmove(text + i + 1, text + i, len - i);
            len++;
            text[i++] = '\r';

        } else {
            text[i] = '\r';
        }
    }

    return len;
}
