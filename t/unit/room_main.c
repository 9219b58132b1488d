
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The program of a room: each file of tests in a process of its own, which
 * begins with fresh variables and may crash alone.
 *
 *     build/unit/wire_tests [part of the name of a file ...]
 *
 * UNIT_FILES is a header that t/unit/unit.mk writes: what is in the room.
 */


#include <ngx_ors_test.h>

#include <dirent.h>
#include <sys/mman.h>
#include <sys/wait.h>


#define ROOM_CORPUS  "t/fuzz/corpus/"


typedef int (*room_test_pt)(void);
typedef int (*room_input_pt)(const uint8_t *input, size_t size);

typedef struct {
    const char     *name;
    room_test_pt    test;         /* main() of a file of tests, or */
    room_input_pt   input;        /* the fuzz target's work on an input */
    const char     *corpus;
} room_file_t;


#define UNIT_TEST(name)    int name(void);
#define UNIT_CORPUS(name)  int corpus_##name(const uint8_t *input, size_t size);

#include UNIT_FILES

#undef UNIT_TEST
#undef UNIT_CORPUS

static ngx_uint_t room_selected(const char *name, char **parts);
static void room_run(const room_file_t *file, ngx_ors_test_count_t *count);
static int room_corpus(const room_file_t *file);
static void room_input(const room_file_t *file, const char *name);


#define UNIT_TEST(name)    { #name, name, NULL, NULL },
#define UNIT_CORPUS(name)                                                     \
    { #name "_corpus_test", NULL, corpus_##name, ROOM_CORPUS #name },

static const room_file_t  room_files[] = {

#include UNIT_FILES

    { NULL, NULL, NULL, NULL }
};


int
main(int argc, char **argv)
{
    const room_file_t     *file;
    ngx_ors_test_count_t  *count;

    count = mmap(NULL, sizeof(ngx_ors_test_count_t), PROT_READ|PROT_WRITE,
                 MAP_SHARED|MAP_ANONYMOUS, -1, 0);
    if (count == MAP_FAILED) {
        perror("mmap()");
        return 2;
    }

    ngx_ors_test_count = count;

    for (file = room_files; file->name; file++) {
        if (room_selected(file->name, argv + 1)) {
            room_run(file, count);
        }
    }

    printf("1..%d\n", (int) count->tests);

    return count->failures ? 1 : 0;
}


static ngx_uint_t
room_selected(const char *name, char **parts)
{
    char  **part;

    for (part = parts; *part; part++) {
        if (strstr(name, *part)) {
            return 1;
        }
    }

    return *parts == NULL;
}


/* the end of a process counts, too: a sanitizer may have ended it */

static void
room_run(const room_file_t *file, ngx_ors_test_count_t *count)
{
    int    status;
    pid_t  pid;

    printf("# %s\n", file->name);
    fflush(stdout);

    count->before = count->failures;
    count->done = 0;

    pid = fork();

    if (pid == 0) {
        exit(file->test ? file->test() : room_corpus(file));
    }

    if (pid == -1 || waitpid(pid, &status, 0) == -1) {
        fail("%s cannot be run: %s", file->name, strerror(errno));
        return;
    }

    if (!WIFEXITED(status)) {
        fail("%s was ended by signal %d", file->name, WTERMSIG(status));

    } else if (!count->done) {
        fail("%s has ended without done_testing()", file->name);

    } else if (WEXITSTATUS(status) > (ngx_ors_test_failures() ? 1 : 0)) {
        fail("%s has ended with status %d", file->name, WEXITSTATUS(status));
    }
}


/* each file of a fuzz target's corpus once, without libFuzzer */

static int
room_corpus(const room_file_t *file)
{
    int              i, n;
    struct dirent  **entries;

    n = scandir(file->corpus, &entries, NULL, alphasort);

    for (i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            room_input(file, entries[i]->d_name);
        }

        free(entries[i]);
    }

    if (n < 0) {
        fail("no %s", file->corpus);

    } else {
        free(entries);
    }

    return done_testing();
}


static void
room_input(const room_file_t *file, const char *name)
{
    FILE     *f;
    char      path[600];
    long      size;
    uint8_t  *input;

    snprintf(path, sizeof(path), "%s/%s", file->corpus, name);

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
        (void) file->input(input, size);
        pass("%s", name);
    }

    free(input);
    fclose(f);
}
