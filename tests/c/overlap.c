/* How much of asynchronous I/O happens while the application computes. Prints seconds, so it is no test: see docs/asynchronous.md.
 *
 * MODE
 *   make     makes the file that is read, with datasets of ARG2 MiB;
 *   read     reads a gzip dataset of ARG2 MiB asynchronously, computes for ARG1 seconds, and waits;
 *   write    writes one likewise;
 *   new      writes new chunks without filters likewise;
 *   wait     reads a contiguous dataset likewise, and sleeps instead of computing: for slow reads (tests/c/preload/slow_reads.c);
 *   submit   submits 10,000 reads of ARG2 KiB, 16 in a row, and prints the median and the 99th percentile of what that took.
 * The calls are not asynchronous if ARG1 is negative: then it is what the I/O takes alone.
 */
#include "h5api.h"

#define HERE __FILE__, __func__, __LINE__
#define FOREVER UINT64_MAX
enum { COLUMNS = 4096, CHUNK_ROWS = 64, CALLS = 10000, TOGETHER = 16 };

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Computes without touching memory, or sleeps. */
static void
compute(double seconds, bool sleeps)
{
    double            end = now() + seconds;
    volatile unsigned state = 1;

    if (sleeps && seconds > 0)
        usleep((useconds_t)(seconds * 1e6));
    while (now() < end)
        for (int i = 0; i < 1000; i++)
            state = state * 1664525u + 1013904223u;
}

static float *
made(size_t rows)
{
    float   *values = malloc(rows * COLUMNS * sizeof *values);
    unsigned state = 1;

    for (size_t i = 0; i < rows * COLUMNS; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (float)(i % 1000) + (float)(state >> 24) / 256.0f;
    }
    return values;
}

static hid_t
make_dataset(hid_t file, hsize_t rows, bool compressed)
{
    hsize_t dims[2] = {rows, COLUMNS}, chunk[2] = {CHUNK_ROWS, COLUMNS};
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5.H5Screate_simple(2, dims, NULL);

    h5.H5Pset_chunk(dcpl, 2, chunk);
    if (compressed) {
        h5.H5Pset_shuffle(dcpl);
        h5.H5Pset_deflate(dcpl, 4);
    }
    return h5.H5Dcreate2(file, "d", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
}

static int
by_size(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return (a > b) - (a < b);
}

static void
submit(size_t kib)
{
    static double times[CALLS];
    hid_t         file = h5.H5Fopen("made.h5", H5F_ACC_RDONLY, H5P_DEFAULT), dataset = h5.H5Dopen2(file, "plain", H5P_DEFAULT);
    hid_t         in_file = h5.H5Dget_space(dataset), set = h5.H5EScreate();
    hsize_t       count = kib * 256, total = 0, memory = count;
    hid_t         in_memory = h5.H5Screate_simple(1, &memory, NULL);
    float        *values[TOGETHER];
    size_t        left;
    bool          failed;

    h5.H5Sget_simple_extent_dims(in_file, &total, NULL);
    for (int i = 0; i < TOGETHER; i++)
        values[i] = malloc(count * sizeof *values[i]);
    for (int i = -TOGETHER; i < CALLS; i++) {
        int     place = (i + TOGETHER) % TOGETHER;
        hsize_t start = ((hsize_t)(i + TOGETHER) * count) % (total - count);

        if (place == 0)
            h5.H5ESwait(set, FOREVER, &left, &failed);

        h5.H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &start, NULL, &count, NULL);
        double begin = now();

        if (h5.H5Dread_async(HERE, dataset, H5T_NATIVE_FLOAT, in_memory, in_file, H5P_DEFAULT, values[place], set) < 0)
            exit(1);
        if (i >= 0)
            times[i] = now() - begin;
    }
    h5.H5ESwait(set, FOREVER, &left, &failed);
    qsort(times, CALLS, sizeof *times, by_size);
    printf("%.9f %.9f\n", times[CALLS / 2], times[CALLS * 99 / 100]);
    h5.H5ESclose(set);
    h5.H5Dclose(dataset);
    h5.H5Fclose(file);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    double      seconds = argc > 4 ? atof(argv[4]) : 0;
    size_t      mib = argc > 5 ? (size_t)atol(argv[5]) : 64, left = 0;
    hsize_t     rows = mib * 64;
    const char *mode = argv[2];
    bool        failed = false, waits = strcmp(mode, "wait") == 0, writes = !waits && strcmp(mode, "read") != 0;

    if (strcmp(mode, "submit") == 0) {
        submit(mib);
        return 0;
    }
    float *values = made(rows);

    if (strcmp(mode, "make") == 0) {
        hid_t   file = h5.H5Fcreate("made.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), dataset = make_dataset(file, rows, true);
        hsize_t count = (hsize_t)mib << 18;
        hid_t   space = h5.H5Screate_simple(1, &count, NULL);
        hid_t   plain = h5.H5Dcreate2(file, "plain", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        float  *zeros = calloc(count, sizeof *zeros);

        return h5.H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0 ||
               h5.H5Dwrite(plain, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) < 0 || h5.H5Dclose(dataset) < 0 ||
               h5.H5Dclose(plain) < 0 || h5.H5Fclose(file) < 0;
    }
    hid_t set = seconds < 0 ? H5ES_NONE : h5.H5EScreate();
    hid_t file = writes ? h5.H5Fcreate("written.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                        : h5.H5Fopen("made.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = writes ? make_dataset(file, rows, strcmp(mode, "write") == 0) : h5.H5Dopen2(file, waits ? "plain" : "d", H5P_DEFAULT);

    h5_note_connector(file);
    double begin = now();
    herr_t status = writes ? h5.H5Dwrite_async(HERE, dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values, set)
                           : h5.H5Dread_async(HERE, dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values, set);

    compute(seconds, waits);
    if (set != H5ES_NONE)
        h5.H5ESwait(set, FOREVER, &left, &failed);
    printf("%.6f\n", now() - begin);
    h5.H5Dclose(dataset);
    h5.H5Fclose(file);
    if (set != H5ES_NONE)
        h5.H5ESclose(set);
    return status < 0 || failed || left;
}
