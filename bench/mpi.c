/* Collective reads and writes of several processes, timed. bench/mpi.py runs it natively and through the connector.
 *
 *   mpiexec -n N mpi make DIRECTORY       makes the files
 *   mpiexec -n N mpi run DIRECTORY        prints "NAME SECONDS", each the least of some
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 4096, COLUMNS = 4096, CHUNK = 256, SMALL = 256, SMALL_ELEMENTS = 16384, TIMES = 3 };

static int rank, ranks;

static hid_t
need(hid_t id, const char *what, int line)
{
    if (id < 0) {
        fprintf(stderr, "rank %d, line %d: %s failed\n", rank, line, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return id;
}
#define NEED(call) need((hid_t)(call), #call, __LINE__)

static void
make_dataset(hid_t file, const char *name, hid_t type, bool chunked, bool filtered, const float *values)
{
    hsize_t size[2] = {ROWS, COLUMNS}, chunk[2] = {CHUNK, CHUNK};
    hid_t   space = NEED(H5Screate_simple(2, size, NULL)), list = NEED(H5Pcreate(H5P_DATASET_CREATE));
    if (chunked)
        NEED(H5Pset_chunk(list, 2, chunk));
    if (filtered) {
        NEED(H5Pset_shuffle(list));
        NEED(H5Pset_deflate(list, 4));
    }
    hid_t dataset = NEED(H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    NEED(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    H5Dclose(dataset);
    H5Pclose(list);
    H5Sclose(space);
}

/* By one process: waves with some noise, as measurements have. */
static void
make(void)
{
    float  *values = malloc(sizeof *values * ROWS * COLUMNS);
    hsize_t small = SMALL_ELEMENTS;
    unsigned random = 1;
    for (size_t each = 0; each < (size_t)ROWS * COLUMNS; each++) {
        random = random * 1664525U + 1013904223U;
        values[each] = (float)(each % 5000) * 0.25F + (float)(random >> 26);
    }
    hid_t file = NEED(H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    make_dataset(file, "contiguous", H5T_NATIVE_FLOAT, false, false, values);
    make_dataset(file, "chunked", H5T_NATIVE_FLOAT, true, false, values);
    make_dataset(file, "swapped", H5T_IEEE_F32BE, false, false, values);
    make_dataset(file, "gzip", H5T_NATIVE_FLOAT, true, true, values);
    hid_t space = NEED(H5Screate_simple(1, &small, NULL));
    for (int each = 0; each < SMALL; each++) {
        char name[32];
        snprintf(name, sizeof name, "small%d", each);
        hid_t dataset = NEED(H5Dcreate2(file, name, H5T_NATIVE_FLOAT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        NEED(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values + each));
        H5Dclose(dataset);
    }
    H5Sclose(space);
    NEED(H5Fclose(file));
    free(values);
}

static hid_t
open_file(unsigned flags)
{
    hid_t access = NEED(H5Pcreate(H5P_FILE_ACCESS));
    NEED(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
    hid_t file = NEED(H5Fopen("data.h5", flags, access));
    H5Pclose(access);
    return file;
}

static hid_t
collective_list(void)
{
    hid_t list = NEED(H5Pcreate(H5P_DATASET_XFER));
    NEED(H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE));
    return list;
}

/* The least time of the slowest process. */
static void
tell(const char *name, double (*once)(const char *, bool, float *), const char *dataset, bool flag, float *memory)
{
    double least = 1e9;
    for (int time = 0; time < TIMES; time++) {
        double took = once(dataset, flag, memory), slowest;
        MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        least = slowest < least ? slowest : least;
    }
    if (rank == 0)
        printf("%s %.6f\n", name, least);
}

static hid_t
part_of(hid_t dataset, bool columns, hid_t *memory)
{
    hsize_t start[2] = {0, 0}, size[2] = {ROWS, COLUMNS};
    size[columns] /= (hsize_t)ranks;
    start[columns] = (hsize_t)rank * size[columns];
    hid_t space = NEED(H5Dget_space(dataset));
    NEED(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL));
    *memory = NEED(H5Screate_simple(2, size, NULL));
    return space;
}

static double
read_once(const char *name, bool columns, float *memory)
{
    hid_t  file = open_file(H5F_ACC_RDONLY), dataset = NEED(H5Dopen2(file, name, H5P_DEFAULT)), inside;
    hid_t  space = part_of(dataset, columns, &inside), list = collective_list();
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    NEED(H5Dread(dataset, H5T_NATIVE_FLOAT, inside, space, list, memory));
    double took = MPI_Wtime() - begin;
    H5Pclose(list);
    H5Sclose(inside);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return took;
}

static double
write_once(const char *name, bool columns, float *memory)
{
    hid_t  file = open_file(H5F_ACC_RDWR), dataset = NEED(H5Dopen2(file, name, H5P_DEFAULT)), inside;
    hid_t  space = part_of(dataset, columns, &inside), list = collective_list();
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    NEED(H5Dwrite(dataset, H5T_NATIVE_FLOAT, inside, space, list, memory));
    double took = MPI_Wtime() - begin;
    H5Pclose(list);
    H5Sclose(inside);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return took;
}

/* Each process a part of each of many datasets, in one call. */
static double
multi_once(const char *name, bool flag, float *memory)
{
    static hid_t datasets[SMALL], types[SMALL], inside[SMALL], spaces[SMALL];
    static void *buffers[SMALL];
    hsize_t      size = (hsize_t)(SMALL_ELEMENTS / ranks), start = (hsize_t)rank * size;
    hid_t        file = open_file(H5F_ACC_RDONLY), list = collective_list();
    (void)name, (void)flag;
    for (int each = 0; each < SMALL; each++) {
        char found[32];
        snprintf(found, sizeof found, "small%d", each);
        datasets[each] = NEED(H5Dopen2(file, found, H5P_DEFAULT));
        types[each] = H5T_NATIVE_FLOAT;
        spaces[each] = NEED(H5Dget_space(datasets[each]));
        NEED(H5Sselect_hyperslab(spaces[each], H5S_SELECT_SET, &start, NULL, &size, NULL));
        inside[each] = NEED(H5Screate_simple(1, &size, NULL));
        buffers[each] = memory + (hsize_t)each * size;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    NEED(H5Dread_multi(SMALL, datasets, types, inside, spaces, list, buffers));
    double took = MPI_Wtime() - begin;
    for (int each = 0; each < SMALL; each++) {
        H5Sclose(inside[each]);
        H5Sclose(spaces[each]);
        H5Dclose(datasets[each]);
    }
    H5Pclose(list);
    H5Fclose(file);
    return took;
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || chdir(argv[2]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strcmp(argv[1], "make") == 0) {
        if (rank == 0)
            make();
    }
    else {
        float *memory = calloc((size_t)ROWS * COLUMNS, sizeof *memory);
        tell("gzip-rows", read_once, "gzip", false, memory);
        tell("gzip-columns", read_once, "gzip", true, memory);
        tell("chunked-rows", read_once, "chunked", false, memory);
        tell("chunked-columns", read_once, "chunked", true, memory);
        tell("big-endian-rows", read_once, "swapped", false, memory);
        tell("big-endian-columns", read_once, "swapped", true, memory);
        tell("contiguous-rows", read_once, "contiguous", false, memory);
        tell("contiguous-columns", read_once, "contiguous", true, memory);
        tell("small-multi", multi_once, NULL, false, memory);
        tell("write-contiguous-rows", write_once, "contiguous", false, memory);
        tell("write-chunked-rows", write_once, "chunked", false, memory);
        free(memory);
    }
    H5close();
    MPI_Finalize();
    return 0;
}
