
/*
 * Output items and their parts (protocol, sections 8 and 9).
 */


#ifndef _NGX_ORS_ITEM_H_INCLUDED_
#define _NGX_ORS_ITEM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_request.h>


#define ngx_ors_item_value(name, as, ...)  ngx_ors_item_##as,

/* those with a hosted part come last */

typedef enum {
    NGX_ORS_ITEMS_PLAIN(ngx_ors_item_value)
    NGX_ORS_ITEMS_HOSTED(ngx_ors_item_value)
    ngx_ors_item_own                      /* of an operator's type */
} ngx_ors_item_type_e;


typedef enum {
    ngx_ors_item_in_progress = 0,
    ngx_ors_item_busy,                    /* calling, searching, ... */
    ngx_ors_item_completed,
    ngx_ors_item_incomplete,
    ngx_ors_item_failed                   /* of a hosted tool */
} ngx_ors_item_status_e;


#define ngx_ors_part_value(type, ...)  ngx_ors_part_##type,

typedef enum {
    NGX_ORS_PARTS(ngx_ors_part_value)
} ngx_ors_part_type_e;


typedef struct ngx_ors_element_s  ngx_ors_element_t;
typedef struct ngx_ors_part_s  ngx_ors_part_t;
typedef struct ngx_ors_item_s  ngx_ors_item_t;
typedef struct ngx_ors_hosted_s  ngx_ors_hosted_t;


/* elements of an array, with commas between them */

struct ngx_ors_element_s {
    ngx_str_t               text;
    ngx_ors_element_t      *next;
};


/* zeroed memory is an empty list */

typedef struct {
    ngx_ors_element_t      *first;
    ngx_ors_element_t      *last;
    ngx_uint_t              n;
} ngx_ors_elements_t;


struct ngx_ors_part_s {
    ngx_ors_part_type_e     type;
    ngx_uint_t              index;      /* content_index or summary_index */
    ngx_ors_text_t          text;       /* inside of a JSON string */

    /* output_text */
    ngx_ors_elements_t      annotations;    /* one in each element */
    ngx_ors_elements_t      logprobs;
    ngx_ors_element_t      *unsent;     /* the first that is in no event */

    ngx_ors_part_t         *next;
};


struct ngx_ors_item_s {
    ngx_ors_item_type_e     type;
    ngx_ors_item_status_e   status;
    ngx_uint_t              index;      /* output_index, once announced */
    ngx_str_t               id;

    /* calls: insides of JSON strings */
    ngx_str_t               call_id;
    ngx_str_t               name;       /* of an operator's type: its own */
    ngx_str_t               space;      /* namespace of the name, or empty */
    ngx_ors_text_t          arguments;  /* of a custom tool: its input; of */
                                        /* a search, once closed: JSON; */
                                        /* of an interpreter: its code */

    ngx_ors_tool_t         *tool;       /* that runs the call, or NULL */
    ngx_str_t               schema;     /* of the arguments, JSON, or empty */
    ngx_str_t               fault;      /* text for the model where */
                                        /* it does not match, or empty */

    /* output of a call: inside of a JSON string */
    ngx_ors_text_t          output;

    /* of the types that have one */
    ngx_ors_hosted_t       *hosted;

    /* message, reasoning: in their order; "last" may be open */
    ngx_ors_part_t         *parts;
    ngx_ors_part_t         *last;

    /* reasoning, compaction */
    ngx_ors_text_t          hidden;     /* hidden text, as in a part */
    ngx_str_t               sealed;     /* "encrypted_content", or empty */

    ngx_ors_item_t         *next;
    unsigned                announced:1;
    unsigned                whole:1;    /* nothing can follow its arguments */
    unsigned                wrapped:1;  /* still arguments of a function */
    unsigned                dropped:1;  /* a call that no client sees */
    unsigned                hidden_call:1;  /* the same, but the model does */
    unsigned                held:1;     /* no client sees it yet */
    unsigned                state:1;    /* "hidden" is provider state, JSON */
};


#define ngx_ors_item_is_call(item)                                            \
    ((item)->type == ngx_ors_item_function_call                               \
     || (item)->type == ngx_ors_item_custom_call                              \
     || (item)->type == ngx_ors_item_search_call)


#define ngx_ors_item_is_open(item)                                            \
    ((item)->status == ngx_ors_item_in_progress                               \
     || (item)->status == ngx_ors_item_busy)


/* The name of a type, static text. */
#define ngx_ors_item_type(type)  (&ngx_ors_items[type].name)


typedef enum {
    ngx_ors_hosted_list_error = 0,        /* no list of tools: a string */
    ngx_ors_hosted_protocol_error,        /* "code" is that of JSON-RPC */
    ngx_ors_hosted_tool_error,            /* reported by the tool itself */
    ngx_ors_hosted_http_error             /* "code" is a status */
} ngx_ors_hosted_error_e;


/*
 * Members of items of tools that run here only.  Texts are borrowed, JSON is
 * not checked.
 */

struct ngx_ors_hosted_s {
    ngx_str_t               slug;         /* in front of the type, or empty */
    ngx_str_t               label;        /* inside of a JSON string */
    ngx_str_t               container;    /* the same, of an interpreter */
    ngx_str_t               approval;     /* id of its request, or empty */
    ngx_str_t               value;        /* JSON or empty: tools of a list, */
                                          /* action, queries of a search */
    ngx_str_t               results;      /* JSON or empty: sources, results */
                                          /* or outputs */
    ngx_str_t               error;        /* JSON or empty: null */

    ngx_ors_item_status_e   ended;        /* how, in_progress: it runs */

    unsigned                answered:1;   /* its output is not null */
    unsigned                included:1;   /* the client sees "results" */
};


/*
 * Calls of hosted types: the JSON that a location gets and answers with, and
 * the members of an item that show both.
 *
 * A location gets {"arguments": what the model wrote, "tool": the client's
 * tool}.  It answers with a text, or with an object that has "output", the
 * text for the model, and "sources", "results" or "outputs", a list for the
 * client.
 */

typedef struct {
    ngx_ors_hosted_type_e    type;
    ngx_ors_limits_t        *limits;
    ngx_pool_t              *pool;
} ngx_ors_hosted_call_t;


typedef struct {
    ngx_str_t                text;        /* for the model, UTF-8 */
    ngx_str_t                results;     /* JSON list, or empty */
    ngx_str_t                list;        /* the same as it came, borrowed */
} ngx_ors_hosted_result_t;


/* The item's type without a slug. */
ngx_str_t *ngx_ors_item_name(ngx_ors_item_t *item);

/* The name of an item's status, static text. */
ngx_str_t *ngx_ors_item_status(ngx_ors_item_t *item);

/*
 * Appends the item as a JSON object, with all that it holds by now or, for
 * the event that announces it, empty.
 */
void ngx_ors_item_render(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);

/*
 * The offset of the inside of the item's id in what ngx_ors_item_render()
 * appends.
 */
size_t ngx_ors_item_id(ngx_ors_item_t *item);

/*
 * Appends an element to a list.  Its text is borrowed and must live as long as
 * what the list is rendered to.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_element_add(ngx_ors_elements_t *list, ngx_pool_t *pool,
    ngx_str_t *text);

/* Appends "element" and all after it as an array; NULL is an empty one. */
void ngx_ors_element_render(ngx_ors_out_t *out, ngx_ors_element_t *element);

/*
 * Appends the part as a JSON object, with its text or, for the event that
 * announces it, empty.
 */
void ngx_ors_part_render(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_uint_t empty);

/*
 * Types of hosted tools that a client names by their type alone.
 */


/* The type that an operator calls "name", or that of functions. */
ngx_ors_hosted_type_e ngx_ors_hosted_type(ngx_str_t *name);

/*
 * 1 if "tool" is the one that clients mean by "type", a member of theirs, whose
 * text may end with a date, or NULL.
 */
ngx_uint_t ngx_ors_hosted_type_is(ngx_ors_tool_t *tool, ngx_ors_json_t *json,
    ngx_ors_json_node_t *type);

/* Default definition of a hosted tool: JSON, static text. */
ngx_str_t *ngx_ors_hosted_type_definition(ngx_ors_hosted_type_e type);

/* The type of an item for a call of the tool. */
ngx_ors_item_type_e ngx_ors_hosted_type_item(ngx_ors_hosted_type_e type);

/*
 * The tool that a client's tool of "type" means, NULL for none and for
 * functions.
 */
ngx_ors_tool_t *ngx_ors_hosted_type_find(ngx_ors_hosting_t *hosting,
    ngx_ors_json_t *json, ngx_ors_json_node_t *type);

/* The first tool in "tools" of the request that means "tool", or NULL. */
ngx_ors_json_node_t *ngx_ors_hosted_type_asked(ngx_ors_request_t *req,
    ngx_ors_tool_t *tool);

/*
 * Gives an item of a call of "tool", NULL: of an MCP server, its empty hosted
 * part, from req->pool.  It is the one place that decides how the client sees
 * such an item: flavor "openai" has types for some of them, all others have a
 * slug and no events, and one that is not shown is marked as dropped; and on
 * what "include" adds.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_create(ngx_ors_item_t *item, ngx_ors_request_t *req,
    ngx_ors_tool_t *tool);

/*
 * Sets the error of an item; "text" is the inside of a JSON string, copied.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_error(ngx_ors_hosted_t *hosted, ngx_pool_t *pool,
    ngx_ors_hosted_error_e type, ngx_int_t code, ngx_str_t *text);

/* Memory of all that is set comes from call->pool, or is borrowed. */

/*
 * Sets "body" to what the location gets: "arguments" is a JSON object, and
 * "tool" the client's.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_call_body(ngx_ors_hosted_call_t *call,
    ngx_str_t *arguments, ngx_str_t *tool, ngx_str_t *body);

/*
 * Sets "value" to what an item shows of the arguments: the action or the
 * queries of a search, JSON, or code, the inside of a JSON string; empty if
 * there is none.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_hosted_call_value(ngx_ors_hosted_call_t *call,
    ngx_str_t *arguments, ngx_str_t *value);

/*
 * Reads "text", UTF-8, what the location has answered.
 *
 * NGX_OK         "result" is set
 * NGX_DECLINED   it is an object with a list that clients could not read
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_hosted_call_result(ngx_ors_hosted_call_t *call,
    ngx_str_t *text, ngx_ors_hosted_result_t *result);


#endif /* _NGX_ORS_ITEM_H_INCLUDED_ */
