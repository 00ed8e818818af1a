/* How a process may end, or the library go away, with the connector in use.
 *
 * prog HOST MODE DIR [NAME INFO]. Every mode must end by itself with exit code 0: no signal, no hang. What is printed is
 * compared with native; the files left behind are read natively by the pytest side.
 */
#define _GNU_SOURCE
#include "h5api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

static const char *host, *mode;
static void       *library;

static void
start(void)
{
    library = h5_load(host);
    if (!library)
        exit(2);
    if (strcmp(mode, "dont_atexit") == 0)
        RC(h5.H5dont_atexit());
    RC(h5.H5open());
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Creates `path` with data in "d" (chunked, so that something is in a cache), leaves both open. */
static hid_t
fill(const char *path, hid_t fapl, hid_t *data)
{
    hsize_t chunk = 100, size = 1000;
    int     values[1000];
    hid_t   file = ID(h5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);
    hid_t   space = h5.H5Screate_simple(1, &size, NULL);

    for (int i = 0; i < 1000; i++)
        values[i] = i;
    h5_note_connector(file);
    h5.H5Pset_chunk(dcpl, 1, &chunk);
    h5.H5Pset_deflate(dcpl, 1);
    *data = ID(h5.H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    RC(h5.H5Dwrite(*data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5.H5Pclose(dcpl);
    h5.H5Sclose(space);
    return file;
}

static int
sum(hid_t data)
{
    int values[1000], total = 0;

    if (h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return -1;
    for (int i = 0; i < 1000; i++)
        total += values[i];
    return total;
}

/* A whole life of a file, closed properly. */
static void
use(const char *path)
{
    hid_t data, file = fill(path, H5P_DEFAULT, &data);

    printf("sum %d\n", sum(data));
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    h5_note_connector(file);
    data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    printf("sum %d\n", sum(data));
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
}

/* Objects of every kind, none closed. */
static void
leave_open(void)
{
    hid_t data, file = fill("left.h5", H5P_DEFAULT, &data);
    hid_t space = h5.H5Dget_space(data);
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t type = ID(h5.H5Tcopy(H5T_NATIVE_INT));
    RC(h5.H5Tcommit2(group, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t attribute = ID(h5.H5Acreate2(data, "a", type, space, H5P_DEFAULT, H5P_DEFAULT));
    hid_t again = ID(h5.H5Freopen(file));
    hid_t fapl = ID(h5.H5Fget_access_plist(file));
    (void)attribute, (void)again, (void)fapl;
}

static void *
exit_now(void *unused)
{
    (void)unused;
    exit(h5_result());
}

static atomic_int reads;

static void *
read_for_ever(void *argument)
{
    hid_t data = *(hid_t *)argument;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (;;) {
        if (sum(data) < 0)
            pause(); /* the library is gone: so is the work */
        atomic_fetch_add(&reads, 1);
    }
    return NULL;
}

static void *
sleep_for_ever(void *unused)
{
    (void)unused;
    for (;;)
        pause();
    return NULL;
}

/* Main returns while another thread is at work: inside the library if that is thread-safe. */
static void
thread_running(void)
{
    static hid_t data;
    pthread_t    thread;
    bool         safe = false;

    h5.H5is_library_threadsafe(&safe);
    fill("running.h5", H5P_DEFAULT, &data);
    RC(h5.H5Fflush(data, H5F_SCOPE_LOCAL));
    pthread_create(&thread, NULL, safe ? read_for_ever : sleep_for_ever, &data);
    while (safe && atomic_load(&reads) < 20)
        usleep(1000);
}

/* The library unloaded and loaded again. It may stay mapped when something else holds it. */
static void
reload(bool left_open)
{
    for (int i = 0; i < 3; i++) {
        hid_t data;
        char  path[32];
        if (i)
            start();
        snprintf(path, sizeof path, "reload%d.h5", i);
        use(path);
        if (left_open) {
            snprintf(path, sizeof path, "open%d.h5", i);
            fill(path, H5P_DEFAULT, &data);
        }
        memset(&h5, 0, sizeof h5);
        printf("dlclose %d\n", dlclose(library));
    }
}

static void
reopen_library(void)
{
    hid_t data;

    for (int i = 0; i < 4; i++) {
        char path[32];
        snprintf(path, sizeof path, "cycle%d.h5", i);
        use(path);
        snprintf(path, sizeof path, "cycle_open%d.h5", i);
        fill(path, H5P_DEFAULT, &data);
        RC(h5.H5close());
        RC(h5.H5open());
        h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    }
}

static void
forked(bool clean_exit, unsigned access)
{
    int   status = -1;
    hid_t data, file;

    file = fill("forked.h5", H5P_DEFAULT, &data);
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen("forked.h5", access, H5P_DEFAULT));
    data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    printf("before: %d\n", sum(data));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        hid_t other = h5.H5Dopen2(file, "d", H5P_DEFAULT);
        int   result = sum(data) == 499500 && sum(other) == 499500 ? 7 : 8;
        if (clean_exit)
            exit(result);
        _exit(result);
    }
    waitpid(child, &status, 0);
    printf("child: exited %d code %d\n", WIFEXITED(status), WEXITSTATUS(status));
    h5_failures += !WIFEXITED(status) || WEXITSTATUS(status) != 7;
    printf("after: %d\n", sum(data));
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    use("after_fork.h5");
}

/* The application lets go of the connector while files made with it are open. */
static void
connector_closed(const char *name, const char *text)
{
    hid_t connector = ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT));
    hid_t fapl = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    void *info = NULL;
    hid_t data;

    RC(h5.H5VLconnector_str_to_info(text, connector, &info));
    RC(h5.H5Pset_vol(fapl, connector, info));
    RC(h5.H5VLfree_connector_info(connector, info));
    hid_t file = fill("closed.h5", fapl, &data);
    TRY_RC(h5.H5VLclose(connector));
    RC(h5.H5Pclose(fapl));
    printf("sum %d\n", sum(data));
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Gclose(group));
    RC(h5.H5Fclose(file));
    printf("sum %d\n", sum(data));
    RC(h5.H5Dclose(data));
    printf("registered afterwards: %d\n", h5.H5VLis_connector_registered_by_name(name));
}

int
main(int argc, char **argv)
{
    pthread_t thread;

    if (argc < 4 || chdir(argv[3]) != 0)
        return 2;
    host = argv[1];
    mode = argv[2];
    setvbuf(stdout, NULL, _IOLBF, 0);
    start();
    if (strcmp(mode, "leave_open") == 0 || strcmp(mode, "dont_atexit") == 0)
        leave_open();
    else if (strcmp(mode, "exit_in_thread") == 0) {
        leave_open();
        pthread_create(&thread, NULL, exit_now, NULL);
        pthread_join(thread, NULL);
    }
    else if (strcmp(mode, "thread_running") == 0)
        thread_running();
    else if (strcmp(mode, "reload_closed") == 0)
        reload(false);
    else if (strcmp(mode, "reload_open") == 0)
        reload(true);
    else if (strcmp(mode, "reopen_library") == 0)
        reopen_library();
    else if (strcmp(mode, "fork_exit") == 0)
        forked(true, H5F_ACC_RDONLY);
    else if (strcmp(mode, "fork__exit") == 0)
        forked(false, H5F_ACC_RDONLY);
    else if (strcmp(mode, "fork_exit_writable") == 0)
        forked(true, H5F_ACC_RDWR);
    else if (strcmp(mode, "quick_exit") == 0) {
        leave_open();
        fflush(stdout);
        quick_exit(h5_result());
    }
    else if (strcmp(mode, "connector_closed") == 0 && argc > 5)
        connector_closed(argv[4], argv[5]);
    else
        return 2;
    return h5_result();
}
