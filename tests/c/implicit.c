/* Ordinary reads and writes that go through a dataset in order, with time between them: what comes next may be decoded ahead, what is
 * complete may be encoded before it must be stored. No call here is asynchronous.
 *
 * MODE is the name of one of the functions at the end. ARG, if there is one, is the layout: gzip or converted.
 */
#include "event_sets.h"

enum { PAUSE_US = 20000, PART = CHUNK_ROWS / 2, DAMAGED = 9 };

static herr_t
move_rows(hid_t dataset, int *values, hsize_t first, hsize_t count, bool writes)
{
    hid_t  in_file = rows(first, count), in_memory = rows(0, count);
    herr_t status = writes ? h5.H5Dwrite(dataset, H5T_NATIVE_INT, in_memory, in_file, H5P_DEFAULT, values)
                           : h5.H5Dread(dataset, H5T_NATIVE_INT, in_memory, in_file, H5P_DEFAULT, values);

    CLOSE(in_file, in_memory);
    return status;
}

/* Reads the chunks of a file one after another; which of them fail is compared, and what is printed then. */
static void
read_in_order(const char *name)
{
    int  *out = calloc(COUNT, sizeof(int));
    hid_t file = ID(h5.H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT)), dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));

    for (hsize_t row = 0; row < ROWS; row += CHUNK_ROWS) {
        herr_t status = move_rows(dataset, out, row, CHUNK_ROWS, false);

        printf("row %d: %d, %08x\n", (int)row, status, status < 0 ? 0 : checksum(out, CHUNK_ROWS * COLUMNS));
        fprintf(stderr, "after row %d\n", (int)row);
        usleep(PAUSE_US);
    }
    CLOSE(dataset, file);
    free(out);
}

static void
make(const char *name, bool is_damaged)
{
    int    *values = made(50);
    hid_t   file = make_file(name), dataset = make_dataset(file, "d");
    hsize_t offset[2] = {CHUNK_ROWS * DAMAGED, 0};
    char    garbage[1000];

    memset(garbage, 0x5a, sizeof garbage);
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    if (is_damaged)
        RC(h5.H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, sizeof garbage, garbage));
    CLOSE(dataset, file);
    free(values);
}

static void
reads(void)
{
    make("reads.h5", false);
    read_in_order("reads.h5");
}

/* A chunk that cannot be decoded, neither ahead nor when it is wanted. */
static void
damaged(void)
{
    make("damaged.h5", true);
    read_in_order("damaged.h5");
    read_in_order("damaged.h5");
}

/* Chunks are written in parts, and some of them again when they were complete. */
static void
writes(void)
{
    int  *values = made(51), *other = made(52);
    hid_t file = make_file("writes.h5"), dataset = make_dataset(file, "d"), second = make_dataset(file, "e");

    for (hsize_t row = 0; row < ROWS; row += PART) {
        RC(move_rows(dataset, values + row * COLUMNS, row, PART, true));
        RC(move_rows(second, other + row * COLUMNS, row, PART, true));
        if (row % (4 * PART) == PART) {
            usleep(PAUSE_US);
            RC(move_rows(dataset, other, row, 1, true));
        }
    }
    RC(h5.H5Dclose(second));
    RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
    RC(move_rows(dataset, other, 7, 3 * CHUNK_ROWS, true));
    CLOSE(dataset, file);
    free(values);
    free(other);
}

/* What the program before has written. */
static void
look(void)
{
    show_file("writes.h5", "d");
    show_file("writes.h5", "e");
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"reads", reads}, {"damaged", damaged}, {"writes", writes}, {"look", look}};

    h5_start(argc, argv);
    if (argc > 4)
        layout = argv[4];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[2], modes[i].name) == 0)
            modes[i].run();
    return h5_result();
}
