
/*
 * Contents of input items as contents of chat messages.
 */


#ifndef _NGX_ORS_CHAT_CONTENT_H_INCLUDED_
#define _NGX_ORS_CHAT_CONTENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_ors_json_t                *json;
    ngx_ors_out_t                 *out;
    ngx_pool_t                    *pool;
    ngx_ors_error_t               *err;
    ngx_ors_chat_target_t         *target;
    const ngx_ors_chat_options_t  *options;   /* of the target */

    /* the place of the content, for errors: input[item - prior].field */
    ngx_uint_t                     item;
    ngx_uint_t                     prior;       /* items that were stored */
    char                          *field;
} ngx_ors_chat_content_t;

#define ngx_ors_chat_get(json, object, name)                                  \
    ngx_ors_chat_member(json, object, (u_char *) name, sizeof(name) - 1)


/*
 * Each function below appends the value of "content" for one role; "node"
 * is the content of the item, a string or an array of parts, and NULL is
 * the empty string.
 *
 * NGX_OK         done
 * NGX_DECLINED   a part cannot be carried, cc->err says which and why
 * NGX_ERROR      no memory
 */

/* A string where there is only one text, else an array of parts. */
ngx_int_t ngx_ors_chat_user_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);

/*
 * The inside of a string, which many servers want from this role; NULL adds
 * nothing.
 */
ngx_int_t ngx_ors_chat_system_text(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);

/* A string or null, and the member "refusal" if there is one. */
ngx_int_t ngx_ors_chat_assistant_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node);

/*
 * A string, never empty for an array.  "*attached" becomes 1 if there are
 * parts which a tool message cannot hold, else it is left.
 */
ngx_int_t ngx_ors_chat_tool_content(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_uint_t *attached);

/*
 * Appends the parts of a tool's output that made "*attached" 1 as elements of a
 * user message's array; "*n" counts them from message to message.
 */
ngx_int_t ngx_ors_chat_attachments(ngx_ors_chat_content_t *cc,
    ngx_ors_json_node_t *node, ngx_uint_t *n);


/*
 * Fills cc->err with a 400 whose param is the item, its "field" if that is
 * not NULL, and the part "n" of it if that is not -1.  "text" is static and
 * follows the path in the message.
 *
 * Returns NGX_DECLINED, or NGX_ERROR if there is no memory.
 */
ngx_int_t ngx_ors_chat_refuse(ngx_ors_chat_content_t *cc, ngx_int_t n,
    ngx_ors_code_e code, char *text);

/*
 * The value of member "name", as ngx_ors_json_get(); null is as good as absent.
 */
ngx_ors_json_node_t *ngx_ors_chat_member(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, u_char *name, size_t len);

/*
 * Appends a value as it is in the document, a string with its quotes;
 * NULL is the empty string.
 */
void ngx_ors_chat_value(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/*
 * Outputs of tools that are parts in a string: some clients and proxies send a
 * tool's result as the text of its JSON, and an image in it would be a long
 * text to the model (E10).
 */


/*
 * Reads string "node" of "json" as an array of texts and images in which
 * there is an image.  "parts" becomes a document whose root is the array;
 * its text and nodes come from "pool".
 *
 * NGX_OK         "parts" is ready
 * NGX_DECLINED   it is a string like any other
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_embedded(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_ors_json_t *parts);


#endif /* _NGX_ORS_CHAT_CONTENT_H_INCLUDED_ */
