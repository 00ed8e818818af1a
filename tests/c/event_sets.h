/* What the programs about event sets share: datasets of one size in several layouts, and calls that go on after they return.
 *
 * Natively everything is complete when a call returns, so stdout has results, and nothing about what is under way. Lines "@..." on
 * stderr tell what was under way, for the tests of the connector.
 */
#ifndef EVENT_SETS_H
#define EVENT_SETS_H

#include "h5api.h"

#define HERE __FILE__, __func__, __LINE__
#define FOREVER UINT64_MAX
enum { ROWS = 1024, COLUMNS = 512, CHUNK_ROWS = 64, COUNT = ROWS * COLUMNS };

/* contiguous, chunked, gzip or converted. */
static const char *layout = "gzip";

/* Elements that do not compress to nothing: encoding them takes a while. */
static inline void
fill(int *values, int seed)
{
    unsigned state = 12345u + (unsigned)seed * 7919u;

    for (int i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (int)(state >> 12);
    }
}

static inline int *
made(int seed)
{
    int *values = malloc(sizeof(int) * COUNT);

    fill(values, seed);
    return values;
}

static inline unsigned
checksum(const int *values, int count)
{
    unsigned sum = 1;

    for (int i = 0; i < count; i++)
        sum = sum * 31u + (unsigned)values[i];
    return sum;
}

static inline hid_t
make_dataset(hid_t file, const char *name)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {CHUNK_ROWS, COLUMNS};
    bool    chunked = strcmp(layout, "contiguous") != 0;
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5.H5Screate_simple(2, dims, chunked ? most : NULL);
    hid_t   type = strcmp(layout, "converted") == 0 ? H5T_STD_I32BE : H5T_NATIVE_INT;

    h5.H5Pset_obj_track_times(dcpl, false); /* files are compared */
    if (chunked)
        h5.H5Pset_chunk(dcpl, 2, chunk);
    if (strcmp(layout, "gzip") == 0 || strcmp(layout, "converted") == 0)
        h5.H5Pset_deflate(dcpl, 4);
    hid_t dataset = ID(h5.H5Dcreate2(file, name, type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    h5.H5Pclose(dcpl);
    h5.H5Sclose(space);
    return dataset;
}

static inline hid_t
make_file(const char *name)
{
    hid_t fcpl = h5.H5Pcreate(H5P_FILE_CREATE);

    h5.H5Pset_obj_track_times(fcpl, false); /* files are compared */
    hid_t file = ID(h5.H5Fcreate(name, H5F_ACC_TRUNC, fcpl, H5P_DEFAULT));

    h5_note_connector(file);
    h5.H5Pclose(fcpl);
    return file;
}

/* A selection of rows of the file, and of as many at the beginning of memory. */
static inline hid_t
rows(hsize_t first, hsize_t count)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, start[2] = {first, 0}, size[2] = {count, COLUMNS};
    hid_t   space = h5.H5Screate_simple(2, dims, NULL);

    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    return space;
}

static inline herr_t
write_all(hid_t dataset, const int *values, hid_t set)
{
    return h5.H5Dwrite_async(HERE, dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values, set);
}

static inline herr_t
read_all(hid_t dataset, int *values, hid_t set)
{
    return h5.H5Dread_async(HERE, dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values, set);
}

/* The spaces are closed when this returns. */
static inline herr_t
write_rows(hid_t dataset, const int *values, hsize_t first, hsize_t count, hid_t set)
{
    hid_t  in_file = rows(first, count), in_memory = rows(0, count), type = h5.H5Tcopy(H5T_NATIVE_INT);
    herr_t status = h5.H5Dwrite_async(HERE, dataset, type, in_memory, in_file, H5P_DEFAULT, values, set);

    CLOSE(in_file, in_memory, type);
    return status;
}

static inline herr_t
read_rows(hid_t dataset, int *values, hsize_t first, hsize_t count, hid_t set)
{
    hid_t  in_file = rows(first, count), in_memory = rows(0, count), dxpl = h5.H5Pcreate(H5P_DATASET_XFER);
    herr_t status = h5.H5Dread_async(HERE, dataset, H5T_NATIVE_INT, in_memory, in_file, dxpl, values, set);

    CLOSE(in_file, in_memory, dxpl);
    return status;
}

/* Waits for all of a set: how many are left, and whether one failed. */
static inline void
finish(hid_t set)
{
    size_t left = 99;
    bool   failed = true;

    RC(h5.H5ESwait(set, FOREVER, &left, &failed));
    printf("left %zu, failed %d\n", left, failed);
}

/* Tells the tests how many are under way. */
static inline size_t
note_count(const char *what, hid_t set)
{
    size_t count = 0;

    h5.H5ESget_count(set, &count);
    fprintf(stderr, "@%s %zu\n", what, count);
    return count;
}

static inline void
show(const char *what, const int *values, int count)
{
    printf("%s: %08x\n", what, checksum(values, count));
}

/* What is in a file, read by calls that are not asynchronous. */
static inline void
show_file(const char *name, const char *dataset_name)
{
    int  *values = calloc(COUNT, sizeof(int));
    hid_t file = ID(h5.H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT)), dataset = ID(h5.H5Dopen2(file, dataset_name, H5P_DEFAULT));

    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    show(dataset_name, values, COUNT);
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    free(values);
}

#endif
