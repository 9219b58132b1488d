
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Rows and bytes of each scope in Redis: the script that counts them, and its
 * arguments.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>
#include <ngx_ors_redis_share.h>


/* EVAL, the script, the number of keys; what is counted; time and limits */
#define NGX_ORS_REDIS_SHARE_ARGS   (3 + 2 + 3)

/* of each entry: its key; what is done with it, its time to live, its value */
#define NGX_ORS_REDIS_SHARE_ENTRY  4

#define NGX_ORS_REDIS_SHARE_SUFFIX  (sizeof(":sizes") - 1)

#if (NGX_ORS_STORE_ENTRY != 128)
#error the script below has the number
#endif


typedef struct {
    ngx_ors_redis_command_t  *cmd;
    ngx_str_t                *keys;
    ngx_str_t                *values;
    ngx_pool_t               *pool;
} ngx_ors_redis_share_t;


static ngx_int_t ngx_ors_redis_share_names(ngx_ors_redis_share_t *share);
static ngx_int_t ngx_ors_redis_share_limits(ngx_ors_redis_share_t *share);
static ngx_int_t ngx_ors_redis_share_entry(ngx_ors_redis_share_t *share,
    ngx_ors_store_entry_t *entry);
static char *ngx_ors_redis_share_kind(ngx_ors_store_op_e op,
    ngx_str_t *value);
static ngx_int_t ngx_ors_redis_share_number(ngx_pool_t *pool, ngx_str_t *text,
    off_t n);


/*
 * KEYS: when entries expire, a sorted set; turns and bytes of each entry and
 * of all, a hash; the entries.  All have the hash tag of the scope.
 *
 * ARGV: the time, the limits of bytes and turns, 0: none; of each entry "r", a
 * record, "v", another value, "e", only its time to live, or "d", delete; its
 * time to live; its value.
 *
 * Gives 1, or 0 if there is no room; of a delete what DEL gives.  Redis lets
 * go of entries itself: those that have expired are no longer counted from
 * the next change on, 100 at a time.  A scope that writes nothing any more
 * leaves nothing in Redis.
 */

static ngx_str_t  ngx_ors_redis_share_script = ngx_string(
    "local ends, sizes = KEYS[1], KEYS[2]\n"
    "local now = tonumber(ARGV[1])\n"
    "local size, turns = tonumber(ARGV[2]), tonumber(ARGV[3])\n"
    "local call = redis.call\n"

    "local function had(key)\n"
    "  local s = call('HGET', sizes, key)\n"
    "  if not s then return 0, 0 end\n"
    "  return tonumber(string.sub(s, 3)), tonumber(string.sub(s, 1, 1))\n"
    "end\n"

    "local function add(bytes, n)\n"
    "  call('HINCRBY', sizes, 'bytes', bytes)\n"
    "  call('HINCRBY', sizes, 'turns', n)\n"
    "end\n"

    "local function forget(key)\n"
    "  local bytes, n = had(key)\n"
    "  call('ZREM', ends, key)\n"
    "  if call('HDEL', sizes, key) == 1 then add(0 - bytes, 0 - n) end\n"
    "end\n"

    "if call('EXISTS', ends) == 0 then call('DEL', sizes) end\n"

    "for _, key in ipairs(call('ZRANGEBYSCORE', ends, '-inf', now,\n"
    "                          'LIMIT', 0, 100)) do\n"
    "  forget(key)\n"
    "end\n"

    "if ARGV[4] == 'd' then\n"
    "  forget(KEYS[3])\n"
    "  return call('DEL', KEYS[3])\n"
    "end\n"

    "local record, bytes, n = false, 0, 0\n"

    "for i = 3, #KEYS do\n"
    "  local kind, value = ARGV[3 * i - 5], ARGV[3 * i - 3]\n"
    "  if kind ~= 'e' then\n"
    "    local b, t = had(KEYS[i])\n"
    "    bytes = bytes + #value + 128 - b\n"
    "    n = n - t\n"
    "    if kind == 'r' then n = n + 1; record = true end\n"
    "  end\n"
    "end\n"

    "local function over(name, more, most)\n"
    "  local is = tonumber(call('HGET', sizes, name) or 0)\n"
    "  return most > 0 and more > 0 and is + more > most\n"
    "end\n"

    "if record and (over('bytes', bytes, size) or over('turns', n, turns))\n"
    "then return 0 end\n"

    "local longest = 0\n"

    "for i = 3, #KEYS do\n"
    "  local key, kind = KEYS[i], ARGV[3 * i - 5]\n"
    "  local ttl, value = ARGV[3 * i - 4], ARGV[3 * i - 3]\n"
    "  if kind == 'e' then\n"
    "    call('EXPIRE', key, ttl)\n"
    "    call('ZADD', ends, 'XX', now + ttl, key)\n"
    "  else\n"
    "    call('SET', key, value, 'EX', ttl)\n"
    "    forget(key)\n"
    "    local t = kind == 'r' and 1 or 0\n"
    "    local b = #value + 128\n"
    "    call('HSET', sizes, key, t .. ' ' .. b)\n"
    "    call('ZADD', ends, now + ttl, key)\n"
    "    add(b, t)\n"
    "  end\n"
    "  longest = math.max(longest, tonumber(ttl))\n"
    "end\n"

    "if longest > call('TTL', ends) then\n"
    "  call('EXPIRE', ends, longest)\n"
    "  call('EXPIRE', sizes, longest)\n"
    "end\n"

    "return 1\n");


ngx_uint_t
ngx_ors_redis_share_is(ngx_ors_redis_command_t *cmd)
{
    ngx_ors_store_t     *store;
    ngx_ors_store_op_e   op;

    store = cmd->redis->store;
    op = cmd->task->job->op;

    return (store->scope_size || store->scope_turns)
           && (op == ngx_ors_store_put || op == ngx_ors_store_delete);
}


ngx_int_t
ngx_ors_redis_share_args(ngx_ors_redis_command_t *cmd, ngx_str_t **args,
    ngx_uint_t *n)
{
    ngx_str_t              *arg;
    ngx_uint_t              i;
    ngx_ors_redis_share_t   share;

    *n = NGX_ORS_REDIS_SHARE_ARGS + cmd->n * NGX_ORS_REDIS_SHARE_ENTRY;

    share.cmd = cmd;
    share.pool = cmd->task->job->pool;

    arg = ngx_palloc(share.pool, *n * sizeof(ngx_str_t));
    if (arg == NULL) {
        return NGX_ERROR;
    }

    *args = arg;

    ngx_str_set(&arg[0], "EVAL");
    arg[1] = ngx_ors_redis_share_script;

    share.keys = &arg[3];
    share.values = &arg[3 + 2 + cmd->n];

    if (ngx_ors_redis_share_number(share.pool, &arg[2], 2 + cmd->n) != NGX_OK
        || ngx_ors_redis_share_names(&share) != NGX_OK
        || ngx_ors_redis_share_limits(&share) != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < cmd->n; i++) {
        if (ngx_ors_redis_share_entry(&share, &cmd->entry[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the keys of what is counted: those of the scope, without a digest */

static ngx_int_t
ngx_ors_redis_share_names(ngx_ors_redis_share_t *share)
{
    size_t       len;
    u_char      *p, *last;
    ngx_str_t   *prefix;
    ngx_uint_t   i;

    static char  *suffixes[] = { ":ends", ":sizes" };

    prefix = &share->cmd->redis->conf->prefix;
    len = prefix->len + NGX_ORS_REDIS_KEY + NGX_ORS_REDIS_SHARE_SUFFIX;

    p = ngx_pnalloc(share->pool, 2 * len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < 2; i++) {
        last = ngx_ors_redis_key(prefix, &share->cmd->entry->key, p)
               - (1 + 2 * NGX_ORS_STORE_KEY);

        share->keys->data = p;
        share->keys->len = ngx_sprintf(last, "%s", suffixes[i]) - p;
        share->keys++;

        p += len;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_redis_share_limits(ngx_ors_redis_share_t *share)
{
    off_t             limits[3];
    ngx_uint_t        i;
    ngx_ors_store_t  *store;

    store = share->cmd->redis->store;

    limits[0] = ngx_time();
    limits[1] = store->scope_size;
    limits[2] = store->scope_turns;

    for (i = 0; i < 3; i++) {
        if (ngx_ors_redis_share_number(share->pool, share->values++,
                                       limits[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_redis_share_entry(ngx_ors_redis_share_t *share,
    ngx_ors_store_entry_t *entry)
{
    time_t               ttl;
    u_char              *p;
    ngx_str_t           *key, *values, *prefix;
    ngx_ors_store_op_e   op;

    op = share->cmd->task->job->op;
    prefix = &share->cmd->redis->conf->prefix;

    p = ngx_pnalloc(share->pool, prefix->len + NGX_ORS_REDIS_KEY);
    if (p == NULL) {
        return NGX_ERROR;
    }

    key = share->keys++;
    key->data = p;
    key->len = ngx_ors_redis_key(prefix, &entry->key, p) - p;

    values = share->values;
    share->values += NGX_ORS_REDIS_SHARE_ENTRY - 1;

    ttl = (op == ngx_ors_store_put) ? entry->expires - ngx_time() : 0;

    /* SET refuses a time to live that is not above 0 */

    if (op == ngx_ors_store_put && entry->value.data) {
        ttl = ngx_max(ttl, 1);
        values[2] = entry->value;

    } else {
        ngx_str_set(&values[2], "");
    }

    values[0].len = 1;
    values[0].data = (u_char *) ngx_ors_redis_share_kind(op, &entry->value);

    return ngx_ors_redis_share_number(share->pool, &values[1], ttl);
}


static char *
ngx_ors_redis_share_kind(ngx_ors_store_op_e op, ngx_str_t *value)
{
    if (op == ngx_ors_store_delete) {
        return "d";
    }

    if (value->data == NULL) {
        return "e";
    }

    return ngx_ors_record_is(value->data, value->len) ? "r" : "v";
}


static ngx_int_t
ngx_ors_redis_share_number(ngx_pool_t *pool, ngx_str_t *text, off_t n)
{
    text->data = ngx_pnalloc(pool, NGX_OFF_T_LEN);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    text->len = ngx_sprintf(text->data, "%O", n) - text->data;

    return NGX_OK;
}


ngx_ors_store_status_e
ngx_ors_redis_share_status(redisReply *reply)
{
    if (reply->type != REDIS_REPLY_INTEGER) {
        return ngx_ors_store_corrupt;
    }

    return reply->integer ? ngx_ors_store_ok : ngx_ors_store_share;
}
