
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Requests as this module reads them.  Reads lines, each a body of POST
 * responses in hexadecimal digits; writes a line for each: "-" for one that
 * is refused in the most tolerant profile, or the members that are compared,
 * in the form that t/readers.t explains.
 */


#include <ngx_ors_route.h>
#include <ngx_ors_request.h>
#include <ngx_ors_test.h>


typedef struct reader_level_s  reader_level_t;

struct reader_level_s {
    char                  **names;       /* in order, NULL ends them */
    const reader_level_t  **levels;      /* of lists under these names */
};


static void reader_line(u_char *hex, size_t len);
static void reader_object(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const reader_level_t *level);
static void reader_value(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const reader_level_t *level);
static void reader_any(ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static void reader_number(ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static void reader_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static int reader_compare(const void *one, const void *two);


static char  *reader_part_names[] = {
    "detail", "file_id", "image_url", "text", "type", NULL
};

static const reader_level_t  reader_part = { reader_part_names, NULL };

static char  *reader_item_names[] = {
    "arguments", "call_id", "content", "id", "name", "output", "role",
    "status", "summary", "type", NULL
};

static const reader_level_t  *reader_item_levels[] = {
    NULL, NULL, &reader_part, NULL, NULL, NULL, NULL, NULL, NULL, NULL
};

static const reader_level_t  reader_item = {
    reader_item_names, reader_item_levels
};

static char  *reader_tool_names[] = {
    "description", "name", "parameters", "strict", "type", NULL
};

static const reader_level_t  reader_tool = { reader_tool_names, NULL };

static char  *reader_names[] = {
    "include", "input", "instructions", "max_output_tokens", "metadata",
    "model", "previous_response_id", "stream", "temperature", "tool_choice",
    "tools", "top_p", "truncation", NULL
};

static const reader_level_t  *reader_levels[] = {
    NULL, &reader_item, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    &reader_tool, NULL, NULL
};

static const reader_level_t  reader_request = { reader_names, reader_levels };


/* for qsort(): all nodes are of one document */
static ngx_ors_json_t  *reader_json;


int
main(void)
{
    char    *line;
    size_t   size;
    ssize_t  n;

    line = NULL;
    size = 0;

    while ((n = getline(&line, &size, stdin)) > 0) {
        reader_line((u_char *) line, n - (line[n - 1] == '\n'));
        putchar('\n');
    }

    free(line);

    return 0;
}


static void
reader_line(u_char *hex, size_t len)
{
    u_char             *p;
    ngx_str_t           body;
    ngx_uint_t          i;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    static ngx_ors_limits_t  limits = {
        .depth = 64, .nodes = 100000, .items = 10000, .tools = 1000
    };

    static ngx_ors_policy_t  policy = {
        .profile = NGX_ORS_TOLERANT_OPENAI,
        .unknown = ngx_ors_unknown_pass
    };

    pool = ngx_ors_test_pool();

    body.len = len / 2;
    body.data = ngx_pnalloc(pool, body.len + 1);
    p = body.data;

    for (i = 0; i < body.len; i++) {
        *p++ = (u_char) ngx_hextoi(hex + 2 * i, 2);
    }

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    ngx_ors_request_init(&req, ngx_ors_endpoint(ngx_ors_endpoint_responses),
                         &policy, &limits, pool);

    if (ngx_ors_request_read(&req, &body, &err) == NGX_OK) {
        reader_object(&req.json, &req.json.nodes[0], &reader_request);

    } else {
        putchar('-');
    }

    ngx_destroy_pool(pool);
}


/* members that are null are absent */

static void
reader_object(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const reader_level_t *level)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *value;

    putchar('{');

    for (i = 0; level->names[i]; i++) {
        value = ngx_ors_json_get(json, node, (u_char *) level->names[i],
                                 ngx_strlen(level->names[i]));

        if (value == NULL || value->type == ngx_ors_json_null) {
            continue;
        }

        printf("%s=", level->names[i]);
        reader_value(json, value, level->levels ? level->levels[i] : NULL);
        putchar(';');
    }

    putchar('}');
}


static void
reader_value(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    const reader_level_t *level)
{
    ngx_ors_json_node_t  *element;

    if (level == NULL || node->type != ngx_ors_json_array) {
        reader_any(json, node);
        return;
    }

    putchar('[');

    for (element = ngx_ors_json_first(json, node);
         element;
         element = ngx_ors_json_next(json, element))
    {
        reader_object(json, element, level);
    }

    putchar(']');
}


static void
reader_any(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    ngx_uint_t             i, n;
    ngx_ors_json_node_t   *child, **keys;

    switch ((ngx_ors_json_type_e) node->type) {

    case ngx_ors_json_null:
        putchar('n');
        break;

    case ngx_ors_json_false:
        putchar('f');
        break;

    case ngx_ors_json_true:
        putchar('t');
        break;

    case ngx_ors_json_number:
        reader_number(json, node);
        break;

    case ngx_ors_json_string:
        reader_string(json, node);
        break;

    case ngx_ors_json_array:
        putchar('[');

        for (child = ngx_ors_json_first(json, node);
             child;
             child = ngx_ors_json_next(json, child))
        {
            reader_any(json, child);
        }

        putchar(']');
        break;

    case ngx_ors_json_object:
        keys = malloc((node->count + 1) * sizeof(ngx_ors_json_node_t *));
        if (keys == NULL) {
            abort();
        }

        n = 0;

        for (child = ngx_ors_json_first(json, node);
             child;
             child = ngx_ors_json_next(json, child))
        {
            keys[n++] = child;
        }

        reader_json = json;
        qsort(keys, n, sizeof(ngx_ors_json_node_t *), reader_compare);

        putchar('{');

        for (i = 0; i < n; i++) {

            /* the last one of a name counts */

            if (i + 1 < n && abs(reader_compare(&keys[i], &keys[i + 1])) == 2)
            {
                continue;
            }

            reader_string(json, keys[i]);
            putchar('=');
            reader_any(json, keys[i] + 1);
            putchar(';');
        }

        putchar('}');
        free(keys);
        break;
    }
}


/* the double, as its bits */

static void
reader_number(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    char      text[4096];
    double    value;
    uint64_t  bits;

    snprintf(text, sizeof(text), "%.*s", (int) node->len,
             ngx_ors_json_text(json, node));

    value = strtod(text, NULL);

    if (value == 0) {
        value = 0;
    }

    ngx_memcpy(&bits, &value, sizeof(bits));
    printf("d%016llx", (unsigned long long) bits);
}


static void
reader_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    u_char  *p, *last, *text;

    text = malloc(node->len + 1);
    if (text == NULL) {
        abort();
    }

    last = ngx_ors_json_decode(json, node, text);

    putchar('s');

    for (p = text; p < last; p++) {
        printf("%02x", *p);
    }

    free(text);
}


/* by the bytes of the names; the same ones by their place: 2 or -2 */

static int
reader_compare(const void *one, const void *two)
{
    int                   rc;
    size_t                len;
    u_char               *a, *b, *p, *q;
    ngx_ors_json_node_t  *x, *y;

    x = *(ngx_ors_json_node_t **) one;
    y = *(ngx_ors_json_node_t **) two;

    a = malloc(x->len + 1);
    b = malloc(y->len + 1);

    if (a == NULL || b == NULL) {
        abort();
    }

    p = ngx_ors_json_decode(reader_json, x, a);
    q = ngx_ors_json_decode(reader_json, y, b);

    len = ngx_min(p - a, q - b);
    rc = ngx_memcmp(a, b, len);

    if (rc == 0) {
        rc = (p - a > q - b) - (p - a < q - b);

    } else {
        rc = (rc > 0) ? 1 : -1;
    }

    free(a);
    free(b);

    return rc ? rc : (x < y) ? -2 : 2;
}
