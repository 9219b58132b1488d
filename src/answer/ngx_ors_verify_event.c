
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The members of an event that the order of a stream depends on, and how an
 * event with repaired members is written.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_verify_event.h>
#include <ngx_ors_verify_tolerate.h>


static const ngx_ors_verify_row_t *ngx_ors_verify_event_find(ngx_str_t *type);
static void ngx_ors_verify_event_member(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev, ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_verify_event_type(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);


#define ngx_ors_verify_event_row(as, name, act, part, in, shape)              \
    { ngx_string(#name), ngx_ors_verify_act_##act,                            \
      ngx_ors_verify_part_##part, ngx_ors_verify_m_n, NULL,                   \
      ngx_ors_verify_step_none },

/* a text in a part, and one that is the item's own */

#define ngx_ors_verify_part_row(type, event, text, holder, index, in)         \
    { ngx_string("response." #event ".delta"), ngx_ors_verify_act_delta,      \
      ngx_ors_verify_part_##type, ngx_ors_verify_m_delta, NULL,               \
      ngx_ors_verify_step_none },                                             \
    { ngx_string("response." #event ".done"), ngx_ors_verify_act_text,        \
      ngx_ors_verify_part_##type, ngx_ors_verify_m_##text, NULL,              \
      ngx_ors_verify_step_none },

#define ngx_ors_verify_text_row(item, as, text, in)                           \
    { ngx_string("response." #item "_" #text ".delta"),                       \
      ngx_ors_verify_act_delta, ngx_ors_verify_part_none,                     \
      ngx_ors_verify_m_delta, #item, ngx_ors_verify_step_none },              \
    { ngx_string("response." #item "_" #text ".done"),                        \
      ngx_ors_verify_act_text, ngx_ors_verify_part_none,                      \
      ngx_ors_verify_m_##text, #item, ngx_ors_verify_step_none },

/* the progress of a hosted tool */

#define ngx_ors_verify_step_row(item, status, step)                           \
    { ngx_string("response." #item "." #status), ngx_ors_verify_act_step,     \
      ngx_ors_verify_part_none, ngx_ors_verify_m_n, #item,                    \
      ngx_ors_verify_step_##step },

/* frequent events come first */

static const ngx_ors_verify_row_t  ngx_ors_verify_rows[] = {
    NGX_ORS_PARTS(ngx_ors_verify_part_row)
    NGX_ORS_TEXTS(ngx_ors_verify_text_row)
    NGX_ORS_PARTS_OPENAI(ngx_ors_verify_part_row)
    NGX_ORS_EVENTS(ngx_ors_verify_event_row)
    NGX_ORS_STEPS(ngx_ors_verify_step_row)
    { ngx_null_string, ngx_ors_verify_act_none, ngx_ors_verify_part_none,
      ngx_ors_verify_m_n, NULL, ngx_ors_verify_step_none }
};


#define ngx_ors_verify_member_name(name)  ngx_string(#name),

static const ngx_str_t  ngx_ors_verify_members[] = {
    NGX_ORS_VERIFY_MEMBERS(ngx_ors_verify_member_name)
};


/* in the order of ngx_ors_verify_part_e */

#define ngx_ors_verify_part_name(type, event, text, ...)                      \
    { ngx_string(#type), ngx_string(#text) },

static const struct {
    ngx_str_t  type;
    ngx_str_t  text;
} ngx_ors_verify_parts[] = {
    { ngx_null_string, ngx_null_string },
    NGX_ORS_PARTS(ngx_ors_verify_part_name)
};


ngx_int_t
ngx_ors_verify_event_read(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    ngx_int_t                    rc;
    ngx_ors_json_t              *json;
    ngx_ors_json_node_t         *key;
    const ngx_ors_verify_row_t  *row;

    ngx_memzero(ev, sizeof(ngx_ors_verify_event_t));

    json = &verify->json;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        ngx_ors_verify_event_member(verify, ev, key);
    }

    row = verify->stream->row;
    verify->stream->row = NULL;

    rc = ngx_ors_verify_event_type(verify, ev);

    if (rc != NGX_OK) {
        return rc;
    }

    /* most events are of the type of the last one */

    if (row == NULL || row->name.len != ev->type.len
        || ngx_memcmp(row->name.data, ev->type.data, ev->type.len) != 0)
    {
        row = ngx_ors_verify_event_find(&ev->type);
    }

    if (row) {
        ev->type = row->name;
        ev->act = row->act;

    } else {
        ev->act = (ev->member[ngx_ors_verify_m_output_index]
                   && ngx_strlchr(ev->type.data,
                                  ev->type.data + ev->type.len, ':') == NULL)
                  ? ngx_ors_verify_act_item : ngx_ors_verify_act_none;
    }

    ev->row = row;
    verify->stream->row = row;

    return NGX_OK;
}


void
ngx_ors_verify_event_lines(ngx_str_t *data)
{
    u_char  *p, *last;

    last = data->data + data->len;

    for (p = data->data; p < last; p++) {
        p = memchr(p, LF, last - p);

        if (p == NULL) {
            return;
        }

        *p = ' ';
    }
}


ngx_ors_verify_part_e
ngx_ors_verify_event_part(ngx_ors_json_t *json, ngx_ors_json_node_t *part,
    ngx_ors_json_node_t **text)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, part, "type");

    for (i = 1; type && i < ngx_ors_verify_part_other; i++) {

        if (ngx_ors_json_equal(json, type, ngx_ors_verify_parts[i].type.data,
                               ngx_ors_verify_parts[i].type.len))
        {
            *text = ngx_ors_json_get(json, part,
                                     ngx_ors_verify_parts[i].text.data,
                                     ngx_ors_verify_parts[i].text.len);
            return i;
        }
    }

    *text = NULL;

    return ngx_ors_verify_part_other;
}


static const ngx_ors_verify_row_t *
ngx_ors_verify_event_find(ngx_str_t *type)
{
    const ngx_ors_verify_row_t  *row;

    for (row = ngx_ors_verify_rows; row->name.len; row++) {

        if (ngx_ors_same(&row->name, type)) {
            return row;
        }
    }

    return NULL;
}


static void
ngx_ors_verify_event_member(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev, ngx_ors_json_node_t *key)
{
    ngx_uint_t        i;
    const ngx_str_t  *name;

    for (i = 0; i < ngx_ors_verify_m_n; i++) {
        name = &ngx_ors_verify_members[i];

        if (key->len != name->len && !key->escaped) {
            continue;
        }

        if (!ngx_ors_json_equal(&verify->json, key, name->data, name->len)) {
            continue;
        }

        /* null counts as absent where the tables admit it */

        if (key[1].type != ngx_ors_json_null
            || i == ngx_ors_verify_m_sequence_number)
        {
            ev->member[i] = key + 1;
        }

        return;
    }
}


/* as it is to be in the event's line, where it must end with the line */

static ngx_int_t
ngx_ors_verify_event_type(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    size_t                i;
    ngx_ors_json_node_t  *type;

    type = ev->member[ngx_ors_verify_m_type];

    if (!type->escaped) {
        ngx_ors_json_raw(&verify->json, type, &ev->type);
        return NGX_OK;
    }

    if (type->len > NGX_ORS_VERIFY_TYPE_MAX) {
        return ngx_ors_verify_violation(verify, "a type is too long");
    }

    /* not from the pool: any number of events may have such a type */

    ev->type.data = verify->stream->type;
    ev->type.len = ngx_ors_json_decode(&verify->json, type, ev->type.data)
                   - ev->type.data;

    for (i = 0; i < ev->type.len; i++) {

        if (ev->type.data[i] < 0x20) {
            return ngx_ors_verify_violation(verify, "a type has a control "
                                            "character");
        }
    }

    return NGX_OK;
}
