/* Files and what is open in them, closed in every order, by every kind of handle.
 *
 * prog HOST MODE DIR [ARGUMENTS]. One line of output for each order: what each close answered, and what a new opening finds.
 */
#define _GNU_SOURCE
#include "h5api.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

enum { SIZE = 200, CHUNK = 50, MOST = 5 };

typedef struct {
    const char *name;
    hid_t       id;
    herr_t (*close)(hid_t);
} handle_t;

static hid_t
fapl_of(int degree)
{
    hid_t fapl = h5.H5Pcreate(H5P_FILE_ACCESS);

    h5.H5Pset_fclose_degree(fapl, degree);
    return fapl;
}

static int
sum(hid_t data)
{
    int values[SIZE], total = 0;

    if (h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        return -1;
    for (int i = 0; i < SIZE; i++)
        total += values[i];
    return total;
}

/* A dataset of chunks with ones. Half of a chunk is written in a call of its own, so that something is in memory. */
static hid_t
make_data(hid_t at, const char *name)
{
    hsize_t size = SIZE, chunk = CHUNK, start = SIZE - CHUNK / 2, count = CHUNK / 2;
    int     values[SIZE];
    hid_t   space = h5.H5Screate_simple(1, &size, NULL), memory = h5.H5Screate_simple(1, &count, NULL);
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);

    for (int i = 0; i < SIZE; i++)
        values[i] = 1;
    h5.H5Pset_chunk(dcpl, 1, &chunk);
    hid_t data = h5.H5Dcreate2(at, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL);
    h5.H5Dwrite(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values);
    h5.H5Sclose(space);
    h5.H5Sclose(memory);
    h5.H5Pclose(dcpl);
    return data;
}

/* A file with one object of each kind, all of them open. */
static void
make_all(const char *path, hid_t fapl, handle_t *all)
{
    int   number = 7;
    hid_t file = h5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    hid_t group = h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = make_data(group, "d"), type = h5.H5Tcopy(H5T_NATIVE_INT), space = h5_space(0, 0, 0);

    h5.H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t attribute = h5.H5Acreate2(group, "a", type, space, H5P_DEFAULT, H5P_DEFAULT);
    h5.H5Awrite(attribute, H5T_NATIVE_INT, &number);
    h5.H5Sclose(space);
    h5_note_connector(file);
    all[0] = (handle_t){"file", file, h5.H5Fclose};
    all[1] = (handle_t){"dataset", data, h5.H5Dclose};
    all[2] = (handle_t){"group", group, h5.H5Gclose};
    all[3] = (handle_t){"attribute", attribute, h5.H5Aclose};
    all[4] = (handle_t){"type", type, h5.H5Tclose};
}

/* What a new opening finds. */
static void
show_found(const char *path)
{
    int   number = -1;
    hid_t file = h5.H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);

    if (file < 0) {
        printf(" cannot be opened\n");
        return;
    }
    hid_t data = h5.H5Dopen2(file, "g/d", H5P_DEFAULT), type = h5.H5Topen2(file, "t", H5P_DEFAULT);
    hid_t attribute = h5.H5Aopen_by_name(file, "g", "a", H5P_DEFAULT, H5P_DEFAULT);
    h5.H5Aread(attribute, H5T_NATIVE_INT, &number);
    printf(" finds %d %d %d\n", sum(data), number, type > 0);
    h5.H5Aclose(attribute);
    h5.H5Tclose(type);
    h5.H5Fclose(file);
    h5.H5Dclose(data);
}

/* The next order of `count` numbers, as a dictionary sorts them. */
static bool
following(int *order, int count)
{
    int at = count - 2, other = count - 1;

    while (at >= 0 && order[at] > order[at + 1])
        at--;
    if (at < 0)
        return false;
    while (order[other] < order[at])
        other--;
    int kept = order[at];
    order[at] = order[other];
    order[other] = kept;
    for (int from = at + 1, to = count - 1; from < to; from++, to--) {
        kept = order[from];
        order[from] = order[to];
        order[to] = kept;
    }
    return true;
}

/* The same, but for five numbers only one of H5_TEST_STEP orders. */
static bool
next_order(int *order, int count)
{
    const char *steps = getenv("H5_TEST_STEP");

    for (int step = count == MOST && steps ? atoi(steps) : 1; step > 0; step--)
        if (!following(order, count))
            return false;
    return true;
}

static void
close_in_order(const handle_t *all, const int *order, int count)
{
    for (int i = 0; i < count; i++) {
        const handle_t *one = &all[order[i]];
        printf("%s %d ", one->name, one->close(one->id) < 0 ? -1 : 0);
    }
}

/* Whatever is still open: with a semi degree the file cannot be closed before the rest. */
static void
close_rest(const handle_t *all, int count)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = count - 1; i >= 0; i--)
            if (h5.H5Iis_valid(all[i].id) > 0)
                all[i].close(all[i].id);
}

static void
orders(int degree)
{
    int      order[MOST] = {0, 1, 2, 3, 4};
    hid_t    fapl = fapl_of(degree);
    handle_t all[MOST];

    do {
        make_all("orders.h5", fapl, all);
        close_in_order(all, order, MOST);
        printf("open %d", (int)h5.H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR | H5F_OBJ_DATATYPE));
        close_rest(all, MOST);
        show_found("orders.h5");
    } while (next_order(order, MOST));
    h5.H5Pclose(fapl);
}

/* Two openings and a third handle of the file, with a dataset through the first, and another one through the second. */
static void
openings(int degree, unsigned access)
{
    int      order[MOST] = {0, 1, 2, 3, 4};
    hid_t    fapl = fapl_of(degree);
    handle_t all[MOST];

    do {
        make_all("openings.h5", fapl, all);
        close_rest(all, MOST);
        hid_t one = h5.H5Fopen("openings.h5", access, fapl), two = h5.H5Fopen("openings.h5", access, fapl);
        all[0] = (handle_t){"one", one, h5.H5Fclose};
        all[1] = (handle_t){"two", two, h5.H5Fclose};
        all[2] = (handle_t){"again", h5.H5Freopen(one), h5.H5Fclose};
        all[3] = (handle_t){"first", h5.H5Dopen2(one, "g/d", H5P_DEFAULT), h5.H5Dclose};
        all[4] = (handle_t){"second", h5.H5Oopen(two, "g/d", H5P_DEFAULT), h5.H5Oclose};
        if (access == H5F_ACC_RDWR) {
            int values[SIZE] = {0};
            h5.H5Dwrite(all[3].id, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
        }
        close_in_order(all, order, MOST);
        close_rest(all, MOST);
        show_found("openings.h5");
    } while (next_order(order, MOST));
    h5.H5Pclose(fapl);
}

/* Handles that HDF5 made: the file of an object, what an address and a reference lead to. */
static void
found(void)
{
    int order[MOST] = {0, 1, 2, 3, 4};

    do {
        H5O_info2_t info;
        H5R_ref_t   reference;
        handle_t    all[MOST], made[MOST];
        make_all("found.h5", H5P_DEFAULT, made);
        hid_t file = made[0].id;
        h5.H5Oget_info_by_name3(file, "g", &info, H5O_INFO_BASIC, H5P_DEFAULT);
        h5.H5Rcreate_object(file, "g/d", H5P_DEFAULT, &reference);
        all[0] = (handle_t){"file", file, h5.H5Fclose};
        all[1] = (handle_t){"asked", h5.H5Iget_file_id(made[1].id), h5.H5Fclose};
        all[2] = (handle_t){"address", h5.H5Oopen_by_token(file, info.token), h5.H5Gclose};
        all[3] = (handle_t){"referred", h5.H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT), h5.H5Dclose};
        all[4] = (handle_t){"index", h5.H5Oopen_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT), h5.H5Dclose};
        h5.H5Rdestroy(&reference);
        for (int i = 1; i < MOST; i++)
            made[i].close(made[i].id);
        close_in_order(all, order, MOST);
        close_rest(all, MOST);
        show_found("found.h5");
    } while (next_order(order, MOST));
}

static hid_t kept[8];
static int   kept_count;

static herr_t
close_and_keep(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)info;
    if (*(hid_t *)data > 0)
        printf("in %s: file %d ", name, h5.H5Fclose(*(hid_t *)data) < 0 ? -1 : 0);
    *(hid_t *)data = 0;
    kept[kept_count++] = h5.H5Oopen(group, name, H5P_DEFAULT);
    kept[kept_count++] = h5.H5Iget_file_id(group);
    return 0;
}

static herr_t
close_and_keep_visited(hid_t object, const char *name, const H5O_info2_t *info, void *data)
{
    (void)info;
    return close_and_keep(object, name, NULL, data);
}

/* The file is closed by the application's function, which keeps what it is given. */
static void
iterate(void)
{
    for (int visits = 0; visits < 2; visits++)
        for (int backwards = 0; backwards < 2; backwards++) {
            handle_t all[MOST];
            make_all("iterate.h5", H5P_DEFAULT, all);
            for (int i = 1; i < MOST; i++)
                all[i].close(all[i].id);
            hid_t file = all[0].id;
            kept_count = 0;
            herr_t done = visits ? h5.H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, close_and_keep_visited, &file, H5O_INFO_BASIC)
                                 : h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, close_and_keep, &file);
            printf("done %d, kept %d:", done, kept_count);
            for (int i = 0; i < kept_count; i++) {
                hid_t one = kept[backwards ? kept_count - 1 - i : i];
                printf(" %d", h5.H5Idec_ref(one) < 0 ? -1 : 0);
            }
            show_found("iterate.h5");
        }
}

/* The process ends with some of the handles closed. */
static void
left(void)
{
    for (int closed = 0; closed < 1 << MOST; closed++) {
        int status = -1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            handle_t all[MOST];
            make_all("left.h5", H5P_DEFAULT, all);
            for (int i = 0; i < MOST; i++)
                if (closed >> i & 1)
                    all[i].close(all[i].id);
            exit(0);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        printf("closed %02x: signal %d code %d", closed, WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status));
        h5_failures += status != 0;
        show_found("left.h5");
    }
}

/* The process ends with several files open, each of them `times`, as they were made or opened again. */
static void
left_several(int times)
{
    int status = -1;

    for (int closes = 0; closes < 2; closes++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            for (int i = 0; i < 4; i++) {
                handle_t all[MOST];
                char     path[16];
                snprintf(path, sizeof path, "left%d.h5", i);
                make_all(path, H5P_DEFAULT, all);
                for (int j = 1; closes && j < MOST; j++)
                    all[j].close(all[j].id);
                for (int j = 1; j < times; j++)
                    h5.H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
            }
            exit(0);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        printf("signal %d code %d", WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status));
        h5_failures += status != 0;
        for (int i = 0; i < 4; i++) {
            char path[16];
            snprintf(path, sizeof path, "left%d.h5", i);
            show_found(path);
        }
    }
}

/* The connector is chosen by an access list, and list and connector are closed at any time. */
static void
connector(const char *name, const char *text)
{
    int order[4] = {0, 1, 2, 3};

    do {
        void    *info = NULL;
        handle_t all[MOST], rest[MOST];
        hid_t    id = h5.H5VLregister_connector_by_name(name, H5P_DEFAULT), fapl = h5.H5Pcreate(H5P_FILE_ACCESS);
        if (*text)
            h5.H5VLconnector_str_to_info(text, id, &info);
        if (h5.H5Pset_vol(fapl, id, info) < 0)
            exit(2);
        if (info)
            h5.H5VLfree_connector_info(id, info);
        make_all("chosen.h5", fapl, rest);
        for (int i = 2; i < MOST; i++)
            rest[i].close(rest[i].id);
        all[0] = (handle_t){"connector", id, h5.H5VLclose};
        all[1] = (handle_t){"list", fapl, h5.H5Pclose};
        all[2] = rest[0];
        all[3] = rest[1];
        close_in_order(all, order, 4);
        printf("\n");
    } while (next_order(order, 4));
}

/* A dataset behind an external link, its file, and the file that has the link. */
static void
behind_link(void)
{
    int order[4] = {0, 1, 2, 3};

    do {
        handle_t all[MOST];
        make_all("target.h5", H5P_DEFAULT, all);
        close_rest(all, MOST);
        hid_t file = h5.H5Fcreate("links.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        h5.H5Lcreate_external("target.h5", "/g", file, "to", H5P_DEFAULT, H5P_DEFAULT);
        hid_t data = h5.H5Dopen2(file, "to/d", H5P_DEFAULT);
        all[0] = (handle_t){"file", file, h5.H5Fclose};
        all[1] = (handle_t){"dataset", data, h5.H5Dclose};
        all[2] = (handle_t){"group", h5.H5Gopen2(file, "to", H5P_DEFAULT), h5.H5Gclose};
        all[3] = (handle_t){"asked", h5.H5Iget_file_id(data), h5.H5Fclose};
        close_in_order(all, order, 4);
        show_found("target.h5");
    } while (next_order(order, 4));
}

static void *
write_and_close(void *argument)
{
    hid_t data = *(hid_t *)argument;
    int   values[SIZE], answer = 0;

    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < SIZE; i++)
            values[i] = round;
        answer |= h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
        answer |= sum(data) != round * SIZE;
    }
    answer |= h5.H5Dclose(data) < 0;
    return (void *)(intptr_t)answer;
}

/* Threads have a dataset each, and close it when they have written. The file was closed before. */
static void
threads(void)
{
    bool safe = false;

    h5.H5is_library_threadsafe(&safe);
    for (int round = 0; round < 10; round++) {
        pthread_t running[4];
        hid_t     data[4];
        hid_t     file = h5.H5Fcreate("threads.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        h5_note_connector(file);
        for (int i = 0; i < 4; i++)
            data[i] = make_data(file, (const char *[]){"a", "b", "c", "d"}[i]);
        printf("file %d:", h5.H5Fclose(file) < 0 ? -1 : 0);
        for (int i = 0; i < 4; i++) {
            pthread_create(&running[i], NULL, write_and_close, &data[i]);
            if (!safe)
                pthread_join(running[i], NULL);
        }
        for (int i = 0; safe && i < 4; i++) {
            void *answer = NULL;
            pthread_join(running[i], &answer);
            h5_failures += answer != NULL;
        }
        file = h5.H5Fopen("threads.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
        for (int i = 0; i < 4; i++) {
            hid_t one = h5.H5Dopen2(file, (const char *[]){"a", "b", "c", "d"}[i], H5P_DEFAULT);
            printf(" %d", sum(one));
            h5.H5Dclose(one);
        }
        printf(" file %d\n", h5.H5Fclose(file) < 0 ? -1 : 0);
    }
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    const char *mode = argv[2];
    if (strcmp(mode, "weak") == 0)
        orders(1);
    else if (strcmp(mode, "semi") == 0)
        orders(2);
    else if (strcmp(mode, "strong") == 0)
        orders(H5F_CLOSE_STRONG);
    else if (strcmp(mode, "openings") == 0)
        openings(1, H5F_ACC_RDWR);
    else if (strcmp(mode, "openings_read") == 0)
        openings(1, H5F_ACC_RDONLY);
    else if (strcmp(mode, "openings_strong") == 0)
        openings(H5F_CLOSE_STRONG, H5F_ACC_RDWR);
    else if (strcmp(mode, "found") == 0)
        found();
    else if (strcmp(mode, "iterate") == 0)
        iterate();
    else if (strcmp(mode, "left") == 0)
        left();
    else if (strcmp(mode, "left_several") == 0)
        left_several(1);
    else if (strcmp(mode, "left_twice") == 0)
        left_several(2);
    else if (strcmp(mode, "connector") == 0 && argc > 5)
        connector(argv[4], argv[5]);
    else if (strcmp(mode, "behind_link") == 0)
        behind_link();
    else if (strcmp(mode, "threads") == 0)
        threads();
    else
        return 2;
    return h5_result();
}
