
/*
 * Output items and their parts (protocol, sections 8 and 9).
 */


#ifndef _NGX_ORS_ITEM_H_INCLUDED_
#define _NGX_ORS_ITEM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_input.h>
#include <ngx_ors_text.h>


#define ngx_ors_item_value(name, as, ...)  ngx_ors_item_##as,

/* those with a hosted part come last */

typedef enum {
    NGX_ORS_ITEMS_PLAIN(ngx_ors_item_value)
    NGX_ORS_ITEMS_HOSTED(ngx_ors_item_value)
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
    ngx_str_t               name;
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


#endif /* _NGX_ORS_ITEM_H_INCLUDED_ */
