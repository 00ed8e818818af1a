/* Several threads at once: each with its own file, all on one file, and all opening and closing.
 *
 * MODE `separate`, `same`, `strings` (the same with values of variable length) or `churn`. A host that is not thread-safe may be used by threads only one at a time: there
 * every call is made under a mutex, as an application would. The output is the sums only.
 */
#include "h5api.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 60, COUNT = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool            safe;
static hid_t           shared_file, shared_data, string_type, shared_strings;
static const char     *mode;

static long long
guarded(bool enter, long long result)
{
    if (!safe)
        (enter ? pthread_mutex_lock : pthread_mutex_unlock)(&lock);
    return result;
}

/* The call, under the mutex where the host needs it. */
#define LOCKED(call) (guarded(true, 0), guarded(false, (long long)(call)))

struct job {
    int       number;
    int       failures;
    long long total;
};

static int
connector_differs(hid_t file)
{
    char mine[64] = "", first[64] = "";

    h5.H5VLget_connector_name(file, mine, sizeof mine);
    h5.H5VLget_connector_name(shared_file, first, sizeof first);
    return strcmp(mine, first) != 0;
}

static void
own_file(struct job *job)
{
    char path[32], name[32];
    int  values[COUNT], back[COUNT];

    snprintf(path, sizeof path, "thread%d.h5", job->number);
    for (int round = 0; round < ROUNDS; round++) {
        hid_t file = LOCKED(round ? h5.H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)
                                  : h5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
        job->failures += LOCKED(connector_differs(file)) != 0;
        snprintf(name, sizeof name, "d%d", round);
        for (int i = 0; i < COUNT; i++)
            values[i] = job->number * 1000 + round + i;
        hid_t data = LOCKED(h5_make_ints(file, name, COUNT, values[0]));
        job->failures += LOCKED(h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, back)) < 0;
        job->failures += memcmp(values, back, sizeof values) != 0;
        job->total += back[COUNT - 1];
        job->failures += LOCKED(h5.H5Dclose(data)) < 0;
        job->failures += LOCKED(h5.H5Fclose(file)) < 0;
    }
}

/* Writes its own stripe of the shared dataset, reads it back, and reads all of it. */
static void
shared(struct job *job)
{
    int     values[COUNT], back[COUNT], whole[COUNT * THREADS];
    hsize_t start = (hsize_t)job->number * COUNT, count = COUNT;
    hid_t   memory = LOCKED(h5_space(1, COUNT, 0));
    hid_t   space = LOCKED(h5.H5Dget_space(shared_data));

    job->failures += LOCKED(h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL)) < 0;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++)
            values[i] = job->number + round + i;
        hid_t data = LOCKED(h5.H5Dopen2(shared_file, "shared", H5P_DEFAULT));
        job->failures += LOCKED(h5.H5Dwrite(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values)) < 0;
        job->failures += LOCKED(h5.H5Dread(shared_data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, back)) < 0;
        job->failures += memcmp(values, back, sizeof values) != 0;
        job->failures += LOCKED(h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, whole)) < 0;
        job->failures += memcmp(values, whole + job->number * COUNT, sizeof values) != 0;
        job->total += back[COUNT - 1];
        job->failures += LOCKED(h5.H5Dclose(data)) < 0;
    }
    LOCKED(h5.H5Sclose(space));
    LOCKED(h5.H5Sclose(memory));
}

/* Compressed chunks that several stripes share. */
static void
make_strings(void)
{
    hsize_t chunk = COUNT * 3 / 4;
    hid_t   dcpl = ID(h5.H5Pcreate(H5P_DATASET_CREATE)), space = h5_space(1, COUNT * THREADS, 0);

    string_type = ID(h5.H5Tcopy(H5T_C_S1));
    RC(h5.H5Tset_size(string_type, H5T_VARIABLE));
    RC(h5.H5Pset_chunk(dcpl, 1, &chunk));
    RC(h5.H5Pset_deflate(dcpl, 1));
    shared_strings =
        ID(h5.H5Dcreate2(shared_file, "strings", string_type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    RC(h5.H5Sclose(space));
    RC(h5.H5Pclose(dcpl));
}

/* How many strings of a stripe are not those of its thread and of one round. Before the first there are none. */
static int
wrong_strings(int thread, char *const *strings)
{
    char expected[64];
    int  round = -1, wrong = 0;

    if (strings[0] != NULL && sscanf(strings[0], "thread %*d round %d", &round) != 1)
        return COUNT;
    for (int i = 0; i < COUNT; i++) {
        snprintf(expected, sizeof expected, "thread %d round %d value %0*d", thread, round, 1 + i % 20, i);
        wrong += round < 0 ? strings[i] != NULL : strings[i] == NULL || strcmp(strings[i], expected) != 0;
    }
    return wrong;
}

/* Writes its own stripe of the shared strings, and reads all of them: each stripe must be as one write has left it. */
static void
strings(struct job *job)
{
    static char values[THREADS][COUNT][64];
    char       *given[COUNT], *back[COUNT * THREADS];
    hsize_t     start = (hsize_t)job->number * COUNT, count = COUNT;
    hid_t       memory = LOCKED(h5_space(1, COUNT, 0)), all = LOCKED(h5.H5Dget_space(shared_strings));
    hid_t       stripe = LOCKED(h5.H5Dget_space(shared_strings));

    job->failures += LOCKED(h5.H5Sselect_hyperslab(stripe, H5S_SELECT_SET, &start, NULL, &count, NULL)) < 0;
    for (int round = 0; round < ROUNDS / 4; round++) {
        for (int i = 0; i < COUNT; i++) {
            given[i] = values[job->number][i];
            snprintf(given[i], sizeof values[0][0], "thread %d round %d value %0*d", job->number, round, 1 + i % 20, i);
        }
        job->failures +=
            LOCKED(h5.H5Dwrite(shared_strings, string_type, memory, stripe, H5P_DEFAULT, given)) < 0;
        job->failures += LOCKED(h5.H5Dread(shared_strings, string_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back)) < 0;
        for (int thread = 0; thread < THREADS; thread++)
            job->failures += wrong_strings(thread, back + thread * COUNT);
        job->failures += strcmp(back[start + COUNT - 1], given[COUNT - 1]) != 0;
        job->total += (long long)strlen(back[start + COUNT - 1]);
        job->failures += LOCKED(h5.H5Treclaim(string_type, all, H5P_DEFAULT, back)) < 0;
    }
    LOCKED(h5.H5Sclose(stripe));
    LOCKED(h5.H5Sclose(all));
    LOCKED(h5.H5Sclose(memory));
}

/* Everybody opens and closes the same file and fails at the same time: error stacks are per thread. */
static void
churn(struct job *job)
{
    for (int round = 0; round < ROUNDS; round++) {
        hid_t file = LOCKED(h5.H5Fopen("shared.h5", H5F_ACC_RDWR, H5P_DEFAULT));
        job->failures += file < 0;
        job->failures += LOCKED(h5.H5Dopen2(file, "absent", H5P_DEFAULT)) >= 0;
        job->total += safe ? h5.H5Eget_num(H5E_DEFAULT) > 0 : 1;
        job->failures += LOCKED(h5.H5Fopen("absent.h5", H5F_ACC_RDONLY, H5P_DEFAULT)) >= 0;
        hid_t data = LOCKED(h5.H5Dopen2(file, "shared", H5P_DEFAULT));
        job->failures += data < 0;
        job->failures += LOCKED(h5.H5Fclose(file)) < 0;
        job->failures += LOCKED(h5.H5Dclose(data)) < 0;
    }
}

static void *
run(void *argument)
{
    struct job *job = argument;

    LOCKED(h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL));
    if (strcmp(mode, "separate") == 0)
        own_file(job);
    else if (strcmp(mode, "same") == 0)
        shared(job);
    else if (strcmp(mode, "strings") == 0)
        strings(job);
    else
        churn(job);
    return NULL;
}

int
main(int argc, char **argv)
{
    pthread_t  threads[THREADS];
    struct job jobs[THREADS];

    h5_start(argc, argv);
    mode = argv[2];
    h5.H5is_library_threadsafe(&safe);
    fprintf(stderr, "@threadsafe %d\n", safe);
    shared_file = ID(h5.H5Fcreate("shared.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(shared_file);
    shared_data = h5_make_ints(shared_file, "shared", COUNT * THREADS, 0);
    make_strings();
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < THREADS; i++) {
        jobs[i].number = i;
        pthread_create(&threads[i], NULL, run, &jobs[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        printf("thread %d: %d failures, total %lld\n", i, jobs[i].failures, jobs[i].total);
        h5_failures += jobs[i].failures;
    }
    RC(h5.H5Tclose(string_type));
    RC(h5.H5Dclose(shared_strings));
    RC(h5.H5Dclose(shared_data));
    RC(h5.H5Fclose(shared_file));
    return h5_result();
}
