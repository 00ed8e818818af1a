/* Datasets in space that was given free before. What was never written of them has no value by HDF5's rules, but natively it is
 * zero where what was given free had never left native HDF5's caches. All old data is bytes 0x55, which nothing else has. MODE is
 *   columns    the plain case: chunks are written, the dataset shrunk, then every second column of another is written
 *   random     ARGS: a seed, and how many random programs
 */
#include "h5api.h"

#include <stddef.h>

enum { H5D_ALLOC_TIME_EARLY = 1, MOST = 60 };

static unsigned char buffer[MOST * MOST * 16], big[60 * 500 * 4];
static uint64_t      state;

struct pair {
    int    a;
    double b;
};

static unsigned
chance(unsigned below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 33) % below;
}

/* Chunks of values that are not zero, given free again. */
static void
leave_behind(hid_t file, const char *name, unsigned rows, unsigned left)
{
    hsize_t size[2] = {rows, 500}, most[2] = {H5S_UNLIMITED, 500}, chunk[2] = {10, 500}, smaller[2] = {left, 500};
    hid_t   space = h5.H5Screate_simple(2, size, most), dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);

    h5.H5Pset_chunk(dcpl, 2, chunk);
    hid_t dataset = h5.H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
    h5_failures += h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, big) < 0;
    if (left)
        h5_failures += h5.H5Dset_extent(dataset, smaller) < 0;
    h5.H5Dclose(dataset);
    if (!left)
        h5_failures += h5.H5Ldelete(file, name, H5P_DEFAULT) < 0;
    h5.H5Pclose(dcpl);
    h5.H5Sclose(space);
}

static void
columns(void)
{
    hsize_t start[2] = {0, 0}, stride[2] = {1, 2}, count[2] = {50, 25};
    int     strange = 0;

    hid_t file = ID(h5.H5Fcreate("columns.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    leave_behind(file, "old", 60, 10);
    hid_t space = h5_space(2, 50, 50);
    hid_t dataset = ID(h5.H5Dcreate2(file, "new", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    memset(buffer, 1, sizeof buffer);
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, space, space, H5P_DEFAULT, buffer));
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer));
    for (int i = 1; i < 2500; i += 2)
        strange += ((int *)buffer)[i] != 0;
    printf("elements that were never written and are not zero: %d\n", strange);
    CLOSE(dataset, file, space);
}

/* Writes a part of a dataset, or all of it, in one of many ways. */
static void
write_some(hid_t dataset, unsigned kind, unsigned rows, unsigned row)
{
    hsize_t start[2] = {chance(rows), chance(row)}, stride[2] = {1 + chance(3), 1 + chance(3)}, count[2];
    hsize_t points[6] = {chance(rows), chance(row), chance(rows), chance(row), chance(rows), chance(row)};
    hid_t   space = h5_space(2, rows, row), list = H5P_DEFAULT, type = h5.H5Tcopy(H5T_NATIVE_INT);

    for (int i = 0; i < 2; i++)
        count[i] = ((i ? row : rows) - start[i] + stride[i] - 1) / stride[i];
    switch (chance(6)) {
        case 0: h5.H5Sselect_elements(space, H5S_SELECT_SET, 1 + chance(3), points); break;
        case 1: break;
        default: h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL); break;
    }
    if (kind == 2) {
        /* One member of two, or both. */
        bool both = chance(2);
        h5.H5Tclose(type);
        type = h5.H5Tcreate(H5T_COMPOUND, sizeof(struct pair));
        h5.H5Tinsert(type, "b", offsetof(struct pair, b), H5T_NATIVE_DOUBLE);
        if (both)
            h5.H5Tinsert(type, "a", offsetof(struct pair, a), H5T_NATIVE_INT);
    }
    else if (chance(4) == 0) {
        list = h5.H5Pcreate(H5P_DATASET_XFER);
        h5.H5Pset_data_transform(list, "x+1");
    }
    memset(buffer, 1 + chance(5), sizeof buffer);
    h5_failures += h5.H5Dwrite(dataset, type, space, space, list, buffer) < 0;
    if (list != H5P_DEFAULT)
        h5.H5Pclose(list);
    h5.H5Tclose(type);
    h5.H5Sclose(space);
}

static uint32_t
sum_of(const unsigned char *bytes, size_t length, uint32_t sum)
{
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

static void
random_program(unsigned seed)
{
    char     name[40];
    uint32_t sum = 2166136261u;
    unsigned old = 0;

    state = 88172645463325252ull + seed * 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < 10; i++)
        chance(1);
    snprintf(name, sizeof name, "random%u.h5", seed);
    hid_t fapl = h5.H5Pcreate(H5P_FILE_ACCESS), fcpl = h5.H5Pcreate(H5P_FILE_CREATE);
    if (chance(2))
        h5.H5Pset_libver_bounds(fapl, H5F_LIBVER_V114, H5F_LIBVER_V114);
    if (chance(4) == 0)
        h5.H5Pset_userblock(fcpl, 512);
    hid_t file = h5.H5Fcreate(name, H5F_ACC_TRUNC, fcpl, fapl);
    h5_note_connector(file);
    for (unsigned number = 0, last = 3 + chance(6); number < last; number++) {
        snprintf(name, sizeof name, "d%u", number);
        if (chance(5) < 2) {
            leave_behind(file, name, 20 + chance(40), chance(2) ? 1 + chance(15) : 0);
            continue;
        }
        unsigned rows = 2 + chance(MOST - 2), row = 2 + chance(MOST - 2), kind = chance(3);
        hid_t    dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5_space(2, rows, row), type;
        size_t   element = kind == 2 ? sizeof(struct pair) : 4;
        if (chance(3) == 0)
            h5.H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
        if (kind == 2) {
            type = h5.H5Tcreate(H5T_COMPOUND, sizeof(struct pair));
            h5.H5Tinsert(type, "a", offsetof(struct pair, a), H5T_NATIVE_INT);
            h5.H5Tinsert(type, "b", offsetof(struct pair, b), H5T_NATIVE_DOUBLE);
        }
        else
            type = h5.H5Tcopy(kind ? H5T_STD_I32BE : H5T_NATIVE_INT);
        hid_t dataset = h5.H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
        for (unsigned times = chance(3); times > 0; times--)
            write_some(dataset, kind, rows, row);
        memset(buffer, 0x77, sizeof buffer);
        h5_failures += h5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer) < 0;
        /* A gap between members keeps what was there. */
        for (unsigned i = 0; i < rows * row && kind == 2; i++)
            memset(buffer + i * element + 4, 0, 4);
        sum = sum_of(buffer, rows * row * element, sum);
        for (size_t i = 0; i < rows * row * element; i++)
            old += buffer[i] == 0x55;
        CLOSE(dataset, type, space, dcpl);
    }
    CLOSE(file, fapl, fcpl);
    printf("%u: old %u, sum %08x\n", seed, old, sum);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    memset(big, 0x55, sizeof big);
    if (strcmp(argv[2], "columns") == 0)
        columns();
    else
        for (int seed = atoi(argv[4]), count = atoi(argv[5]); count > 0; count--, seed++)
            random_program(seed);
    return h5_result();
}
