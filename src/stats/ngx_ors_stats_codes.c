
/*
 * Copyright (C) Open Responses contributors
 */


/* The error codes that have a counter, and what each says to an operator. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stats_page.h>


/*
 * letters and "_" only, and texts without markup, as they need no escaping;
 * the last one is for all others
 */

const ngx_ors_stats_code_t  ngx_ors_stats_codes[NGX_ORS_STATS_CODES] = {

    { ngx_string("answer_too_large"),
      ngx_string("A model server's answer was over limits answer=.") },

    { ngx_string("array_above_max_length"),
      ngx_string("A list in a request has too many elements.") },

    { ngx_string("array_below_min_length"),
      ngx_string("A list in a request has too few elements.") },

    { ngx_string("authentication_required"),
      ngx_string("A request stores or reads a conversation and names no "
                 "client.") },

    { ngx_string("context_length_exceeded"),
      ngx_string("A conversation is longer than the limits, or than the "
                 "model takes.") },

    { ngx_string("duplicate_call_id"),
      ngx_string("Two calls in a request have one call_id.") },

    { ngx_string("duplicate_key"),
      ngx_string("An object in a request has a key twice.") },

    { ngx_string("event_too_large"),
      ngx_string("One event of a model server was over limits event=.") },

    { ngx_string("integer_above_max_value"),
      ngx_string("A number in a request is too large.") },

    { ngx_string("integer_below_min_value"),
      ngx_string("A number in a request is too small.") },

    { ngx_string("invalid_json"),
      ngx_string("A body is not JSON.") },

    { ngx_string("invalid_previous_response"),
      ngx_string("The response that a request continues has not completed.") },

    { ngx_string("invalid_type"),
      ngx_string("A field has a value of another type.") },

    { ngx_string("invalid_upstream_answer"),
      ngx_string("A model server's answer violates the protocol.") },

    { ngx_string("invalid_value"),
      ngx_string("A field has a value that is not permitted.") },

    { ngx_string("item_not_found"),
      ngx_string("A request refers to an item that is not stored.") },

    { ngx_string("method_not_allowed"),
      ngx_string("The path has no such method.") },

    { ngx_string("missing_required_parameter"),
      ngx_string("A required field is not there.") },

    { ngx_string("model_error"),
      ngx_string("A model called what it may not, or wrote no summary.") },

    { ngx_string("model_not_found"),
      ngx_string("No target serves the model, or its server has none of "
                 "that name.") },

    { ngx_string("not_found"),
      ngx_string("No endpoint has that path, or a response is not stored.") },

    { ngx_string("not_implemented"),
      ngx_string("The request needs what this gateway does not have.") },

    { ngx_string("object_above_max_properties"),
      ngx_string("An object in a request has too many members.") },

    { ngx_string("previous_response_not_found"),
      ngx_string("The response that a request continues is not stored.") },

    { ngx_string("request_too_large"),
      ngx_string("A body is over client_max_body_size or the limits.") },

    { ngx_string("server_error"),
      ngx_string("This server has failed, the error log says why.") },

    { ngx_string("store_unavailable"),
      ngx_string("The store is down and the location requires it.") },

    { ngx_string("string_above_max_length"),
      ngx_string("A text in a request is too long.") },

    { ngx_string("string_below_min_length"),
      ngx_string("A text in a request is too short.") },

    { ngx_string("too_many_tool_calls"),
      ngx_string("A model called more tools than the limits permit.") },

    { ngx_string("tool_not_found"),
      ngx_string("A request names a tool that is not there.") },

    { ngx_string("unknown_call_id"),
      ngx_string("An output belongs to no call of the conversation.") },

    { ngx_string("unknown_parameter"),
      ngx_string("A field is not known, and the profile rejects it.") },

    { ngx_string("unsupported_item"),
      ngx_string("An item cannot be translated for the target.") },

    { ngx_string("unsupported_media_type"),
      ngx_string("A body is not application/json in UTF-8.") },

    { ngx_string("unsupported_parameter"),
      ngx_string("The target cannot do what a field asks for.") },

    { ngx_string("unsupported_value"),
      ngx_string("The target cannot do what a value asks for.") },

    { ngx_string("upstream_disconnected"),
      ngx_string("A model server ended its answer too early.") },

    { ngx_string("upstream_error"),
      ngx_string("A model server answered with an error.") },

    { ngx_string("upstream_timeout"),
      ngx_string("A model server did not answer in time.") },

    { ngx_string("upstream_unavailable"),
      ngx_string("A model server cannot be reached.") },

    { ngx_string("websocket_connection_limit_reached"),
      ngx_string("A WebSocket is over its lifetime.") },

    { ngx_string("websocket_not_supported"),
      ngx_string("A WebSocket was asked for and is not served here.") },

    { ngx_string("websocket_stream_limit_reached"),
      ngx_string("A WebSocket has too many turns at once.") },

    { ngx_string("other"),
      ngx_string("Codes without a counter of their own, as those of model "
                 "servers.") }
};
