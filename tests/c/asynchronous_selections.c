/* Which elements asynchronous reads and writes move, and what becomes of them if the dataset changes, is closed or cannot be read.
 *
 * MODE is the name of one of the functions at the end. ARG, if there is one, is the layout: contiguous, chunked, gzip or converted.
 */
#define _GNU_SOURCE
#include "event_sets.h"

#include <dlfcn.h>
#include <errno.h>

enum { POINTS = 8192, HALF = ROWS / 2 };

/* What a call moves: dataspaces of the file and of memory, and the list that says more. */
typedef struct {
    const char *what;
    hid_t       in_file, in_memory, list;
} moved;

static hid_t
whole(void)
{
    return rows(0, ROWS);
}

/* Points all over the dataset, no two of them the same, in no order that follows the file. */
static hid_t
points(void)
{
    hsize_t(*places)[2] = malloc(sizeof(hsize_t[POINTS][2]));
    hid_t space = whole();

    for (hsize_t i = 0; i < POINTS; i++) {
        hsize_t number = i * 40503 % COUNT; /* an odd factor, and COUNT is a power of two */

        places[i][0] = number / COLUMNS;
        places[i][1] = number % COLUMNS;
    }
    h5.H5Sselect_elements(space, H5S_SELECT_SET, POINTS, places[0]);
    free(places);
    return space;
}

static hid_t
line(hsize_t length)
{
    return h5.H5Screate_simple(1, &length, NULL);
}

/* Every third row, and of each every second element. */
static void
strided(hid_t space)
{
    hsize_t start[2] = {1, 1}, stride[2] = {3, 2}, count[2] = {ROWS / 3, COLUMNS / 2};

    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
}

/* Two blocks that overlap. */
static void
crossed(hid_t space)
{
    hsize_t start[2] = {100, 50}, size[2] = {300, 100}, other[2] = {200, 10}, wide[2] = {40, 400};

    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    h5.H5Sselect_hyperslab(space, H5S_SELECT_OR, other, NULL, wide, NULL);
}

static hsize_t
selected(hid_t space)
{
    return (hsize_t)h5.H5Sget_select_npoints(space);
}

/* The `i`-th way to say what is moved; false if there are no more. */
static bool
ways(int i, moved *move)
{
    hid_t in_file = whole(), in_memory, list = h5.H5Pcreate(H5P_DATASET_XFER);

    switch (i) {
    case 0:
        *move = (moved){"everything, a block", in_file, H5S_BLOCK, list};
        return true;
    case 1:
        strided(in_file);
        *move = (moved){"strided, a block", in_file, H5S_BLOCK, list};
        return true;
    case 2:
        strided(in_file);
        *move = (moved){"strided in both", in_file, H5S_ALL, list};
        return true;
    case 3:
        crossed(in_file);
        *move = (moved){"two blocks, a line", in_file, line(selected(in_file)), list};
        return true;
    case 4:
        h5.H5Sclose(in_file);
        *move = (moved){"points, a block", points(), H5S_BLOCK, list};
        return true;
    case 5:
        h5.H5Sclose(in_file);
        *move = (moved){"points, a line", points(), line(POINTS), list};
        return true;
    case 6:
        /* Rows of the file go to points in memory. */
        h5.H5Sclose(in_file);
        *move = (moved){"rows, points", rows(300, POINTS / COLUMNS), points(), list};
        return true;
    case 7:
        h5.H5Sselect_none(in_file);
        in_memory = whole();
        h5.H5Sselect_none(in_memory);
        *move = (moved){"nothing", in_file, in_memory, list};
        return true;
    case 8: {
        hsize_t start[2] = {77, 0}, size[2] = {200, COLUMNS};

        h5.H5Sclose(in_file);
        h5.H5Pset_dataset_io_hyperslab_selection(list, 2, H5S_SELECT_SET, start, NULL, size, NULL);
        *move = (moved){"list, a block", H5S_PLIST, H5S_BLOCK, list};
        return true;
    }
    case 9: {
        hsize_t start[2] = {5, 3}, stride[2] = {4, 5}, size[2] = {ROWS / 4 - 1, COLUMNS / 5};

        h5.H5Sclose(in_file);
        h5.H5Pset_dataset_io_hyperslab_selection(list, 2, H5S_SELECT_SET, start, stride, size, NULL);
        *move = (moved){"list, a line", H5S_PLIST, line(size[0] * size[1]), list};
        return true;
    }
    default:
        CLOSE(in_file, list);
        return false;
    }
}

/* Everything that says what is moved is gone before it is moved. */
static void
let_go(const moved *move)
{
    if (move->in_file != H5S_PLIST)
        RC(h5.H5Sclose(move->in_file));
    if (move->in_memory != H5S_BLOCK && move->in_memory != H5S_ALL)
        RC(h5.H5Sclose(move->in_memory));
    RC(h5.H5Pclose(move->list));
}

/* Each way to say what is moved, written and read. */
static void
selections(void)
{
    int  *before = made(40), *values = malloc(sizeof(int) * COUNT), *out = malloc(sizeof(int) * COUNT);
    hid_t set = ID(h5.H5EScreate()), file = make_file("selections.h5"), dataset = make_dataset(file, "d");
    moved move;

    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, before));
    RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
    for (int i = 0; ways(i, &move); i++) {
        printf("--- %s\n", move.what);
        fill(values, 41 + i);
        RC(h5.H5Dwrite_async(HERE, dataset, H5T_NATIVE_INT, move.in_memory, move.in_file, move.list, values, set));
        fprintf(stderr, "@written %zu\n", note_count(move.what, set));
        let_go(&move);
        finish(set);
        ways(i, &move);
        memset(out, 0, sizeof(int) * COUNT);
        RC(h5.H5Dread_async(HERE, dataset, H5T_NATIVE_INT, move.in_memory, move.in_file, move.list, out, set));
        fprintf(stderr, "@read %zu\n", note_count(move.what, set));
        let_go(&move);
        finish(set);
        show(move.what, out, COUNT);
        RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
        show("all of it", out, COUNT);
    }
    RC(h5.H5ESclose(set));
    CLOSE(dataset, file);
    show_file("selections.h5", "d");
    free(before);
    free(values);
    free(out);
}

/* A file that is open read-only: a close that is not asynchronous makes what was read valid. */
static void
closed(void)
{
    int *values = made(60), *out = malloc(sizeof(int) * COUNT);

    hid_t set = ID(h5.H5EScreate()), file = make_file("closed.h5"), dataset = make_dataset(file, "d");

    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CLOSE(dataset, file);
    for (int turn = 0; turn < 3; turn++) {
        file = ID(h5.H5Fopen("closed.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
        dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
        memset(out, 0, sizeof(int) * COUNT);
        RC(read_all(dataset, out, set));
        note_count("under-way", set);
        switch (turn) {
        case 0:
            RC(h5.H5Dclose(dataset));
            show("dataset closed", out, COUNT);
            RC(h5.H5Fclose(file));
            break;
        case 1:
            RC(h5.H5Dclose_async(HERE, dataset, set));
            RC(h5.H5Fclose(file));
            show("file closed", out, COUNT);
            break;
        default:
            RC(h5.H5Fclose_async(HERE, file, set));
            RC(h5.H5Dclose(dataset));
            show("dataset closed after its file", out, COUNT);
        }
        finish(set);
    }
    RC(h5.H5ESclose(set));
    free(values);
    free(out);
}

/* The dataset becomes smaller while all of it is being written, or read, and then large again. */
static void
shrunk(void)
{
    int    *values = made(61), *out = calloc(COUNT, sizeof(int));
    hid_t   set = ID(h5.H5EScreate()), file = make_file("shrunk.h5"), dataset = make_dataset(file, "d");
    hsize_t small[2] = {HALF - 10, COLUMNS}, large[2] = {ROWS, COLUMNS};

    RC(write_all(dataset, values, set));
    RC(h5.H5Dset_extent(dataset, small));
    RC(h5.H5Dset_extent(dataset, large));
    finish(set);
    RC(read_all(dataset, out, set));
    note_count("under-way", set);
    RC(h5.H5Dset_extent(dataset, small));
    show("read before", out, COUNT);
    RC(h5.H5Dset_extent_async(HERE, dataset, large, set));
    finish(set);
    RC(write_rows(dataset, values, HALF, HALF, set));
    finish(set);
    RC(h5.H5ESclose(set));
    CLOSE(dataset, file);
    show_file("shrunk.h5", "d");
    free(values);
    free(out);
}

/* The disk cannot be read (tests/c/preload/pread_faults.c): the call fails, or the request. Afterwards it can be. */
static void
unreadable(void)
{
    int   *values = made(62), *out = calloc(COUNT, sizeof(int));
    hid_t  set = ID(h5.H5EScreate()), file = make_file("unreadable.h5"), dataset = make_dataset(file, "d");
    size_t left = 99, count = 0, told = 99;
    bool   failed = false;
    void (*pread_faults)(int) = (void (*)(int))dlsym(RTLD_DEFAULT, "pread_faults");

    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    CLOSE(dataset, file);
    file = ID(h5.H5Fopen("unreadable.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    pread_faults(EIO);
    bool at_once = read_all(dataset, out, set) < 0;

    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    pread_faults(0);
    printf("failed: %d\n", at_once || failed);
    fprintf(stderr, "@failed-later %d\n", failed);
    h5.H5ESget_err_count(set, &count);
    if (count > 0) {
        H5ES_err_info_t info;

        h5.H5ESget_err_info(set, 1, &info, &told);
        fprintf(stderr, "@told %zu %s\n", told, info.api_name);
        h5.H5Eset_current_stack(info.err_stack_id);
        h5_print_stack(stderr);
        fprintf(stderr, "\n");
        h5.H5free_memory(info.api_name);
        h5.H5free_memory(info.api_args);
        h5.H5free_memory(info.app_file_name);
        h5.H5free_memory(info.app_func_name);
    }
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    show("read again", out, COUNT);
    RC(h5.H5ESclose(set));
    CLOSE(dataset, file);
    free(values);
    free(out);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"selections", selections}, {"closed", closed}, {"shrunk", shrunk}, {"unreadable", unreadable}};

    h5_start(argc, argv);
    if (argc > 4)
        layout = argv[4];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[2], modes[i].name) == 0)
            modes[i].run();
    return h5_result();
}
