
/*
 * Copyright (C) Open Responses contributors
 *
 * Load for a proxy, and the model server behind it, in one process.
 *
 *   load model=PORT [cpu=N] [look=1]
 *
 * A command a line on stdin, a line of results on stdout:
 *
 *   serve    seconds=S: the model server alone
 *   closed   conns=N seconds=S (or count=N): requests one after the other;
 *            with one connection, how long the proxy holds them, or with
 *            whole=1, how long their answers take
 *   open     conns=N seconds=S rate=N: at that rate, whatever happens
 *   streams  conns=N mode=bulk|steps|paced [seconds=S] [chunks=N] [hold=1]
 *            [rate=chunks of all streams a second] [lax=1: [DONE] may be
 *            missing]
 *
 * with port= and path= of the proxy, body=FILE,..., worker=PID to be watched:
 * of several bodies each request has the next one, so that no branch of the
 * worker is known by heart; timeout=S, if 60 are too many;
 * closed and open take more=FILE too, with morepath=: bodies that are sent
 * beside on a connection of their own; copy=FILE gets all bytes of the answers.
 * With look=1 the model server finds the streams in the bodies of requests.
 */


#include "client.h"
#include "model.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


#define LOAD_WARMUP    100000000            /* ns */
#define LOAD_TIMEOUT   60000000000ull       /* of a command */
#define LOAD_OPENING   256                  /* streams that begin at a time */
#define LOAD_SAMPLES   (1024 * 1024)
#define LOAD_BODIES    64


typedef struct {
    const char  *name;
    void       (*handler)(void);
} load_command_t;


typedef struct {
    char         head[512];
    char        *text;                      /* NULL: none */
    size_t       len;
} load_body_t;


static void load_command(char *line);
static void load_serve(void);
static void load_closed(void);
static void load_open(void);
static void load_streams(void);
static void load_streams_begin(void);
static void load_streams_window(void);
static void load_streams_end(void);
static void load_request_done(bench_client_t *c);
static void load_stream_start(bench_client_t *c);
static void load_stream_done(bench_client_t *c);
static void load_stream_begun(bench_client_t *c);
static void load_stream_data(bench_client_t *c);
static void load_conns(unsigned n);
static void load_finish(void);
static void load_next(bench_client_t *c, uint64_t due);
static void load_begin(void);
static void load_end(void);
static void load_wait(uint64_t ns);
static int load_turn(void);
static void load_sample(uint64_t ns);
static double load_percentile(double part);
static int load_compare(const void *a, const void *b);
static const char *load_arg(const char *name);
static double load_number(const char *name);
static void load_bodies(void);
static void load_body(load_body_t *b, char *file, const char *path);
static load_body_t *load_next_body(void);
static char *load_file(const char *path, size_t *len);


static load_command_t  load_commands[] = {
    { "serve", load_serve },
    { "closed", load_closed },
    { "open", load_open },
    { "streams", load_streams },
    { NULL, NULL }
};


static char            *args[32];
static unsigned         nargs;

static bench_client_t  *conns, **idle, more;
static unsigned         nconns, nidle, nopen;
static load_body_t      bodies[LOAD_BODIES], more_body;
static unsigned         nbodies, turn;

static uint64_t         done, errors, issued, count, started, ended, good;
static uint64_t         hold_max, ready_memory, idle_memory;
static uint64_t         deltas, released;
static unsigned         running, measuring, steps, want, whole, lax;

static uint64_t         from, to, cpu, deadline;
static int              worker;
static double           seconds;

static uint32_t        *samples;
static unsigned         nsamples;


int
main(int argc, char **argv)
{
    char       line[4096];
    int        i;
    unsigned   port;
    cpu_set_t  set;

    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOLBF, 0);

    for (i = 1; i < argc && i < 32; i++) {
        args[nargs++] = argv[i];
    }

    if (load_arg("cpu")) {
        CPU_ZERO(&set);
        CPU_SET((int) load_number("cpu"), &set);
        (void) sched_setaffinity(0, sizeof(set), &set);
    }

    samples = bench_alloc(LOAD_SAMPLES * sizeof(uint32_t));

    bench_model.look = (unsigned) load_number("look");

    bench_loop_init();
    port = bench_model_listen((unsigned) load_number("model"));

    printf("port=%u files=%u\n", port, bench_files());

    while (fgets(line, sizeof(line), stdin)) {
        load_command(line);
    }

    return 0;
}


static void
load_command(char *line)
{
    char            *name, *p;
    load_command_t  *command;

    nargs = 0;
    name = strtok(line, " \n");

    while (name && nargs < 32 && (p = strtok(NULL, " \n"))) {
        args[nargs++] = p;
    }

    for (command = load_commands; command->name; command++) {
        if (name && strcmp(name, command->name) == 0) {
            break;
        }
    }

    if (command->name == NULL) {
        printf("error=command\n");
        return;
    }

    worker = (int) load_number("worker");
    seconds = load_number("seconds");
    count = (uint64_t) load_number("count");
    whole = (unsigned) load_number("whole");
    lax = (unsigned) load_number("lax");

    load_bodies();

    done = 0;
    errors = 0;
    issued = 0;
    started = 0;
    ended = 0;
    good = 0;
    deltas = 0;
    hold_max = 0;
    nsamples = 0;
    measuring = 0;
    cpu = 0;
    bench_client_data = NULL;
    deadline = bench_now() + (load_arg("timeout")
                              ? (uint64_t) (load_number("timeout") * 1e9)
                              : LOAD_TIMEOUT);

    if (load_arg("copy")) {
        bench_client_copy = fopen(load_arg("copy"), "wb");
    }

    /* the file has all when the result is printed */

    if (bench_client_copy) {
        setvbuf(bench_client_copy, NULL, _IONBF, 0);
    }

    command->handler();

    if (bench_client_copy) {
        fclose(bench_client_copy);
        bench_client_copy = NULL;
    }

    while (nbodies) {
        free(bodies[--nbodies].text);
    }

    free(more_body.text);
}


static void
load_serve(void)
{
    load_wait((uint64_t) (seconds * 1e9));

    printf("requests=0\n");
}


/* each connection sends its next request when it has its answer */

static void
load_closed(void)
{
    unsigned  n;

    bench_client_done = load_request_done;

    running = 1;
    load_conns((unsigned) load_number("conns"));
    nidle = 0;

    if (count) {
        load_begin();
    }

    for (n = 0; n < nconns; n++) {
        load_next(&conns[n], bench_now());
    }

    if (count) {
        while (running && load_turn()) { /* void */ }

    } else {
        load_wait(LOAD_WARMUP);
        load_begin();
        load_wait((uint64_t) (seconds * 1e9));
    }

    load_end();
    running = 0;
    load_finish();

    printf("requests=%llu errors=%llu seconds=%.6f cpu=%llu hold_p50=%.1f "
           "hold_p99=%.1f hold_max=%.1f\n",
           (unsigned long long) done, (unsigned long long) errors,
           (to - from) / 1e9, (unsigned long long) cpu,
           load_percentile(0.5), load_percentile(0.99), hold_max / 1e3);
}


/* a request is due at its time, even if an earlier one keeps it waiting */

static void
load_open(void)
{
    double    period;
    uint64_t  begin, due, end, now;

    bench_client_done = load_request_done;

    running = 0;
    load_conns((unsigned) load_number("conns"));

    begin = bench_now();
    end = begin + LOAD_WARMUP + (uint64_t) (seconds * 1e9);
    period = 1e9 / load_number("rate");

    if (more_body.text) {
        bench_client_start(&more, more_body.head, more_body.text,
                           more_body.len, 0);
    }

    for ( ;; ) {
        bench_loop_turn(0);

        now = bench_now();

        if (now >= end) {
            break;
        }

        if (!measuring && now > begin + LOAD_WARMUP) {
            load_begin();
        }

        for ( ;; ) {
            due = begin + (uint64_t) (issued * period);

            if (due > now || nidle == 0) {
                break;
            }

            load_next(idle[--nidle], due);
        }
    }

    load_end();
    load_finish();

    printf("requests=%llu errors=%llu seconds=%.6f cpu=%llu p50=%.1f "
           "p90=%.1f p99=%.1f p999=%.1f max=%.1f\n",
           (unsigned long long) done, (unsigned long long) errors,
           (to - from) / 1e9, (unsigned long long) cpu,
           load_percentile(0.5), load_percentile(0.9), load_percentile(0.99),
           load_percentile(0.999), load_percentile(1));
}


static void
load_streams(void)
{
    const char  *mode;

    mode = load_arg("mode");
    steps = 0;

    if (mode && strcmp(mode, "steps") == 0) {
        bench_model.mode = bench_model_steps;
        steps = 1;

    } else if (mode && strcmp(mode, "paced") == 0) {
        bench_model.mode = bench_model_paced;
        bench_model.pace = (uint64_t) (1e9 / load_number("rate"));

    } else {
        bench_model.mode = bench_model_bulk;
    }

    bench_model.chunks = (unsigned) load_number("chunks");
    bench_model.hold = (unsigned) load_number("hold");
    bench_model.sent = 0;

    /* a stream has begun when it has all that it waits with */

    want = bench_model.hold ? bench_model.chunks : 1;

    bench_client_done = load_stream_done;
    bench_client_data = load_stream_data;

    idle_memory = bench_memory(worker);

    load_conns((unsigned) load_number("conns"));

    load_streams_begin();
    load_streams_window();
    load_streams_end();

    printf("ended=%llu good=%llu errors=%llu chunks=%llu "
           "seconds=%.6f cpu=%llu memory=%lld sent=%llu deltas=%llu "
           "drain=%.3f first_p50=%.1f first_p99=%.1f\n",
           (unsigned long long) ended, (unsigned long long) good,
           (unsigned long long) errors, (unsigned long long) count,
           (to - from) / 1e9, (unsigned long long) cpu,
           (long long) (ready_memory - idle_memory),
           (unsigned long long) bench_model.sent,
           (unsigned long long) deltas, (bench_now() - released) / 1e9,
           load_percentile(0.5), load_percentile(0.99));
}


static void
load_streams_begin(void)
{
    unsigned  n;

    running = (bench_model.mode == bench_model_bulk && seconds);
    nopen = 0;

    if (seconds == 0 && !bench_model.hold) {
        load_begin();
    }

    for (n = 0; n < nconns; n++) {

        while (n - started >= LOAD_OPENING && load_turn()) { /* void */ }

        load_stream_start(&conns[n]);

        if (conns[n].io.fd == -1) {
            load_stream_done(&conns[n]);
        }
    }

    while (started < nconns && load_turn()) { /* void */ }
}


/* counting begins when all are open */

static void
load_streams_window(void)
{
    uint64_t  sent;

    if (bench_model.hold) {

        /* the worker has nothing to do any more after it */

        load_wait(LOAD_WARMUP);

        ready_memory = bench_memory(worker);
        return;
    }

    if (seconds == 0) {
        return;
    }

    load_begin();
    sent = bench_model.sent;

    load_wait((uint64_t) (seconds * 1e9));

    load_end();
    count = bench_model.sent - sent;
}


static void
load_streams_end(void)
{
    running = 0;
    steps = 0;
    released = bench_now();

    if (bench_model.mode != bench_model_bulk
        && (bench_model.hold || bench_model.chunks == 0))
    {
        bench_model_release();

    } else {
        steps = 1;
    }

    while (nopen && load_turn()) { /* void */ }

    if (measuring) {
        load_end();
        count = bench_model.sent;
    }

    steps = 0;
    load_finish();
}


static void
load_stream_start(bench_client_t *c)
{
    load_body_t  *body;

    nopen++;
    c->start = bench_now();

    body = load_next_body();
    bench_client_start(c, body->head, body->text, body->len, 1);
}


static void
load_stream_done(bench_client_t *c)
{
    nopen--;
    ended++;
    deltas += c->deltas;

    if (c->status == 200 && (c->end || (lax && c->completed)) && !c->error
        && c->state == bench_client_st_idle)
    {
        good++;

    } else {
        errors++;
    }

    /* all of it may have come at once */

    if (!c->begun) {
        load_stream_begun(c);
    }

    if (running && c->state == bench_client_st_idle) {
        load_stream_start(c);
    }
}


static void
load_stream_begun(bench_client_t *c)
{
    c->begun = 1;
    started++;

    if (c->deltas >= want) {
        load_sample(bench_now() - c->start);
    }
}


static void
load_stream_data(bench_client_t *c)
{
    if (c->deltas >= want && !c->begun) {
        load_stream_begun(c);
    }

    /* a proxy's own events are no answer to a chunk */

    if (steps && (!bench_model.look || c->deltas != c->answered)) {
        c->answered = c->deltas;
        bench_model_step(c->id);
    }
}


static void
load_request_done(bench_client_t *c)
{
    uint64_t  hold, now;

    now = bench_now();

    if (c == &more) {

        if (c->state == bench_client_st_idle && nconns) {
            bench_client_start(c, more_body.head, more_body.text,
                               more_body.len, 0);
        }

        return;
    }

    nopen--;

    if (c->state != bench_client_st_idle
        || (c->status != 200 && c->status != 204))
    {
        errors++;

    } else if (measuring) {
        done++;

        if (running && nconns == 1) {

            /* from its last byte to the first one of what the proxy makes */

            hold = bench_model.seen > c->written
                   ? bench_model.seen - c->written : 0;

            if (whole) {
                hold = now - c->start;
            }

            load_sample(hold);

            if (hold > hold_max) {
                hold_max = hold;
            }

        } else if (!running) {
            load_sample(now - c->start);
        }
    }

    if (!running) {
        idle[nidle++] = c;
        return;
    }

    if (c->io.fd == -1 || (count && issued == count)) {
        if (nopen == 0) {
            running = 0;
        }

        return;
    }

    load_next(c, now);
}


static void
load_next(bench_client_t *c, uint64_t due)
{
    load_body_t  *body;

    issued++;
    nopen++;
    c->start = due;

    body = load_next_body();
    bench_client_start(c, body->head, body->text, body->len, 0);
}


static void
load_conns(unsigned n)
{
    unsigned  i, port;

    port = (unsigned) load_number("port");

    conns = bench_alloc(n * sizeof(bench_client_t));
    idle = bench_alloc(n * sizeof(bench_client_t *));
    nconns = n;
    nidle = 0;
    nopen = 0;

    for (i = 0; i < n; i++) {
        conns[i].id = i;
        bench_client_open(&conns[i], port);
        idle[nidle++] = &conns[i];

        /* the queue of a listening socket is not endless */

        if (i % 128 == 127) {
            (void) load_turn();
            usleep(1000);
        }
    }

    more.io.fd = -1;

    if (more_body.text) {
        bench_client_open(&more, port);
    }

    (void) load_turn();
}


/* waits for the answers that are under way, and closes */

static void
load_finish(void)
{
    unsigned  i;

    while (nopen && load_turn()) { /* void */ }

    errors += nopen;

    for (i = 0; i < nconns; i++) {
        bench_client_close(&conns[i]);
    }

    nconns = 0;
    bench_client_close(&more);

    /* the events of the closed ones */

    bench_loop_turn(10);

    free(conns);
    free(idle);
}


static void
load_begin(void)
{
    measuring = 1;
    cpu = bench_cpu(worker);
    from = bench_now();
}


static void
load_end(void)
{
    to = bench_now();
    cpu = bench_cpu(worker) - cpu;
    measuring = 0;
}


static void
load_wait(uint64_t ns)
{
    uint64_t  end;

    end = bench_now() + ns;

    while (bench_now() < end && load_turn()) { /* void */ }
}


/*
 * Never sleeps: a client that must be woken would be measured too.  0: the
 * command takes too long, nothing is to be waited for any more.
 */

static int
load_turn(void)
{
    uint64_t  now;

    bench_loop_turn(0);

    now = bench_now();
    bench_model_tick(now);

    return now < deadline;
}


static void
load_sample(uint64_t ns)
{
    if (nsamples < LOAD_SAMPLES) {
        samples[nsamples++] = (ns > UINT32_MAX) ? UINT32_MAX : (uint32_t) ns;
    }
}


/* in microseconds */

static double
load_percentile(double part)
{
    unsigned  n;

    if (nsamples == 0) {
        return 0;
    }

    qsort(samples, nsamples, sizeof(uint32_t), load_compare);

    n = (unsigned) (part * nsamples);

    return samples[n < nsamples ? n : nsamples - 1] / 1e3;
}


static int
load_compare(const void *a, const void *b)
{
    uint32_t  x, y;

    x = *(const uint32_t *) a;
    y = *(const uint32_t *) b;

    return (x > y) - (x < y);
}


static const char *
load_arg(const char *name)
{
    size_t    len;
    unsigned  i;

    len = strlen(name);

    for (i = 0; i < nargs; i++) {
        if (strncmp(args[i], name, len) == 0 && args[i][len] == '=') {
            return args[i] + len + 1;
        }
    }

    return NULL;
}


static double
load_number(const char *name)
{
    const char  *value;

    value = load_arg(name);

    return value ? atof(value) : 0;
}


static void
load_bodies(void)
{
    char  *file, *files;

    nbodies = 0;
    turn = 0;

    files = (char *) load_arg("body");

    do {
        file = files;
        files = file ? strchr(file, ',') : NULL;

        if (files) {
            *files++ = '\0';
        }

        load_body(&bodies[nbodies++], file, load_arg("path"));

    } while (files && nbodies < LOAD_BODIES);

    load_body(&more_body, (char *) load_arg("more"), load_arg("morepath"));
}


static void
load_body(load_body_t *b, char *file, const char *path)
{
    b->text = load_file(file, &b->len);

    if (path == NULL) {
        return;
    }

    snprintf(b->head, sizeof(b->head),
             "%s %s HTTP/1.1\r\nHost: localhost\r\n"
             "User-Agent: bench\r\nAccept: */*\r\n"
             "Authorization: Bearer sk-bench-0123456789abcdef\r\n"
             "Content-Type: application/json\r\n"
             "Content-Length: %zu\r\n",
             b->len ? "POST" : "GET", path, b->len);
}


static load_body_t *
load_next_body(void)
{
    return &bodies[turn++ % nbodies];
}


static char *
load_file(const char *path, size_t *len)
{
    char  *text;
    FILE  *file;

    *len = 0;

    if (path == NULL) {
        return NULL;
    }

    file = fopen(path, "rb");
    if (file == NULL) {
        bench_fatal(path);
    }

    fseek(file, 0, SEEK_END);
    *len = ftell(file);
    rewind(file);

    text = bench_alloc(*len + 1);

    if (fread(text, 1, *len, file) != *len) {
        bench_fatal(path);
    }

    fclose(file);

    return text;
}
