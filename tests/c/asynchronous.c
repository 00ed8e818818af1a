/* Reads and writes that go on after their calls, with event sets.
 *
 * MODE is the name of one of the functions at the end. ARG, if there is one, is the layout: contiguous, chunked, gzip or converted.
 */
#define _GNU_SOURCE
#include "event_sets.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* Writes and reads in all orders that must not matter. */
static void
basic(void)
{
    int  *first = made(1), *second = made(2), *out = calloc(COUNT, sizeof(int)), *again = calloc(COUNT, sizeof(int));
    hid_t set = ID(h5.H5EScreate()), file = make_file("basic.h5"), dataset = make_dataset(file, "d");

    RC(write_all(dataset, first, set));
    note_count("first-write", set);
    finish(set);
    RC(read_all(dataset, out, set));
    note_count("read", set);
    finish(set);
    show("read", out, COUNT);

    /* Overwritten, and read without waiting; then half of it. */
    RC(write_all(dataset, second, set));
    note_count("second-write", set);
    RC(read_all(dataset, out, set));
    finish(set);
    show("write then read", out, COUNT);
    RC(write_rows(dataset, first, 0, ROWS / 2, set));
    RC(write_rows(dataset, first, ROWS / 2, ROWS / 2, set));
    note_count("disjoint-writes", set);
    RC(read_rows(dataset, out, ROWS / 4, ROWS / 2, set));
    finish(set);
    show("disjoint writes then read", out, COUNT / 2);

    /* Write after write. */
    RC(write_rows(dataset, second, 100, 300, set));
    RC(write_rows(dataset, first, 200, 300, set));
    finish(set);
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    show("write after write", out, COUNT);

    /* Calls that are not asynchronous see what was written before. */
    RC(write_all(dataset, second, set));
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    show("plain read after asynchronous write", out, COUNT);
    RC(read_all(dataset, again, set));
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, first));
    finish(set);
    show("asynchronous read before plain write", again, COUNT);

    /* One element, nothing, no set. */
    RC(write_rows(dataset, second, 7, 1, set));
    RC(write_rows(dataset, second, 0, 0, set));
    RC(read_rows(dataset, out, 7, 1, H5ES_NONE));
    show("one row", out, COLUMNS);
    RC(write_all(dataset, second, H5ES_NONE));
    finish(set);

    RC(read_all(dataset, out, set));
    RC(h5.H5Dclose(dataset));
    show("read, then closed", out, COUNT);
    finish(set);
    RC(h5.H5ESclose(set));
    RC(h5.H5Fclose(file));
    show_file("basic.h5", "d");
}

/* Several datasets at once; the arrays of the call are gone when it returns. */
static void
multi(void)
{
    enum { MANY = 4 };
    int  *in[MANY], *out[MANY];
    hid_t set = ID(h5.H5EScreate()), file = make_file("multi.h5"), datasets[MANY];
    char  name[] = "d0";

    for (int i = 0; i < MANY; i++) {
        name[1] = (char)('0' + i);
        datasets[i] = make_dataset(file, name);
        in[i] = made(i);
        out[i] = calloc(COUNT, sizeof(int));
    }
    for (int reading = 0; reading < 2; reading++) {
        hid_t *ids = malloc(sizeof datasets), *types = malloc(sizeof datasets), *spaces = malloc(sizeof datasets);
        void **buffers = malloc(sizeof(void *) * MANY);

        for (int i = 0; i < MANY; i++) {
            ids[i] = datasets[i];
            types[i] = H5T_NATIVE_INT;
            spaces[i] = H5S_ALL;
            buffers[i] = reading ? out[i] : in[i];
        }
        if (reading)
            RC(h5.H5Dread_multi_async(HERE, MANY, ids, types, spaces, spaces, H5P_DEFAULT, buffers, set));
        else
            RC(h5.H5Dwrite_multi_async(HERE, MANY, ids, types, spaces, spaces, H5P_DEFAULT, (const void **)buffers, set));
        note_count(reading ? "read" : "write", set);
        memset(ids, 1, sizeof datasets);
        memset(buffers, 1, sizeof(void *) * MANY);
        free(ids);
        free(types);
        free(spaces);
        free(buffers);
    }
    finish(set);
    for (int i = 0; i < MANY; i++) {
        show("multi", out[i], COUNT);
        RC(h5.H5Dclose(datasets[i]));
    }
    RC(h5.H5Fclose(file));
    RC(h5.H5ESclose(set));
    show_file("multi.h5", "d3");
}

/* Whether somebody holds a lock on a file. */
static bool
is_locked(const char *name)
{
    int  file = open(name, O_RDWR);
    bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    close(file);
    return locked;
}

/* What users do: everything is closed before anything is waited for. */
static void
idiom(void)
{
    int  *values = made(1), *other = made(2);
    hid_t set = ID(h5.H5EScreate());

    for (int turn = 0; turn < 3; turn++) {
        hid_t file = make_file("idiom.h5"), dataset = make_dataset(file, "d"), second = make_dataset(file, "e");

        RC(write_all(dataset, values, set));
        RC(write_rows(second, other, 0, ROWS / 2, set));
        RC(write_rows(second, other, ROWS / 2, ROWS / 2, set));
        RC(h5.H5Dclose_async(HERE, dataset, set));
        RC(h5.H5Dclose_async(HERE, second, set));
        RC(turn == 2 ? h5.H5Fclose(file) : h5.H5Fclose_async(HERE, file, set));
        note_count("under-way", set);
        if (turn == 1)
            show_file("idiom.h5", "d"); /* opened again at once */
        finish(set);
        printf("locked: %d\n", is_locked("idiom.h5"));
        show_file("idiom.h5", "d");
        show_file("idiom.h5", "e");
    }
    RC(h5.H5ESclose(set));
    TRY_RC(h5.H5Fclose(1234567));
}

/* Requests that end in another order than they were made, then more of them: nothing may be lost. */
static void
order(void)
{
    enum { SMALL = 12 };
    int   *large = made(1), *out[SMALL], *inserted = calloc(COUNT, sizeof(int));
    hid_t  set = ID(h5.H5EScreate()), file = make_file("order.h5"), first = make_dataset(file, "first");
    hid_t  second = make_dataset(file, "second");
    size_t left = 1, most = 0;
    bool   failed = false;

    RC(h5.H5Dwrite(second, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, large));
    RC(write_all(first, large, set));
    for (int i = 0; i < SMALL; i++) {
        out[i] = calloc(COUNT, sizeof(int));
        RC(read_rows(second, out[i], (hsize_t)i * 16, 16, set));
        if (i % 3 == 1) {
            herr_t status = h5.H5ESwait(set, i % 2 ? 0 : 50000, &left, &failed);

            if (status < 0 || failed)
                printf("polling failed\n");
            most = left > most ? left : most;
        }
    }
    fprintf(stderr, "@most-in-progress %zu\n", most);
    while (left > 0) {
        if (h5.H5ESwait(set, 200000, &left, &failed) < 0 || failed) {
            printf("polling failed\n");
            break;
        }
    }
    RC(read_all(second, inserted, set));
    finish(set);
    note_count("left", set);
    RC(h5.H5ESclose(set));
    for (int i = 0; i < SMALL; i++)
        show("row", out[i], 16 * COLUMNS);
    show("inserted", inserted, COUNT);
    CLOSE(first, second, file);
    show_file("order.h5", "first");
}

/* The oldest request takes long (tests/c/preload/slow_reads.c), and the newest one has ended: what is inserted then must not be lost. */
static void
overtake(void)
{
    enum { FAST = 4 };
    int   *values = made(23), *slow = calloc(COUNT, sizeof(int)), *out[FAST];
    hid_t  set = ID(h5.H5EScreate());
    size_t left = 99;
    bool   failed = true;

    layout = "contiguous";
    hid_t file = make_file("overtake.h5"), dataset = make_dataset(file, "d");

    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen("overtake.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    RC(read_rows(dataset, slow, 0, ROWS / 2, set));
    for (int i = 0; i < FAST; i++) {
        if (i == FAST - 1) {
            usleep(60000);
            RC(h5.H5ESwait(set, 0, &left, &failed));
            fprintf(stderr, "@in-progress %zu\n", left);
        }
        RC(read_rows(dataset, out[i] = calloc(COUNT, sizeof(int)), (hsize_t)i * 16, 16, set));
    }
    note_count("under-way", set);
    finish(set);
    for (int i = 0; i < FAST; i++)
        show("fast", out[i], 16 * COLUMNS);
    show("slow", slow, COUNT / 2);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
}

/* Two sets, waited for in either order, and several files in one set. */
static void
sets(void)
{
    int *values = made(3), *other = made(4);

    for (int turn = 0; turn < 2; turn++) {
        hid_t one = ID(h5.H5EScreate()), two = ID(h5.H5EScreate());
        hid_t file = make_file("one.h5"), next = make_file("two.h5");
        hid_t d = make_dataset(file, "d"), e = make_dataset(next, "d");

        RC(write_all(d, values, one));
        RC(write_all(e, other, two));
        RC(write_rows(d, other, 0, 10, two));
        note_count("one", one);
        note_count("two", two);
        finish(turn ? two : one);
        finish(turn ? one : two);
        RC(h5.H5ESclose(one));
        RC(h5.H5ESclose(two));
        CLOSE(d, e, file, next);
        show_file("one.h5", "d");
        show_file("two.h5", "d");
    }
    hid_t both = ID(h5.H5EScreate()), file = make_file("one.h5"), next = make_file("two.h5");
    hid_t d = make_dataset(file, "d"), e = make_dataset(next, "d");

    RC(write_all(d, other, both));
    RC(write_all(e, values, both));
    finish(both);
    RC(h5.H5ESclose(both));
    CLOSE(d, e, file, next);
    show_file("one.h5", "d");
    show_file("two.h5", "d");
}

/* One file, whose newest request is waited for first: where chunks are stored does not depend on that. */
static void
newest_first(void)
{
    int  *values = made(25), *other = made(26);
    hid_t one = ID(h5.H5EScreate()), two = ID(h5.H5EScreate()), file = make_file("newest.h5");
    hid_t d = make_dataset(file, "d"), e = make_dataset(file, "e");

    RC(write_all(d, values, one));
    RC(write_all(e, other, two));
    note_count("one", one);
    finish(two);
    finish(one);
    RC(h5.H5ESclose(one));
    RC(h5.H5ESclose(two));
    CLOSE(d, e, file);
    show_file("newest.h5", "d");
    show_file("newest.h5", "e");
    free(values);
    free(other);
}

/* Calls that must not overtake what is under way. */
static void
barriers(void)
{
    int    *values = made(5), *out = calloc(COUNT, sizeof(int));
    hid_t   set = ID(h5.H5EScreate()), file = make_file("barriers.h5"), dataset = make_dataset(file, "d");
    hsize_t size[2] = {ROWS + 100, COLUMNS}, back[2] = {ROWS, COLUMNS};

    RC(write_all(dataset, values, set));
    RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
    printf("stored: %d\n", h5.H5Dget_storage_size(dataset) > 0);
    finish(set);
    RC(write_all(dataset, values, set));
    RC(h5.H5Oflush_async(HERE, dataset, set));
    RC(h5.H5Fflush_async(HERE, file, H5F_SCOPE_LOCAL, set));
    finish(set);
    if (strcmp(layout, "contiguous") != 0) {
        RC(write_all(dataset, values, set));
        RC(h5.H5Dset_extent(dataset, size));
        RC(h5.H5Dset_extent(dataset, back));
        finish(set);
    }
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    show("after barriers", out, COUNT);
    fill(values, 6);
    RC(write_all(dataset, values, set));
    RC(h5.H5Ocopy(file, "d", file, "copy", H5P_DEFAULT, H5P_DEFAULT));
    finish(set);
    RC(write_all(dataset, values, set));
    RC(h5.H5Ldelete(file, "d", H5P_DEFAULT));
    RC(h5.H5Dclose(dataset));
    finish(set);
    RC(h5.H5ESclose(set));
    RC(h5.H5Fclose(file));
    show_file("barriers.h5", "copy");
}

static int inserted, completed, completed_times;

static int
on_insert(const H5ES_op_info_t *info, void *context)
{
    inserted += strcmp(info->api_name, "H5Dwrite_async") == 0 || strcmp(info->api_name, "H5Dread_async") == 0;
    return *(int *)context;
}

static int
on_complete(const H5ES_op_info_t *info, int status, hid_t errors, void *context)
{
    (void)errors;
    *(int *)context = status;
    completed++;
    completed_times += info->op_exec_ts > 1000000000000000ull && info->op_exec_time > 0 && info->op_exec_time < 60000000000ull;
    return 0;
}

/* Functions that hear of requests. */
static void
callbacks(void)
{
    int  *values = made(7), *out = calloc(COUNT, sizeof(int)), answer = 0, status = -1;
    hid_t set = ID(h5.H5EScreate()), file = make_file("callbacks.h5"), dataset = make_dataset(file, "d");

    RC(h5.H5ESregister_insert_func(set, on_insert, &answer));
    RC(h5.H5ESregister_complete_func(set, on_complete, &status));
    RC(write_all(dataset, values, set));
    RC(read_all(dataset, out, set));
    finish(set);
    show("read", out, COUNT);
    fprintf(stderr, "@callbacks %d %d %d %d\n", inserted, completed, completed_times, status);

    /* A function that refuses: the call fails, and what it has begun is over. */
    answer = -1;
    fill(values, 8);
    fprintf(stderr, "@refused %d\n", write_all(dataset, values, set) < 0);
    note_count("after-refusal", set);
    memset(values, 0, sizeof(int) * COUNT);
    answer = 0;

    /* Natively it is written. Otherwise it is written, or not begun; never is memory used that belongs to the program again. */
    int *after = calloc(COUNT, sizeof(int)), mixed = 0;

    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, after));
    fill(values, 8);
    for (int i = 0; i < COUNT; i++)
        mixed += after[i] != values[i] && after[i] != out[i];
    printf("after a refusal: %d\n", mixed);
    free(after);
    RC(write_all(dataset, out, set));
    finish(set);

    /* The requests themselves. */
    hid_t  connectors[4];
    void  *requests[4];
    size_t count = 0;

    RC(write_all(dataset, out, set));
    RC(h5.H5ESget_requests(set, H5_ITER_INC, connectors, requests, 4, &count));
    fprintf(stderr, "@requests %zu\n", count);
    finish(set);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    show_file("callbacks.h5", "d");
}

/* Cancelling: what has begun ends, what has not may never be done. Only counts that fit each other are compared. */
static void
cancel(void)
{
    enum { MANY = 6 };
    int   *values = made(9), *out[MANY];
    hid_t  set = ID(h5.H5EScreate()), file = make_file("cancel.h5"), dataset = make_dataset(file, "d");
    hid_t  second = make_dataset(file, "e");
    size_t not_cancelled = 99, left = 99;
    bool   failed = true;

    RC(h5.H5Dwrite(second, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(write_all(dataset, values, set));
    for (int i = 0; i < MANY; i++)
        RC(read_all(second, out[i] = calloc(COUNT, sizeof(int)), set));
    size_t before = note_count("before", set);

    RC(h5.H5EScancel(set, &not_cancelled, &failed));
    size_t after = note_count("after", set);

    fprintf(stderr, "@not-cancelled %zu\n", not_cancelled);
    printf("fits: %d, failed %d\n", after <= before && not_cancelled <= before, failed);
    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    printf("left %zu, failed %d\n", left, failed);
    RC(h5.H5EScancel(set, &not_cancelled, &failed));
    printf("nothing to cancel: %zu\n", not_cancelled);
    int empty = 0;

    for (int i = 0; i < MANY; i++)
        empty += out[i][1] == 0;
    fprintf(stderr, "@not-read %d\n", empty);
    RC(read_all(second, out[0], set));
    finish(set);
    show("read", out[0], COUNT);
    RC(h5.H5ESclose(set));
    CLOSE(dataset, second, file);
}

/* A set that is closed too early, and one that does not exist. */
static void
misuse(void)
{
    int   *values = made(10);
    hid_t  set = ID(h5.H5EScreate()), file = make_file("misuse.h5"), dataset = make_dataset(file, "d");
    herr_t closed;

    RC(write_all(dataset, values, set));
    closed = h5.H5ESclose(set);
    fprintf(stderr, "@closed-early %d\n", closed >= 0);
    if (closed < 0) {
        size_t left;
        bool   failed;

        h5.H5ESwait(set, FOREVER, &left, &failed);
        closed = h5.H5ESclose(set);
    }
    printf("closed: %d\n", closed >= 0);
    /* Natively nothing looks at the set. */
    fprintf(stderr, "@bad-set %d\n", write_all(dataset, values, 123456789) < 0);
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    show_file("misuse.h5", "d");
}

/* A chunk that cannot be decoded: the call fails, or the request does. Then the set has failed, and calls go on. */
static void
failures(void)
{
    int    *values = made(11), *out = calloc(COUNT, sizeof(int)), status = -1;
    hid_t   set = ID(h5.H5EScreate()), file = make_file("failures.h5"), dataset = make_dataset(file, "d");
    hsize_t offset[2] = {CHUNK_ROWS * 3, 0};
    char    garbage[1000];
    size_t  left = 99, count = 99, told = 99;
    bool    failed = false, status_of_set = false;

    memset(garbage, 0x5a, sizeof garbage);
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, sizeof garbage, garbage));
    RC(h5.H5ESregister_complete_func(set, on_complete, &status));
    bool at_once = read_all(dataset, out, set) < 0;

    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    printf("failed: %d\n", at_once || failed);
    fprintf(stderr, "@failed-later %d\n", failed);
    if (failed) {
        H5ES_err_info_t info[2];

        h5.H5ESget_err_status(set, &status_of_set);
        h5.H5ESget_err_count(set, &count);
        fprintf(stderr, "@errors %d %zu\n", status_of_set, count);
        h5.H5ESget_err_info(set, 2, info, &told);
        fprintf(stderr, "@told %zu %s %zd %d\n", told, info[0].api_name, h5.H5Eget_num(info[0].err_stack_id), status);
        h5.H5Eset_current_stack(info[0].err_stack_id);
        h5_print_stack(stderr);
        fprintf(stderr, "\n");
        h5.H5free_memory(info[0].api_name);
        h5.H5free_memory(info[0].api_args);
        h5.H5free_memory(info[0].app_file_name);
        h5.H5free_memory(info[0].app_func_name);
    }
    /* More calls with the same set. */
    RC(read_rows(dataset, out, 0, CHUNK_ROWS, set));
    RC(write_all(dataset, values, set));
    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    RC(read_all(dataset, out, set));
    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    show("written again", out, COUNT);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
}

/* After a failure nothing is asynchronous, until the set that has failed is closed. If its errors were asked for, nobody knows whether it
 * is. */
static void
recovers(void)
{
    int    *values = made(27), *out = calloc(COUNT, sizeof(int));
    hid_t   file = make_file("recovers.h5"), dataset = make_dataset(file, "d");
    hsize_t offset[2] = {0, 0};
    char    garbage[1000];

    memset(garbage, 0x5a, sizeof garbage);
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, sizeof garbage, garbage));
    for (int turn = 0; turn < 3; turn++) {
        hid_t  set = ID(h5.H5EScreate()), other = ID(h5.H5EScreate());
        size_t left = 99, told = 0;
        bool   failed = false;

        /* Two of them fail, and one of the calls may fail natively. */
        bool at_once = read_rows(dataset, out, 0, CHUNK_ROWS, set) < 0;
        at_once |= read_rows(dataset, out, 1, CHUNK_ROWS, set) < 0;
        for (int i = 0; i < 2; i++)
            RC(h5.H5ESwait(set, FOREVER, &left, &failed));
        printf("failed: %d\n", at_once || failed);
        RC(read_rows(dataset, out, 2 * CHUNK_ROWS, CHUNK_ROWS, other));
        note_count("set-is-there", other);
        if (turn == 1) {
            H5ES_err_info_t info[1];

            h5.H5ESget_err_info(set, 1, info, &told);
            fprintf(stderr, "@told %zu\n", told);
            if (told) {
                h5.H5Eclose_stack(info[0].err_stack_id);
                h5.H5free_memory(info[0].api_name);
                h5.H5free_memory(info[0].api_args);
                h5.H5free_memory(info[0].app_file_name);
                h5.H5free_memory(info[0].app_func_name);
            }
        }
        RC(h5.H5ESclose(set));
        RC(read_rows(dataset, out, 2 * CHUNK_ROWS, CHUNK_ROWS, other));
        note_count("set-is-closed", other);
        finish(other);
        show("read", out, CHUNK_ROWS * COLUMNS);
        RC(h5.H5ESclose(other));
    }
    CLOSE(dataset, file);
    free(values);
    free(out);
}

/* The disk is full, or broken (with tests/c/preload/pwrite_faults.c): the call fails, the request or, natively, a flush. */
static void
faults(void)
{
    int *values = made(20);
    int (*pwrite_faults)(int, int, int, int) = (int (*)(int, int, int, int))dlsym(RTLD_DEFAULT, "pwrite_faults");

    for (int turn = 0; turn < 2; turn++) {
        hid_t  set = ID(h5.H5EScreate()), file = make_file("faults.h5"), dataset = make_dataset(file, "d");
        size_t left = 99;
        bool   failed = false, at_once, flushed;

        RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
        fill(values, 21 + turn);
        pwrite_faults(3, 1, 0, turn ? EIO : ENOSPC);
        at_once = write_all(dataset, values, set) < 0;
        if (turn == 0)
            h5.H5ESwait(set, FOREVER, &left, &failed);
        flushed = h5.H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
        pwrite_faults(0, 1, 0, 0);
        fprintf(stderr, "@failed-in-wait %d\n", failed);
        printf("failed: %d\n", at_once || failed || !flushed);
        h5.H5ESwait(set, FOREVER, &left, &failed);
        /* It works again. */
        RC(write_all(dataset, values, H5ES_NONE));
        RC(h5.H5ESclose(set));
        RC(h5.H5Dclose(dataset));
        RC(h5.H5Fclose(file));
        show_file("faults.h5", "d");
    }
}

/* The process ends, and nobody has waited. */
static void
leave(bool closes)
{
    int  *values = made(12), *out = calloc(COUNT, sizeof(int));
    hid_t set = ID(h5.H5EScreate()), file = make_file("leave.h5"), dataset = make_dataset(file, "d"), e = make_dataset(file, "e");

    RC(h5.H5Dwrite(e, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(write_all(dataset, values, set));
    RC(read_all(e, out, set));
    note_count("under-way", set);
    if (closes) {
        RC(h5.H5Dclose_async(HERE, dataset, set));
        RC(h5.H5Dclose_async(HERE, e, set));
        RC(h5.H5Fclose_async(HERE, file, set));
    }
    exit(h5_result());
}

static void
leave_open(void)
{
    leave(false);
}

static void
leave_closed(void)
{
    leave(true);
}

/* What the programs before have left. */
static void
look(void)
{
    show_file("leave.h5", "d");
    show_file("leave.h5", "e");
}

/* The library is closed, and nobody has waited. (HDF5 cannot be used again after that: it does not give the set up.) */
static void
close_library(void)
{
    int  *values = made(12);
    hid_t set = ID(h5.H5EScreate()), file = make_file("leave.h5"), dataset = make_dataset(file, "d"), e = make_dataset(file, "e");

    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    fill(values, 19);
    RC(write_all(dataset, values, set));
    RC(write_all(e, values, set));
    note_count("under-way", set);
    RC(h5.H5Dclose_async(HERE, dataset, set));
    RC(h5.H5Fclose_async(HERE, file, set));
    TRY_RC(h5.H5close() >= 0);
}

/* A process that is forked while something is under way. */
static void
forked(void)
{
    int  *values = made(14);
    hid_t set = ID(h5.H5EScreate()), file = make_file("forked.h5"), dataset = make_dataset(file, "d");

    RC(write_all(dataset, values, set));
    size_t under_way = note_count("under-way", set);

    fflush(stdout);
    for (int how = 0; how < 2; how++) {
        pid_t child = fork();

        if (child == 0) {
            size_t left = 99;
            bool   failed = false;

            alarm(15); /* before what might hang */
            herr_t status = h5.H5ESwait(set, FOREVER, &left, &failed);

            _exit(under_way ? (status < 0 ? 7 : 8) : (status < 0 ? 9 : 7));
        }
        int status = 0;

        waitpid(child, &status, 0);
        printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    finish(set);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    show_file("forked.h5", "d");
}

/* What a forked process may do while its parent has something under way. The parent's data is not touched by any of it. */
static int
child(int what, hid_t set, hid_t written, hid_t other, const int *values)
{
    size_t left = 99;
    bool   failed = false;
    int   *out = calloc(COUNT, sizeof(int));

    switch (what) {
    case 0: { /* a file and an event set of its own */
        hid_t own = h5.H5EScreate(), file = make_file("child.h5"), dataset = make_dataset(file, "d");
        bool  good = write_all(dataset, values, own) >= 0 && h5.H5ESwait(own, FOREVER, &left, &failed) >= 0 && !failed && !left;

        good = h5.H5Dclose(dataset) >= 0 && h5.H5Fclose(file) >= 0 && h5.H5ESclose(own) >= 0 && good;
        return good ? 3 : 4;
    }
    case 1: /* reads what its parent has open */
        if (h5.H5Dread(other, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
            return 4;
        return memcmp(out, values, sizeof(int) * COUNT) == 0 ? 3 : 5;
    case 2: /* looks at its parent's set, cancels, and gives it up: all of this may fail, but must end */
        h5.H5ESwait(set, 0, &left, &failed);
        h5.H5EScancel(set, &left, &failed);
        h5.H5ESclose(set);
        return 3;
    default: /* closes what its parent uses */
        h5.H5Dclose_async(HERE, written, set);
        h5.H5Dclose(other);
        return 3;
    }
}

static void
children(void)
{
    int  *values = made(28), *out = calloc(COUNT, sizeof(int));
    hid_t set = ID(h5.H5EScreate()), file = make_file("children.h5"), dataset = make_dataset(file, "d"), other = make_dataset(file, "e");

    RC(h5.H5Dwrite(other, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
    RC(write_all(dataset, values, set));
    RC(read_all(other, out, set));
    note_count("under-way", set);
    for (int what = 0; what < 4; what++) {
        int status = 0;

        fflush(NULL);
        pid_t forked_child = fork();

        if (forked_child == 0) {
            alarm(15);
            _exit(child(what, set, dataset, other, values));
        }
        waitpid(forked_child, &status, 0);
        printf("child %d: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
    finish(set);
    show("read", out, COUNT);
    RC(h5.H5ESclose(set));
    CLOSE(dataset, other, file);
    show_file("children.h5", "d");
    show_file("children.h5", "e");
    show_file("child.h5", "d");
    free(values);
    free(out);
}

typedef struct {
    hid_t dataset, set;
    int  *values, *out, turns;
} visit;

static herr_t
on_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    visit *with = data;

    (void)group;
    (void)name;
    (void)info;
    if (with->turns++ == 0) {
        RC(write_all(with->dataset, with->values, with->set));
        note_count("in-callback", with->set);
        RC(read_all(with->dataset, with->out, with->set));
        finish(with->set);
        show("in a callback", with->out, COUNT);
    }
    return 0;
}

/* Inside a function that HDF5 calls. */
static void
iterate(void)
{
    visit with = {.values = made(15), .out = calloc(COUNT, sizeof(int))};
    int  *before = made(16);
    hid_t file = make_file("iterate.h5");

    with.set = ID(h5.H5EScreate());
    with.dataset = make_dataset(file, "d");
    RC(write_all(with.dataset, before, with.set));
    note_count("before", with.set);
    RC(h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, on_link, &with));
    RC(h5.H5ESclose(with.set));
    RC(h5.H5Dclose(with.dataset));
    RC(h5.H5Fclose(file));
    show_file("iterate.h5", "d");
}

enum { THREADS = 4, STRIPE = ROWS / THREADS };
static hid_t     shared_dataset;
static atomic_int wrong;

static void *
stripe(void *number)
{
    int   mine = (int)(intptr_t)number, *values = malloc(sizeof(int) * COUNT), *out = calloc(COUNT, sizeof(int));
    hid_t set = h5.H5EScreate();

    for (int turn = 0; turn < 6; turn++) {
        size_t left = 0;
        bool   failed = false;

        fill(values, mine * 100 + turn);
        wrong += write_rows(shared_dataset, values, (hsize_t)(mine * STRIPE), STRIPE, set) < 0;
        wrong += read_rows(shared_dataset, out, (hsize_t)(mine * STRIPE), STRIPE, set) < 0;
        if (turn % 3 == 1)
            while (h5.H5ESwait(set, 100000, &left, &failed) >= 0 && left > 0 && !failed)
                ;
        else
            wrong += h5.H5ESwait(set, FOREVER, &left, &failed) < 0;
        wrong += failed || left;
        wrong += memcmp(values, out, sizeof(int) * STRIPE * COLUMNS) != 0;
    }
    wrong += h5.H5ESclose(set) < 0;
    free(values);
    free(out);
    return NULL;
}

/* Threads with sets of their own and one dataset. Wants a thread-safe host. */
static void
threads(void)
{
    bool      safe = false;
    pthread_t all[THREADS];
    hid_t     file = make_file("threads.h5");

    h5.H5is_library_threadsafe(&safe);
    shared_dataset = make_dataset(file, "d");
    for (intptr_t i = 0; i < THREADS; i++)
        if (safe)
            pthread_create(&all[i], NULL, stripe, (void *)i);
        else
            stripe((void *)i);
    for (int i = 0; i < THREADS && safe; i++)
        pthread_join(all[i], NULL);
    printf("wrong: %d\n", wrong);
    RC(h5.H5Dclose(shared_dataset));
    RC(h5.H5Fclose(file));
    show_file("threads.h5", "d");
}

/* Very many requests: the memory that they take is bounded. */
static void
many(void)
{
    enum { MANY = 10000, LENGTH = 20 };
    int          *values = made(17), *out = calloc(COUNT, sizeof(int));
    hid_t         set = ID(h5.H5EScreate()), file = make_file("many.h5"), dataset = make_dataset(file, "d");
    int           wrong_calls = 0;
    struct rusage before, after;

    RC(write_all(dataset, values, set));
    finish(set);
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < MANY; i++)
        wrong_calls += read_rows(dataset, out + (i % 16) * LENGTH * COLUMNS, (hsize_t)(i % 16) * LENGTH, LENGTH, set) < 0;
    finish(set);
    getrusage(RUSAGE_SELF, &after);
    printf("wrong calls: %d\n", wrong_calls);
    fprintf(stderr, "@kib %ld\n", after.ru_maxrss - before.ru_maxrss);
    show("many", out, 16 * LENGTH * COLUMNS);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
}

static long long
bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return (long long)(info.uordblks + info.hblkhd);
}

/* Very many files, each closed before anything is waited for, and the next one opened: nothing of them is left in memory. */
static void
many_files(void)
{
    enum { WARM = 250, TURNS = 450 }; /* buffers are kept at first, to be used again */
    int      *values = made(24), wrong_calls = 0;
    hid_t     set = ID(h5.H5EScreate());
    size_t    left = 0;
    bool      failed = false;
    long long before = 0;

    for (int turn = 0; turn < TURNS; turn++) {
        hid_t file = make_file(turn % 2 ? "one.h5" : "two.h5"), dataset = make_dataset(file, "d");

        wrong_calls += h5.H5ESwait(set, FOREVER, &left, &failed) < 0 || failed || left;
        if (turn == WARM)
            before = bytes_in_use();
        if (turn == TURNS - 1)
            fprintf(stderr, "@grown %lld\n", bytes_in_use() - before);
        wrong_calls += write_rows(dataset, values, 0, CHUNK_ROWS, set) < 0;
        wrong_calls += h5.H5Dclose_async(HERE, dataset, set) < 0;
        wrong_calls += h5.H5Fclose_async(HERE, file, set) < 0;
    }
    finish(set);
    printf("wrong calls: %d\n", wrong_calls);
    RC(h5.H5ESclose(set));
    show_file("one.h5", "d");
    free(values);
}

/* An application that uses its memory again at once (BYPASS_VOL_ASYNC_COPY). */
static void
reuse(void)
{
    int  *values = made(18);
    hid_t set = ID(h5.H5EScreate()), file = make_file("reuse.h5"), dataset = make_dataset(file, "d");

    for (int i = 0; i < 4; i++) {
        fill(values, 30 + i);
        RC(write_rows(dataset, values, (hsize_t)i * (ROWS / 4), ROWS / 4, set));
        memset(values, 0, sizeof(int) * COUNT);
    }
    note_count("under-way", set);
    finish(set);
    RC(h5.H5ESclose(set));
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    show_file("reuse.h5", "d");
}

/* A virtual dataset, whose sources stay open until it is read. */
static void
virtual_reads(void)
{
    int    *values = made(22), *out = calloc(2 * COUNT, sizeof(int));
    hsize_t dims[2] = {2 * ROWS, COLUMNS}, part[2] = {ROWS, COLUMNS};
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5.H5Screate_simple(2, dims, NULL), set = ID(h5.H5EScreate());
    hid_t   source = h5.H5Screate_simple(2, part, NULL);

    for (int i = 0; i < 2; i++) {
        char    name[] = "source0.h5";
        hsize_t start[2] = {(hsize_t)i * ROWS, 0};

        name[6] = (char)('0' + i);
        hid_t file = make_file(name), dataset = make_dataset(file, "d");

        fill(values, 22 + i);
        RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        RC(h5.H5Dclose(dataset));
        RC(h5.H5Fclose(file));
        h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
        RC(h5.H5Pset_virtual(dcpl, space, name, "d", source));
    }
    h5.H5Sselect_all(space);
    hid_t file = make_file("virtual.h5"), dataset = ID(h5.H5Dcreate2(file, "v", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen("virtual.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    for (int turn = 0; turn < 2; turn++) {
        dataset = ID(h5.H5Dopen2(file, "v", H5P_DEFAULT));
        memset(out, 0, 2 * sizeof(int) * COUNT);
        RC(read_all(dataset, out, set));
        note_count("under-way", set);
        RC(turn ? h5.H5Dclose(dataset) : h5.H5Dclose_async(HERE, dataset, set));
        if (turn)
            show("virtual, closed", out, 2 * COUNT);
        finish(set);
        show("virtual", out, 2 * COUNT);
    }
    RC(h5.H5Fclose_async(HERE, file, set));
    finish(set);
    printf("locked: %d %d\n", is_locked("source0.h5"), is_locked("virtual.h5"));
    RC(h5.H5ESclose(set));
}

/* A number below a limit. */
static unsigned
below(unsigned limit)
{
    static unsigned state;
    static bool     begun;

    if (!begun) {
        state = (unsigned)atoi(getenv("H5_TEST_SEED") ? getenv("H5_TEST_SEED") : "1") * 2654435761u + 1;
        begun = true;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % limit;
}

/* Many calls in a random order, asynchronous or not, in two sets. What a read must find is known when it is begun: calls take effect
 * in their order. */
static void
at_random(void)
{
    enum { DATASETS = 3, PENDING = 24, STEPS = 160, LONGEST = 200 };
    static const char *layouts[DATASETS] = {"gzip", "chunked", "contiguous"};
    int    *known[DATASETS], wrong_reads = 0, failed_calls = 0, reads = 0;
    hid_t   sets[2] = {ID(h5.H5EScreate()), ID(h5.H5EScreate())}, file = make_file("random.h5"), datasets[DATASETS];
    struct {
        int *values, *expected, count;
    } pending[2][PENDING];
    int under_way[2] = {0, 0};

    for (int d = 0; d < DATASETS; d++) {
        layout = layouts[d];
        datasets[d] = make_dataset(file, layouts[d]);
        known[d] = made(d);
        RC(h5.H5Dwrite(datasets[d], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, known[d]));
    }
    for (int step = 0; step <= STEPS; step++) {
        int     d = (int)below(DATASETS), s = (int)below(2);
        hsize_t first = below(ROWS), count = 1 + below(LONGEST);
        size_t  left = 0;
        bool    failed = false;

        count = first + count > ROWS ? ROWS - first : count;
        size_t elements = count * COLUMNS;
        int   *values = malloc(elements * sizeof *values), *in_known = known[d] + first * COLUMNS;
        hid_t  set = below(6) ? sets[s] : H5ES_NONE;

        if (step == STEPS || under_way[s] == PENDING || below(12) == 0) {
            for (int e = 0; e < 2; e++) {
                if (step < STEPS && e != s)
                    continue;
                failed_calls += h5.H5ESwait(sets[e], below(4) ? FOREVER : 1000, &left, &failed) < 0 || failed;
                if (left)
                    failed_calls += h5.H5ESwait(sets[e], FOREVER, &left, &failed) < 0 || failed || left;
                for (int i = 0; i < under_way[e]; i++) {
                    if (pending[e][i].expected)
                        wrong_reads += memcmp(pending[e][i].values, pending[e][i].expected,
                                              sizeof(int) * (size_t)pending[e][i].count) != 0;
                    free(pending[e][i].values);
                    free(pending[e][i].expected);
                }
                under_way[e] = 0;
            }
            free(values);
            continue;
        }
        int *expected = NULL;

        switch (below(9)) {
        case 0: case 1: case 2: case 3:
            for (size_t i = 0; i < elements; i++)
                values[i] = (int)(step * 1000003 + (int)i);
            failed_calls += write_rows(datasets[d], values, first, count, set) < 0;
            memcpy(in_known, values, elements * sizeof *values);
            break;
        case 4: case 5: case 6: case 7:
            expected = malloc(elements * sizeof *expected);
            memcpy(expected, in_known, elements * sizeof *expected);
            failed_calls += read_rows(datasets[d], values, first, count, set) < 0;
            reads++;
            break;
        default:
            if (below(2)) {
                failed_calls += h5.H5Fflush(file, H5F_SCOPE_LOCAL) < 0;
            } else {
                failed_calls += h5.H5Dclose_async(HERE, datasets[d], sets[s]) < 0;
                datasets[d] = h5.H5Dopen2(file, layouts[d], H5P_DEFAULT);
                failed_calls += datasets[d] < 0;
            }
            set = H5ES_NONE;
        }
        if (set == H5ES_NONE) {
            if (expected)
                wrong_reads += memcmp(values, expected, elements * sizeof *values) != 0;
            free(values);
            free(expected);
        } else {
            pending[s][under_way[s]].values = values;
            pending[s][under_way[s]].expected = expected;
            pending[s][under_way[s]++].count = (int)elements;
        }
    }
    printf("wrong reads: %d, failed calls: %d, reads: %d\n", wrong_reads, failed_calls, reads);
    for (int d = 0; d < DATASETS; d++) {
        show(layouts[d], known[d], COUNT);
        RC(h5.H5Dclose(datasets[d]));
    }
    RC(h5.H5Fclose(file));
    RC(h5.H5ESclose(sets[0]));
    RC(h5.H5ESclose(sets[1]));
    for (int d = 0; d < DATASETS; d++)
        show_file("random.h5", layouts[d]);
}

static void
capabilities(void)
{
    hid_t    access = h5.H5Pcreate(H5P_FILE_ACCESS);
    uint64_t flags = 0;

    h5.H5Pget_vol_cap_flags(access, &flags);
    printf("asynchronous: %d\n", (flags & 2) != 0);
    h5.H5Pclose(access);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
        {"basic", basic},       {"multi", multi},       {"idiom", idiom},           {"order", order},
        {"sets", sets},         {"barriers", barriers}, {"callbacks", callbacks},   {"cancel", cancel},
        {"misuse", misuse},     {"failures", failures}, {"leave_open", leave_open}, {"leave_closed", leave_closed},
        {"look", look},         {"forked", forked},     {"iterate", iterate},       {"close_library", close_library},
        {"threads", threads},   {"many", many},         {"reuse", reuse},           {"capabilities", capabilities},
        {"faults", faults},     {"random", at_random},      {"virtual", virtual_reads}, {"overtake", overtake},
        {"many_files", many_files}, {"newest_first", newest_first}, {"recovers", recovers}, {"children", children},
    };

    h5_start(argc, argv);
    if (argc > 4)
        layout = argv[4];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[2], modes[i].name) == 0)
            modes[i].run();
    return h5_result();
}
