/* Makes long positional reads wait, as a slow disk would: a library for LD_PRELOAD. H5_TEST_READ_US says how many microseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

enum { LONG = 64 * 1024 };

ssize_t
pread64(int file, void *buffer, size_t length, off64_t offset)
{
    static ssize_t (*next)(int, void *, size_t, off64_t);
    const char *text = length > LONG ? getenv("H5_TEST_READ_US") : NULL;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "pread64");
    if (text) {
        long            wait = atol(text);
        struct timespec time = {wait / 1000000, wait % 1000000 * 1000};

        nanosleep(&time, NULL);
    }
    return next(file, buffer, length, offset);
}
