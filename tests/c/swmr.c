/* Single writer, multiple readers: one process writes and appends, another process reads along with refresh.
 *
 * The two take turns over pipes, so that the output is the same every time. MODE is unused.
 */
#include "h5api.h"

#include <sys/wait.h>

static void
show_growth(hid_t data)
{
    RC(h5.H5Drefresh(data));
    h5_show_ints("reader sees", data);
}

static int
reader(char **argv, int from_writer, int to_writer)
{
    char turn;

    /* Started by exec: HDF5 state must not be shared over fork. */
    (void)argv;
    if (read(from_writer, &turn, 1) != 1)
        return 1;
    hid_t file = ID(h5.H5Fopen("swmr.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT));
    h5_note_connector(file);
    unsigned intent = 0;
    RC(h5.H5Fget_intent(file, &intent));
    printf("reader's intent %u\n", intent);
    hid_t data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    show_growth(data);
    TRY_ID(h5.H5Gcreate2(file, "forbidden", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (int i = 0; i < 3; i++) {
        if (write(to_writer, "r", 1) != 1 || read(from_writer, &turn, 1) != 1)
            return 1;
        show_growth(data);
    }
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    return h5_result();
}

static int
writer(char **argv)
{
    int     to_reader[2], from_reader[2], status = -1;
    char    turn, a[16], b[16];
    hsize_t size = 2, most = H5S_UNLIMITED, chunk = 4;
    int     values[2] = {0, 1};

    if (pipe(to_reader) || pipe(from_reader))
        return 1;
    snprintf(a, sizeof a, "%d", to_reader[0]);
    snprintf(b, sizeof b, "%d", from_reader[1]);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl(argv[0], argv[0], argv[1], "reader", ".", a, b, (char *)NULL);
        _exit(3);
    }
    close(to_reader[0]);
    close(from_reader[1]);
    hid_t fapl = h5.H5Pcreate(H5P_FILE_ACCESS);
    h5.H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V114);
    hid_t file = h5.H5Fcreate("swmr.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
    h5_note_connector(file);
    hid_t space = h5.H5Screate_simple(1, &size, &most);
    hid_t dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);
    h5.H5Pset_chunk(dcpl, 1, &chunk);
    hid_t data = h5.H5Dcreate2(file, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    h5_failures += h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    h5_failures += h5.H5Fstart_swmr_write(file) < 0;
    h5_failures += h5.H5Dflush(data) < 0;
    hid_t memory = h5_space(1, 2, 0);
    for (int i = 1; i <= 3; i++) {
        if (write(to_reader[1], "w", 1) != 1 || read(from_reader[0], &turn, 1) != 1)
            return 1;
        size += 2;
        values[0] = i * 10, values[1] = i * 10 + 1;
        h5_failures += h5.H5Dset_extent(data, &size) < 0;
        hid_t tail = h5_slab(data, size - 2, 1, 2, 1);
        h5_failures += h5.H5Dwrite(data, H5T_NATIVE_INT, memory, tail, H5P_DEFAULT, values) < 0;
        h5_failures += h5.H5Dflush(data) < 0;
        h5.H5Sclose(tail);
    }
    if (write(to_reader[1], "w", 1) != 1)
        return 1;
    waitpid(child, &status, 0);
    h5_show_ints("writer's end", data);
    CLOSE(data, file, memory, space, dcpl, fapl);
    printf("reader's exit %d\n", status);
    return status ? 1 : h5_result();
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    if (strcmp(argv[2], "reader") == 0)
        return reader(argv, atoi(argv[4]), atoi(argv[5]));
    return writer(argv);
}
