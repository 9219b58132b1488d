
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The job that stores a turn: its record, the names of its items and its
 * conversation; the load of items that an input only names.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_session.h>


/* output block of a record */
#define NGX_ORS_SESSION_BLOCK  1024


static ngx_int_t ngx_ors_session_record_value(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job, ngx_ors_record_status_e status);
static ngx_int_t ngx_ors_session_record_table(ngx_ors_session_t *session,
    ngx_ors_index_t *index);
static u_char *ngx_ors_session_record_copy(u_char *p, ngx_chain_t *cl);
static ngx_int_t ngx_ors_session_conversation_entry(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry);
static ngx_int_t ngx_ors_session_record_names(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);
static ngx_uint_t ngx_ors_session_refs_indexed(ngx_ors_session_t *session,
    ngx_ors_ref_t *ref);
static ngx_int_t ngx_ors_session_refs_owners(ngx_ors_session_t *session);
static ngx_int_t ngx_ors_session_refs_chained(ngx_ors_session_t *session);
static int ngx_libc_cdecl ngx_ors_session_refs_compare(const void *one,
    const void *two);
static ngx_int_t ngx_ors_session_refs_turns(ngx_ors_session_t *session,
    ngx_uint_t n);
static ngx_uint_t ngx_ors_session_refs_parts(ngx_ors_session_owner_t *owner);
static ngx_int_t ngx_ors_session_refs_find(ngx_ors_session_t *session,
    ngx_ors_session_owner_t *owner);
static ngx_int_t ngx_ors_session_refs_unknown(ngx_ors_session_t *session,
    ngx_ors_ref_t *ref);


ngx_ors_store_job_t *
ngx_ors_session_record(ngx_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare)
{
    time_t                expires;
    ngx_uint_t            i, moves;
    ngx_ors_store_job_t  *job;
    ngx_ors_store_key_t  *touch;

    /* a conversation goes on from a turn that has ended */

    moves = session->conversation.id.len
            && (status == ngx_ors_record_completed
                || status == ngx_ors_record_incomplete);

    job = ngx_ors_store_job(session->store, ngx_ors_store_put,
                            session->touch.nelts + 1 + moves + spare);
    if (job == NULL) {
        return NULL;
    }

    /* its ancestors live on with it */

    expires = ngx_time() + session->store->ttl;

    touch = session->touch.elts;

    for (i = 0; i < session->touch.nelts; i++) {
        job->entries[i].key = touch[i];
        job->entries[i].expires = expires;
    }

    job->entries[i].expires = expires;

    if (ngx_ors_session_record_value(session, job, status) != NGX_OK
        || (moves
            && ngx_ors_session_conversation_entry(session, &job->entries[i + 1])
               != NGX_OK)
        || (session->turn->inline_context && !job->large
            && ngx_ors_session_record_names(session, job) != NGX_OK))
    {
        ngx_ors_store_release(job);
        return NULL;
    }

    return job;
}


static ngx_int_t
ngx_ors_session_record_value(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job, ngx_ors_record_status_e status)
{
    u_char                 *p;
    ngx_chain_t            *cl, *ln;
    ngx_ors_out_t           input, response;
    ngx_ors_turn_t         *turn;
    ngx_ors_index_t         index[2];
    ngx_ors_record_t       *rec;
    ngx_ors_store_entry_t  *entry;

    turn = session->turn;
    entry = &job->entries[session->touch.nelts];

    ngx_ors_out_init(&input, session->pool, NGX_ORS_SESSION_BLOCK);
    ngx_ors_out_init(&response, session->pool, NGX_ORS_SESSION_BLOCK);

    ngx_ors_index_init(&index[0], session->pool);
    ngx_ors_index_init(&index[1], session->pool);

    if (ngx_ors_turn_record(turn, session->instructions, &input, &response,
                            index)
        != NGX_OK
        || ngx_ors_key(session->scope, ngx_ors_key_response,
                       &turn->response.id, &entry->key)
           != NGX_OK
        || ngx_ors_session_record_table(session, index) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rec = &session->record;

    rec->status = status;
    rec->created = turn->response.created_at;
    rec->input.len = input.size;
    rec->response.len = response.size;
    rec->output = turn->response.output;
    rec->output_len = turn->response.output_len;

    rec->journal.data = turn->journal.data;
    rec->journal.len = turn->journal.len;

    entry->value.len = ngx_ors_record_size(rec);

    if (entry->value.len > session->store->record) {
        ngx_str_null(&entry->value);
        job->large = 1;
        return NGX_OK;
    }

    entry->value.data = ngx_pnalloc(job->pool, entry->value.len);

    if (entry->value.data == NULL || ngx_ors_out_take(&input, &cl) != NGX_OK
        || ngx_ors_out_take(&response, &ln) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_ors_record_head(rec, entry->value.data);
    p = ngx_ors_session_record_copy(p, cl);
    p = ngx_ors_session_record_copy(p, ln);

    if (rec->journal.len) {
        ngx_memcpy(p, rec->journal.data, rec->journal.len);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_record_table(ngx_ors_session_t *session,
    ngx_ors_index_t *index)
{
    u_char            *p;
    ngx_ors_record_t  *rec;

    rec = &session->record;

    rec->ninput = index[0].n;
    rec->noutput = index[1].n;

    rec->table = ngx_pnalloc(session->pool, (rec->ninput + rec->noutput)
                                            * NGX_ORS_RECORD_ITEM + 1);

    if (rec->table == NULL || index[0].failed || index[1].failed) {
        return NGX_ERROR;
    }

    p = ngx_ors_record_table(&index[0], rec->table);
    (void) ngx_ors_record_table(&index[1], p);

    return NGX_OK;
}


static u_char *
ngx_ors_session_record_copy(u_char *p, ngx_chain_t *cl)
{
    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return p;
}


/* an id that another server has made does not name its turn: an entry does */

static ngx_int_t
ngx_ors_session_record_names(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    ngx_str_t               id;
    ngx_uint_t              i;
    ngx_ors_json_t          json;
    ngx_ors_index_t         index;
    ngx_ors_record_t        rec;
    ngx_ors_store_entry_t  *entry, *last;

    last = &job->entries[session->touch.nelts];

    if (ngx_ors_record_read(&rec, &last->value) != NGX_OK
        || ngx_ors_record_items(&rec, NGX_ORS_STORE_OUTPUT, job->pool, &index)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    entry = ngx_pcalloc(job->pool, (job->n + index.n)
                                   * sizeof(ngx_ors_store_entry_t));
    if (entry == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(entry, job->entries, job->n * sizeof(ngx_ors_store_entry_t));

    job->entries = entry;

    ngx_ors_json_init(&json, job->pool, 1, 1);

    for (i = 0; i < index.n; i++) {

        if (index.items[i].id_len == 0) {
            continue;
        }

        entry = &job->entries[job->n++];

        if (ngx_ors_stored_id(&index, &index.items[i], &json, &id) != NGX_OK
            || ngx_ors_key(session->scope, ngx_ors_key_item, &id, &entry->key)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        entry->value.len = NGX_ORS_STORE_KEY;
        entry->value.data = last->key.name;
        entry->expires = last->expires;
    }

    return NGX_OK;
}


/* Conversations: names of chains. */


static ngx_int_t
ngx_ors_session_conversation_entry(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry)
{
    ngx_ors_conversation_t  *conversation;

    conversation = &session->conversation;
    conversation->head = session->turn->response.id;

    entry->expires = ngx_time() + session->store->ttl;

    if (ngx_ors_key(session->scope, ngx_ors_key_conversation,
                    &conversation->id, &entry->key)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_conversation_write(conversation, session->pool,
                                      &entry->value);
}


ngx_int_t
ngx_ors_conversation_read(ngx_ors_conversation_t *conversation,
    ngx_str_t *value, ngx_pool_t *pool)
{
    int64_t               created;
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *metadata;

    if (ngx_ors_str_copy(&text, pool, value) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH, text.len + 1);

    rc = ngx_ors_json_read(&json, text.data, text.len);

    if (rc != NGX_OK) {
        return rc;
    }

    metadata = ngx_ors_json_find(&json, json.nodes, "metadata");

    if (metadata == NULL || metadata->type != ngx_ors_json_object
        || ngx_ors_json_integer(&json, ngx_ors_json_find(&json, json.nodes,
                                                         "created_at"),
                                &created)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    conversation->created = (time_t) created;

    ngx_ors_json_raw(&json, metadata, &conversation->metadata);
    ngx_ors_json_inner(&json, ngx_ors_json_find(&json, json.nodes, "head"),
                       &conversation->head);

    return NGX_OK;
}


/* the id of a response that was made here has no escapes */

ngx_int_t
ngx_ors_conversation_write(ngx_ors_conversation_t *conversation,
    ngx_pool_t *pool, ngx_str_t *value)
{
    return ngx_ors_str_printf(value, pool,
                              "{\"created_at\":%T,\"metadata\":%V,"
                              "\"head\":\"%V\"}",
                              conversation->created, &conversation->metadata,
                              &conversation->head);
}


void
ngx_ors_conversation_render(ngx_ors_conversation_t *conversation,
    ngx_ors_out_t *out)
{
    ngx_ors_out_lit(out, "{\"id\":");
    ngx_ors_json_quote(out, conversation->id.data, conversation->id.len);
    ngx_ors_out_lit(out, ",\"object\":\"conversation\",\"created_at\":");
    ngx_ors_out_int(out, conversation->created);
    ngx_ors_out_lit(out, ",\"metadata\":");
    ngx_ors_out_str(out, &conversation->metadata);
    ngx_ors_out_lit(out, "}");
}


/* Loads the items that the input of a session's request only names. */


/* an id that was made here names its turn, the store knows those of others */

ngx_int_t
ngx_ors_session_refs_names(ngx_ors_session_t *session)
{
    ngx_uint_t            i;
    ngx_ors_ref_t       **refs;
    ngx_ors_store_key_t   key;

    refs = session->refs.sorted;

    for (i = 0; i < session->refs.nsorted; i++) {

        if (refs[i]->turn.len == NGX_ORS_ID_LEN) {

            if (ngx_ors_key_turn(session->scope, &refs[i]->turn, &key)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            ngx_memcpy(refs[i]->owner, key.name, NGX_ORS_STORE_KEY);
        }

        session->nnames += ngx_ors_session_refs_indexed(session, refs[i]);
    }

    return NGX_OK;
}


/* ids that another server has made may look as if they were made here */

static ngx_uint_t
ngx_ors_session_refs_indexed(ngx_ors_session_t *session, ngx_ors_ref_t *ref)
{
    return session->turn->inline_context || ref->turn.len == 0;
}


ngx_int_t
ngx_ors_session_refs_load(ngx_ors_session_t *session)
{
    ngx_ors_store_job_t  *job;

    if (session->nnames == 0) {
        return ngx_ors_session_refs_owners(session);
    }

    job = ngx_ors_store_job(session->store, ngx_ors_store_get,
                            session->nnames);
    if (job == NULL) {
        return NGX_ERROR;
    }

    session->job = job;
    session->state = ngx_ors_session_st_names;

    return (ngx_ors_session_refs_keys(session, job->entries) == NGX_OK)
           ? NGX_AGAIN : NGX_ERROR;
}


ngx_int_t
ngx_ors_session_refs_keys(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry)
{
    ngx_uint_t       i;
    ngx_ors_ref_t  **refs;

    refs = session->refs.sorted;

    for (i = 0; i < session->refs.nsorted; i++) {

        if (!ngx_ors_session_refs_indexed(session, refs[i])) {
            continue;
        }

        if (ngx_ors_key(session->scope, ngx_ors_key_item, &refs[i]->id,
                        &entry->key)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        entry++;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_session_refs_named(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry)
{
    ngx_str_t       *value;
    ngx_uint_t       i;
    ngx_ors_ref_t  **refs;

    refs = session->refs.sorted;

    for (i = 0; i < session->refs.nsorted; i++) {

        if (!ngx_ors_session_refs_indexed(session, refs[i])) {
            continue;
        }

        value = &entry++->value;

        if (value->len == NGX_ORS_STORE_KEY) {
            ngx_memcpy(refs[i]->owner, value->data, NGX_ORS_STORE_KEY);

        } else if (refs[i]->turn.len == 0) {
            return ngx_ors_session_refs_unknown(session, refs[i]);
        }
    }

    return ngx_ors_session_refs_owners(session);
}


/* each turn that has an item is loaded once, and searched once */

static ngx_int_t
ngx_ors_session_refs_owners(ngx_ors_session_t *session)
{
    ngx_int_t                 n;
    ngx_uint_t                i;
    ngx_ors_ref_t           **refs;
    ngx_ors_session_owner_t  *owner;

    ngx_ors_refs_group(&session->refs);

    refs = session->refs.sorted;

    session->owners = ngx_pcalloc(session->pool,
                                  session->refs.nsorted
                                  * sizeof(ngx_ors_session_owner_t));
    if (session->owners == NULL) {
        return NGX_ERROR;
    }

    owner = session->owners;

    for (i = 0; i < session->refs.nsorted; i++) {

        if (i && ngx_memcmp(refs[i]->owner, refs[i - 1]->owner,
                            NGX_ORS_STORE_KEY)
                 != 0)
        {
            owner++;
        }

        if (owner->n++ == 0) {
            owner->refs = &refs[i];
            session->nowners++;
        }
    }

    n = ngx_ors_session_refs_chained(session);

    if (n == NGX_ERROR) {
        return NGX_ERROR;
    }

    return n ? ngx_ors_session_refs_turns(session, n)
             : ngx_ors_session_refs_loaded(session);
}


/* finds the owners in the chain; the number of all others, or NGX_ERROR */

static ngx_int_t
ngx_ors_session_refs_chained(ngx_ors_session_t *session)
{
    ngx_int_t                 rc;
    ngx_uint_t                i, j, n;
    ngx_ors_store_job_t      *chain;
    ngx_ors_store_entry_t   **entries;
    ngx_ors_session_owner_t  *owner;

    chain = session->chain;

    if (chain == NULL) {
        return session->nowners;
    }

    entries = ngx_palloc(session->pool,
                         chain->n * sizeof(ngx_ors_store_entry_t *));
    if (entries == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < chain->n; i++) {
        entries[i] = &chain->entries[i];
    }

    ngx_qsort(entries, chain->n, sizeof(ngx_ors_store_entry_t *),
              ngx_ors_session_refs_compare);

    /* the owners are in the same order */

    n = session->nowners;
    j = 0;

    for (i = 0; i < session->nowners; i++) {
        owner = &session->owners[i];
        rc = 1;

        while (j < chain->n) {
            rc = ngx_memcmp(entries[j]->key.name, owner->refs[0]->owner,
                            NGX_ORS_STORE_KEY);
            if (rc >= 0) {
                break;
            }

            j++;
        }

        if (rc == 0) {
            owner->entry = entries[j];
            owner->chained = 1;
            n--;
        }
    }

    return n;
}


static int ngx_libc_cdecl
ngx_ors_session_refs_compare(const void *one, const void *two)
{
    ngx_ors_store_entry_t  *first, *second;

    first = *(ngx_ors_store_entry_t * const *) one;
    second = *(ngx_ors_store_entry_t * const *) two;

    return ngx_memcmp(first->key.name, second->key.name, NGX_ORS_STORE_KEY);
}


static ngx_int_t
ngx_ors_session_refs_turns(ngx_ors_session_t *session, ngx_uint_t n)
{
    size_t                    max;
    ngx_uint_t                i;
    ngx_ors_store_job_t      *job;
    ngx_ors_store_entry_t    *entry;
    ngx_ors_session_owner_t  *owner;

    job = ngx_ors_store_job(session->store, ngx_ors_store_get, n);
    if (job == NULL) {
        return NGX_ERROR;
    }

    session->job = job;

    entry = job->entries;

    for (i = 0; i < session->nowners; i++) {
        owner = &session->owners[i];

        if (owner->chained) {
            continue;
        }

        ngx_memcpy(entry->key.scope, session->scope, NGX_ORS_STORE_KEY);
        ngx_memcpy(entry->key.name, owner->refs[0]->owner, NGX_ORS_STORE_KEY);

        entry->parts = ngx_ors_session_refs_parts(owner);
        owner->entry = entry++;
    }

    /* a chain that is cut to a budget is loaded with its beginning */

    max = session->turn->request.limits->context;

    if (session->context.budget == 0) {
        max -= ngx_min(max, session->size);
    }

    job->max_size = ngx_max(max, 1);

    session->state = ngx_ors_session_st_items;

    return NGX_AGAIN;
}


static ngx_uint_t
ngx_ors_session_refs_parts(ngx_ors_session_owner_t *owner)
{
    ngx_uint_t  i;

    for (i = 0; i < owner->n; i++) {

        if (owner->refs[i]->number >= 0) {
            return NGX_ORS_STORE_INPUT|NGX_ORS_STORE_OUTPUT;
        }
    }

    return NGX_ORS_STORE_OUTPUT;
}


ngx_int_t
ngx_ors_session_refs_loaded(ngx_ors_session_t *session)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    for (i = 0; i < session->nowners; i++) {
        rc = ngx_ors_session_refs_find(session, &session->owners[i]);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    session->context.refs = session->refs.elts;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_refs_find(ngx_ors_session_t *session,
    ngx_ors_session_owner_t *owner)
{
    ngx_int_t          rc;
    ngx_uint_t         i;
    ngx_ors_turn_t    *turn;
    ngx_ors_index_t    input, output;
    ngx_ors_record_t   rec;

    turn = session->turn;

    if (owner->entry->value.data == NULL) {
        return ngx_ors_session_refs_unknown(session, owner->refs[0]);
    }

    if (ngx_ors_record_read(&rec, &owner->entry->value) != NGX_OK) {
        return ngx_ors_session_unread(session,
                               ngx_ors_record_status(&owner->entry->value));
    }

    if (ngx_ors_record_items(&rec, NGX_ORS_STORE_INPUT, session->pool, &input)
        != NGX_OK
        || ngx_ors_record_items(&rec, NGX_ORS_STORE_OUTPUT, session->pool,
                                &output)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_refs_find(owner->refs, owner->n, &input, &output,
                           &turn->request, &turn->error);

    if (rc == NGX_ABORT) {
        return ngx_ors_session_unread(session, ngx_ors_store_corrupt);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_session_fail(session);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (!owner->chained) {
        session->size += rec.input.len + rec.output_len;
        return NGX_OK;
    }

    /* the conversation has these items already */

    for (i = 0; i < owner->n; i++) {
        ngx_str_null(&owner->refs[i]->item);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_refs_unknown(ngx_ors_session_t *session, ngx_ors_ref_t *ref)
{
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    (void) ngx_ors_refs_unknown(&turn->request, ref, &turn->error);

    return ngx_ors_session_fail(session);
}
