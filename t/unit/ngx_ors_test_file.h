
/*
 * Files that tests read: what clients and servers of the world have sent.
 */


#ifndef _NGX_ORS_TEST_FILE_H_INCLUDED_
#define _NGX_ORS_TEST_FILE_H_INCLUDED_


#include <ngx_ors_test.h>
#include <dirent.h>


/* "dir/name" as a whole, with a zero after it; 0: it cannot be read */

static ngx_inline ngx_uint_t
ngx_ors_test_file(const char *dir, const char *name, ngx_pool_t *pool,
    ngx_str_t *text)
{
    char   path[512];
    long   size;
    FILE  *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);

    f = fopen(path, "rb");
    if (f == NULL) {
        return 0;
    }

    fseek(f, 0, SEEK_END);
    size = ftell(f);
    rewind(f);

    text->data = ngx_pnalloc(pool, size + 1);
    text->len = fread(text->data, 1, size, f);
    text->data[text->len] = '\0';

    fclose(f);

    return text->len == (size_t) size;
}


/*
 * The sum of what "handler" gives for the names in "dir" that end with
 * "suffix"; without "dir" all tests are skipped.
 */

static ngx_inline ngx_uint_t
ngx_ors_test_files(const char *dir, const char *suffix,
    ngx_uint_t (*handler)(char *name))
{
    DIR            *d;
    char            why[128];
    size_t          len;
    ngx_uint_t      n;
    struct dirent  *entry;

    d = opendir(dir);
    if (d == NULL) {
        snprintf(why, sizeof(why), "no %s here", dir);
        skip_all(why);
    }

    n = 0;

    while ((entry = readdir(d))) {
        len = ngx_strlen(entry->d_name);

        if (len > ngx_strlen(suffix)
            && strcmp(entry->d_name + len - ngx_strlen(suffix), suffix) == 0)
        {
            n += handler(entry->d_name);
        }
    }

    closedir(d);

    return n;
}


#endif /* _NGX_ORS_TEST_FILE_H_INCLUDED_ */
