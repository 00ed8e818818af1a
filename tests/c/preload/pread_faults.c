/* Makes long positional reads fail: a library for LD_PRELOAD. Programs find `pread_faults` with dlsym. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { LONG = 4 * 1024 };

static atomic_int fault;

/* From now on long reads fail with this error; 0: with none. */
void
pread_faults(int error)
{
    fault = error;
}

typedef ssize_t reads(int, void *, size_t, off64_t);

static ssize_t
read_or_fail(const char *name, reads **next, int file, void *buffer, size_t length, off64_t offset)
{
    if (!*next)
        *(void **)next = dlsym(RTLD_NEXT, name);
    if (fault && length > LONG) {
        errno = fault;
        return -1;
    }
    return (*next)(file, buffer, length, offset);
}

ssize_t
pread64(int file, void *buffer, size_t length, off64_t offset)
{
    static reads *next;

    return read_or_fail("pread64", &next, file, buffer, length, offset);
}

ssize_t
pread(int file, void *buffer, size_t length, off_t offset)
{
    static reads *next;

    return read_or_fail("pread", &next, file, buffer, length, offset);
}
