
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Tools of type "mcp" in a request: the servers they name, the filters on
 * their tools, and the approvals of calls in the input.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request_mcp.h>


typedef struct {
    ngx_ors_request_t        *req;
    ngx_ors_error_t          *err;
    ngx_ors_names_t          *labels;
} ngx_ors_mcps_reader_t;


typedef struct {
    ngx_ors_approvals_t      *found;
    ngx_ors_input_t          *input;
    ngx_uint_t                prior;
    ngx_pool_t               *pool;
    ngx_ors_error_t          *err;
} ngx_ors_approval_reader_t;


static ngx_int_t ngx_ors_mcp_read(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp);
static ngx_ors_json_node_t *ngx_ors_mcp_member(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name);
static ngx_int_t ngx_ors_mcp_label(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_mcp_approval(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_mcp_filter(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp, ngx_ors_json_node_t *node, char *field,
    ngx_ors_mcp_filter_t *filter);
static ngx_int_t ngx_ors_mcp_secrets(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp);
static ngx_int_t ngx_ors_mcp_names(ngx_ors_mcps_reader_t *mr,
    ngx_ors_request_mcp_t *mcp, ngx_ors_json_node_t *list, char *field,
    ngx_ors_mcp_filter_t *filter);
static ngx_int_t ngx_ors_mcp_name(ngx_ors_request_t *req,
    ngx_ors_names_t *names, ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_mcps_chosen(ngx_ors_request_mcps_t *mcps,
    ngx_ors_request_t *req);
static ngx_uint_t ngx_ors_mcp_matches(ngx_ors_mcp_filter_t *filter,
    ngx_str_t *name, ngx_uint_t read_only);
static ngx_int_t ngx_ors_approval_item(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_request(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_response(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_of(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i, ngx_ors_approval_t **approval);
static ngx_int_t ngx_ors_approval_unknown(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);


ngx_int_t
ngx_ors_request_mcps(ngx_ors_request_mcps_t *mcps, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_array_t             found;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *node;
    ngx_ors_mcps_reader_t   mr;
    ngx_ors_request_mcp_t  *mcp;

    ngx_memzero(mcps, sizeof(ngx_ors_request_mcps_t));
    ngx_memzero(&mr, sizeof(ngx_ors_mcps_reader_t));
    ngx_memzero(&found, sizeof(ngx_array_t));

    mr.req = req;
    mr.err = err;
    mr.labels = &mcps->labels;

    i = 0;
    json = &req->json;

    for (node = ngx_ors_json_first(json, req->field[ngx_ors_rq_tools]);
         node;
         node = ngx_ors_json_next(json, node), i++)
    {
        if (!ngx_ors_json_is(json, ngx_ors_json_find(json, node, "type"),
                             "mcp"))
        {
            continue;
        }

        if (found.elts == NULL
            && ngx_array_init(&found, req->pool, 4,
                              sizeof(ngx_ors_request_mcp_t))
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        mcp = ngx_array_push(&found);
        if (mcp == NULL) {
            return NGX_ERROR;
        }

        ngx_memzero(mcp, sizeof(ngx_ors_request_mcp_t));

        mcp->index = i;
        mcp->node = node;

        rc = ngx_ors_mcp_read(&mr, mcp);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    mcps->elts = found.elts;
    mcps->n = found.nelts;

    return ngx_ors_mcps_chosen(mcps, req);
}


static ngx_int_t
ngx_ors_mcp_read(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *allowed;

    json = &mr->req->json;

    mcp->url = ngx_ors_mcp_member(json, mcp->node, "server_url");
    mcp->connector = ngx_ors_mcp_member(json, mcp->node, "connector_id");
    mcp->authorization = ngx_ors_mcp_member(json, mcp->node, "authorization");
    mcp->headers = ngx_ors_mcp_member(json, mcp->node, "headers");

    if (mcp->connector == NULL) {
        mcp->connector = ngx_ors_mcp_member(json, mcp->node, "tunnel_id");
    }

    rc = ngx_ors_mcp_label(mr, mcp,
                           ngx_ors_json_find(json, mcp->node, "server_label"));
    if (rc != NGX_OK) {
        return rc;
    }

    allowed = ngx_ors_json_find(json, mcp->node, "allowed_tools");

    rc = (allowed && allowed->type == ngx_ors_json_array)
         ? ngx_ors_mcp_names(mr, mcp, allowed, "allowed_tools", &mcp->allowed)
         : ngx_ors_mcp_filter(mr, mcp, allowed, "allowed_tools",
                              &mcp->allowed);

    if (rc == NGX_OK) {
        rc = ngx_ors_mcp_approval(mr, mcp,
                                  ngx_ors_mcp_member(json, mcp->node,
                                                     "require_approval"));
    }

    return (rc == NGX_OK) ? ngx_ors_mcp_secrets(mr, mcp) : rc;
}


/* null is absent */

static ngx_ors_json_node_t *
ngx_ors_mcp_member(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    return (node && node->type != ngx_ors_json_null) ? node : NULL;
}


static ngx_int_t
ngx_ors_mcp_label(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp,
    ngx_ors_json_node_t *node)
{
    ngx_uint_t       n;
    ngx_ors_name_t  *label;

    if (node == NULL || node->type != ngx_ors_json_string || node->len == 0) {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, "server_label",
                                        ngx_ors_code_missing_required_parameter,
                                        "is required and names a server",
                                        mr->err);
    }

    if (ngx_ors_json_copy(&mr->req->json, node, mr->req->pool, &mcp->label)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    n = mr->labels->n;

    label = ngx_ors_names_entry(mr->labels, mr->req->pool, &mcp->label);
    if (label == NULL) {
        return NGX_ERROR;
    }

    if (mr->labels->n == n) {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, "server_label",
                                          ngx_ors_code_invalid_value,
                                          "is that of another tool", mr->err);
    }

    label->value = n;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_approval(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp,
    ngx_ors_json_node_t *node)
{
    ngx_int_t        rc;
    ngx_ors_json_t  *json;

    json = &mr->req->json;

    if (node == NULL) {
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, node, "always")) {
        mcp->approval = ngx_ors_mcp_approval_always;
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, node, "never")) {
        mcp->approval = ngx_ors_mcp_approval_never;
        return NGX_OK;
    }

    if (node->type != ngx_ors_json_object) {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, "require_approval",
                                          ngx_ors_code_invalid_value,
                                          "must be \"always\", \"never\" or "
                                          "an object", mr->err);
    }

    mcp->approval = ngx_ors_mcp_approval_filter;

    rc = ngx_ors_mcp_filter(mr, mcp, ngx_ors_json_find(json, node, "always"),
                            "require_approval.always", &mcp->always);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_mcp_filter(mr, mcp, ngx_ors_json_find(json, node, "never"),
                              "require_approval.never", &mcp->never);
}


static ngx_int_t
ngx_ors_mcp_filter(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp,
    ngx_ors_json_node_t *node, char *field, ngx_ors_mcp_filter_t *filter)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *names, *read_only;

    json = &mr->req->json;

    if (node == NULL || node->type == ngx_ors_json_null) {
        return NGX_OK;
    }

    names = ngx_ors_mcp_member(json, node, "tool_names");
    read_only = ngx_ors_mcp_member(json, node, "read_only");

    if (node->type != ngx_ors_json_object
        || (read_only && read_only->type != ngx_ors_json_true
            && read_only->type != ngx_ors_json_false))
    {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, field,
                                          ngx_ors_code_invalid_type,
                                          "must be an object with a list "
                                          "\"tool_names\" or a boolean "
                                          "\"read_only\"", mr->err);
    }

    filter->read_only = read_only;

    return names ? ngx_ors_mcp_names(mr, mcp, names, field, filter) : NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_names(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp,
    ngx_ors_json_node_t *list, char *field, ngx_ors_mcp_filter_t *filter)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &mr->req->json;

    if (list->type == ngx_ors_json_array
        && list->count > mr->req->limits->tools)
    {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, field,
                                          ngx_ors_code_array_above_max_length,
                                          "has more names than a request may "
                                          "have tools here", mr->err);
    }

    filter->named = 1;

    ngx_ors_json_each(node, json, list) {
        if (list->type != ngx_ors_json_array
            || node->type != ngx_ors_json_string)
        {
            break;
        }

        if (ngx_ors_mcp_name(mr->req, &filter->names, node) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (node || list->type != ngx_ors_json_array) {
        return ngx_ors_request_mcp_refuse(mr->req, mcp, field,
                                          ngx_ors_code_invalid_type,
                                          "must have a list of names",
                                          mr->err);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_name(ngx_ors_request_t *req, ngx_ors_names_t *names,
    ngx_ors_json_node_t *node)
{
    ngx_str_t  name;

    if (ngx_ors_json_copy(&req->json, node, req->pool, &name) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_names_entry(names, req->pool, &name) ? NGX_OK : NGX_ERROR;
}


/* a list names tools of a server all at once or, with "name", one by one */

static ngx_int_t
ngx_ors_mcps_chosen(ngx_ors_request_mcps_t *mcps, ngx_ors_request_t *req)
{
    ngx_str_t               label;
    ngx_uint_t              i;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *choice, *node, *name;
    ngx_ors_request_mcp_t  *mcp;

    json = &req->json;
    choice = req->field[ngx_ors_rq_tool_choice];

    if (!ngx_ors_json_is(json, ngx_ors_json_find(json, choice, "type"),
                         "allowed_tools"))
    {
        return NGX_OK;
    }

    for (i = 0; i < mcps->n; i++) {
        mcps->elts[i].listed = 1;
    }

    ngx_ors_json_each(node, json, ngx_ors_json_find(json, choice, "tools")) {
        if (!ngx_ors_json_is(json, ngx_ors_json_find(json, node, "type"),
                             "mcp"))
        {
            continue;
        }

        if (ngx_ors_json_copy(json,
                              ngx_ors_json_find(json, node, "server_label"),
                              req->pool, &label)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        mcp = ngx_ors_request_mcp_find(mcps, &label);

        if (mcp == NULL) {
            continue;
        }

        name = ngx_ors_mcp_member(json, node, "name");

        if (name == NULL) {
            mcp->whole = 1;

        } else if (ngx_ors_mcp_name(req, &mcp->chosen, name) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* one secret in two places: it is not clear which of them counts */

static ngx_int_t
ngx_ors_mcp_secrets(ngx_ors_mcps_reader_t *mr, ngx_ors_request_mcp_t *mcp)
{
    ngx_str_t             name;
    ngx_ors_json_node_t  *key;

    ngx_ors_json_each(key, &mr->req->json, mcp->headers) {
        if (key[1].type != ngx_ors_json_string) {
            return ngx_ors_request_mcp_refuse(mr->req, mcp, "headers",
                                              ngx_ors_code_invalid_type,
                                              "must be an object of strings",
                                              mr->err);
        }

        if (mcp->authorization == NULL) {
            continue;
        }

        if (ngx_ors_json_decoded(&mr->req->json, key, mr->req->pool, &name)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ngx_ors_same_case(&name, "Authorization")) {
            return ngx_ors_request_mcp_refuse(mr->req, mcp, "authorization",
                                              ngx_ors_code_invalid_value,
                                              "must not be there together "
                                              "with the header "
                                              "\"Authorization\"", mr->err);
        }
    }

    return NGX_OK;
}


ngx_ors_request_mcp_t *
ngx_ors_request_mcp_find(ngx_ors_request_mcps_t *mcps, ngx_str_t *label)
{
    ngx_ors_name_t  *name;

    name = ngx_ors_names_find(&mcps->labels, label);

    return name ? &mcps->elts[name->value] : NULL;
}


ngx_int_t
ngx_ors_request_mcp_refuse(ngx_ors_request_t *req, ngx_ors_request_mcp_t *mcp,
    char *field, ngx_ors_code_e code, char *text, ngx_ors_error_t *err)
{
    ngx_str_t  param;

    if (ngx_ors_str_printf(&param, req->pool, "tools[%ui]%s%s", mcp->index,
                           field ? "." : "", field ? field : "")
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_error_set(err, req->pool, code, "\"%V\" %s", &param, text);
    err->param = param;

    return NGX_DECLINED;
}


ngx_uint_t
ngx_ors_request_mcp_allows(ngx_ors_request_mcp_t *mcp, ngx_str_t *name,
    ngx_uint_t read_only)
{
    if (!mcp->allowed.named && mcp->allowed.read_only == NULL) {
        return 1;
    }

    return ngx_ors_mcp_matches(&mcp->allowed, name, read_only);
}


ngx_uint_t
ngx_ors_request_mcp_asks(ngx_ors_request_mcp_t *mcp, ngx_str_t *name,
    ngx_uint_t read_only, ngx_uint_t unset)
{
    switch (mcp->approval) {

    case ngx_ors_mcp_approval_unset:
        break;

    case ngx_ors_mcp_approval_always:
        return 1;

    case ngx_ors_mcp_approval_never:
        return 0;

    case ngx_ors_mcp_approval_filter:

        if (ngx_ors_mcp_matches(&mcp->always, name, read_only)) {
            return 1;
        }

        if (ngx_ors_mcp_matches(&mcp->never, name, read_only)) {
            return 0;
        }

        break;
    }

    return unset;
}


/* all that a filter says must be so; one that says nothing matches nothing */

static ngx_uint_t
ngx_ors_mcp_matches(ngx_ors_mcp_filter_t *filter, ngx_str_t *name,
    ngx_uint_t read_only)
{
    if (filter->named && ngx_ors_names_find(&filter->names, name) == NULL) {
        return 0;
    }

    if (filter->read_only) {
        return (filter->read_only->type == ngx_ors_json_true) == !!read_only;
    }

    return filter->named;
}


ngx_int_t
ngx_ors_request_mcp_choice(ngx_ors_mcp_choice_t *choice,
    ngx_ors_request_mcps_t *mcps, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_str_t             label;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    ngx_memzero(choice, sizeof(ngx_ors_mcp_choice_t));

    json = &req->json;
    node = req->field[ngx_ors_rq_tool_choice];

    if (!ngx_ors_json_is(json, ngx_ors_json_find(json, node, "type"), "mcp")) {
        return NGX_OK;
    }

    if (ngx_ors_json_copy(json, ngx_ors_json_find(json, node, "server_label"),
                          req->pool, &label)
        != NGX_OK
        || ngx_ors_json_copy(json, ngx_ors_json_find(json, node, "name"),
                             req->pool, &choice->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    choice->server = ngx_ors_request_mcp_find(mcps, &label);

    if (choice->server) {
        return NGX_OK;
    }

    ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                      "\"tool_choice.server_label\" is not that of a server "
                      "in \"tools\"");

    return ngx_ors_error_param(err, "tool_choice.server_label");
}


ngx_uint_t
ngx_ors_request_mcp_excluded(ngx_ors_request_mcp_t *mcp, ngx_str_t *name)
{
    return mcp->listed && !mcp->whole
           && ngx_ors_names_find(&mcp->chosen, name) == NULL;
}


/*
 * Requests for approval, paired with the responses to them and the calls that
 * were made.
 */


ngx_int_t
ngx_ors_approvals_read(ngx_ors_approvals_t *approvals, ngx_ors_input_t *input,
    ngx_uint_t prior, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t                   rc;
    ngx_uint_t                  i, n;
    ngx_ors_approval_reader_t   ar;

    ngx_memzero(approvals, sizeof(ngx_ors_approvals_t));

    /* requests and responses: most inputs have none */

    for (i = 0, n = 0; i < input->n; i++) {
        n += (input->items[i].kind == ngx_ors_input_approval
              || input->items[i].kind == ngx_ors_input_approval_response);
    }

    if (n == 0) {
        return NGX_OK;
    }

    approvals->elts = ngx_palloc(pool, n * sizeof(ngx_ors_approval_t));
    if (approvals->elts == NULL) {
        return NGX_ERROR;
    }

    ar.found = approvals;
    ar.input = input;
    ar.prior = prior;
    ar.pool = pool;
    ar.err = err;

    for (i = 0; i < input->n; i++) {
        rc = ngx_ors_approval_item(&ar, i);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    for (i = 0; i < approvals->n; i++) {
        approvals->napproved += (approvals->elts[i].state
                                 == ngx_ors_approval_approved);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_item(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_input_e      kind;
    ngx_ors_approval_t  *approval;

    kind = ar->input->items[i].kind;

    if (kind == ngx_ors_input_approval) {
        return ngx_ors_approval_request(ar, i);
    }

    if (kind == ngx_ors_input_approval_response) {
        return ngx_ors_approval_response(ar, i);
    }

    if (kind != ngx_ors_input_mcp_call) {
        return NGX_OK;
    }

    if (ngx_ors_approval_of(ar, i, &approval) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a call that was made is not made again */

    if (approval) {
        approval->state = ngx_ors_approval_over;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_request(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_name_t        *entry;
    ngx_ors_approval_t    *approval;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];
    approval = &ar->found->elts[ar->found->n];

    ngx_memzero(approval, sizeof(ngx_ors_approval_t));

    approval->item = i;

    if (ngx_ors_json_copy(item->json, ngx_ors_input_node(item, item->id),
                          ar->pool, &approval->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (approval->id.len) {
        entry = ngx_ors_names_entry(&ar->found->index, ar->pool,
                                    &approval->id);
        if (entry == NULL) {
            return NGX_ERROR;
        }

        if (entry->value) {
            ngx_ors_error_set(ar->err, ar->pool, ngx_ors_code_invalid_value,
                              "\"input\" and the conversation have an item "
                              "twice");
            ngx_ors_error_id(ar->err, ar->pool, &approval->id);

            return ngx_ors_error_param(ar->err, "input");
        }

        entry->value = ar->found->n + 1;
    }

    ar->found->n++;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_response(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_approval_t    *approval;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    if (ngx_ors_approval_of(ar, i, &approval) != NGX_OK) {
        return NGX_ERROR;
    }

    if (approval == NULL) {

        /* the request to a stored response may have been truncated */

        return (i < ar->prior) ? NGX_OK : ngx_ors_approval_unknown(ar, i);
    }

    if (approval->answer) {
        return NGX_OK;
    }

    approval->answer = i;

    item = &ar->input->items[i];

    node = ngx_ors_input_get(item, "approve");

    if (node == NULL || node->type != ngx_ors_json_true) {
        approval->state = ngx_ors_approval_declined;

    } else if (approval->state == ngx_ors_approval_open) {
        approval->state = (i < ar->prior) ? ngx_ors_approval_over
                                          : ngx_ors_approval_approved;
    }

    return NGX_OK;
}


/* the one that "approval_request_id" of item "i" names, or NULL */

static ngx_int_t
ngx_ors_approval_of(ngx_ors_approval_reader_t *ar, ngx_uint_t i,
    ngx_ors_approval_t **approval)
{
    ngx_str_t              id;
    ngx_ors_name_t        *entry;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];

    node = ngx_ors_input_get(item, "approval_request_id");

    if (ngx_ors_json_copy(item->json, node, ar->pool, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    entry = id.len ? ngx_ors_names_find(&ar->found->index, &id) : NULL;

    *approval = (entry && entry->value)
                ? &ar->found->elts[entry->value - 1] : NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_unknown(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_str_t              id;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];

    if (ngx_ors_json_decoded(item->json,
                             ngx_ors_input_get(item, "approval_request_id"),
                             ar->pool, &id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    i -= ar->prior;

    ngx_ors_error_set(ar->err, ar->pool, ngx_ors_code_item_not_found,
                      "\"input[%ui].approval_request_id\" is not the id of a "
                      "request for approval that precedes it", i);
    ngx_ors_error_id(ar->err, ar->pool, &id);

    return ngx_ors_str_printf(&ar->err->param, ar->pool,
                              "input[%ui].approval_request_id", i)
           == NGX_OK ? NGX_DECLINED : NGX_ERROR;
}


ngx_ors_approval_t *
ngx_ors_approval_find(ngx_ors_approvals_t *approvals, ngx_uint_t item)
{
    ngx_uint_t  left, right, mid;

    left = 0;
    right = approvals->n;

    while (left < right) {
        mid = (left + right) / 2;

        if (approvals->elts[mid].item < item) {
            left = mid + 1;

        } else {
            right = mid;
        }
    }

    return (left < approvals->n && approvals->elts[left].item == item)
           ? &approvals->elts[left] : NULL;
}


ngx_ors_json_node_t *
ngx_ors_approval_reason(ngx_ors_input_t *input, ngx_ors_approval_t *approval)
{
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    if (approval->answer == 0) {
        return NULL;
    }

    item = &input->items[approval->answer];

    node = ngx_ors_input_get(item, "reason");

    return (node && node->type == ngx_ors_json_string && node->len) ? node
                                                                    : NULL;
}
