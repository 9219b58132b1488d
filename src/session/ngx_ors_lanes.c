
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lanes: the order of their turns, and the cache of their newest responses;
 * the events of clients that become turns.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lanes.h>
#include <ngx_ors_names.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_response.h>


#define NGX_ORS_CLIENT_LANE_MAX  256

/* bytes of a body besides the event and the context */
#define NGX_ORS_CLIENT_SPARE     128


static void ngx_ors_lanes_cleanup(void *data);
static ngx_uint_t ngx_ors_lanes_index(ngx_ors_lanes_t *lanes,
    ngx_str_t *name);
static ngx_ors_lane_t *ngx_ors_lanes_end(ngx_ors_lanes_t *lanes,
    ngx_ors_client_event_t *ev);
static void ngx_ors_lanes_forget(ngx_ors_lanes_t *lanes,
    ngx_ors_lane_cache_t *cache);
static ngx_int_t ngx_ors_client_event_type(ngx_ors_client_event_t *ev);
static ngx_int_t ngx_ors_client_event_create(ngx_ors_client_event_t *ev,
    ngx_uint_t lanes);
static ngx_int_t ngx_ors_client_event_lane(ngx_ors_client_event_t *ev,
    ngx_uint_t lanes);
static ngx_int_t ngx_ors_client_event_refuse(ngx_ors_client_event_t *ev,
    ngx_ors_code_e code, char *param, const char *message);
static u_char *ngx_ors_client_event_input(ngx_ors_client_event_t *ev,
    u_char *p, ngx_str_t *context);


/* members of the transport, which no request has */

static const ngx_str_t  ngx_ors_client_event_own[] = {
    ngx_string("type"),
    ngx_string("stream"),
    ngx_string("stream_id"),
    ngx_string("generate"),
    ngx_string("background"),
    ngx_null_string
};


/* members that are replaced by a context */

static const ngx_str_t  ngx_ors_client_event_chain[] = {
    ngx_string("previous_response_id"),
    ngx_string("input"),
    ngx_null_string
};


ngx_int_t
ngx_ors_lanes_init(ngx_ors_lanes_t *lanes, ngx_uint_t queue,
    ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *cln;

    ngx_memzero(lanes, sizeof(ngx_ors_lanes_t));

    cln = ngx_pool_cleanup_add(pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_lanes_cleanup;
    cln->data = lanes;

    ngx_queue_init(&lanes->waiting);

    lanes->n = 1;
    lanes->queue = queue;
    lanes->pool = pool;

    return NGX_OK;
}


static void
ngx_ors_lanes_cleanup(void *data)
{
    ngx_ors_lanes_t *lanes = data;

    ngx_uint_t  i;

    for (i = 0; i < lanes->n; i++) {
        ngx_ors_lanes_forget(lanes, &lanes->lanes[i].cache);
    }
}


ngx_int_t
ngx_ors_lanes_add(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_uint_t  i;

    if (lanes->over) {
        ngx_ors_lanes_over(&ev->error, ev->pool);
        return NGX_DECLINED;
    }

    if (lanes->nwaiting >= lanes->queue) {
        return ngx_ors_error_set(&ev->error, ev->pool,
                                 ngx_ors_code_rate_limit_exceeded,
                                 "too many responses wait on this "
                                 "connection");
    }

    i = ngx_ors_lanes_index(lanes, &ev->lane);

    if (i == lanes->n) {

        if (lanes->n > NGX_ORS_LANES_MAX) {
            (void) ngx_ors_error_set(&ev->error, ev->pool,
                                   ngx_ors_code_websocket_stream_limit_reached,
                                   "this connection has had %d streams, "
                                   "which is the most there may be",
                                   NGX_ORS_LANES_MAX);
            ngx_str_set(&ev->error.param, "stream_id");

            return NGX_DECLINED;
        }

        lanes->lanes[i].name.len = ev->lane.len;
        lanes->lanes[i].name.data = ngx_pstrdup(lanes->pool, &ev->lane);

        if (lanes->lanes[i].name.data == NULL) {
            return NGX_ERROR;
        }

        lanes->n++;
    }

    if (lanes->nwaiting || lanes->lanes[i].running
        || lanes->running >= NGX_ORS_LANES_RUNNING)
    {
        ngx_ors_client_event_forget(ev);
    }

    ngx_queue_insert_tail(&lanes->waiting, &ev->queue);
    lanes->nwaiting++;

    return NGX_OK;
}


void
ngx_ors_lanes_over(ngx_ors_error_t *err, ngx_pool_t *pool)
{
    (void) ngx_ors_error_set(err, pool,
                             ngx_ors_code_websocket_connection_limit_reached,
                             "this connection has reached its life time, make "
                             "a new one to go on");
}


/* that of the next new lane, if none has the name */

static ngx_uint_t
ngx_ors_lanes_index(ngx_ors_lanes_t *lanes, ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; i < lanes->n; i++) {
        if (ngx_ors_same(&lanes->lanes[i].name, name)) {
            break;
        }
    }

    return i;
}


ngx_ors_client_event_t *
ngx_ors_lanes_next(ngx_ors_lanes_t *lanes)
{
    ngx_queue_t             *q;
    ngx_ors_lane_t          *lane;
    ngx_ors_client_event_t  *ev;

    if (lanes->running >= NGX_ORS_LANES_RUNNING) {
        return NULL;
    }

    for (q = ngx_queue_head(&lanes->waiting);
         q != ngx_queue_sentinel(&lanes->waiting);
         q = ngx_queue_next(q))
    {
        ev = ngx_queue_data(q, ngx_ors_client_event_t, queue);
        lane = &lanes->lanes[ngx_ors_lanes_index(lanes, &ev->lane)];

        if (lane->running) {
            continue;
        }

        ngx_queue_remove(q);
        lanes->nwaiting--;

        lane->running = ev;
        lanes->running++;

        return ev;
    }

    return NULL;
}


ngx_ors_lane_cache_t *
ngx_ors_lanes_find(ngx_ors_lanes_t *lanes, ngx_str_t *id)
{
    ngx_uint_t  i;

    if (id->len == 0) {
        return NULL;
    }

    for (i = 0; i < lanes->n; i++) {
        if (ngx_ors_same(&lanes->lanes[i].cache.id, id)) {
            return &lanes->lanes[i].cache;
        }
    }

    return NULL;
}


ngx_int_t
ngx_ors_lanes_done(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev,
    ngx_str_t *id, ngx_str_t *items, ngx_uint_t nitems)
{
    u_char                *p;
    ngx_ors_lane_t        *lane;
    ngx_ors_lane_cache_t  *cache;

    lane = ngx_ors_lanes_end(lanes, ev);

    ngx_ors_lanes_forget(lanes, &lane->cache);

    if (items == NULL) {
        return NGX_OK;
    }

    p = ngx_alloc(id->len + items->len, lanes->pool->log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    cache = &lane->cache;

    cache->data = p;
    cache->id.data = p;
    cache->id.len = id->len;

    p = ngx_cpymem(p, id->data, id->len);

    cache->items.data = p;
    cache->items.len = items->len;
    cache->nitems = nitems;

    lanes->size += id->len + items->len;

    if (items->len) {
        ngx_memcpy(p, items->data, items->len);
    }

    return NGX_OK;
}


void
ngx_ors_lanes_failed(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_ors_lane_t  *lane;

    lane = ngx_ors_lanes_end(lanes, ev);

    if (ev->previous.len
        && ngx_ors_same(&lane->cache.id, &ev->previous))
    {
        ngx_ors_lanes_forget(lanes, &lane->cache);
    }
}


static ngx_ors_lane_t *
ngx_ors_lanes_end(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_ors_lane_t  *lane;

    lane = &lanes->lanes[ngx_ors_lanes_index(lanes, &ev->lane)];

    lane->running = NULL;
    lanes->running--;
    lanes->held -= ev->held;

    return lane;
}


void
ngx_ors_lanes_drop(ngx_ors_lanes_t *lanes, ngx_str_t *id)
{
    ngx_ors_lane_cache_t  *cache;

    while ((cache = ngx_ors_lanes_find(lanes, id)) != NULL) {
        ngx_ors_lanes_forget(lanes, cache);
    }
}


static void
ngx_ors_lanes_forget(ngx_ors_lanes_t *lanes, ngx_ors_lane_cache_t *cache)
{
    if (cache->data) {
        lanes->size -= cache->id.len + cache->items.len;
        ngx_free(cache->data);
    }

    ngx_memzero(cache, sizeof(ngx_ors_lane_cache_t));
}


/*
 * Events of clients: what they ask for, the body of the turn they become, and
 * the answers to those that become none.
 */


ngx_int_t
ngx_ors_client_event_read(ngx_ors_client_event_t *ev, ngx_str_t *text,
    ngx_uint_t depth, ngx_uint_t nodes, ngx_uint_t lanes, ngx_pool_t *pool)
{
    ngx_int_t  rc;

    ngx_memzero(ev, sizeof(ngx_ors_client_event_t));

    ev->pool = pool;
    ev->text = *text;

    ngx_ors_json_init(&ev->json, pool, depth, nodes);

    rc = ngx_ors_json_read(&ev->json, text->data, text->len);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        ev->type = ngx_ors_client_refused;

        (void) ngx_ors_error_set(&ev->error, pool, ngx_ors_code_invalid_json,
                                 "the message is invalid JSON: %V at byte %uz",
                                 ngx_ors_json_strerror(ev->json.error),
                                 ev->json.offset);
        return NGX_OK;
    }

    rc = ngx_ors_client_event_type(ev);

    if (rc == NGX_OK && ev->type == ngx_ors_client_create) {
        rc = ngx_ors_client_event_create(ev, lanes);
    }

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_ors_client_event_type(ngx_ors_client_event_t *ev)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *root, *type;

    json = &ev->json;
    root = json->nodes;

    if (root->type != ngx_ors_json_object) {
        return ngx_ors_client_event_refuse(ev, ngx_ors_code_invalid_type, "",
                                           "a message must be an object");
    }

    type = ngx_ors_json_find(json, root, "type");

    if (ngx_ors_json_is(json, type, "response.create")) {
        ev->type = ngx_ors_client_create;

    } else if (ngx_ors_json_is(json, type, "response.steer")) {
        ev->type = ngx_ors_client_steer;

    } else if (ngx_ors_json_is(json, type, "response.processed")) {
        ev->type = ngx_ors_client_ignored;

    } else if (type == NULL) {
        return ngx_ors_client_event_refuse(ev,
                                        ngx_ors_code_missing_required_parameter,
                                        "type", "a message needs a \"type\"");

    } else {
        return ngx_ors_client_event_refuse(ev,
                                           ngx_ors_code_invalid_value, "type",
                                           "the type of a message must be "
                                           "\"response.create\"");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_client_event_create(ngx_ors_client_event_t *ev, ngx_uint_t lanes)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *root;

    json = &ev->json;
    root = json->nodes;

    rc = ngx_ors_client_event_lane(ev, lanes);

    if (rc != NGX_OK) {
        return rc;
    }

    node = ngx_ors_json_find(json, root, "background");

    if (node && node->type == ngx_ors_json_true) {
        return ngx_ors_client_event_refuse(ev,
                                           ngx_ors_code_unsupported_parameter,
                                           "background",
                                           "a response of a WebSocket cannot "
                                           "run in the background");
    }

    node = ngx_ors_json_find(json, root, "generate");
    ev->warm = (node && node->type == ngx_ors_json_false);

    node = ngx_ors_json_find(json, root, "prompt_cache_options");
    node = ngx_ors_json_find(json, node, "prewarm");

    if (node && node->type == ngx_ors_json_true) {
        ev->warm = 1;
    }

    node = ngx_ors_json_find(json, root, "previous_response_id");

    return ngx_ors_json_copy(&ev->json, node, ev->pool, &ev->previous);
}


static ngx_int_t
ngx_ors_client_event_lane(ngx_ors_client_event_t *ev, ngx_uint_t lanes)
{
    u_char                ch;
    size_t                i;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(&ev->json, ev->json.nodes, "stream_id");

    if (node == NULL) {
        return NGX_OK;
    }

    if (!lanes) {
        return ngx_ors_client_event_refuse(ev, ngx_ors_code_invalid_stream_id,
                                           "stream_id",
                                           "\"stream_id\" is not supported "
                                           "here");
    }

    if (ngx_ors_json_copy(&ev->json, node, ev->pool, &ev->lane) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < ev->lane.len; i++) {
        ch = ev->lane.data[i];

        if (!((ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z')
              || (ch >= '0' && ch <= '9')
              || ch == '_' || ch == '.' || ch == '-'))
        {
            break;
        }
    }

    if (i && i == ev->lane.len && i <= NGX_ORS_CLIENT_LANE_MAX) {
        return NGX_OK;
    }

    ngx_str_null(&ev->lane);

    return ngx_ors_client_event_refuse(ev, ngx_ors_code_invalid_stream_id,
                                       "stream_id",
                                       "\"stream_id\" must have 1 to 256 "
                                       "characters of \"A\" to \"Z\", \"a\" "
                                       "to \"z\", \"0\" to \"9\", \"_\", "
                                       "\".\" and \"-\"");
}


static ngx_int_t
ngx_ors_client_event_refuse(ngx_ors_client_event_t *ev, ngx_ors_code_e code,
    char *param, const char *message)
{
    ev->type = ngx_ors_client_refused;

    (void) ngx_ors_error_set(&ev->error, ev->pool, code, "%s", message);

    ev->error.param.data = (u_char *) param;
    ev->error.param.len = ngx_strlen(param);

    return NGX_DECLINED;
}


void
ngx_ors_client_event_forget(ngx_ors_client_event_t *ev)
{
    ngx_ors_json_t  *json;

    json = &ev->json;

    if (json->nodes) {
        (void) ngx_pfree(ev->pool, json->nodes);
    }

    json->nodes = NULL;
    json->nalloc = 0;
}


ngx_int_t
ngx_ors_client_event_body(ngx_ors_client_event_t *ev, ngx_str_t *context,
    ngx_uint_t prior, ngx_pool_t *pool, ngx_str_t *body)
{
    size_t                start, size;
    u_char               *p;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key, *root;

    json = &ev->json;

    if (json->nodes == NULL
        && ngx_ors_json_read(json, ev->text.data, ev->text.len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    root = json->nodes;

    size = root->len + NGX_ORS_CLIENT_SPARE + (context ? context->len : 0);

    p = ngx_pnalloc(pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    body->data = p;

    p = ngx_cpymem(p, "{\"stream\":true", sizeof("{\"stream\":true") - 1);

    for (key = ngx_ors_json_first(json, root);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_name(json, key, ngx_ors_client_event_own)->len
            || (context
                && ngx_ors_json_name(json, key,
                                     ngx_ors_client_event_chain)->len))
        {
            continue;
        }

        start = ngx_ors_edit_start(key);

        *p++ = ',';
        p = ngx_cpymem(p, json->text + start,
                       ngx_ors_edit_end(key + 1) - start);
    }

    if (context) {
        p = ngx_ors_client_event_input(ev, p, context);
        ev->prior = prior;
    }

    *p++ = '}';

    body->len = p - body->data;

    return NGX_OK;
}


static u_char *
ngx_ors_client_event_input(ngx_ors_client_event_t *ev, u_char *p,
    ngx_str_t *context)
{
    u_char               *text;
    ngx_str_t             raw;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *input;

    json = &ev->json;
    input = ngx_ors_json_find(json, json->nodes, "input");

    p = ngx_cpymem(p, ",\"input\":[", sizeof(",\"input\":[") - 1);
    p = ngx_cpymem(p, context->data, context->len);

    if (input == NULL || input->type == ngx_ors_json_null
        || (input->type == ngx_ors_json_array && input->count == 0))
    {
        *p++ = ']';
        return p;
    }

    if (context->len) {
        *p++ = ',';
    }

    if (input->type == ngx_ors_json_array) {
        text = ngx_ors_json_text(json, input);
        return ngx_cpymem(p, text + 1, input->len - 1);
    }

    ngx_ors_json_raw(json, input, &raw);

    if (input->type == ngx_ors_json_string) {
        return ngx_sprintf(p, "{\"type\":\"message\",\"role\":\"user\","
                           "\"content\":\"%V\"}]", &raw);
    }

    /* reading the request refuses values that are no items */

    return ngx_sprintf(p, "%V]", &raw);
}


void
ngx_ors_client_event_param(ngx_ors_client_event_t *ev, ngx_ors_error_t *err)
{
    u_char      *p, *last, *copy;
    ngx_int_t    n;
    ngx_str_t   *param;

    static ngx_str_t  input = ngx_string("input[");

    param = &err->param;

    if (ev->prior == 0 || param->len <= input.len
        || ngx_strncmp(param->data, input.data, input.len) != 0)
    {
        return;
    }

    last = param->data + param->len;
    p = ngx_strlchr(param->data, last, ']');

    if (p == NULL) {
        return;
    }

    n = ngx_atoi(param->data + input.len, p - param->data - input.len);

    if (n == NGX_ERROR) {
        return;
    }

    if ((ngx_uint_t) n < ev->prior) {
        ngx_str_set(param, "previous_response_id");
        return;
    }

    copy = ngx_pnalloc(ev->pool, param->len + NGX_INT_T_LEN);
    if (copy == NULL) {
        return;
    }

    param->len = ngx_sprintf(copy, "input[%ui%*s", n - ev->prior,
                             (size_t) (last - p), p)
                 - copy;
    param->data = copy;
}


void
ngx_ors_client_event_error(ngx_ors_out_t *out, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry)
{
    ngx_ors_out_lit(out, "{\"type\":\"error\",\"status\":");
    ngx_ors_out_int(out, err->status);
    ngx_ors_out_lit(out, ",\"error\":");
    ngx_ors_error_render(out, err);

    if (retry->len) {
        ngx_ors_out_lit(out, ",\"headers\":{\"retry-after\":");
        ngx_ors_json_quote(out, retry->data, retry->len);
        ngx_ors_out_lit(out, "}");

    } else if (err->retry) {
        ngx_ors_out_lit(out, ",\"headers\":{\"retry-after\":\"");
        ngx_ors_out_int(out, (err->retry + 999) / 1000);
        ngx_ors_out_lit(out, "\"}");
    }

    if (lane->len) {
        ngx_ors_out_lit(out, ",\"stream_id\":\"");
        ngx_ors_out_str(out, lane);
        ngx_ors_out_lit(out, "\"");
    }

    ngx_ors_out_lit(out, "}");
}


void
ngx_ors_client_event_steer(ngx_ors_out_t *out, ngx_ors_client_event_t *ev)
{
    size_t                start;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = &ev->json;

    ngx_ors_out_lit(out, "{\"type\":\"response.steer.failed\",\"error\":{"
                         "\"code\":\"steering_not_supported\","
                         "\"type\":\"invalid_request_error\","
                         "\"message\":\"a response cannot be steered here\"},"
                         "\"steer\":{\"object\":\"response.steer\"");

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_name(json, key, ngx_ors_client_event_chain)->len) {
            start = ngx_ors_edit_start(key);

            ngx_ors_out_lit(out, ",");
            ngx_ors_out_copy(out, json->text + start,
                             ngx_ors_edit_end(key + 1) - start);
        }
    }

    ngx_ors_out_lit(out, "}}");
}
