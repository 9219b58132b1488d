
/*
 * The error value: what a client learns of its own mistake or of a failure
 * upstream (protocol, section 11).  Filled where the mistake is found, rendered
 * once, at the edge.
 */


#ifndef _NGX_ORS_ERROR_H_INCLUDED_
#define _NGX_ORS_ERROR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


/* who caused a failure */

typedef enum {
    ngx_ors_origin_none = 0,
    ngx_ors_origin_client,
    ngx_ors_origin_gateway,         /* this server, its store or its account */
    ngx_ors_origin_limit,           /* a bound of this server's */
    ngx_ors_origin_upstream
} ngx_ors_origin_e;


/*
 * The classes of failures, a label in metrics.  Each has one origin, the
 * second column.
 */

#define NGX_ORS_CLASSES(row)                                                  \
    row(client, client)               /* the request, or what it asks for */  \
    row(model, client)                /* the model did not do what it asks */ \
    row(gateway, gateway)                                                     \
    row(store, gateway)                                                       \
    row(account, gateway)             /* keys and quotas at the upstream */   \
    row(limit, limit)                                                         \
    row(unavailable, upstream)        /* no connection */                     \
    row(timeout, upstream)                                                    \
    row(disconnected, upstream)       /* the answer was cut */                \
    row(invalid_answer, upstream)                                             \
    row(upstream_limit, upstream)     /* its own 429 */                       \
    row(upstream_error, upstream)     /* its own 5xx */


#define ngx_ors_class_row(name, origin)  ngx_ors_class_##name,

typedef enum {
    ngx_ors_class_none = 0,
    NGX_ORS_CLASSES(ngx_ors_class_row)
    ngx_ors_classes
} ngx_ors_class_e;


/*
 * The error codes: name, HTTP status, class, the text that replaces a model
 * server's own where errors are masked, or "" for codes that do not pass the
 * mask, and what the code says to an operator.  Letters and "_" only, and
 * texts without markup, as they need no escaping.
 */

#define NGX_ORS_CODES(row)                                                    \
    row(answer_too_large, 502, limit, "",                                     \
        "A model server's answer was over limits answer=.")                   \
    row(approval_already_used, 409, client, "",                               \
        "The call that a request approves has run.")                          \
    row(array_above_max_length, 400, client, "",                              \
        "A list in a request has too many elements.")                         \
    row(array_below_min_length, 400, client, "",                              \
        "A list in a request has too few elements.")                          \
    row(authentication_required, 401, client, "",                             \
        "A request stores or reads a conversation and names no client.")      \
    row(bad_request, 400, client, "",                                         \
        "A request could not be read.")                                       \
    row(bio_policy, 400, client,                                              \
        "the request is against a policy of the model server",                \
        "A model server's policy refused a request.")                         \
    row(content_filter, 400, client,                                          \
        "a content filter of the model server refused the request",           \
        "A model server's filter refused a request.")                         \
    row(content_policy_violation, 400, client,                                \
        "a content filter of the model server refused the request",           \
        "A model server's policy refused a request.")                         \
    row(context_length_exceeded, 400, client,                                 \
        "the request is too long for the model",                              \
        "A conversation is longer than the limits, or than the model "        \
        "takes.")                                                             \
    row(cyber_policy, 400, client,                                            \
        "the request is against a policy of the model server",                \
        "A model server's policy refused a request.")                         \
    row(duplicate_call_id, 400, client, "",                                   \
        "Two calls in a request have one call_id.")                           \
    row(duplicate_key, 400, client, "",                                       \
        "An object in a request has a key twice.")                            \
    row(event_too_large, 502, limit, "",                                      \
        "One event of a model server was over limits event=.")                \
    row(forbidden, 403, client, "",                                           \
        "A client may not use the path or the model.")                        \
    row(insufficient_quota, 429, limit, "",                                   \
        "A client has no room left in the store.")                            \
    row(integer_above_max_value, 400, client, "",                             \
        "A number in a request is too large.")                                \
    row(integer_below_min_value, 400, client, "",                             \
        "A number in a request is too small.")                                \
    row(invalid_api_key, 401, client, "",                                     \
        "A request has no valid key.")                                        \
    row(invalid_content_encoding, 400, client, "",                            \
        "A compressed body is broken or cut.")                                \
    row(invalid_json, 400, client, "",                                        \
        "A body is not JSON.")                                                \
    row(invalid_previous_response, 400, client, "",                           \
        "The response that a request continues has not completed.")           \
    row(invalid_prompt, 400, client,                                          \
        "the model server refused the prompt",                                \
        "A model server refused a prompt.")                                   \
    row(invalid_stream_id, 400, client, "",                                   \
        "A message of a WebSocket has no usable stream_id.")                  \
    row(invalid_type, 400, client, "",                                        \
        "A field has a value of another type.")                               \
    row(invalid_upstream_answer, 502, invalid_answer, "",                     \
        "A model server's answer violates the protocol.")                     \
    row(invalid_value, 400, client, "",                                       \
        "A field has a value that is not permitted.")                         \
    row(item_not_found, 400, client, "",                                      \
        "A request refers to an item that is not stored.")                    \
    row(method_not_allowed, 405, client, "",                                  \
        "The path has no such method.")                                       \
    row(missing_call_output, 400, client, "",                                 \
        "A call of the conversation has no output.")                          \
    row(missing_required_parameter, 400, client, "",                          \
        "A required field is not there.")                                     \
    row(model_error, 500, model, "",                                          \
        "A model called what it may not, or wrote no summary.")               \
    row(model_not_found, 404, client,                                         \
        "the model server does not have this model",                          \
        "No target serves the model, or its server has none of that "         \
        "name.")                                                              \
    row(not_found, 404, client, "",                                           \
        "No endpoint has that path, or a response is not stored.")            \
    row(not_implemented, 501, client, "",                                     \
        "The request needs what this gateway does not have.")                 \
    row(object_above_max_properties, 400, client, "",                         \
        "An object in a request has too many members.")                       \
    row(previous_response_not_found, 400, client,                             \
        "the model server does not have the previous response",               \
        "The response that a request continues is not stored.")               \
    row(rate_limit_exceeded, 429, limit,                                      \
        "too many requests for this model, try again later",                  \
        "A client has too many requests at once, or a limit of the "          \
        "target is reached.")                                                 \
    row(request_refused, 400, client, "",                                     \
        "nginx refused a request.")                                           \
    row(request_timeout, 408, client, "",                                     \
        "A request was not complete in time.")                                \
    row(request_too_large, 413, client, "",                                   \
        "A body is over client_max_body_size or the limits.")                 \
    row(server_error, 500, gateway, "",                                       \
        "This server has failed, the error log says why.")                    \
    row(server_is_overloaded, 503, limit,                                     \
        "the model server is overloaded, try again later",                    \
        "There was no connection left for a call.")                           \
    row(slow_down, 503, upstream_error,                                       \
        "the model server is overloaded, try again later",                    \
        "A model server is overloaded.")                                      \
    row(store_unavailable, 503, store, "",                                    \
        "The store is down and the location requires it.")                    \
    row(string_above_max_length, 400, client, "",                             \
        "A text in a request is too long.")                                   \
    row(string_below_min_length, 400, client, "",                             \
        "A text in a request is too short.")                                  \
    row(too_many_tool_calls, 502, limit, "",                                  \
        "A model called more tools than the limits permit.")                  \
    row(tool_not_found, 400, client, "",                                      \
        "A request names a tool that is not there.")                          \
    row(unknown_call_id, 400, client, "",                                     \
        "An output belongs to no call of the conversation.")                  \
    row(unknown_parameter, 400, client, "",                                   \
        "A field is not known, and the profile rejects it.")                  \
    row(unknown_server, 400, client, "",                                      \
        "A request names an MCP server that is not there.")                   \
    row(unsupported_item, 400, client, "",                                    \
        "An item cannot be translated for the target.")                       \
    row(unsupported_media_type, 415, client, "",                              \
        "A body is not application/json in UTF-8, or its encoding is "        \
        "unknown.")                                                           \
    row(unsupported_parameter, 400, client, "",                               \
        "The target cannot do what a field asks for.")                        \
    row(unsupported_value, 400, client, "",                                   \
        "The target cannot do what a value asks for.")                        \
    row(upstream_disconnected, 502, disconnected, "",                         \
        "A model server ended its answer too early.")                         \
    row(upstream_error, 502, upstream_error, "",                              \
        "A model server answered with an error.")                             \
    row(upstream_timeout, 504, timeout, "",                                   \
        "A model server did not answer in time.")                             \
    row(upstream_unavailable, 502, unavailable, "",                           \
        "A model server cannot be reached.")                                  \
    row(usage_limit_reached, 429, account, "",                                \
        "The account at a model server is used up.")                          \
    row(usage_not_included, 429, account, "",                                 \
        "The account at a model server has no such model.")                   \
    row(websocket_connection_limit_reached, 400, limit, "",                   \
        "A WebSocket is over its lifetime.")                                  \
    row(websocket_not_supported, 426, client, "",                             \
        "A WebSocket was asked for and is not served here.")                  \
    row(websocket_stream_limit_reached, 400, limit, "",                       \
        "A WebSocket has too many turns at once.")


#define ngx_ors_code_row(name, status, class, mask, text)                     \
    ngx_ors_code_##name,

typedef enum {
    NGX_ORS_CODES(ngx_ors_code_row)
    ngx_ors_code_other              /* a model server's own */
} ngx_ors_code_e;


/* "other" has a counter, and no name */
#define NGX_ORS_NCODES  (ngx_ors_code_other + 1)


typedef struct {
    ngx_str_t          name;
    ngx_uint_t         status;
    ngx_ors_class_e    class;
    ngx_str_t          mask;
    ngx_str_t          text;
} ngx_ors_code_t;


typedef struct {
    ngx_uint_t         status;      /* HTTP status, 0: no error */
    ngx_ors_class_e    class;
    ngx_str_t          type;        /* static text */
    ngx_str_t          code;        /* static or pool text, never empty */
    ngx_str_t          message;     /* plain UTF-8, not escaped */
    ngx_str_t          param;       /* path in the request, may be empty */
    ngx_uint_t         retry;       /* ms a client should wait, 0: not known */
} ngx_ors_error_t;

/* bytes that are shown of an id */
#define NGX_ORS_ERROR_ID_MAX  64

/* bytes that ngx_ors_error_line() writes at most */
#define NGX_ORS_ERROR_LINE  1024


/*
 * The gate for text of clients, models and stores that leaves outside JSON:
 * in variables, headers and log lines, where a control character would end
 * the line or begin another one.
 */


/* bytes that one value may have in a line */
#define NGX_ORS_LINE_MAX  256

/* the longest name of a function or a server */
#define NGX_ORS_NAME_MAX  64


/* the codes, in the order of ngx_ors_code_e */
extern const ngx_ors_code_t  ngx_ors_codes[];


/*
 * Fills "err" for "code": its row says the status, from which the type
 * follows, and the class.  The message is formatted into "pool" as by
 * ngx_sprintf() and cut at 512 bytes between characters.  "param" becomes empty
 * and "retry" 0: they are set after the call.
 *
 * Always returns NGX_DECLINED, the value by which a function says that the
 * error value holds the reason.
 */
ngx_int_t ngx_ors_error_set(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_ors_code_e code, const char *fmt, ...);

/* Sets err->param of a filled error to "text", static.  Gives NGX_DECLINED. */
#define ngx_ors_error_param(err, text)                                        \
    ((err)->param.data = (u_char *) (text),                                   \
     (err)->param.len = ngx_strlen(text), NGX_DECLINED)

/*
 * Copies "from", an error of another pool, with its texts.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_error_copy(ngx_ors_error_t *err, ngx_ors_error_t *from,
    ngx_pool_t *pool);

/*
 * Sets another HTTP status than that of the code, and the error type of the
 * specification for it.
 */
void ngx_ors_error_status(ngx_ors_error_t *err, ngx_uint_t status);

/*
 * The error was reported by a model server: sets the status, the type, and the
 * class that a server's status has: 429 and 5xx are its own failure, all others
 * the client's.
 */
void ngx_ors_error_reported(ngx_ors_error_t *err, ngx_uint_t status);

/* Who caused failures of "class". */
ngx_ors_origin_e ngx_ors_error_origin(ngx_ors_class_e class);

/* The row of "name", ngx_ors_code_other if there is none. */
ngx_ors_code_e ngx_ors_error_code(ngx_str_t *name);

/*
 * Copies an id to "p" as a message may have it: its first bytes, without
 * control characters.  Returns the end of the copy.
 */
u_char *ngx_ors_error_id_copy(u_char *p, ngx_str_t *id);

/*
 * Appends an id to the message, which is about it.  Without memory the
 * message is as before.
 */
void ngx_ors_error_id(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_str_t *id);

/*
 * Writes "err" for a line of the log: its code, its place and its sentence, in
 * which "a value" replaces what the client has sent.  Returns the end in
 * "buf", NGX_ORS_ERROR_LINE bytes.
 */
u_char *ngx_ors_error_line(u_char *buf, ngx_ors_error_t *err);

/*
 * Errors of the protocol for HTTP statuses of nginx's own.
 */


/*
 * Fills "err" for an HTTP status from 400; "message" is static text that says
 * more than the usual one, or NULL.
 */
void ngx_ors_error_page(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, char *message);

/*
 * 1 if "text" may be in a line as it is: UTF-8 without control characters
 * (U+0000 to U+001F, U+007F to U+009F) and without the line and paragraph
 * separators U+2028 and U+2029, which some readers of logs take for a line's
 * end.
 */
ngx_uint_t ngx_ors_line_clean(ngx_str_t *text);

/* 1 if "text" is clean and no longer than NGX_ORS_LINE_MAX. */
ngx_uint_t ngx_ors_line_fits(ngx_str_t *text);

/*
 * Copies "len" bytes to "dst", with "?" in place of each character that may
 * not be in a line; "dst" may be "src".  Returns the end of the copy, which
 * is never longer.
 */
u_char *ngx_ors_line_copy(u_char *dst, u_char *src, size_t len);

/* 1 if "name" can be that of a function or a server: 1 to 64 of A-Za-z0-9_- */
ngx_uint_t ngx_ors_line_name(ngx_str_t *name);


#endif /* _NGX_ORS_ERROR_H_INCLUDED_ */
