
/*
 * Copyright (C) Open Responses contributors
 */


/* requests of real clients: what is taken, what is refused and why */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_test_request.h>
#include <dirent.h>


#define DIRECTORY  "t/data/requests"


static void test_request(ngx_str_t *body, char *name, char *expected);
static ngx_uint_t read_file(char *name, ngx_pool_t *pool, ngx_str_t *text);
static ngx_uint_t count_files(void);


static ngx_ors_limits_t  limits = { 64, 100000, 1000, 128, 0, 0, 0, 0 };


int
main(void)
{
    char        *p, *line, *name;
    ngx_str_t    list, body;
    ngx_uint_t   n;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    if (!read_file("EXPECTED", pool, &list)) {
        skip_all("no " DIRECTORY "/EXPECTED here");
    }

    n = 0;

    for (line = (char *) list.data; (p = strchr(line, '\n')); line = p + 1) {
        *p = '\0';

        name = line;
        line = strchr(name, ' ');

        if (line == NULL) {
            fail("\"%s\" has no outcome", name);
            line = p;
            continue;
        }

        *line++ = '\0';
        n++;

        if (read_file(name, pool, &body)) {
            test_request(&body, name, line);

        } else {
            fail("%s cannot be read", name);
        }
    }

    /* EXPECTED itself is a file, too */
    is_int(n + 1, count_files(), "an outcome for each file");

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_request(ngx_str_t *body, char *name, char *expected)
{
    u_char              text[256], *p;
    ngx_int_t           rc;
    ngx_pool_t         *pool;
    ngx_ors_out_t       out;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    rc = ngx_ors_test_request(&req, body, &limits, pool, &err);

    if (rc == NGX_OK) {
        ngx_ors_out_init(&out, pool, 4096);
        rc = ngx_ors_chat_request(&req, &req.model, &out, pool, &err);
    }

    if (rc == NGX_OK) {
        p = ngx_sprintf(text, "ok");

    } else {
        p = ngx_snprintf(text, sizeof(text), "%V %V", &err.code, &err.param);
    }

    is_mem(text, p - text, expected, ngx_strlen(expected), "%s", name);

    ngx_destroy_pool(pool);
}


static ngx_uint_t
read_file(char *name, ngx_pool_t *pool, ngx_str_t *text)
{
    long   size;
    char   path[512];
    FILE  *f;

    snprintf(path, sizeof(path), DIRECTORY "/%s", name);

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    text->len = size;
    text->data = ngx_pnalloc(pool, size + 1);

    if (fread(text->data, 1, size, f) != text->len) {
        text->len = 0;
    }

    text->data[text->len] = '\0';

    fclose(f);

    return 1;
}


static ngx_uint_t
count_files(void)
{
    DIR            *dir;
    ngx_uint_t      n;
    struct dirent  *entry;

    dir = opendir(DIRECTORY);
    if (dir == NULL) {
        return 0;
    }

    n = 0;

    while ((entry = readdir(dir))) {
        n += (entry->d_name[0] != '.');
    }

    closedir(dir);

    return n;
}
