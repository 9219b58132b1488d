
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Texts, images, files and refusals of input items as parts of chat messages.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>


#define NGX_ORS_CHAT_NO_OUTPUT  "(no output)"
#define NGX_ORS_CHAT_ATTACHED   "(attached below)"
#define NGX_ORS_CHAT_NO_IMAGE   "(image not shown)"
#define NGX_ORS_CHAT_NO_FILE    "(file not shown)"


typedef enum {
    ngx_ors_chat_part_text = 0,
    ngx_ors_chat_part_refusal,
    ngx_ors_chat_part_image,
    ngx_ors_chat_part_file,
    ngx_ors_chat_part_audio,
    ngx_ors_chat_part_video,
    ngx_ors_chat_part_other
} ngx_ors_chat_part_e;


typedef struct {
    ngx_str_t             type;
    ngx_ors_chat_part_e   kind;
} ngx_ors_chat_part_type_t;


static size_t ngx_ors_chat_content_note(ngx_ors_chat_content_t *cc, size_t len,
    const char *text);
static ngx_int_t ngx_ors_chat_content_parts(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t **node);
static ngx_ors_chat_part_e ngx_ors_chat_content_kind(ngx_ors_json_t *json,
    ngx_ors_json_node_t *part);
static ngx_int_t ngx_ors_chat_count(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_uint_t kinds, ngx_uint_t *n);
static size_t ngx_ors_chat_join(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_ors_chat_part_e kind);
static ngx_int_t ngx_ors_chat_part_put(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part, ngx_uint_t n);
static ngx_int_t ngx_ors_chat_image_put(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part, ngx_uint_t n);
static ngx_int_t ngx_ors_chat_file_put(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part, ngx_uint_t n);
static ngx_ors_json_node_t *ngx_ors_chat_file_source(
    ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part);
static ngx_int_t ngx_ors_chat_audio_put(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part, ngx_uint_t n);
static void ngx_ors_chat_media(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_chat_video_put(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part, ngx_uint_t n);
static ngx_uint_t ngx_ors_chat_embedded_images(ngx_ors_json_t *parts);


static const ngx_ors_chat_part_type_t  ngx_ors_chat_part_types[] = {
    { ngx_string("input_text"), ngx_ors_chat_part_text },
    { ngx_string("output_text"), ngx_ors_chat_part_text },
    { ngx_string("input_image"), ngx_ors_chat_part_image },
    { ngx_string("input_file"), ngx_ors_chat_part_file },
    { ngx_string("input_audio"), ngx_ors_chat_part_audio },
    { ngx_string("input_video"), ngx_ors_chat_part_video },
    { ngx_string("refusal"), ngx_ors_chat_part_refusal },
    { ngx_null_string, ngx_ors_chat_part_other }
};


ngx_int_t
ngx_ors_chat_user_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node)
{
    ngx_int_t             rc;
    ngx_uint_t            n;
    ngx_ors_json_node_t  *child;

    if (node == NULL || node->type != ngx_ors_json_array || node->count == 0)
    {
        ngx_ors_chat_value(cc->out, cc->json,
                           (node && node->type == ngx_ors_json_array) ? NULL
                                                                      : node);
        return NGX_OK;
    }

    child = ngx_ors_json_first(cc->json, node);

    if (node->count == 1
        && ngx_ors_chat_content_kind(cc->json, child) == ngx_ors_chat_part_text)
    {
        ngx_ors_chat_value(cc->out, cc->json,
                           ngx_ors_chat_get(cc->json, child, "text"));
        return NGX_OK;
    }

    ngx_ors_out_lit(cc->out, "[");

    for (n = 0; child; child = ngx_ors_json_next(cc->json, child)) {

        if (n) {
            ngx_ors_out_lit(cc->out, ",");
        }

        rc = ngx_ors_chat_part_put(cc, child, n++);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_ors_out_lit(cc->out, "]");

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_system_text(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node)
{
    ngx_int_t   rc;
    ngx_str_t   text;
    ngx_uint_t  n[ngx_ors_chat_part_other];

    if (node == NULL) {
        return NGX_OK;
    }

    if (node->type != ngx_ors_json_array) {
        ngx_ors_json_inner(cc->json, node, &text);
        ngx_ors_out_ref(cc->out, text.data, text.len);

        return NGX_OK;
    }

    rc = ngx_ors_chat_count(cc, node, 1 << ngx_ors_chat_part_text, n);

    if (rc == NGX_OK) {
        ngx_ors_chat_join(cc, node, ngx_ors_chat_part_text);
    }

    return rc;
}


ngx_int_t
ngx_ors_chat_assistant_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node)
{
    ngx_int_t   rc;
    ngx_uint_t  n[ngx_ors_chat_part_other];

    if (node == NULL || node->type != ngx_ors_json_array) {
        ngx_ors_chat_value(cc->out, cc->json, node);
        return NGX_OK;
    }

    rc = ngx_ors_chat_count(cc, node,
                            1 << ngx_ors_chat_part_text
                            | 1 << ngx_ors_chat_part_refusal, n);

    if (rc != NGX_OK) {
        return rc;
    }

    if (n[ngx_ors_chat_part_text] || n[ngx_ors_chat_part_refusal] == 0) {
        ngx_ors_out_lit(cc->out, "\"");
        ngx_ors_chat_join(cc, node, ngx_ors_chat_part_text);
        ngx_ors_out_lit(cc->out, "\"");

    } else {
        ngx_ors_out_lit(cc->out, "null");
    }

    if (n[ngx_ors_chat_part_refusal]) {
        ngx_ors_out_lit(cc->out, ",\"refusal\":\"");
        ngx_ors_chat_join(cc, node, ngx_ors_chat_part_refusal);
        ngx_ors_out_lit(cc->out, "\"");
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_tool_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_uint_t *attached)
{
    size_t      len;
    ngx_int_t   rc;
    ngx_uint_t  media, n[ngx_ors_chat_part_other];

    rc = ngx_ors_chat_content_parts(cc, &node);

    if (rc == NGX_DECLINED) {
        ngx_ors_chat_value(cc->out, cc->json, node);
        return NGX_OK;
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_count(cc, node,
                                1 << ngx_ors_chat_part_text
                                | 1 << ngx_ors_chat_part_image
                                | 1 << ngx_ors_chat_part_file
                                | 1 << ngx_ors_chat_part_audio
                                | 1 << ngx_ors_chat_part_video, n);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    media = n[ngx_ors_chat_part_audio] + n[ngx_ors_chat_part_video];

    ngx_ors_out_lit(cc->out, "\"");

    len = ngx_ors_chat_join(cc, node, ngx_ors_chat_part_text);

    /* a note names to the model what its server does not take */

    if (cc->options->images) {
        media += n[ngx_ors_chat_part_image];

    } else if (n[ngx_ors_chat_part_image]) {
        len = ngx_ors_chat_content_note(cc, len, NGX_ORS_CHAT_NO_IMAGE);
    }

    if (cc->options->files) {
        media += n[ngx_ors_chat_part_file];

    } else if (n[ngx_ors_chat_part_file]) {
        len = ngx_ors_chat_content_note(cc, len, NGX_ORS_CHAT_NO_FILE);
    }

    if (len == 0) {
        ngx_ors_chat_content_note(cc, len, media ? NGX_ORS_CHAT_ATTACHED
                                         : NGX_ORS_CHAT_NO_OUTPUT);
    }

    ngx_ors_out_lit(cc->out, "\"");

    if (media) {
        *attached = 1;
    }

    return NGX_OK;
}


/* "len" bytes are there: appends a line, and returns what there is then */

static size_t
ngx_ors_chat_content_note(ngx_ors_chat_content_t *cc, size_t len,
    const char *text)
{
    if (len) {
        ngx_ors_out_lit(cc->out, "\\n");
    }

    ngx_ors_out_copy(cc->out, (u_char *) text, ngx_strlen(text));

    return len + ngx_strlen(text);
}


ngx_int_t
ngx_ors_chat_attachments(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_uint_t *n)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_chat_part_e   kind;
    ngx_ors_json_node_t  *child;

    rc = ngx_ors_chat_content_parts(cc, &node);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : rc;
    }

    i = 0;

    for (child = ngx_ors_json_first(cc->json, node);
         child;
         child = ngx_ors_json_next(cc->json, child))
    {
        kind = ngx_ors_chat_content_kind(cc->json, child);

        if (kind == ngx_ors_chat_part_audio || kind == ngx_ors_chat_part_video
            || (kind == ngx_ors_chat_part_image && cc->options->images)
            || (kind == ngx_ors_chat_part_file && cc->options->files))
        {
            if ((*n)++) {
                ngx_ors_out_lit(cc->out, ",");
            }

            rc = ngx_ors_chat_part_put(cc, child, i);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        i++;
    }

    return NGX_OK;
}


/*
 * Sets "node" to the array of an output, or to the one that is in a string:
 * cc->json becomes its document.  NGX_DECLINED: there is none
 */

static ngx_int_t
ngx_ors_chat_content_parts(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t **node)
{
    ngx_int_t        rc;
    ngx_ors_json_t  *parts;

    if (*node == NULL || (*node)->type == ngx_ors_json_array) {
        return *node ? NGX_OK : NGX_DECLINED;
    }

    parts = ngx_palloc(cc->pool, sizeof(ngx_ors_json_t));
    if (parts == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_chat_embedded(cc->json, *node, cc->pool, parts);

    if (rc == NGX_OK) {
        cc->json = parts;
        *node = parts->nodes;
    }

    return rc;
}


static ngx_ors_chat_part_e
ngx_ors_chat_content_kind(ngx_ors_json_t *json, ngx_ors_json_node_t *part)
{
    ngx_ors_json_node_t             *type;
    const ngx_ors_chat_part_type_t  *row;

    type = ngx_ors_json_find(json, part, "type");

    for (row = ngx_ors_chat_part_types; row->type.len; row++) {

        if (ngx_ors_json_equal(json, type, row->type.data, row->type.len)) {
            break;
        }
    }

    return row->kind;
}


/* counts parts by kind; "kinds" are the bits of those that may be there */

static ngx_int_t
ngx_ors_chat_count(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *node,
    ngx_uint_t kinds, ngx_uint_t *n)
{
    ngx_uint_t            i;
    ngx_ors_chat_part_e   kind;
    ngx_ors_json_node_t  *child;

    ngx_memzero(n, ngx_ors_chat_part_other * sizeof(ngx_uint_t));

    i = 0;

    for (child = ngx_ors_json_first(cc->json, node);
         child;
         child = ngx_ors_json_next(cc->json, child))
    {
        kind = ngx_ors_chat_content_kind(cc->json, child);

        if (!(kinds & 1 << kind)) {
            return ngx_ors_chat_refuse(cc, i, ngx_ors_code_unsupported_value,
                                       "cannot be sent to this model server "
                                       "because of its type");
        }

        n[kind]++;
        i++;
    }

    return NGX_OK;
}


/*
 * Appends the texts of all parts of one kind as they are, each on a new
 * line, and returns their length.
 */

static size_t
ngx_ors_chat_join(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *node,
    ngx_ors_chat_part_e kind)
{
    size_t                len;
    ngx_uint_t            n;
    ngx_ors_json_node_t  *child, *text;

    n = 0;
    len = 0;

    for (child = ngx_ors_json_first(cc->json, node);
         child;
         child = ngx_ors_json_next(cc->json, child))
    {
        text = (kind == ngx_ors_chat_part_text)
               ? ngx_ors_json_find(cc->json, child, "text")
               : ngx_ors_json_find(cc->json, child, "refusal");

        if (text == NULL || text->type != ngx_ors_json_string
            || text->len == 0
            || ngx_ors_chat_content_kind(cc->json, child) != kind)
        {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(cc->out, "\\n");
        }

        ngx_ors_out_ref(cc->out, ngx_ors_json_text(cc->json, text),
                        text->len);
        len += text->len;
    }

    return len;
}


static ngx_int_t
ngx_ors_chat_part_put(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part,
    ngx_uint_t n)
{
    switch (ngx_ors_chat_content_kind(cc->json, part)) {

    case ngx_ors_chat_part_text:
        ngx_ors_out_lit(cc->out, "{\"type\":\"text\",\"text\":");
        ngx_ors_chat_value(cc->out, cc->json,
                           ngx_ors_chat_get(cc->json, part, "text"));
        ngx_ors_out_lit(cc->out, "}");

        return NGX_OK;

    case ngx_ors_chat_part_image:
        return ngx_ors_chat_image_put(cc, part, n);

    case ngx_ors_chat_part_file:
        return ngx_ors_chat_file_put(cc, part, n);

    case ngx_ors_chat_part_audio:
        return ngx_ors_chat_audio_put(cc, part, n);

    case ngx_ors_chat_part_video:
        return ngx_ors_chat_video_put(cc, part, n);

    case ngx_ors_chat_part_refusal:
    case ngx_ors_chat_part_other:
        break;
    }

    return ngx_ors_chat_refuse(cc, n, ngx_ors_code_unsupported_value,
                               "cannot be sent to this model server because "
                               "of its type");
}


static ngx_int_t
ngx_ors_chat_image_put(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part,
    ngx_uint_t n)
{
    ngx_ors_json_node_t  *url, *detail;

    if (!cc->options->images) {
        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_unsupported_value,
                                   "is an image, which this model server "
                                   "does not take");
    }

    url = ngx_ors_chat_get(cc->json, part, "image_url");

    if (url == NULL) {
        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_invalid_value,
                                   "has no \"image_url\", without which an "
                                   "image cannot be sent");
    }

    ngx_ors_out_lit(cc->out, "{\"type\":\"image_url\","
                             "\"image_url\":{\"url\":");
    ngx_ors_chat_media(cc, url);

    detail = ngx_ors_chat_get(cc->json, part, "detail");

    if (ngx_ors_json_is(cc->json, detail, "low")) {
        ngx_ors_out_lit(cc->out, ",\"detail\":\"low\"");

    } else if (ngx_ors_json_is(cc->json, detail, "high")
               || ngx_ors_json_is(cc->json, detail, "original"))
    {
        ngx_ors_out_lit(cc->out, ",\"detail\":\"high\"");
    }

    ngx_ors_out_lit(cc->out, "}}");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_file_put(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part,
    ngx_uint_t n)
{
    ngx_ors_json_node_t  *name, *data;

    if (cc->options->files == ngx_ors_chat_files_off) {
        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_unsupported_value,
                                   "is a file, which this model server does "
                                   "not take");
    }

    data = ngx_ors_chat_file_source(cc, part);

    if (data == NULL) {

        if (ngx_ors_chat_get(cc->json, part, "file_url")) {
            return ngx_ors_chat_refuse(cc, n, ngx_ors_code_invalid_value,
                                       "has a \"file_url\", which this model "
                                       "server does not take, and no "
                                       "\"file_data\"");
        }

        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_invalid_value,
                                   "has no \"file_data\", without which a "
                                   "file cannot be sent");
    }

    ngx_ors_out_lit(cc->out, "{\"type\":\"file\",\"file\":{");

    name = ngx_ors_chat_get(cc->json, part, "filename");

    if (name) {
        ngx_ors_out_lit(cc->out, "\"filename\":");
        ngx_ors_chat_value(cc->out, cc->json, name);
        ngx_ors_out_lit(cc->out, ",");
    }

    ngx_ors_out_lit(cc->out, "\"file_data\":");
    ngx_ors_chat_media(cc, data);
    ngx_ors_out_lit(cc->out, "}}");

    return NGX_OK;
}


/* no text: its bytes say nothing of the tokens that it takes */

static void
ngx_ors_chat_media(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *node)
{
    size_t  size;

    size = cc->out->size;
    ngx_ors_chat_value(cc->out, cc->json, node);
    cc->target->media += cc->out->size - size;
}


/*
 * Sends a file: its data, which clients put into its address as well,
 * or else that address, where there are servers that fetch it
 */

static ngx_ors_json_node_t *
ngx_ors_chat_file_source(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *part)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *url, *data;

    data = ngx_ors_chat_get(cc->json, part, "file_data");

    if (data) {
        return data;
    }

    url = ngx_ors_chat_get(cc->json, part, "file_url");

    if (url == NULL || cc->options->files == ngx_ors_chat_files_url) {
        return url;
    }

    ngx_ors_json_raw(cc->json, url, &text);

    return (text.len >= 5 && ngx_strncasecmp(text.data, (u_char *) "data:", 5)
                             == 0)
           ? url : NULL;
}


static ngx_int_t
ngx_ors_chat_audio_put(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part,
    ngx_uint_t n)
{
    ngx_ors_json_node_t  *audio, *data, *format;

    audio = ngx_ors_chat_get(cc->json, part, "input_audio");
    data = ngx_ors_json_find(cc->json, audio, "data");
    format = ngx_ors_json_find(cc->json, audio, "format");

    if (data == NULL || data->type != ngx_ors_json_string
        || format == NULL || format->type != ngx_ors_json_string)
    {
        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_invalid_value,
                                   "has no \"input_audio\" with \"data\" and "
                                   "\"format\", without which audio cannot "
                                   "be sent");
    }

    ngx_ors_out_lit(cc->out, "{\"type\":\"input_audio\","
                             "\"input_audio\":{\"data\":");
    ngx_ors_chat_media(cc, data);
    ngx_ors_out_lit(cc->out, ",\"format\":");
    ngx_ors_chat_value(cc->out, cc->json, format);
    ngx_ors_out_lit(cc->out, "}}");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_video_put(ngx_ors_chat_content_t *cc, ngx_ors_json_node_t *part,
    ngx_uint_t n)
{
    if (!cc->options->videos) {
        return ngx_ors_chat_refuse(cc, n, ngx_ors_code_unsupported_value,
                                   "is a video, which this model server "
                                   "does not take");
    }

    ngx_ors_out_lit(cc->out, "{\"type\":\"video_url\","
                             "\"video_url\":{\"url\":");
    ngx_ors_chat_media(cc, ngx_ors_chat_get(cc->json, part, "video_url"));
    ngx_ors_out_lit(cc->out, "}}");

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_refuse(ngx_ors_chat_content_t *cc, ngx_int_t n,
    ngx_ors_code_e code, char *text)
{
    u_char     *p;
    ngx_str_t   param;

    param.data = ngx_pnalloc(cc->pool, sizeof("input[].arguments[]")
                                       + 2 * NGX_INT_T_LEN);
    if (param.data == NULL) {
        return NGX_ERROR;
    }

    if (cc->item < cc->prior) {

        /* the client does not know the place of a stored item */

        (void) ngx_ors_error_set(cc->err, cc->pool, code,
                                 "an item of the stored conversation %s",
                                 text);
        ngx_str_set(&cc->err->param, "previous_response_id");

        return NGX_DECLINED;
    }

    p = ngx_sprintf(param.data, "input[%ui]", cc->item - cc->prior);

    if (cc->field) {
        p = ngx_sprintf(p, ".%s", cc->field);

        if (n != -1) {
            p = ngx_sprintf(p, "[%i]", n);
        }
    }

    param.len = p - param.data;

    ngx_ors_error_set(cc->err, cc->pool, code, "\"%V\" %s", &param, text);

    cc->err->param = param;

    return NGX_DECLINED;
}


ngx_ors_json_node_t *
ngx_ors_chat_member(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    u_char *name, size_t len)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, name, len);

    return (node && node->type != ngx_ors_json_null) ? node : NULL;
}


void
ngx_ors_chat_value(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    if (node == NULL) {
        ngx_ors_out_lit(out, "\"\"");
        return;
    }

    if (node->type == ngx_ors_json_string) {
        ngx_ors_out_ref(out, ngx_ors_json_text(json, node) - 1,
                        node->len + 2);
        return;
    }

    ngx_ors_out_ref(out, ngx_ors_json_text(json, node), node->len);
}


/*
 * Finds out whether a string is the JSON text of content parts, and reads
 * those.
 */


ngx_int_t
ngx_ors_chat_embedded(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_ors_json_t *parts)
{
    u_char     *text, *last;
    ngx_int_t   rc;
    ngx_str_t   name = ngx_string("input_image");

    /* outputs may be long, and few of them are an array with an image */

    text = ngx_ors_json_text(json, node);

    if (!node->escaped || *text != '['
        || memmem(text, node->len, name.data, name.len) == NULL)
    {
        return NGX_DECLINED;
    }

    text = ngx_pnalloc(pool, node->len);
    if (text == NULL) {
        return NGX_ERROR;
    }

    last = ngx_ors_json_decode(json, node, text);

    ngx_ors_json_init(parts, pool, json->max_depth, json->max_nodes);

    rc = ngx_ors_json_read(parts, text, last - text);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_chat_embedded_images(parts) ? NGX_OK : NGX_DECLINED;
}


/* 0 if there is none, or anything that is neither a text nor an image */

static ngx_uint_t
ngx_ors_chat_embedded_images(ngx_ors_json_t *parts)
{
    ngx_uint_t            n, image;
    ngx_ors_json_node_t  *part, *type, *node;

    n = 0;

    for (part = ngx_ors_json_first(parts, parts->nodes);
         part;
         part = ngx_ors_json_next(parts, part))
    {
        type = ngx_ors_json_find(parts, part, "type");
        image = ngx_ors_json_is(parts, type, "input_image");

        if (!image && !ngx_ors_json_is(parts, type, "input_text")) {
            return 0;
        }

        node = image ? ngx_ors_json_find(parts, part, "image_url")
                     : ngx_ors_json_find(parts, part, "text");

        if (node == NULL || node->type != ngx_ors_json_string) {
            return 0;
        }

        n += image;
    }

    return n;
}
