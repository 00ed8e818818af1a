/* Makes positional writes to HDF5 files fail or fall short: a library for LD_PRELOAD.
 *
 * A program asks for faults by calling `pwrite_faults`, which it finds with dlsym. Only files whose name ends with ".h5" are
 * affected. This is a library and no program, so it is not in the folder of the programs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NONE, SHORT, INTERRUPTED, FAILED };

static atomic_int mode, every, once, failure, calls, faults;

/* From now on every `nth` write (or, if `just_once`, only the one write with this number) is cut to a half (mode 1), interrupted
 * (mode 2) or fails with `error` (mode 3). Returns how many faults there have been since the last call. */
int
pwrite_faults(int new_mode, int nth, int just_once, int error)
{
    mode = NONE;
    calls = 0;
    every = nth;
    once = just_once;
    failure = error;
    int before = atomic_exchange(&faults, 0);
    mode = new_mode;
    return before;
}

static int
is_hdf5(int descriptor)
{
    char    link[64], path[4096];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path);
    return length > 3 && length < (ssize_t)sizeof path && memcmp(path + length - 3, ".h5", 3) == 0;
}

/* What is to become of a write of `count` bytes: the number of bytes to write, or -1 with errno set. */
static ssize_t
permitted(int descriptor, size_t count)
{
    int saved = errno, what = mode;

    if (what == NONE || every <= 0 || !is_hdf5(descriptor)) {
        errno = saved;
        return (ssize_t)count;
    }
    errno = saved;
    int number = ++calls;
    if (once ? number != every : number % every != 0)
        return (ssize_t)count;
    if (what == SHORT) {
        if (count < 2)
            return (ssize_t)count;
        faults++;
        return (ssize_t)(count / 2);
    }
    faults++;
    errno = what == INTERRUPTED ? EINTR : failure;
    return -1;
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);

static ssize_t
forward(const char *name, int descriptor, const void *data, size_t count, off_t offset)
{
    pwrite_function real = (pwrite_function)dlsym(RTLD_NEXT, name);
    ssize_t         allowed = permitted(descriptor, count);

    return allowed < 0 ? -1 : real(descriptor, data, (size_t)allowed, offset);
}

ssize_t
pwrite(int descriptor, const void *data, size_t count, off_t offset)
{
    return forward("pwrite", descriptor, data, count, offset);
}

ssize_t
pwrite64(int descriptor, const void *data, size_t count, off_t offset)
{
    return forward("pwrite64", descriptor, data, count, offset);
}

/* Gathered writes: the first part alone, which is a short write too. */
ssize_t
pwritev(int descriptor, const struct iovec *parts, int count, off_t offset)
{
    return count > 0 ? forward("pwrite", descriptor, parts[0].iov_base, parts[0].iov_len, offset) : 0;
}

ssize_t
pwritev64(int descriptor, const struct iovec *parts, int count, off_t offset)
{
    return pwritev(descriptor, parts, count, offset);
}
