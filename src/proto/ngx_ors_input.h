
/*
 * The items of a request's input, found once: of what kind each of them is,
 * and where its members are.
 */


#ifndef _NGX_ORS_INPUT_H_INCLUDED_
#define _NGX_ORS_INPUT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_names.h>


typedef enum {
    ngx_ors_input_other = 0,              /* of a type that is not below */
    ngx_ors_input_message,                /* also without a type */
    ngx_ors_input_text,                   /* no object: what the user says */
    ngx_ors_input_reference,              /* names an item that is stored */
    ngx_ors_input_call,                   /* function_call */
    ngx_ors_input_custom_call,            /* custom_tool_call */
    ngx_ors_input_output,                 /* of either call */
    ngx_ors_input_reasoning,
    ngx_ors_input_compaction,             /* also context_compaction */
    ngx_ors_input_trigger,                /* compaction_trigger */
    ngx_ors_input_tools,                  /* additional_tools */
    ngx_ors_input_search_call,            /* tool_search_call */
    ngx_ors_input_search_output,          /* tool_search_output */

    /* calls of hosted tools, with and without the slug */
    ngx_ors_input_mcp_list,               /* mcp_list_tools */
    ngx_ors_input_mcp_call,
    ngx_ors_input_approval,               /* mcp_approval_request */
    ngx_ors_input_approval_response,      /* mcp_approval_response */
    ngx_ors_input_hosted,                 /* a search, an interpreter */
    ngx_ors_input_own                     /* of an operator's type: one that */
                                          /* ends with "_call" and has */
                                          /* arguments */
} ngx_ors_input_e;


/* a row of the book */

typedef struct {
    ngx_str_t                  name;
    ngx_str_t                  slugged;   /* the name with the slug */
    ngx_str_t                  id;
    ngx_uint_t                 status;
    ngx_ors_input_e            kind;
} ngx_ors_item_row_t;


/*
 * An item; members are indexes of nodes, 0 where absent or null.  The item
 * may well be node 0: of a stored item that is referred to it is.
 */

typedef struct {
    ngx_ors_json_t            *json;      /* borrowed, the request's own or */
                                          /* that of a stored turn */
    ngx_ors_input_e            kind;
    uint32_t                   node;      /* the object itself */

    uint32_t                   type;
    uint32_t                   role;
    uint32_t                   id;
    uint32_t                   status;
    uint32_t                   content;
    uint32_t                   call_id;
    uint32_t                   name;
    uint32_t                   space;     /* "namespace" */
    uint32_t                   arguments;
    uint32_t                   output;
    uint32_t                   input;
    uint32_t                   summary;
    uint32_t                   encrypted; /* "encrypted_content" */
    uint32_t                   tools;
} ngx_ors_input_item_t;


/* zeroed memory has no items */

typedef struct {
    ngx_ors_input_item_t      *items;     /* in the order of the input */
    ngx_uint_t                 n;
} ngx_ors_input_t;


/* finds calls and outputs; zeroed but for "input" and "pool", borrowed */

typedef struct {
    ngx_ors_input_t           *input;
    ngx_pool_t                *pool;
    ngx_ors_names_t            names;     /* by call_id: item + 1 */
    ngx_uint_t                 nindexed;  /* items that are in "names" */
} ngx_ors_input_calls_t;

/* 1 if the item is the output of a call that the client has run. */
#define ngx_ors_input_is_output(item)                                         \
    (((item)->kind == ngx_ors_input_output                                    \
      || (item)->kind == ngx_ors_input_search_output) && (item)->call_id)

/* The last item, or NULL. */
#define ngx_ors_input_last(input)                                             \
    ((input)->n ? &(input)->items[(input)->n - 1] : NULL)

/* The node of a member, NULL where it is absent. */
#define ngx_ors_input_node(item, n)  ((n) ? &(item)->json->nodes[n] : NULL)

/* The node of the item, which is always there. */
#define ngx_ors_input_object(item)  (&(item)->json->nodes[(item)->node])

/* The node of a member that has no field above, NULL where it is absent. */
#define ngx_ors_input_get(item, name)                                         \
    ngx_ors_json_find((item)->json, ngx_ors_input_object(item), name)


/* all items, those of ngx_ors_item_type_e first; the last has no name */
extern ngx_ors_item_row_t  ngx_ors_items[];


/*
 * Finds the items of the array "list" of "json" and frees those that "input"
 * had; NULL, or anything but an array, has none.  NGX_OK or NGX_ERROR: no
 * memory in "pool".
 */
ngx_int_t ngx_ors_input_read(ngx_ors_input_t *input, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_pool_t *pool);

/* Fills "item" with what "node" of "json" is. */
void ngx_ors_input_item(ngx_ors_input_item_t *item, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/*
 * The row that "type", a string of "json", names, the last row if there is
 * none.  With "slug", the types of hosted tools may have it in front.
 */
ngx_ors_item_row_t *ngx_ors_item_row(ngx_ors_json_t *json,
    ngx_ors_json_node_t *type, ngx_uint_t slug);

/*
 * Makes "type", of an item of a call, the name of its tool: without the slug
 * and the end.  NGX_OK, or NGX_DECLINED: it is not that of a call.
 */
ngx_int_t ngx_ors_item_tool(ngx_str_t *type);

/*
 * Sets "*n" to the last call or output with "id", kept, in front of item "i",
 * which is not less than in earlier lookups: its number + 1, 0 if there is
 * none.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_input_called(ngx_ors_input_calls_t *calls, ngx_uint_t i,
    ngx_str_t *id, ngx_uint_t *n);

/*
 * Adds "in", whose document is written with "edits", to the index of a list
 * where it comes at offset "pos".
 */
void ngx_ors_input_index(ngx_ors_index_t *index, ngx_ors_input_item_t *in,
    ngx_ors_edits_t *edits, size_t pos);

/* Adds the items of "list", an array of "json" that "edits" do not change. */
void ngx_ors_input_index_list(ngx_ors_index_t *index, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_ors_edits_t *edits);

/* Adds an item without an id, of "len" bytes; "index" may be NULL. */
void ngx_ors_input_index_text(ngx_ors_index_t *index, size_t pos, size_t len);

/*
 * Secrets that a client sends for servers of tools: no other server gets them,
 * and they are never stored.
 */


/*
 * Adds edits that put null in the place of the secrets of "tools", a list of
 * them, or NULL.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_secrets_tools(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tools);

/* As ngx_ors_secrets_tools() for one tool. */
ngx_int_t ngx_ors_secrets_tool(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_json_node_t *tool);

/* As ngx_ors_secrets_tools() for the tools in the items of "input". */
ngx_int_t ngx_ors_secrets_input(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    ngx_ors_input_t *input);


#endif /* _NGX_ORS_INPUT_H_INCLUDED_ */
