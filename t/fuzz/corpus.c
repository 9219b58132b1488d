
/*
 * Copyright (C) Open Responses contributors
 */


/* Each file of a fuzz target's corpus once, without libFuzzer. */


#include <ngx_ors_test.h>
#include <dirent.h>


#define CORPUS_DIR     "t/fuzz/corpus/"
#define CORPUS_SUFFIX  "_corpus_test"


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void corpus_file(const char *dir, const char *name);


int
main(int argc, char **argv)
{
    int              i, n;
    char             dir[256], *p, *last;
    struct dirent  **entries;

    p = strrchr(argv[0], '/');
    p = p ? p + 1 : argv[0];

    last = strstr(p, CORPUS_SUFFIX);

    snprintf(dir, sizeof(dir), CORPUS_DIR "%.*s",
             last ? (int) (last - p) : (int) strlen(p), p);

    n = scandir(dir, &entries, NULL, alphasort);

    for (i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            corpus_file(dir, entries[i]->d_name);
        }

        free(entries[i]);
    }

    if (n < 0) {
        fail("no %s", dir);

    } else {
        free(entries);
    }

    return done_testing();
}


static void
corpus_file(const char *dir, const char *name)
{
    FILE     *f;
    char      path[600];
    long      size;
    uint8_t  *input;

    snprintf(path, sizeof(path), "%s/%s", dir, name);

    f = fopen(path, "rb");

    if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0) {
        fail("%s cannot be read", path);
        return;
    }

    rewind(f);

    /* exactly sized, for the sanitizer */

    input = malloc(size);

    if (fread(input, 1, size, f) != (size_t) size) {
        fail("%s cannot be read", path);

    } else {
        (void) LLVMFuzzerTestOneInput(input, size);
        pass("%s", name);
    }

    free(input);
    fclose(f);
}
