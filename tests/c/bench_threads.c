/* Native HDF5 and bypass in turns: reads by several threads at once, and the cost of small calls.
 *
 *   bench_threads HOST threads|small DIR ROUNDS [PAGE_OFFSET]
 *   bench_threads HOST given DIR ROUNDS 0 FILE
 *
 * `threads` needs a thread-safe host; `small` measures 64-byte reads and open-read-close. The files are written to
 * DIR natively unless they are there. In every round the ways come in an order drawn anew; each prints one JSON
 * object per line, with the seconds of every round. All data is compared with what was written, once, before the
 * clock runs. Buffers begin PAGE_OFFSET bytes further in their page than the data in its own. See
 * python/bench/threads.py.
 *
 * `given` needs a thread-safe host, too. Its threads read parts of the two-dimensional dataset "data" of FILE as
 * floats; native HDF5 says what is right. The file is opened anew for every measurement, so that nobody has any of it
 * decoded. See python/bench/filters.py.
 */
#include "h5api.h"

#include <pthread.h>

enum {
    THREADS = 4,
    FILES = 4,
    DATASETS = 4,
    SIDE = 2048,   /* of a dataset: 16 MiB */
    LARGE = 4096,  /* of the large dataset: 64 MiB */
    BAND = 256,    /* rows of it that are read at a time: 4 MiB */
    CHUNK = 512,   /* 1 MiB */
    SMALL = 16384, /* elements of the small dataset */
    PIECE = 16,    /* elements of a small read */
    MOST_ITEMS = 16,
    MOST_ROUNDS = 1000,
    PAGE = 4096,
    SMALL_LOOPS = 10,
    OPENINGS = 200,
};
#define LEAST_BYTES ((size_t)256 << 20) /* of one measurement */

static hid_t  access_of[2]; /* native, bypass */
static size_t page_offset;
static int    rounds;

static const char *const ways[] = {"native", "bypass"};
static const char *const layouts[] = {"contiguous", "chunked"};

static void
must(bool fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "%s failed: ", what);
    h5_print_stack(stderr);
    fprintf(stderr, "\n");
    exit(1);
}

static double
now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What is stored at an element of a dataset. */
static int
value_at(int dataset, size_t element)
{
    return (int)((unsigned)dataset << 24 ^ (unsigned)element);
}

static void
file_name(char *name, size_t size, int file)
{
    snprintf(name, size, "threads%d.h5", file);
}

static void
write_dataset(hid_t file, const char *name, int number, int rank, hsize_t side, bool chunked)
{
    size_t  count = rank == 1 ? side : side * side;
    int    *values = malloc(count * sizeof(int));
    hid_t   space = h5_space(rank, side, side), creation = h5.H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {CHUNK, CHUNK};

    for (size_t i = 0; i < count; i++)
        values[i] = value_at(number, i);
    if (chunked)
        must(h5.H5Pset_chunk(creation, 2, chunk) >= 0, "H5Pset_chunk");
    hid_t data = h5.H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    must(data >= 0 && h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    h5.H5Dclose(data);
    h5.H5Pclose(creation);
    h5.H5Sclose(space);
    free(values);
}

/* Each file: datasets contiguous0.., chunked0.., and the first also the large ones and a small one. */
static void
write_files(void)
{
    char name[32];

    for (int file = 0; file < FILES; file++) {
        file_name(name, sizeof name, file);
        if (access(name, R_OK) == 0)
            continue;
        hid_t id = h5.H5Fcreate("unfinished.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access_of[0]);
        must(id >= 0, "H5Fcreate");
        for (int layout = 0; layout < 2; layout++) {
            char data[32];
            for (int number = 0; number < DATASETS; number++) {
                snprintf(data, sizeof data, "%s%d", layouts[layout], number);
                write_dataset(id, data, file * DATASETS + number, 2, SIDE, layout == 1);
            }
            if (file == 0) {
                snprintf(data, sizeof data, "%s-large", layouts[layout]);
                write_dataset(id, data, 100, 2, LARGE, layout == 1);
            }
        }
        if (file == 0)
            write_dataset(id, "small", 101, 1, SMALL, false);
        must(h5.H5Fclose(id) >= 0 && rename("unfinished.h5", name) == 0, "closing a file");
    }
}

static void
set_up_connectors(void)
{
    /* They must live as long as the process: HDF5's plugin cache keeps the pointer. */
    static const char name[] = "bypass", info[] = "under_vol=0;under_info={}";
    void             *converted = NULL;

    for (int way = 0; way < 2; way++) {
        access_of[way] = h5.H5Pcreate(H5P_FILE_ACCESS);
        h5.H5Pset_fclose_degree(access_of[way], H5F_CLOSE_STRONG);
    }
    hid_t connector = h5.H5VLregister_connector_by_name(name, H5P_DEFAULT);
    must(connector >= 0, "registering bypass");
    must(h5.H5VLconnector_str_to_info(info, connector, &converted) >= 0, "the info string");
    must(h5.H5Pset_vol(access_of[1], connector, converted) >= 0, "H5Pset_vol");
    h5.H5VLfree_connector_info(connector, converted);
    h5.H5VLclose(connector);
}

static hid_t
open_named(const char *name, int way)
{
    char connector[64] = "";

    hid_t id = h5.H5Fopen(name, H5F_ACC_RDONLY, access_of[way]);
    must(id >= 0, name);
    h5.H5VLget_connector_name(id, connector, sizeof connector);
    must(strcmp(connector, ways[way]) == 0, "opening through the right connector");
    return id;
}

static hid_t
open_file(int file, int way)
{
    char name[32];

    file_name(name, sizeof name, file);
    return open_named(name, way);
}

/* One read. */
struct item {
    hid_t  data, memory, space;
    int    dataset;
    size_t first, count; /* elements */
    size_t phase;        /* where in its page the buffer begins */
};

/* What is read, the same for both ways. */
struct scenario {
    const char *name;
    int         files, datasets; /* 0 datasets: bands of the large one */
};

static const struct scenario scenarios[] = {
    {"hyperslabs of one dataset", 1, 0},
    {"datasets of one file", 1, DATASETS},
    {"one dataset of each file", FILES, 1},
    {"datasets of several files", FILES, DATASETS},
};

static size_t
phase_of(hid_t data, size_t first)
{
    haddr_t offset = h5.H5Dget_offset(data);

    return ((offset == HADDR_UNDEF ? 0 : (size_t)offset) + first * sizeof(int) + page_offset) % PAGE;
}

struct set {
    hid_t       type;  /* of the elements in memory, of 4 bytes each */
    bool        known; /* whether what is right is computed, or else compared between the ways */
    struct item items[MOST_ITEMS];
    int         count;
    hid_t       files[FILES];
    int         file_count;
    size_t      bytes;
};

/* Reads of the dataset, so many rows at a time. */
static void
add_bands(struct set *set, hid_t data, hsize_t rows, hsize_t columns, hsize_t band)
{
    for (hsize_t row = 0; row < rows; row += band) {
        struct item *item = &set->items[set->count++];
        hsize_t      start[2] = {row, 0}, size[2] = {band, columns};
        item->data = data;
        item->dataset = 100;
        item->memory = h5_space(2, band, columns);
        item->space = h5.H5Dget_space(data);
        must(h5.H5Sselect_hyperslab(item->space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0, "select");
        item->first = (size_t)(row * columns);
        item->count = (size_t)(band * columns);
        item->phase = phase_of(data, item->first);
    }
}

static void
count_bytes(struct set *set)
{
    for (int i = 0; i < set->count; i++)
        set->bytes += set->items[i].count * sizeof(int);
}

static void
open_set(struct set *set, const struct scenario *scenario, int layout, int way)
{
    char name[32];

    memset(set, 0, sizeof *set);
    set->type = H5T_NATIVE_INT;
    set->known = true;
    set->file_count = scenario->files;
    for (int file = 0; file < scenario->files; file++) {
        set->files[file] = open_file(file, way);
        for (int number = 0; number < scenario->datasets; number++) {
            struct item *item = &set->items[set->count++];
            snprintf(name, sizeof name, "%s%d", layouts[layout], number);
            item->data = h5.H5Dopen2(set->files[file], name, H5P_DEFAULT);
            must(item->data >= 0, name);
            item->memory = item->space = H5S_ALL;
            item->dataset = file * DATASETS + number;
            item->count = (size_t)SIDE * SIDE;
            item->phase = phase_of(item->data, 0);
        }
    }
    if (scenario->datasets == 0) {
        snprintf(name, sizeof name, "%s-large", layouts[layout]);
        hid_t data = h5.H5Dopen2(set->files[0], name, H5P_DEFAULT);
        must(data >= 0, name);
        add_bands(set, data, LARGE, LARGE, BAND);
    }
    count_bytes(set);
}

/* All of the dataset of a given file, in bands of rows. */
static void
open_given(struct set *set, const char *name, int way)
{
    hsize_t extent[2];

    memset(set, 0, sizeof *set);
    set->type = H5T_NATIVE_FLOAT;
    set->file_count = 1;
    set->files[0] = open_named(name, way);
    hid_t data = h5.H5Dopen2(set->files[0], "data", H5P_DEFAULT);
    must(data >= 0, "opening the dataset");
    hid_t space = h5.H5Dget_space(data);
    must(h5.H5Sget_simple_extent_ndims(space) == 2, "finding two dimensions");
    h5.H5Sget_simple_extent_dims(space, extent, NULL);
    h5.H5Sclose(space);
    must(extent[0] > 0 && extent[0] % MOST_ITEMS == 0, "dividing the rows");
    add_bands(set, data, extent[0], extent[1], extent[0] / MOST_ITEMS);
    count_bytes(set);
}

static void
close_set(struct set *set)
{
    for (int i = 0; i < set->count; i++)
        if (set->items[i].space != H5S_ALL) {
            h5.H5Sclose(set->items[i].space);
            h5.H5Sclose(set->items[i].memory);
        }
    for (int file = 0; file < set->file_count; file++)
        must(h5.H5Fclose(set->files[file]) >= 0, "H5Fclose");
}

struct worker {
    const struct set  *set;
    int                number, threads, passes;
    bool               check;
    char              *buffer;
    pthread_barrier_t *barrier;
    int                failures;
};

static char    *buffers[THREADS];
static uint64_t sums[MOST_ITEMS]; /* of the items last checked whose data is not known */

/* FNV-1a, by elements. */
static uint64_t
sum_of(const int *values, size_t count)
{
    uint64_t sum = 0xcbf29ce484222325;

    for (size_t i = 0; i < count; i++)
        sum = (sum ^ (unsigned)values[i]) * 0x100000001b3;
    return sum;
}

static void
check(struct worker *worker, const struct item *item, const int *values)
{
    if (!worker->set->known) {
        sums[item - worker->set->items] = sum_of(values, item->count);
        return;
    }
    for (size_t i = 0; i < item->count; i++)
        if (values[i] != value_at(item->dataset, item->first + i)) {
            fprintf(stderr, "wrong data: dataset %d, element %zu\n", item->dataset, item->first + i);
            worker->failures++;
            return;
        }
}

static void *
work(void *argument)
{
    struct worker    *worker = argument;
    const struct set *set = worker->set;
    int               share = set->count / worker->threads;

    pthread_barrier_wait(worker->barrier);
    for (int pass = 0; pass < worker->passes; pass++)
        for (int i = worker->number * share; i < (worker->number + 1) * share; i++) {
            const struct item *item = &set->items[i];
            void              *to = worker->buffer + item->phase;
            if (worker->check)
                memset(to, 0xaa, item->count * sizeof(int));
            worker->failures += h5.H5Dread(item->data, set->type, item->memory, item->space, H5P_DEFAULT, to) < 0;
            if (worker->check)
                check(worker, item, to);
        }
    pthread_barrier_wait(worker->barrier);
    return NULL;
}

/* Seconds that the threads take for all items, `passes` times. */
static double
run(const struct set *set, int threads, int passes, bool checked)
{
    pthread_t         ids[THREADS];
    struct worker     workers[THREADS];
    pthread_barrier_t barrier;

    pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
    for (int i = 0; i < threads; i++) {
        workers[i] = (struct worker){set, i, threads, passes, checked, buffers[i], &barrier, 0};
        pthread_create(&ids[i], NULL, work, &workers[i]);
    }
    pthread_barrier_wait(&barrier);
    double begin = now();
    pthread_barrier_wait(&barrier);
    double seconds = now() - begin;
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        must(workers[i].failures == 0, "a read");
    }
    pthread_barrier_destroy(&barrier);
    return seconds;
}

static void
print_result(const char *scenario, const char *layout, const char *way, int threads, double units,
             const double *seconds)
{
    printf("{\"scenario\": \"%s\", \"layout\": \"%s\", \"way\": \"%s\", \"threads\": %d, \"units\": %.0f, "
           "\"seconds\": [",
           scenario, layout, way, threads, units);
    for (int round = 0; round < rounds; round++)
        printf("%s%.9f", round ? ", " : "", seconds[round]);
    printf("]}\n");
}

/* Puts 0 .. count - 1 into a random order. */
static void
shuffle(int *order, int count)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int other = rand() % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
}

enum { RUNS = 4 };
static const struct {
    int way, threads;
} runs[RUNS] = {{0, 1}, {0, THREADS}, {1, 1}, {1, THREADS}};

static void
bench_scenario(const struct scenario *scenario, int layout)
{
    static double seconds[RUNS][MOST_ROUNDS];
    struct set    sets[2];
    int           order[RUNS];

    for (int way = 0; way < 2; way++) {
        open_set(&sets[way], scenario, layout, way);
        run(&sets[way], THREADS, 1, true);
    }
    int passes = (int)((LEAST_BYTES + sets[0].bytes - 1) / sets[0].bytes);
    for (int round = 0; round < rounds; round++) {
        shuffle(order, RUNS);
        for (int i = 0; i < RUNS; i++) {
            int which = order[i];
            seconds[which][round] = run(&sets[runs[which].way], runs[which].threads, passes, false);
        }
    }
    for (int i = 0; i < RUNS; i++)
        print_result(scenario->name, layouts[layout], ways[runs[i].way], runs[i].threads,
                     (double)sets[0].bytes * passes, seconds[i]);
    for (int way = 0; way < 2; way++)
        close_set(&sets[way]);
}

/* Memory for reads of up to `largest` bytes by each thread. */
static void
prepare_threads(size_t largest)
{
    bool safe = false;

    h5.H5is_library_threadsafe(&safe);
    must(safe, "finding a thread-safe host");
    for (int i = 0; i < THREADS; i++) {
        must(posix_memalign((void **)&buffers[i], PAGE, largest + PAGE) == 0, "memory");
        memset(buffers[i], 1, largest + PAGE);
    }
}

static void
bench_threads(void)
{
    prepare_threads((size_t)SIDE * SIDE * sizeof(int));
    for (int layout = 0; layout < 2; layout++)
        for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
            bench_scenario(&scenarios[i], layout);
}

static void
bench_given(const char *name)
{
    static double seconds[RUNS][MOST_ROUNDS];
    struct set    set;
    uint64_t      expected[MOST_ITEMS];
    int           order[RUNS];

    for (int way = 0; way < 2; way++) {
        open_given(&set, name, way);
        if (way == 0)
            prepare_threads(set.items[0].count * sizeof(int));
        run(&set, THREADS, 1, true);
        close_set(&set);
        if (way == 0)
            memcpy(expected, sums, sizeof sums);
    }
    must(memcmp(expected, sums, sizeof sums) == 0, "reading the same data both ways");
    for (int round = 0; round < rounds; round++) {
        shuffle(order, RUNS);
        for (int i = 0; i < RUNS; i++) {
            int which = order[i];
            open_given(&set, name, runs[which].way);
            seconds[which][round] = run(&set, runs[which].threads, 1, false);
            close_set(&set);
        }
    }
    for (int i = 0; i < RUNS; i++)
        print_result("parts of a given dataset", "chunked", ways[runs[i].way], runs[i].threads, (double)set.bytes,
                     seconds[i]);
}

/* 64 bytes at a time, in order, with dataspaces made beforehand; seconds for all of them. */
static double
small_reads(hid_t data, hid_t memory, const hid_t *spaces, bool checked)
{
    int    values[PIECE], bad = 0;
    double begin = now();

    for (int loop = 0; loop < SMALL_LOOPS; loop++)
        for (int i = 0; i < SMALL / PIECE; i++) {
            bad += h5.H5Dread(data, H5T_NATIVE_INT, memory, spaces[i], H5P_DEFAULT, values) < 0;
            for (int j = 0; checked && j < PIECE; j++)
                bad += values[j] != value_at(101, (size_t)i * PIECE + (size_t)j);
        }
    double seconds = now() - begin;
    must(bad == 0, "a small read");
    return seconds;
}

static double
openings(int way, hid_t memory, hid_t space)
{
    char   name[32];
    int    values[PIECE], bad = 0;
    double begin = now();

    file_name(name, sizeof name, 0);
    for (int i = 0; i < OPENINGS; i++) {
        hid_t file = h5.H5Fopen(name, H5F_ACC_RDONLY, access_of[way]);
        hid_t data = h5.H5Dopen2(file, "small", H5P_DEFAULT);
        bad += h5.H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0;
        bad += values[PIECE - 1] != value_at(101, PIECE - 1);
        bad += h5.H5Dclose(data) < 0;
        bad += h5.H5Fclose(file) < 0;
    }
    double seconds = now() - begin;
    must(bad == 0, "open, read, close");
    return seconds;
}

static void
bench_small(void)
{
    static double reading[2][MOST_ROUNDS], opening[2][MOST_ROUNDS];
    static hid_t  spaces[SMALL / PIECE];
    hid_t         memory = h5_space(1, PIECE, 0), files[2], data[2];
    int           order[2];

    for (int i = 0; i < SMALL / PIECE; i++) {
        hsize_t start = (hsize_t)i * PIECE, count = PIECE;
        spaces[i] = h5_space(1, SMALL, 0);
        must(h5.H5Sselect_hyperslab(spaces[i], H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0, "select");
    }
    for (int round = -1; round < rounds; round++) {
        shuffle(order, 2);
        for (int i = 0; i < 2; i++)
            opening[order[i]][round < 0 ? 0 : round] = openings(order[i], memory, spaces[0]);
    }
    for (int way = 0; way < 2; way++) {
        files[way] = open_file(0, way);
        data[way] = h5.H5Dopen2(files[way], "small", H5P_DEFAULT);
        small_reads(data[way], memory, spaces, true);
    }
    for (int round = 0; round < rounds; round++) {
        shuffle(order, 2);
        for (int i = 0; i < 2; i++)
            reading[order[i]][round] = small_reads(data[order[i]], memory, spaces, false);
    }
    for (int way = 0; way < 2; way++) {
        print_result("64 bytes at a time", "contiguous", ways[way], 1, SMALL_LOOPS * (SMALL / PIECE), reading[way]);
        print_result("open, read 64 bytes, close", "contiguous", ways[way], 1, OPENINGS, opening[way]);
        h5.H5Dclose(data[way]);
        must(h5.H5Fclose(files[way]) >= 0, "H5Fclose");
    }
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    rounds = argc > 4 ? atoi(argv[4]) : 3;
    page_offset = argc > 5 ? (size_t)atoi(argv[5]) % PAGE : 0;
    if (rounds < 1 || rounds > MOST_ROUNDS) {
        fprintf(stderr, "rounds: 1 to %d\n", MOST_ROUNDS);
        return 2;
    }
    srand((unsigned)time(NULL));
    set_up_connectors();
    if (strcmp(argv[2], "given") == 0) {
        if (argc < 7) {
            fprintf(stderr, "which file?\n");
            return 2;
        }
        bench_given(argv[6]);
        return h5_result();
    }
    write_files();
    if (strcmp(argv[2], "threads") == 0)
        bench_threads();
    else
        bench_small();
    return h5_result();
}
