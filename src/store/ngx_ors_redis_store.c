
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The Redis engine as the store's interface has it: addresses, settings,
 * start, end; the script that counts the shares of scopes.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_keyfile.h>
#include <ngx_ors_redis.h>
#include <ngx_ors_record.h>


#define NGX_ORS_REDIS_PORT          6379
#define NGX_ORS_REDIS_SECRET        4096
#define NGX_ORS_REDIS_DATABASE_MAX  65535

/* hiredis does not end the path of a socket that fills its room */
#define NGX_ORS_REDIS_PATH          106

/* EVAL, the script, the number of keys; what is counted; time and limits */
#define NGX_ORS_REDIS_SHARE_ARGS   (3 + 2 + 3)

/* of each entry: its key; what is done with it, its time to live, its value */
#define NGX_ORS_REDIS_SHARE_ENTRY  4

#if (NGX_ORS_STORE_ENTRY != 128)
#error the script below has the number
#endif


static char *ngx_ors_store_redis_address(ngx_conf_t *cf,
    ngx_ors_store_t *store);
static ngx_int_t ngx_ors_store_redis_resolve(ngx_conf_t *cf,
    ngx_ors_store_t *store, ngx_str_t *text);
static ngx_int_t ngx_ors_store_redis_addr(ngx_conf_t *cf,
    ngx_ors_redis_conf_t *conf, ngx_url_t *u, ngx_addr_t *addr);
static ngx_int_t ngx_ors_store_redis_tls(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_store_redis_password_file(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_store_redis_password(ngx_conf_t *cf,
    ngx_str_t *field, ngx_str_t *text);
static ngx_int_t ngx_ors_store_redis_database(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_store_redis_prefix(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_store_redis_init(ngx_conf_t *cf,
    ngx_ors_store_t *store);
static ngx_int_t ngx_ors_store_redis_open(ngx_ors_store_t *store,
    ngx_cycle_t *cycle);
static void ngx_ors_store_redis_close(ngx_ors_store_t *store);
static void ngx_ors_store_redis_event_handler(ngx_event_t *ev);
static void ngx_ors_store_redis_timer_handler(ngx_event_t *ev);
static char *ngx_ors_redis_share_kind(ngx_ors_store_op_e op,
    ngx_str_t *value);
static u_char *ngx_ors_redis_share_number(u_char *p, ngx_str_t *text, off_t n);


static ngx_ors_conf_param_t  ngx_ors_store_redis_params[] = {

    { ngx_string("user="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_redis_conf_t, login.user), 0, 0, NULL,
      "the name of a user" },

    { ngx_string("password="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_redis_conf_t, login.password), 0, 0, NULL,
      "a password" },

    { ngx_string("password_file="), ngx_ors_store_redis_password_file,
      offsetof(ngx_ors_redis_conf_t, login.password), 0, 0, NULL,
      "a file whose first line is a password of less than 4k" },

    { ngx_string("database="), ngx_ors_store_redis_database,
      offsetof(ngx_ors_redis_conf_t, login.database), 0, 0, NULL,
      "the number of a database" },

    { ngx_string("prefix="), ngx_ors_store_redis_prefix,
      offsetof(ngx_ors_redis_conf_t, prefix), 0, 0, NULL,
      "1 to 64 bytes without braces" },

    { ngx_string("cluster="), ngx_ors_conf_param_word,
      offsetof(ngx_ors_redis_conf_t, cluster), 0, 0, ngx_ors_conf_flags,
      "\"on\" or \"off\"" },

    { ngx_string("tls="), ngx_ors_store_redis_tls, 0, 0, 0, NULL,
      "\"off\", this hiredis has no TLS" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


const ngx_ors_store_engine_t  ngx_ors_store_redis = {
    ngx_string("redis"),
    1,
    ngx_ors_store_redis_address,
    ngx_ors_store_redis_params,
    ngx_ors_store_redis_init,
    ngx_ors_store_redis_open,
    ngx_ors_store_redis_close,
    ngx_ors_redis_post,
    ngx_ors_redis_timeout,
    ngx_ors_redis_down,
    NULL
};


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


/* HOST:PORT, unix:PATH, or several of them with commas between them */

static char *
ngx_ors_store_redis_address(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    u_char                *p, *last, *end;
    ngx_str_t              text;
    ngx_ors_redis_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_ors_redis_conf_t));
    if (conf == NULL) {
        return NGX_CONF_ERROR;
    }

    conf->cluster = NGX_CONF_UNSET_UINT;
    store->conf = conf;

    if (ngx_array_init(&conf->addresses, cf->pool, 4,
                       sizeof(ngx_ors_redis_addr_t))
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    p = store->address.data;
    last = p + store->address.len;

    for ( ;; ) {
        end = ngx_strlchr(p, last, ',');

        text.data = p;
        text.len = (end ? end : last) - p;

        if (ngx_ors_store_redis_resolve(cf, store, &text) != NGX_OK) {
            return NGX_CONF_ERROR;
        }

        if (end == NULL) {
            return NGX_CONF_OK;
        }

        p = end + 1;
    }
}


static ngx_int_t
ngx_ors_store_redis_resolve(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *text)
{
    ngx_url_t   u;
    ngx_uint_t  i;

    ngx_memzero(&u, sizeof(ngx_url_t));

    u.url = *text;
    u.default_port = NGX_ORS_REDIS_PORT;

    if (ngx_parse_url(cf->pool, &u) != NGX_OK) {
        ngx_ors_conf_error(cf, 0,
                           "%s in address \"%V\" of store \"%V\", it must be "
                           "\"redis:HOST:PORT\" or \"redis:unix:PATH\"",
                           u.err ? u.err : "no memory", text, &store->name);
        return NGX_ERROR;
    }

    for (i = 0; i < u.naddrs; i++) {
        if (ngx_ors_store_redis_addr(cf, store->conf, &u, &u.addrs[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* hiredis takes an address as text, and would resolve a name while all wait */

static ngx_int_t
ngx_ors_store_redis_addr(ngx_conf_t *cf, ngx_ors_redis_conf_t *conf,
    ngx_url_t *u, ngx_addr_t *addr)
{
    ngx_ors_redis_addr_t  *a;

    if (u->family == AF_UNIX && u->host.len > NGX_ORS_REDIS_PATH) {
        ngx_ors_conf_error(cf, 0,
                           "too long path in \"%V\"", &u->url);
        return NGX_ERROR;
    }

    a = ngx_array_push(&conf->addresses);
    if (a == NULL) {
        return NGX_ERROR;
    }

    a->text = addr->name;

    a->host.data = ngx_pnalloc(cf->pool, ngx_max(NGX_ORS_REDIS_HOST,
                                                 u->host.len) + 1);
    if (a->host.data == NULL) {
        return NGX_ERROR;
    }

    if (u->family == AF_UNIX) {
        a->port = 0;
        a->host.len = u->host.len;
        ngx_cpystrn(a->host.data, u->host.data, u->host.len + 1);

        return NGX_OK;
    }

    a->port = ngx_inet_get_port(addr->sockaddr);
    a->host.len = ngx_sock_ntop(addr->sockaddr, addr->socklen, a->host.data,
                                NGX_ORS_REDIS_HOST, 0);
    a->host.data[a->host.len] = '\0';

    return NGX_OK;
}


static ngx_int_t
ngx_ors_store_redis_tls(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    return (ngx_strcmp(value->data, "off") == 0) ? NGX_OK : NGX_DECLINED;
}


/* its first line */

static ngx_int_t
ngx_ors_store_redis_password_file(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    u_char      buf[NGX_ORS_REDIS_SECRET];
    ngx_int_t   rc;
    ngx_str_t   path, text;

    path = *value;

    if (value->len == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_ors_keyfile_read(cf, &path, buf, NGX_ORS_REDIS_SECRET, &text);

    if (rc == NGX_OK) {
        rc = ngx_ors_store_redis_password(cf, field, &text);
    }

    ngx_explicit_memzero(buf, NGX_ORS_REDIS_SECRET);

    return rc;
}


static ngx_int_t
ngx_ors_store_redis_password(ngx_conf_t *cf, ngx_str_t *field,
    ngx_str_t *text)
{
    u_char     *p, *last;
    ngx_str_t   line;

    if (field->data) {
        return NGX_BUSY;
    }

    last = text->data + text->len;

    for (p = text->data; p < last && *p != LF && *p != CR; p++) {
        /* void */
    }

    line.len = p - text->data;

    if (line.len == 0) {
        return NGX_DECLINED;
    }

    line.data = ngx_pnalloc(cf->pool, line.len);

    if (line.data == NULL
        || ngx_ors_keyfile_keep(cf, line.data, line.len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_memcpy(line.data, text->data, line.len);

    *field = line;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_store_redis_database(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_int_t  n;

    n = ngx_atoi(value->data, value->len);

    if (n == NGX_ERROR || n > NGX_ORS_REDIS_DATABASE_MAX) {
        return NGX_DECLINED;
    }

    return ngx_ors_conf_param_text(cf, param, value, field);
}


/* braces would be taken for a hash tag, which has to be the scope */

static ngx_int_t
ngx_ors_store_redis_prefix(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    if (value->len > NGX_ORS_REDIS_PREFIX
        || value->len != strcspn((char *) value->data, "{}"))
    {
        return NGX_DECLINED;
    }

    return ngx_ors_conf_param_text(cf, param, value, field);
}


static ngx_int_t
ngx_ors_store_redis_init(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_ors_redis_conf_t  *conf;

    conf = store->conf;

    if (store->scope_size == NGX_CONF_UNSET) {
        store->scope_size = 0;
    }

    ngx_conf_init_uint_value(conf->cluster, 0);

    if (conf->prefix.data == NULL) {
        ngx_str_set(&conf->prefix, "ors:");
    }

    if (conf->login.user.len && conf->login.password.len == 0) {
        ngx_ors_conf_error(cf, 0,
                           "store \"%V\" has a \"user\" and no "
                           "\"password\" or \"password_file\"",
                           &store->name);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_store_redis_open(ngx_ors_store_t *store, ngx_cycle_t *cycle)
{
    ngx_ors_redis_t  *redis;

    redis = ngx_pcalloc(cycle->pool, sizeof(ngx_ors_redis_t));
    if (redis == NULL) {
        return NGX_ERROR;
    }

    redis->store = store;
    redis->conf = store->conf;
    redis->log = cycle->log;

    ngx_queue_init(&redis->tasks);
    ngx_queue_init(&redis->lost);
    ngx_queue_init(&redis->later);
    ngx_queue_init(&redis->free);

    redis->event.handler = ngx_ors_store_redis_event_handler;
    redis->event.data = redis;
    redis->event.log = cycle->log;

    redis->timer.handler = ngx_ors_store_redis_timer_handler;
    redis->timer.data = redis;
    redis->timer.log = cycle->log;
    redis->timer.cancelable = 1;

    if (redis->conf->cluster) {
        redis->slots = ngx_pcalloc(cycle->pool,
                                   NGX_ORS_REDIS_SLOTS
                                   * sizeof(ngx_ors_redis_link_t *));
        if (redis->slots == NULL) {
            return NGX_ERROR;
        }
    }

    if (ngx_ors_redis_seed(redis) != NGX_OK) {
        return NGX_ERROR;
    }

    store->state = redis;

    ngx_ors_redis_link_open(redis->seed);

    return NGX_OK;
}


/* the process is about to end: no handler is called */

static void
ngx_ors_store_redis_close(ngx_ors_store_t *store)
{
    ngx_ors_redis_t  *redis;

    redis = store->state;

    if (redis == NULL) {
        return;
    }

    ngx_ors_redis_close(redis);

    if (redis->timer.timer_set) {
        ngx_del_timer(&redis->timer);
    }

    if (redis->event.posted) {
        ngx_delete_posted_event(&redis->event);
    }

    store->state = NULL;
}


static void
ngx_ors_store_redis_event_handler(ngx_event_t *ev)
{
    ngx_ors_redis_t  *redis;

    redis = ev->data;

    ngx_ors_redis_resend(&redis->lost);
}


static void
ngx_ors_store_redis_timer_handler(ngx_event_t *ev)
{
    ngx_ors_redis_t  *redis;

    redis = ev->data;

    ngx_ors_redis_resend(&redis->later);
}


/*
 * Rows and bytes of each scope in Redis: the script that counts them, and its
 * arguments.
 */


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
    time_t                  ttl;
    u_char                 *p, *last;
    ngx_str_t              *arg, *key, *value, *prefix;
    ngx_uint_t              i;
    ngx_ors_store_t        *store;
    ngx_ors_store_op_e      op;
    ngx_ors_store_entry_t  *entry;

    static char  *suffixes[] = { ":ends", ":sizes" };

    store = cmd->redis->store;
    prefix = &cmd->redis->conf->prefix;
    op = cmd->task->job->op;

    *n = NGX_ORS_REDIS_SHARE_ARGS + cmd->n * NGX_ORS_REDIS_SHARE_ENTRY;

    arg = ngx_palloc(cmd->task->job->pool,
                     *n * sizeof(ngx_str_t)
                     + (2 + cmd->n) * (prefix->len + NGX_ORS_REDIS_KEY)
                     + (4 + cmd->n) * NGX_OFF_T_LEN);
    if (arg == NULL) {
        return NGX_ERROR;
    }

    *args = arg;
    p = (u_char *) (arg + *n);

    ngx_str_set(&arg[0], "EVAL");
    arg[1] = ngx_ors_redis_share_script;
    p = ngx_ors_redis_share_number(p, &arg[2], 2 + cmd->n);

    key = &arg[3];

    /* the keys of what is counted: those of the scope, without a digest */

    for (i = 0; i < 2; i++, key++) {
        last = ngx_ors_redis_key(prefix, &cmd->entry->key, p)
               - (1 + 2 * NGX_ORS_STORE_KEY);

        key->data = p;
        p = ngx_sprintf(last, "%s", suffixes[i]);
        key->len = p - key->data;
    }

    value = key + cmd->n;

    p = ngx_ors_redis_share_number(p, value++, ngx_time());
    p = ngx_ors_redis_share_number(p, value++, store->scope_size);
    p = ngx_ors_redis_share_number(p, value++, store->scope_turns);

    for (i = 0; i < cmd->n; i++, key++, value += 3) {
        entry = &cmd->entry[i];

        key->data = p;
        p = ngx_ors_redis_key(prefix, &entry->key, p);
        key->len = p - key->data;

        ttl = 0;
        ngx_str_set(&value[2], "");

        if (op == ngx_ors_store_put) {
            ttl = ngx_ors_redis_ttl(entry);

            if (entry->value.data) {
                value[2] = entry->value;
            }
        }

        value[0].len = 1;
        value[0].data = (u_char *) ngx_ors_redis_share_kind(op, &entry->value);

        p = ngx_ors_redis_share_number(p, &value[1], ttl);
    }

    return NGX_OK;
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


static u_char *
ngx_ors_redis_share_number(u_char *p, ngx_str_t *text, off_t n)
{
    text->data = p;
    p = ngx_sprintf(p, "%O", n);
    text->len = p - text->data;

    return p;
}
