
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A fuzz target without libFuzzer: runs what is in the directories and files
 * named, then random mutations of it.  Where the compiler marks basic blocks
 * (-fsanitize-coverage=trace-pc), an input that reaches a new one is kept in
 * the first directory, too.  What breaks is written to PREFIXcrash-SEED.
 *
 *     t_fuzz [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=BYTES]
 *            [-dict=FILE] [-artifact_prefix=PREFIX] [DIR|FILE...]
 */


#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>


#define DRIVER_MAX        (1024 * 1024)
#define DRIVER_INPUTS     16384
#define DRIVER_WORDS      1024
#define DRIVER_MAP        65536
#define DRIVER_TIMEOUT    60         /* seconds for one input */
#define DRIVER_MUTATIONS  6


typedef struct {
    uint8_t           *data;
    size_t             len;
} driver_input_t;


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
void __sanitizer_cov_trace_pc(void);
void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));

static int driver_option(const char *arg, const char *name, const char **value);
static void driver_words(const char *file);
static void driver_load(const char *path);
static void driver_read(const char *path);
static void driver_keep(const uint8_t *data, size_t len);
static void driver_save(const uint8_t *data, size_t len);
static void driver_one(const uint8_t *data, size_t len);
static size_t driver_mutate(uint8_t *data, size_t len);
static size_t driver_insert(uint8_t *data, size_t len, size_t at,
    const uint8_t *what, size_t n);
static int driver_covered(void);
static uint64_t driver_random(uint64_t n);
static double driver_time(void);
static void driver_handler(int signo);
static void driver_dead(void);
static void driver_fail(const char *what, const char *which);


static driver_input_t   driver_inputs[DRIVER_INPUTS];
static size_t           driver_ninputs;
static driver_input_t   driver_dict[DRIVER_WORDS];
static size_t           driver_ndict;

static uint8_t          driver_map[DRIVER_MAP];       /* of this input */
static uint8_t          driver_seen[DRIVER_MAP];      /* of all */
static uintptr_t        driver_block;
static int              driver_marks;                 /* blocks are marked */

static uint64_t         driver_state = 1;
static uint64_t         driver_seed = 1;
static size_t           driver_max = 4096;
static volatile uint64_t  driver_runs;
static uint64_t         driver_watched;
static int              driver_waited;
static const char      *driver_found;                 /* a directory */
static const char      *driver_prefix = "";

static const uint8_t   *driver_data;   /* the input that runs */
static size_t           driver_len;


int
main(int argc, char **argv)
{
    int               i;
    size_t            len;
    double            began, now, limit;
    uint8_t          *buf;
    uint64_t          max;
    const char       *value;
    driver_input_t   *input;
    struct stat       st;
    struct itimerval  timer = { { 1, 0 }, { 1, 0 } };

    max = UINT64_MAX;
    limit = 0;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {

        if (driver_option(argv[i], "-runs=", &value)) {
            max = strtoull(value, NULL, 10);

        } else if (driver_option(argv[i], "-max_total_time=", &value)) {
            limit = strtod(value, NULL);

        } else if (driver_option(argv[i], "-seed=", &value)) {
            driver_seed = strtoull(value, NULL, 10);

        } else if (driver_option(argv[i], "-max_len=", &value)) {
            driver_max = strtoull(value, NULL, 10);

        } else if (driver_option(argv[i], "-artifact_prefix=", &value)) {
            driver_prefix = value;

        } else if (driver_option(argv[i], "-dict=", &value)) {
            driver_words(value);

        } else {
            driver_fail("an option that is not known", argv[i]);
        }
    }

    if (driver_max == 0 || driver_max > DRIVER_MAX) {
        driver_fail("-max_len must be from 1 to 1048576", "");
    }

    if (i < argc && stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
        driver_found = argv[i];
    }

    for ( /* void */ ; i < argc; i++) {
        driver_load(argv[i]);
    }

    signal(SIGABRT, driver_handler);
    signal(SIGALRM, driver_handler);

    if (__sanitizer_set_death_callback) {
        __sanitizer_set_death_callback(driver_dead);

    } else {
        signal(SIGSEGV, driver_handler);
        signal(SIGBUS, driver_handler);
        signal(SIGFPE, driver_handler);
    }

    setitimer(ITIMER_REAL, &timer, NULL);

    driver_state = driver_seed * 0x9e3779b97f4a7c15ull + 1;
    began = driver_time();

    for (len = 0; len < driver_ninputs; len++) {
        driver_one(driver_inputs[len].data, driver_inputs[len].len);
        (void) driver_covered();
    }

    if (driver_ninputs == 0) {
        driver_keep((uint8_t *) "", 0);
    }

    buf = malloc(driver_max);

    if (buf == NULL) {
        driver_fail("no memory", "");
    }

    while (driver_runs < max) {

        if (limit && (driver_runs & 15) == 0 && driver_time() - began > limit)
        {
            break;
        }

        input = &driver_inputs[driver_random(driver_ninputs)];

        len = input->len < driver_max ? input->len : driver_max;
        memcpy(buf, input->data, len);
        len = driver_mutate(buf, len);

        driver_one(buf, len);

        if (driver_covered()) {
            driver_keep(buf, len);
            driver_save(buf, len);
        }
    }

    now = driver_time() - began;

    printf("stat::number_of_executed_units: %" PRIu64 "\n"
           "stat::average_exec_per_sec:     %.0f\n",
           driver_runs, now > 0 ? driver_runs / now : 0.0);

    return 0;
}


static int
driver_option(const char *arg, const char *name, const char **value)
{
    size_t  len;

    len = strlen(name);
    *value = arg + len;

    return strncmp(arg, name, len) == 0;
}


/* lines of libFuzzer's form, "word", with \" \\ and \xAB in it */

static void
driver_words(const char *file)
{
    char      line[1024], *p, *last;
    FILE     *f;
    uint8_t  *dst;

    f = fopen(file, "r");

    if (f == NULL) {
        driver_fail(strerror(errno), file);
    }

    while (driver_ndict < DRIVER_WORDS && fgets(line, sizeof(line), f)) {
        p = strchr(line, '"');
        last = strrchr(line, '"');

        if (line[0] == '#' || p == NULL || p == last) {
            continue;
        }

        dst = malloc(last - p);
        driver_dict[driver_ndict].data = dst;

        for (p++; p < last; p++) {

            if (*p == '\\' && p[1] == 'x' && last - p > 3) {
                *dst++ = (uint8_t) strtol((char[]) { p[2], p[3], 0 }, NULL, 16);
                p += 3;
                continue;
            }

            p += (*p == '\\' && p + 1 < last);
            *dst++ = (uint8_t) *p;
        }

        driver_dict[driver_ndict].len = dst - driver_dict[driver_ndict].data;
        driver_ndict++;
    }

    fclose(f);
}


static void
driver_load(const char *path)
{
    int              i, n;
    char             name[4096];
    struct stat      st;
    struct dirent  **entries;

    if (stat(path, &st) != 0) {
        driver_fail(strerror(errno), path);
    }

    if (!S_ISDIR(st.st_mode)) {
        driver_read(path);
        return;
    }

    n = scandir(path, &entries, NULL, alphasort);

    for (i = 0; i < n; i++) {
        if (entries[i]->d_name[0] != '.') {
            snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
            driver_read(name);
        }

        free(entries[i]);
    }

    if (n >= 0) {
        free(entries);
    }
}


static void
driver_read(const char *path)
{
    FILE            *f;
    size_t           len;
    static uint8_t   buf[DRIVER_MAX];

    f = fopen(path, "rb");

    if (f == NULL) {
        driver_fail(strerror(errno), path);
    }

    len = fread(buf, 1, sizeof(buf), f);
    fclose(f);

    driver_keep(buf, len);
}


static void
driver_keep(const uint8_t *data, size_t len)
{
    driver_input_t  *input;

    if (driver_ninputs < DRIVER_INPUTS) {
        input = &driver_inputs[driver_ninputs++];

    } else {
        input = &driver_inputs[driver_random(DRIVER_INPUTS)];
        free(input->data);
    }

    input->len = len;
    input->data = malloc(len + 1);

    if (input->data == NULL) {
        driver_fail("no memory", "");
    }

    memcpy(input->data, data, len);
}


static void
driver_save(const uint8_t *data, size_t len)
{
    char      name[4096];
    FILE     *f;
    size_t    i;
    uint64_t  hash;

    if (driver_found == NULL) {
        return;
    }

    hash = 14695981039346656037ull;

    for (i = 0; i < len; i++) {
        hash = (hash ^ data[i]) * 1099511628211ull;
    }

    snprintf(name, sizeof(name), "%s/%016" PRIx64, driver_found, hash);

    f = fopen(name, "wb");

    if (f) {
        fwrite(data, 1, len, f);
        fclose(f);
    }
}


static void
driver_one(const uint8_t *data, size_t len)
{
    driver_data = data;
    driver_len = len;

    (void) LLVMFuzzerTestOneInput(data, len);

    driver_runs++;
}


static size_t
driver_mutate(uint8_t *data, size_t len)
{
    size_t           at, n;
    uint64_t         times;
    uint8_t          bytes[16];
    driver_input_t  *other;

    static const uint8_t  special[] = "\0\1\xff\x7f\x80\n\r\"\\{}[]:,0 9-e%/~";

    for (times = 1 + driver_random(DRIVER_MUTATIONS); times; times--) {
        at = driver_random(len + 1);

        switch (driver_random(9)) {

        case 0:
            if (at < len) {
                data[at] ^= 1 << driver_random(8);
            }
            break;

        case 1:
            if (at < len) {
                data[at] = (uint8_t) driver_random(256);
            }
            break;

        case 2:
            if (at < len) {
                data[at] = special[driver_random(sizeof(special) - 1)];
            }
            break;

        case 3:
            if (at < len) {
                data[at] += (uint8_t) (driver_random(9) - 4);
            }
            break;

        case 4:
            for (n = 0; n < sizeof(bytes); n++) {
                bytes[n] = (uint8_t) driver_random(256);
            }

            len = driver_insert(data, len, at, bytes, 1 + driver_random(n));
            break;

        case 5:
            n = driver_random(driver_random(4) ? 8 : len + 1);
            n = (n < len - at) ? n : len - at;
            memmove(data + at, data + at + n, len - at - n);
            len -= n;
            break;

        case 6:
            if (driver_ndict) {
                other = &driver_dict[driver_random(driver_ndict)];
                len = driver_insert(data, len, at, other->data, other->len);
            }
            break;

        default:                    /* a piece of another input */
            other = &driver_inputs[driver_random(driver_ninputs)];
            n = driver_random(other->len + 1);
            len = driver_insert(data, len, at, other->data + n,
                                driver_random(other->len - n + 1));
        }
    }

    return len;
}


static size_t
driver_insert(uint8_t *data, size_t len, size_t at, const uint8_t *what,
    size_t n)
{
    if (n > driver_max - len) {
        n = driver_max - len;
    }

    memmove(data + at + n, data + at, len - at);
    memcpy(data + at, what, n);

    return len + n;
}


/* gcc calls it in each basic block */

__attribute__((no_sanitize_coverage)) void
__sanitizer_cov_trace_pc(void)
{
    uintptr_t  block;

    block = (uintptr_t) __builtin_return_address(0);
    block ^= block >> 13;

    driver_marks = 1;
    driver_map[(block ^ driver_block) % DRIVER_MAP] = 1;
    driver_block = block >> 1;
}


/* 1 if the input has come where no other has been */

static int
driver_covered(void)
{
    int        new;
    size_t     i, j;
    uint64_t   word;

    if (!driver_marks) {
        return 0;
    }

    new = 0;

    for (i = 0; i < DRIVER_MAP; i += sizeof(word)) {
        memcpy(&word, driver_map + i, sizeof(word));

        if (word == 0) {
            continue;
        }

        for (j = i; j < i + sizeof(word); j++) {
            if (driver_map[j] && !driver_seen[j]) {
                driver_seen[j] = 1;
                new = 1;
            }
        }
    }

    memset(driver_map, 0, sizeof(driver_map));
    driver_block = 0;

    return new;
}


/* xorshift64*: the same in each run with this seed */

static uint64_t
driver_random(uint64_t n)
{
    driver_state ^= driver_state >> 12;
    driver_state ^= driver_state << 25;
    driver_state ^= driver_state >> 27;

    return ((driver_state * 0x2545f4914f6cdd1dull) >> 11) % n;
}


static double
driver_time(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec + ts.tv_nsec / 1e9;
}


static void
driver_handler(int signo)
{
    if (signo == SIGALRM) {

        if (driver_watched != driver_runs) {
            driver_watched = driver_runs;
            driver_waited = 0;
            return;
        }

        if (++driver_waited < DRIVER_TIMEOUT) {
            return;
        }

        fprintf(stderr, "an input takes longer than %d seconds\n",
                DRIVER_TIMEOUT);
    }

    driver_dead();
    signal(SIGABRT, SIG_DFL);
    abort();
}


static void
driver_dead(void)
{
    char         name[4096];
    FILE        *f;

    static int   called;

    if (called++) {
        return;
    }

    snprintf(name, sizeof(name), "%scrash-%" PRIu64 "-%" PRIu64,
             driver_prefix, driver_seed, driver_runs);

    f = fopen(name, "wb");

    if (f) {
        fwrite(driver_data, 1, driver_len, f);
        fclose(f);
    }

    fprintf(stderr, "run %" PRIu64 " of seed %" PRIu64 " has failed: %s\n",
            driver_runs, driver_seed, name);
}


static void
driver_fail(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s\n", which, what);
    exit(2);
}
