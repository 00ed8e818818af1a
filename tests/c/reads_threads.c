/* Reads by many threads, over fork and exit, of files opened read-only. Every value read is checked.
 *
 * MODE
 *   storm   8 threads read random pieces of several datasets for ARG milliseconds while another opens and closes files;
 *   close   dataset ids are closed by one thread while another reads by them;
 *   fork    children read by inherited and by their own handles, with the parent's threads gone;
 *   exit    the process ends while another thread is inside large reads;
 *   once    one thread, a few reads of each dataset: what the settings from the environment are tried with.
 * `storm` and `close` want a thread-safe host, `exit` uses HDF5 from one thread only.
 */
#include "h5api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { FILES = 3, ROWS = 1000, COLUMNS = 700, BIG = 24 << 20, READERS = 8 };

static atomic_bool stop;
static atomic_int  failures, reads;
static hid_t       files[FILES], datasets[FILES][2];

/* What is stored at a place: differs between files and datasets. */
static int
value(int file, int dataset, hsize_t place)
{
    return (int)(place * 7 + (hsize_t)file * 1000003 + (hsize_t)dataset * 500009);
}

static void
name_of(char *path, int file)
{
    sprintf(path, "storm%d.h5", file);
}

static void
make_files(void)
{
    int *values = malloc(sizeof(int) * ROWS * COLUMNS);

    for (int f = 0; f < FILES; f++) {
        char    path[32];
        hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {64, 96};
        hid_t   space = h5.H5Screate_simple(2, dims, NULL);
        hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), fcpl = h5.H5Pcreate(H5P_FILE_CREATE);

        name_of(path, f);
        h5.H5Pset_chunk(dcpl, 2, chunk);
        h5.H5Pset_userblock(fcpl, f ? 512 << f : 0);
        hid_t file = h5.H5Fcreate(path, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT);
        for (int d = 0; d < 2; d++) {
            hid_t data = h5.H5Dcreate2(file, d ? "chunked" : "contiguous", H5T_NATIVE_INT, space, H5P_DEFAULT,
                                       d ? dcpl : H5P_DEFAULT, H5P_DEFAULT);
            for (hsize_t i = 0; i < ROWS * COLUMNS; i++)
                values[i] = value(f, d, i);
            failures += h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
            h5.H5Dclose(data);
        }
        h5.H5Pclose(fcpl);
        h5.H5Pclose(dcpl);
        h5.H5Sclose(space);
        failures += h5.H5Fclose(file) < 0;
    }
    free(values);
}

static void
open_files(void)
{
    for (int f = 0; f < FILES; f++) {
        char path[32];

        name_of(path, f);
        files[f] = h5.H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        h5_note_connector(files[f]);
        datasets[f][0] = h5.H5Dopen2(files[f], "contiguous", H5P_DEFAULT);
        datasets[f][1] = h5.H5Dopen2(files[f], "chunked", H5P_DEFAULT);
    }
}

static void
close_files(void)
{
    for (int f = 0; f < FILES; f++) {
        failures += h5.H5Dclose(datasets[f][0]) < 0;
        failures += h5.H5Dclose(datasets[f][1]) < 0;
        failures += h5.H5Fclose(files[f]) < 0;
    }
}

/* Reads a random piece; `must` says whether that has to succeed. What is read has to be right in any case. */
static void
read_piece(unsigned *seed, hid_t dataset, int f, int d, bool must)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, start[2], stride[2], count[2];

    for (int i = 0; i < 2; i++) {
        stride[i] = rand_r(seed) % 4 ? 1 : 1 + (hsize_t)rand_r(seed) % 5;
        start[i] = (hsize_t)rand_r(seed) % dims[i];
        count[i] = 1 + (hsize_t)rand_r(seed) % ((dims[i] - start[i] - 1) / stride[i] + 1);
    }
    hsize_t total = count[0] * count[1];
    int    *values = malloc(sizeof(int) * total);
    hid_t   space = h5.H5Screate_simple(2, dims, NULL), memory = h5.H5Screate_simple(2, count, NULL);

    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    memset(values, 0x5a, sizeof(int) * total);
    if (h5.H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0)
        failures += must;
    else {
        int wrong = 0;
        for (hsize_t r = 0; r < count[0]; r++)
            for (hsize_t c = 0; c < count[1]; c++)
                wrong += values[r * count[1] + c] !=
                         value(f, d, (start[0] + r * stride[0]) * COLUMNS + start[1] + c * stride[1]);
        if (wrong) {
            fprintf(stderr, "file %d dataset %d: %d of %llu values are wrong\n", f, d, wrong, (unsigned long long)total);
            failures++;
        }
        reads++;
    }
    h5.H5Sclose(space);
    h5.H5Sclose(memory);
    free(values);
}

static void *
reader(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        int f = rand_r(&seed) % FILES, d = rand_r(&seed) % 2;
        read_piece(&seed, datasets[f][d], f, d, true);
    }
    return NULL;
}

static void *
churner(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        char path[32];
        int  f = rand_r(&seed) % FILES, d = rand_r(&seed) % 2;

        name_of(path, f);
        hid_t file = h5.H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        hid_t data = h5.H5Dopen2(file, d ? "chunked" : "contiguous", H5P_DEFAULT);
        failures += file < 0 || data < 0;
        failures += h5.H5Fclose(file) < 0;
        read_piece(&seed, data, f, d, true);
        failures += h5.H5Dclose(data) < 0;
    }
    return NULL;
}

static void
storm(int milliseconds)
{
    pthread_t threads[READERS + 1];

    open_files();
    for (int i = 0; i <= READERS; i++)
        pthread_create(&threads[i], NULL, i < READERS ? reader : churner, (void *)(size_t)(i + 1));
    usleep((useconds_t)milliseconds * 1000);
    stop = true;
    for (int i = 0; i <= READERS; i++)
        pthread_join(threads[i], NULL);
    close_files();
}

static _Atomic hid_t victim;

static void *
closer(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        hid_t dataset = atomic_exchange(&victim, -1);
        if (dataset >= 0) {
            usleep((useconds_t)rand_r(&seed) % 900);
            failures += h5.H5Dclose(dataset) < 0;
        }
    }
    return NULL;
}

static void
closed_by_another(void)
{
    pthread_t thread;
    unsigned  seed = 5;

    open_files();
    victim = -1;
    pthread_create(&thread, NULL, closer, (void *)(size_t)9);
    for (int round = 0; round < 400; round++) {
        int   f = round % FILES, d = round / FILES % 2;
        hid_t dataset = h5.H5Dopen2(files[f], d ? "chunked" : "contiguous", H5P_DEFAULT);

        victim = dataset;
        for (int i = 0; i < 3; i++)
            read_piece(&seed, dataset, f, d, false);
        while (victim >= 0)
            usleep(50);
    }
    stop = true;
    pthread_join(thread, NULL);
    close_files();
}

static void
once(unsigned seed)
{
    for (int f = 0; f < FILES; f++)
        for (int d = 0; d < 2; d++) {
            int *values = malloc(sizeof(int) * ROWS * COLUMNS);
            failures += h5.H5Dread(datasets[f][d], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
            for (hsize_t i = 0; i < ROWS * COLUMNS; i++)
                failures += values[i] != value(f, d, i);
            free(values);
            reads++;
            read_piece(&seed, datasets[f][d], f, d, true);
        }
}

static void
forked(void)
{
    open_files();
    once(1);
    for (int child = 0; child < 3; child++) {
        fflush(NULL);
        pid_t id = fork();
        if (id == 0) {
            once(10 + (unsigned)child);
            hid_t own = h5.H5Fopen("storm1.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
            hid_t data = h5.H5Dopen2(own, "chunked", H5P_DEFAULT);
            unsigned seed = 77;
            for (int i = 0; i < 20; i++)
                read_piece(&seed, data, 1, 1, true);
            if (child == 1)
                close_files();
            exit(failures ? 3 : 0);
        }
        int status = -1;
        waitpid(id, &status, 0);
        printf("child %d: %d\n", child, status);
        failures += status != 0;
        once(20 + (unsigned)child);
    }
    close_files();
}

static volatile int leaving;

/* Reads on while the process ends. A library that is not thread-safe may be ending while a read is in our hands, but no
 * new read may begin then: it would find its identifiers freed, natively as well. */
static void *
endless(void *argument)
{
    int *values = malloc(sizeof(int) * BIG);
    bool safe = false;

    (void)argument;
    h5.H5is_library_threadsafe(&safe);
    hid_t file = h5.H5Fopen("big.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t data = h5.H5Dopen2(file, "d", H5P_DEFAULT);
    h5_note_connector(file);
    for (;;) {
        while (leaving && !safe)
            pause();
        h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        reads++;
    }
    return NULL;
}

static void
exit_while_reading(void)
{
    pthread_t thread;

    hid_t file = h5.H5Fcreate("big.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    h5.H5Dclose(h5_make_ints(file, "d", BIG, 0));
    h5.H5Fclose(file);
    pthread_create(&thread, NULL, endless, NULL);
    while (reads < 2)
        usleep(1000);
    usleep(20000);
    printf("leaving\n");
    leaving = 1;
    exit(0);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    if (strcmp(argv[2], "exit") == 0)
        exit_while_reading();
    make_files();
    if (strcmp(argv[2], "storm") == 0)
        storm(argc > 4 ? atoi(argv[4]) : 2000);
    else if (strcmp(argv[2], "close") == 0)
        closed_by_another();
    else if (strcmp(argv[2], "fork") == 0)
        forked();
    else {
        open_files();
        once(3);
        once(4);
        close_files();
    }
    fprintf(stderr, "@reads %d\n", reads);
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
