
/*
 * Hosted tools: functions whose calls run here, each in a location, and what
 * one response may spend on them.
 */


#ifndef _NGX_ORS_HOSTING_H_INCLUDED_
#define _NGX_ORS_HOSTING_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_names.h>


typedef struct ngx_ors_mcp_function_s  ngx_ors_mcp_function_t;


/* types of tools that a location, or a tool of an MCP server, can implement */

#define ngx_ors_hosted_type_value(name, as, ...)  ngx_ors_hosted_type_##as,

typedef enum {
    ngx_ors_hosted_type_none = 0,         /* a function */
    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_type_value)
    ngx_ors_hosted_type_own,              /* of the operator's */
    ngx_ors_hosted_types
} ngx_ors_hosted_type_e;


typedef enum {
    ngx_ors_tool_items = 0,
    ngx_ors_tool_plain,                   /* without the slug, if it is of an */
                                          /* operator's type */
    ngx_ors_tool_none
} ngx_ors_tool_show_e;


typedef struct ngx_ors_tool_s  ngx_ors_tool_t;

struct ngx_ors_tool_s {
    ngx_str_t                name;        /* of the function */
    ngx_ors_hosted_type_e    type;
    ngx_str_t                types[2];    /* that clients declare: the name */
                                          /* with a slug; and alone, or empty */
    ngx_ors_tool_t          *typed;       /* of a function: itself, as a */
                                          /* type, or NULL */
    ngx_str_t                function;    /* JSON, as chat servers get it, */
                                          /* empty: the client declares it */
    ngx_str_t                parameters;  /* JSON Schema in it, or empty */
    ngx_str_t                uri;         /* of its location */
    ngx_str_t                args;
    ngx_str_t                label;       /* of an MCP server in place of a */
    ngx_str_t                remote;      /* location, and its tool, or empty */
    ngx_msec_t               timeout;     /* of a call */
    ngx_ors_mcp_function_t  *mcp;         /* of an MCP server, or NULL */
    ngx_uint_t               hidden;      /* clients do not see its calls */
    ngx_uint_t               show;        /* ngx_ors_tool_show_e */
    ngx_uint_t               defined;     /* of a type, by "definition=" */
};


typedef struct {
    ngx_array_t       *tools;         /* of ngx_ors_tool_t, NULL: none */
    ngx_ors_names_t   *names;         /* values: places in "tools"; NULL: */
                                      /* they are few */
    ngx_array_t       *servers;       /* of MCP, as a request may name them, */
                                      /* NULL: none */
    ngx_array_t       *prefixes;      /* of ngx_keyval_t, what their labels */
                                      /* are in names of functions, or NULL */
    ngx_ors_tool_t    *forced;        /* "tool_choice" names it, or NULL */
    unsigned           required:1;    /* ... a server, one of its tools */
    ngx_uint_t         max_calls;     /* in all rounds of a response */
    ngx_uint_t         max_rounds;    /* in which tools run */
} ngx_ors_hosting_t;


/*
 * Names of functions as chat servers take them: [A-Za-z0-9_-], 64 at most.
 */

#define NGX_ORS_TOOL_NAME_MAX  64


/* The tool called "name", plain text, or NULL; "hosting" may be NULL. */
ngx_ors_tool_t *ngx_ors_hosting_find(ngx_ors_hosting_t *hosting,
    ngx_str_t *name);

/* Prefix of the names of calls of the MCP server "label". */
ngx_str_t *ngx_ors_hosting_prefix(ngx_ors_hosting_t *hosting,
    ngx_str_t *label);

/*
 * Sets "sent" to the name upstream of tool "name" of the server "label": both
 * with "__" between them, if that is legal.  Else other bytes become "_", and
 * a hash of the whole is at the end.  Each pair has the same name in every
 * request, and no other pair has it.
 *
 * NGX_OK or NGX_ERROR: no memory in "pool".
 */
ngx_int_t ngx_ors_tool_name(ngx_str_t *label, ngx_str_t *name,
    ngx_pool_t *pool, ngx_str_t *sent);

/*
 * Makes the text from "p" up to "last", which may change, a legal name: other
 * bytes become "_", and one that is too long ends with a hash of what it was.
 * Returns the new end.
 */
u_char *ngx_ors_tool_name_legal(u_char *p, u_char *last);


#endif /* _NGX_ORS_HOSTING_H_INCLUDED_ */
