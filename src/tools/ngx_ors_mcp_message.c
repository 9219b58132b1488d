
/*
 * Copyright (C) Open Responses contributors
 */


/* The envelope of JSON-RPC, whatever the order of its members. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp.h>
#include <ngx_ors_mcp_message.h>


typedef enum {
    ngx_ors_mcp_member_jsonrpc = 0,
    ngx_ors_mcp_member_id,
    ngx_ors_mcp_member_method,
    ngx_ors_mcp_member_result,
    ngx_ors_mcp_member_error
} ngx_ors_mcp_member_e;

#define NGX_ORS_MCP_MEMBERS  (ngx_ors_mcp_member_error + 1)


static ngx_int_t ngx_ors_mcp_message_error_read(
    ngx_ors_mcp_message_t *message, ngx_ors_json_node_t *error);


static const ngx_str_t  ngx_ors_mcp_members[] = {
    ngx_string("jsonrpc"),
    ngx_string("id"),
    ngx_string("method"),
    ngx_string("result"),
    ngx_string("error"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_mcp_error_members[] = {
    ngx_string("code"),
    ngx_string("message"),
    ngx_string("data"),
    ngx_null_string
};


ngx_int_t
ngx_ors_mcp_message_read(ngx_ors_mcp_message_t *message, ngx_ors_json_t *json,
    ngx_str_t *text)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *member[NGX_ORS_MCP_MEMBERS];

    ngx_memzero(message, sizeof(ngx_ors_mcp_message_t));

    message->json = json;

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc != NGX_OK) {
        return (rc == NGX_ERROR)
               ? NGX_ERROR
               : ngx_ors_mcp_invalid(&message->invalid, "is not JSON");
    }

    if (json->nodes->type == ngx_ors_json_array) {
        return ngx_ors_mcp_invalid(&message->invalid, "is a batch of messages");
    }

    if (json->nodes->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid, "is no object");
    }

    ngx_ors_json_members(json, json->nodes, ngx_ors_mcp_members, member);

    if (!ngx_ors_json_is(json, member[ngx_ors_mcp_member_jsonrpc], "2.0")) {
        return ngx_ors_mcp_invalid(&message->invalid, "is not JSON-RPC 2.0");
    }

    message->id = member[ngx_ors_mcp_member_id];

    if (message->id
        && message->id->type != ngx_ors_json_string
        && message->id->type != ngx_ors_json_number)
    {
        return ngx_ors_mcp_invalid(&message->invalid, "has no valid id");
    }

    message->method = member[ngx_ors_mcp_member_method];

    if (message->method && message->method->type != ngx_ors_json_string) {
        return ngx_ors_mcp_invalid(&message->invalid, "has no valid method");
    }

    if (message->method) {
        message->type = message->id ? ngx_ors_mcp_message_request
                                    : ngx_ors_mcp_message_notification;
        return NGX_OK;
    }

    message->result = member[ngx_ors_mcp_member_result];

    if (message->result && member[ngx_ors_mcp_member_error]) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has a result and an error");
    }

    if (message->result == NULL) {
        return ngx_ors_mcp_message_error_read(message,
                                             member[ngx_ors_mcp_member_error]);
    }

    if (message->result->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has a result that is no object");
    }

    message->type = ngx_ors_mcp_message_result;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_message_error_read(ngx_ors_mcp_message_t *message,
    ngx_ors_json_node_t *error)
{
    ngx_ors_json_node_t  *member[3];

    if (error == NULL || error->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has neither a result nor an error");
    }

    ngx_ors_json_members(message->json, error, ngx_ors_mcp_error_members,
                         member);

    /* a code that is no integer is none */

    if (ngx_ors_json_integer(message->json, member[0], &message->code)
        != NGX_OK)
    {
        message->code = 0;
    }

    message->type = ngx_ors_mcp_message_error;
    message->text = member[1];
    message->data = member[2];

    return NGX_OK;
}


ngx_uint_t
ngx_ors_mcp_message_answers(ngx_ors_mcp_message_t *message, uint64_t id)
{
    u_char      number[NGX_INT64_LEN];
    size_t      len;
    int64_t     value;
    ngx_int_t   rc;

    if (message->id == NULL
        || (message->type != ngx_ors_mcp_message_result
            && message->type != ngx_ors_mcp_message_error))
    {
        return 0;
    }

    if (message->id->type == ngx_ors_json_string) {
        len = ngx_sprintf(number, "%uL", id) - number;

        return ngx_ors_json_equal(message->json, message->id, number, len);
    }

    rc = ngx_ors_json_integer(message->json, message->id, &value);

    return rc == NGX_OK && value == (int64_t) id;
}
