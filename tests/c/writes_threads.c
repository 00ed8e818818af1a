/* Writes and reads of shared datasets by many threads: each call must take effect at one moment between its begin and its end.
 *
 * A dataset is tiled with regions that cut its chunks. Every write fills a block of regions with a stamp of its own, every read takes a
 * block of regions and must find each filled with one stamp. All calls are noted with the ticks of their begin and end, and at the end it
 * is checked for each region whether the stamps that were seen can be explained by one order of the calls.
 *
 * MODE
 *   storm   writers, readers, one thread that appends to a dataset which it makes grow, and one that flushes, for ARG milliseconds;
 *   visit   the same, with a thread that writes from inside H5Literate2, which holds HDF5's lock;
 *   fork    the same, with a thread that forks children, which end at once;
 *   child   one thread: children see what their parent has written and not flushed;
 *   once    one thread, few calls: what hosts that are not thread-safe are tried with.
 * All but the last two want a thread-safe host.
 */
#include "h5api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { DOWN = 4, ACROSS = 4, REGIONS = DOWN * ACROSS, TALL = 24, WIDE = 50, ROWS = DOWN * TALL, COLUMNS = ACROSS * WIDE };
enum { DATASETS = 3, WRITERS = 5, READERS = 3, MOST = 400000, LOG_COLUMNS = 90 };

typedef struct {
    uint64_t begin, end;
    int      dataset, region, stamp;
    bool     writing;
} event;

static const char *names[DATASETS] = {"contiguous", "chunked", "gzip"};
static hid_t       file, datasets[DATASETS];
static atomic_bool stop;
static atomic_int  failures, stamps, noted, writes, reads, appended;
static event      *events;

static atomic_uint_least64_t ticks;

static void
fail(const char *what)
{
    if (failures++ < 5)
        fprintf(stderr, "%s\n", what);
}

static void
note(int dataset, int region, int stamp, bool writing, uint64_t begin, uint64_t end)
{
    int place = noted++;

    if (place < MOST)
        events[place] = (event){begin, end, dataset, region, stamp, writing};
}

static void
make_file(void)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, chunk[2] = {17, 43}, log_dims[2] = {0, LOG_COLUMNS};
    hsize_t log_most[2] = {H5S_UNLIMITED, LOG_COLUMNS}, log_chunk[2] = {7, 40};
    hid_t   space = h5.H5Screate_simple(2, dims, NULL), log_space = h5.H5Screate_simple(2, log_dims, log_most);

    file = h5.H5Fcreate("writes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    h5_note_connector(file);
    for (int d = 0; d < DATASETS; d++) {
        hid_t dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);
        int  *zeros = calloc(ROWS * COLUMNS, sizeof(int));

        if (d)
            h5.H5Pset_chunk(dcpl, 2, chunk);
        if (d == 2) {
            h5.H5Pset_shuffle(dcpl);
            h5.H5Pset_deflate(dcpl, 1);
        }
        datasets[d] = h5.H5Dcreate2(file, names[d], H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        failures += h5.H5Dwrite(datasets[d], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) < 0;
        free(zeros);
        h5.H5Pclose(dcpl);
        for (int r = 0; r < REGIONS; r++)
            note(d, r, 0, true, 0, 1);
    }
    ticks = 2;
    hid_t dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);
    h5.H5Pset_chunk(dcpl, 2, log_chunk);
    h5.H5Pset_deflate(dcpl, 1);
    h5.H5Dclose(h5.H5Dcreate2(file, "log", H5T_NATIVE_INT, log_space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    h5.H5Pclose(dcpl);
    h5.H5Sclose(space);
    h5.H5Sclose(log_space);
}

/* A block of regions: first row and column of them, and how many. */
typedef struct {
    int row, column, down, across;
} block;

static block
random_block(unsigned *seed)
{
    block b = {rand_r(seed) % DOWN, rand_r(seed) % ACROSS, 1, 1};

    if (rand_r(seed) % 3 == 0) {
        b.down = 1 + rand_r(seed) % (DOWN - b.row);
        b.across = 1 + rand_r(seed) % (ACROSS - b.column);
    }
    return b;
}

static hid_t
select_block(block b, hsize_t count[2])
{
    hsize_t dims[2] = {ROWS, COLUMNS}, start[2] = {(hsize_t)b.row * TALL, (hsize_t)b.column * WIDE};
    hid_t   space = h5.H5Screate_simple(2, dims, NULL);

    count[0] = (hsize_t)b.down * TALL;
    count[1] = (hsize_t)b.across * WIDE;
    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    return space;
}

static void
write_block(unsigned *seed, hid_t dataset, int d)
{
    hsize_t count[2];
    block   b = random_block(seed);
    hid_t   space = select_block(b, count), memory = h5.H5Screate_simple(2, count, NULL);
    int     stamp = ++stamps;
    bool    converted = rand_r(seed) % 4 == 0;
    size_t  total = count[0] * count[1];
    void   *values = malloc(total * sizeof(double));

    for (size_t i = 0; i < total; i++)
        if (converted)
            ((double *)values)[i] = stamp;
        else
            ((int *)values)[i] = stamp;
    uint64_t begin = ticks++;
    herr_t   result = h5.H5Dwrite(dataset, converted ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values);
    uint64_t end = ticks++;
    if (result < 0)
        fail("a write failed");
    for (int r = b.row; r < b.row + b.down; r++)
        for (int c = b.column; c < b.column + b.across; c++)
            note(d, r * ACROSS + c, stamp, true, begin, end);
    writes++;
    free(values);
    h5.H5Sclose(space);
    h5.H5Sclose(memory);
}

static void
read_block(unsigned *seed, hid_t dataset, int d)
{
    hsize_t count[2];
    block   b = random_block(seed);
    hid_t   space = select_block(b, count), memory = h5.H5Screate_simple(2, count, NULL);
    int    *values = malloc(count[0] * count[1] * sizeof(int));

    uint64_t begin = ticks++;
    herr_t   result = h5.H5Dread(dataset, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values);
    uint64_t end = ticks++;
    if (result < 0)
        fail("a read failed");
    for (int r = 0; r < b.down && result >= 0; r++)
        for (int c = 0; c < b.across; c++) {
            int stamp = values[(hsize_t)r * TALL * count[1] + (hsize_t)c * WIDE], mixed = 0;

            for (int y = 0; y < TALL; y++)
                for (int x = 0; x < WIDE; x++)
                    mixed += values[((hsize_t)r * TALL + y) * count[1] + (hsize_t)c * WIDE + x] != stamp;
            if (mixed) {
                fprintf(stderr, "%s, region %d,%d: %d of %d elements are not %d\n", names[d], b.row + r, b.column + c, mixed,
                        TALL * WIDE, stamp);
                fail("a read saw a part of a write");
            }
            note(d, (b.row + r) * ACROSS + b.column + c, stamp, false, begin, end);
        }
    reads++;
    free(values);
    h5.H5Sclose(space);
    h5.H5Sclose(memory);
}

static void *
writer(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop && noted < MOST - 1000) {
        int d = rand_r(&seed) % DATASETS;
        /* Mostly by the common handle, sometimes by one of its own. */
        hid_t own = rand_r(&seed) % 8 ? -1 : h5.H5Dopen2(file, names[d], H5P_DEFAULT);
        write_block(&seed, own >= 0 ? own : datasets[d], d);
        if (own >= 0 && h5.H5Dclose(own) < 0)
            fail("a close failed");
    }
    return NULL;
}

static void *
reader(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop && noted < MOST - 1000) {
        int d = rand_r(&seed) % DATASETS;
        read_block(&seed, datasets[d], d);
    }
    return NULL;
}

static void *
flusher(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        herr_t result = rand_r(&seed) % 2 ? h5.H5Fflush(file, H5F_SCOPE_LOCAL) : h5.H5Dflush(datasets[rand_r(&seed) % DATASETS]);
        if (result < 0)
            fail("a flush failed");
        usleep((useconds_t)rand_r(&seed) % 3000);
    }
    return NULL;
}

/* Row n of the log has n + 1 in all its elements. */
static void *
appender(void *argument)
{
    hid_t log = h5.H5Dopen2(file, "log", H5P_DEFAULT);
    int   values[LOG_COLUMNS], found[LOG_COLUMNS];

    (void)argument;
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        int     row = appended;
        hsize_t dims[2] = {(hsize_t)row + 1, LOG_COLUMNS}, start[2] = {(hsize_t)row, 0}, count[2] = {1, LOG_COLUMNS};

        for (int i = 0; i < LOG_COLUMNS; i++)
            values[i] = row + 1;
        if (h5.H5Dset_extent(log, dims) < 0)
            fail("an extent was not set");
        hid_t space = h5.H5Screate_simple(2, dims, NULL), memory = h5.H5Screate_simple(2, count, NULL);
        h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        if (h5.H5Dwrite(log, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values) < 0)
            fail("an append failed");
        start[0] = (hsize_t)(row / 2);
        h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
        herr_t result = h5.H5Dread(log, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, found);
        if (result < 0 || found[0] != row / 2 + 1 || found[LOG_COLUMNS - 1] != row / 2 + 1)
            fail("an appended row is wrong");
        h5.H5Sclose(space);
        h5.H5Sclose(memory);
        appended++;
        usleep(500);
    }
    failures += h5.H5Dclose(log) < 0;
    return NULL;
}

static herr_t
visited(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)info;
    for (int d = 0; d < DATASETS; d++)
        if (strcmp(name, names[d]) == 0) {
            hid_t dataset = h5.H5Dopen2(group, name, H5P_DEFAULT);
            write_block(data, dataset, d);
            read_block(data, dataset, d);
            if (h5.H5Dclose(dataset) < 0)
                fail("a close failed");
        }
    return 0;
}

static void *
visitor(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    while (!stop) {
        hsize_t place = 0;
        if (h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, &place, visited, &seed) < 0)
            fail("an iteration failed");
        usleep(1000);
    }
    return NULL;
}

/* Only what may be done after fork with threads about: to end. */
static void *
forker(void *argument)
{
    (void)argument;
    while (!stop) {
        int   status = -1;
        pid_t child = fork();

        if (child == 0)
            _exit(0);
        waitpid(child, &status, 0);
        if (status)
            fail("a child did not end well");
        usleep(2000);
    }
    return NULL;
}

static int
by_place(const void *a, const void *b)
{
    const event *one = a, *two = b;

    if (one->dataset != two->dataset)
        return one->dataset - two->dataset;
    if (one->region != two->region)
        return one->region - two->region;
    if (one->stamp != two->stamp)
        return one->stamp < two->stamp ? -1 : 1;
    return two->writing - one->writing;
}

typedef struct {
    uint64_t from, to;
    bool     forward;
} zone;

static int
by_begin(const void *a, const void *b)
{
    const zone *one = a, *two = b;

    return one->from < two->from ? -1 : one->from > two->from;
}

/* One region. All calls about a stamp lie between the earliest end and the latest begin among them: if the former is before the
 * latter, the region must have had that stamp all the time between (a forward zone), and no other stamp may claim any of that time. */
static void
check_region(const event *all, int count)
{
    zone    *zones = malloc(sizeof(zone) * (size_t)count);
    int      many = 0;
    uint64_t last = 0;

    for (int i = 0; i < count;) {
        uint64_t latest = all[i].begin, earliest = all[i].end;
        int      first = i;

        if (!all[i].writing)
            fail("a read saw a stamp that nobody wrote");
        for (i++; i < count && all[i].stamp == all[first].stamp; i++) {
            latest = all[i].begin > latest ? all[i].begin : latest;
            earliest = all[i].end < earliest ? all[i].end : earliest;
            if (all[i].end < all[first].begin)
                fail("a read saw a stamp before it was written");
        }
        zones[many].forward = earliest < latest;
        zones[many].from = earliest < latest ? earliest : latest;
        zones[many++].to = earliest < latest ? latest : earliest;
    }
    qsort(zones, (size_t)many, sizeof(zone), by_begin);
    for (int i = 0; i < many; i++) {
        if (zones[i].forward) {
            if (zones[i].from < last)
                fail("no order of the calls explains what was read: two stamps at the same time");
            last = zones[i].to > last ? zones[i].to : last;
        }
        else if (zones[i].to < last)
            fail("no order of the calls explains what was read: a stamp came and went while another was seen");
    }
    free(zones);
}

static void
check_events(void)
{
    int count = noted < MOST ? noted : MOST;

    qsort(events, (size_t)count, sizeof(event), by_place);
    for (int i = 0; i < count;) {
        int first = i;
        while (i < count && events[i].dataset == events[first].dataset && events[i].region == events[first].region)
            i++;
        check_region(events + first, i - first);
    }
}

/* Closes everything, reads it again and prints what a native process should find. */
static void
finish(void)
{
    unsigned seed = 99;

    for (int d = 0; d < DATASETS; d++)
        failures += h5.H5Dclose(datasets[d]) < 0;
    failures += h5.H5Fclose(file) < 0;
    file = h5.H5Fopen("writes.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    for (int d = 0; d < DATASETS; d++) {
        int     *values = malloc(sizeof(int) * ROWS * COLUMNS);
        uint64_t sum = 0;

        datasets[d] = h5.H5Dopen2(file, names[d], H5P_DEFAULT);
        for (int i = 0; i < 40; i++)
            read_block(&seed, datasets[d], d);
        failures += h5.H5Dread(datasets[d], H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
        for (int i = 0; i < ROWS * COLUMNS; i++)
            sum += (uint64_t)(i + 1) * (uint64_t)values[i];
        printf("%s %llu\n", names[d], (unsigned long long)sum);
        failures += h5.H5Dclose(datasets[d]) < 0;
        free(values);
    }
    failures += h5.H5Fclose(file) < 0;
    printf("log %d\n", appended);
}

static void
storm(const char *mode, int milliseconds)
{
    pthread_t threads[WRITERS + READERS + 3];
    int       many = 0;

    for (int i = 0; i < WRITERS; i++)
        pthread_create(&threads[many++], NULL, writer, (void *)(size_t)(i + 1));
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[many++], NULL, reader, (void *)(size_t)(i + 100));
    pthread_create(&threads[many++], NULL, flusher, (void *)(size_t)7);
    pthread_create(&threads[many++], NULL, appender, NULL);
    if (strcmp(mode, "visit") == 0)
        pthread_create(&threads[many++], NULL, visitor, (void *)(size_t)8);
    if (strcmp(mode, "fork") == 0)
        pthread_create(&threads[many++], NULL, forker, NULL);
    usleep((useconds_t)milliseconds * 1000);
    stop = true;
    for (int i = 0; i < many; i++)
        pthread_join(threads[i], NULL);
}

static void
children(void)
{
    unsigned seed = 4;

    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < 10; i++)
            write_block(&seed, datasets[i % DATASETS], i % DATASETS);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 30; i++)
                read_block(&seed, datasets[i % DATASETS], i % DATASETS);
            check_events();
            _exit(failures ? 3 : 0);
        }
        int status = -1;
        waitpid(child, &status, 0);
        if (status)
            fail("a child saw something else");
    }
}

static void
once(void)
{
    unsigned seed = 3;

    for (int i = 0; i < 60; i++) {
        write_block(&seed, datasets[i % DATASETS], i % DATASETS);
        read_block(&seed, datasets[i % DATASETS], i % DATASETS);
    }
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    events = malloc(sizeof(event) * MOST);
    make_file();
    if (strcmp(argv[2], "child") == 0)
        children();
    else if (strcmp(argv[2], "once") == 0)
        once();
    else
        storm(argv[2], argc > 4 ? atoi(argv[4]) : 1000);
    finish();
    check_events();
    fprintf(stderr, "@writes %d\n@reads %d\n", writes, reads);
    printf("%d failures\n", failures);
    return failures ? 1 : 0;
}
