
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Calls into the C library that fail: preloaded into nginx by t/fault.t.
 *
 * ORS_FAULT_FILE is a file that both have mapped, fault_t: the n-th call of
 * these kinds in process "pid" fails from the moment the fields are set, or
 * with "last" all from the n-th up to that one.
 */


#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>


#define FAULT_MEMORY  0x01
#define FAULT_FILE    0x02
#define FAULT_RANDOM  0x04
#define FAULT_SOCKET  0x08
#define FAULT_MAP     0x10


typedef struct {
    uint32_t   pid;          /* 0: nothing fails, nothing is counted */
    uint32_t   kinds;
    uint32_t   n;            /* 0: nothing fails */
    uint32_t   last;
    uint32_t   err;
    uint32_t   count;        /* calls of these kinds */
    uint32_t   failed;
} fault_t;


void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int fault(uint32_t kind);
static int fault_is(int fd, mode_t type);


static fault_t  *fault_control;


__attribute__((constructor)) static void
fault_init(void)
{
    int          fd;
    void        *p;
    const char  *file;

    file = getenv("ORS_FAULT_FILE");
    fd = file ? open(file, O_RDWR|O_CLOEXEC) : -1;

    if (fd < 0) {
        return;
    }

    p = (void *) syscall(SYS_mmap, NULL, sizeof(fault_t),
                         PROT_READ|PROT_WRITE, MAP_SHARED, fd, 0);

    fault_control = (p == MAP_FAILED) ? NULL : p;
    close(fd);
}


static int
fault(uint32_t kind)
{
    uint32_t   n, count;
    fault_t   *f;

    f = fault_control;

    if (f == NULL || !(f->kinds & kind)
        || f->pid != (uint32_t) syscall(SYS_getpid))
    {
        return 0;
    }

    count = __atomic_add_fetch(&f->count, 1, __ATOMIC_SEQ_CST);
    n = f->n;

    if (n == 0 || count < n || count > (f->last ? f->last : n)) {
        return 0;
    }

    __atomic_add_fetch(&f->failed, 1, __ATOMIC_SEQ_CST);
    errno = (kind == FAULT_MEMORY) ? ENOMEM : (int) f->err;

    return 1;
}


static int
fault_is(int fd, mode_t type)
{
    struct stat  st;

    return fault_control != NULL && fault_control->pid
           && fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == type;
}


/* memory */

void *
malloc(size_t size)
{
    return fault(FAULT_MEMORY) ? NULL : __libc_malloc(size);
}


void *
calloc(size_t n, size_t size)
{
    return fault(FAULT_MEMORY) ? NULL : __libc_calloc(n, size);
}


void *
realloc(void *p, size_t size)
{
    return fault(FAULT_MEMORY) ? NULL : __libc_realloc(p, size);
}


void *
memalign(size_t alignment, size_t size)
{
    return fault(FAULT_MEMORY) ? NULL : __libc_memalign(alignment, size);
}


void *
aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}


int
posix_memalign(void **p, size_t alignment, size_t size)
{
    void  *mem;

    mem = memalign(alignment, size);

    if (mem == NULL) {
        return ENOMEM;
    }

    *p = mem;

    return 0;
}


void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
    return fault(FAULT_MAP) ? MAP_FAILED
                            : (void *) syscall(SYS_mmap, addr, len, prot,
                                               flags, fd, off);
}


void *
mmap64(void *addr, size_t len, int prot, int flags, int fd, off_t off)
{
    return mmap(addr, len, prot, flags, fd, off);
}


/* random bytes */

ssize_t
getrandom(void *buf, size_t len, unsigned int flags)
{
    return fault(FAULT_RANDOM) ? -1 : syscall(SYS_getrandom, buf, len, flags);
}


int
getentropy(void *buf, size_t len)
{
    return (getrandom(buf, len, 0) == (ssize_t) len) ? 0 : -1;
}


/* files: what a full disk, or one that breaks, refuses */

ssize_t
pwrite(int fd, const void *buf, size_t n, off_t off)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_pwrite64, fd, buf, n, off);
}


ssize_t
pwrite64(int fd, const void *buf, size_t n, off_t off)
{
    return pwrite(fd, buf, n, off);
}


ssize_t
pwritev(int fd, const struct iovec *iov, int n, off_t off)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_pwritev, fd, iov, n, off, 0);
}


ssize_t
pwritev64(int fd, const struct iovec *iov, int n, off_t off)
{
    return pwritev(fd, iov, n, off);
}


int
fsync(int fd)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_fsync, fd);
}


int
fdatasync(int fd)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_fdatasync, fd);
}


int
msync(void *addr, size_t len, int flags)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_msync, addr, len, flags);
}


int
ftruncate(int fd, off_t len)
{
    return fault(FAULT_FILE) ? -1 : syscall(SYS_ftruncate, fd, len);
}


int
ftruncate64(int fd, off_t len)
{
    return ftruncate(fd, len);
}


ssize_t
writev(int fd, const struct iovec *iov, int n)
{
    if ((fault_is(fd, S_IFREG) && fault(FAULT_FILE))
        || (fault_is(fd, S_IFSOCK) && fault(FAULT_SOCKET)))
    {
        return -1;
    }

    return syscall(SYS_writev, fd, iov, n);
}


/* sockets */

int
socket(int domain, int type, int protocol)
{
    return fault(FAULT_SOCKET) ? -1 : syscall(SYS_socket, domain, type,
                                              protocol);
}


int
connect(int fd, const struct sockaddr *sa, socklen_t len)
{
    return fault(FAULT_SOCKET) ? -1 : syscall(SYS_connect, fd, sa, len);
}


ssize_t
send(int fd, const void *buf, size_t n, int flags)
{
    return fault(FAULT_SOCKET) ? -1 : syscall(SYS_sendto, fd, buf, n, flags,
                                              NULL, 0);
}


ssize_t
recv(int fd, void *buf, size_t n, int flags)
{
    return fault(FAULT_SOCKET) ? -1 : syscall(SYS_recvfrom, fd, buf, n, flags,
                                              NULL, NULL);
}


ssize_t
readv(int fd, const struct iovec *iov, int n)
{
    return fault(FAULT_SOCKET) ? -1 : syscall(SYS_readv, fd, iov, n);
}


int
epoll_ctl(int ep, int op, int fd, struct epoll_event *ev)
{
    return (op == EPOLL_CTL_ADD && fault(FAULT_SOCKET))
           ? -1 : syscall(SYS_epoll_ctl, ep, op, fd, ev);
}
