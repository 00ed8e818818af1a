/* Processes that use files together through MPI (mpio), and files of their own beside that. cases.h says how it is run. */
#include "cases.h"

enum { ROWS = 64, COLUMNS = 32 };

/* How a dataset is stored. */
enum layout { CONTIGUOUS, CHUNKED, FILTERED, CONVERTED, EXTENSIBLE, LAYOUTS };
static const char *const LAYOUT_NAMES[LAYOUTS] = {"contiguous", "chunked", "filtered", "converted", "extensible"};

static int
element(int row, int column)
{
    return row * 1000 + column;
}

static hid_t
make_dataset(hid_t file, enum layout layout)
{
    hsize_t dims[2] = {ROWS, COLUMNS}, most[2] = {H5S_UNLIMITED, COLUMNS}, chunk[2] = {8, COLUMNS / 2};
    hid_t   space = NEED(H5Screate_simple(2, dims, layout == EXTENSIBLE ? most : NULL));
    hid_t   list = NEED(H5Pcreate(H5P_DATASET_CREATE));
    if (layout == CHUNKED || layout == FILTERED || layout == EXTENSIBLE)
        NEED(H5Pset_chunk(list, 2, chunk));
    if (layout == FILTERED) {
        NEED(H5Pset_shuffle(list));
        if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
            NEED(H5Pset_deflate(list, 4));
    }
    hid_t type = layout == CONVERTED ? H5T_STD_I64BE : H5T_NATIVE_INT;
    hid_t dataset = NEED(H5Dcreate2(file, LAYOUT_NAMES[layout], type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    H5Sclose(space);
    return dataset;
}

/* The rows of a dataset that a process has to do with: a band of them, or none. */
static hid_t
rows_of(hid_t dataset, int first, int count)
{
    hsize_t start[2] = {(hsize_t)first, 0}, size[2] = {(hsize_t)count, COLUMNS};
    hid_t   space = NEED(H5Dget_space(dataset));
    if (count > 0)
        NEED(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL));
    else
        NEED(H5Sselect_none(space));
    return space;
}

static hid_t
memory_of(int count)
{
    hsize_t size[2] = {ROWS, COLUMNS}, start[2] = {0, 0}, some[2] = {(hsize_t)count, COLUMNS};
    hid_t   space = NEED(H5Screate_simple(2, size, NULL));
    if (count > 0)
        NEED(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, some, NULL));
    else
        NEED(H5Sselect_none(space));
    return space;
}

/* Reads rows and tells what came, and how HDF5 says that it was read. */
static void
read_rows(hid_t dataset, int first, int count, hid_t transfer)
{
    static int values[ROWS][COLUMNS];
    memset(values, 0xff, sizeof values);
    hid_t file = rows_of(dataset, first, count), memory = memory_of(count);
    herr_t outcome;
    H5E_BEGIN_TRY { outcome = H5Dread(dataset, H5T_NATIVE_INT, memory, file, transfer, values); } H5E_END_TRY
    long sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            sum += values[row][column] * (long)(1 + row + column);
    say(" read %d+%d: %d sum %ld", first, count, outcome, sum);
    if (transfer != H5P_DEFAULT) {
        H5D_mpio_actual_io_mode_t mode;
        uint32_t                  local, global;
        NEED(H5Pget_mpio_actual_io_mode(transfer, &mode));
        NEED(H5Pget_mpio_no_collective_cause(transfer, &local, &global));
        say(" mode %d cause %u/%u", (int)mode, local, global);
    }
    H5Sclose(memory);
    H5Sclose(file);
}

static void
write_rows(hid_t dataset, int first, int count, hid_t transfer, int plus)
{
    static int values[ROWS][COLUMNS];
    for (int row = 0; row < count; row++)
        for (int column = 0; column < COLUMNS; column++)
            values[row][column] = element(first + row, column) + plus;
    hid_t  file = rows_of(dataset, first, count), memory = memory_of(count);
    herr_t outcome;
    H5E_BEGIN_TRY { outcome = H5Dwrite(dataset, H5T_NATIVE_INT, memory, file, transfer, values); } H5E_END_TRY
    say(" write %d+%d: %d", first, count, outcome);
    H5Sclose(memory);
    H5Sclose(file);
}

/* A file with a dataset of each layout, written by all processes together. */
static hid_t
make_file(const char *name, bool together)
{
    hid_t access = access_list(together), transfer = transfer_list(together);
    hid_t file = NEED(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access));
    note_connector(file);
    int band = together ? ROWS / ranks : ROWS, first = together ? rank * band : 0;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        hid_t dataset = make_dataset(file, (enum layout)layout);
        write_rows(dataset, first, band, transfer, 0);
        H5Dclose(dataset);
    }
    H5Pclose(transfer);
    H5Pclose(access);
    return file;
}

static hid_t
open_file(const char *name, unsigned flags)
{
    hid_t access = access_list(true);
    hid_t file = NEED(H5Fopen(name, flags, access));
    note_connector(file);
    H5Pclose(access);
    return file;
}

/* What one process does with a dataset that nobody has used before, while the others wait. */
enum use { READ, READ_ONLY, WRITE, ASK, USES };
static const char *const USE_NAMES[USES] = {"read", "read_only", "write", "ask"};

static void
alone(enum use use, enum layout layout)
{
    static bool is_made[USES];
    char        name[32];
    snprintf(name, sizeof name, "%s.h5", USE_NAMES[use]);
    if (!is_made[use])
        NEED(H5Fclose(make_file(name, true)));
    is_made[use] = true;
    results[0] = 0;
    hid_t file = open_file(name, use == READ_ONLY ? H5F_ACC_RDONLY : H5F_ACC_RDWR);
    hid_t dataset = NEED(H5Dopen2(file, LAYOUT_NAMES[layout], H5P_DEFAULT));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        switch (use) {
            case READ:
            case READ_ONLY:
                read_rows(dataset, 0, ROWS, H5P_DEFAULT);
                read_rows(dataset, 3, 2, H5P_DEFAULT);
                break;
            case WRITE:
                write_rows(dataset, 8, 8, H5P_DEFAULT, 7);
                break;
            default:
                say(" stored %llu at a place %d", (unsigned long long)H5Dget_storage_size(dataset),
                    H5Dget_offset(dataset) != HADDR_UNDEF);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    read_rows(dataset, 8, 8, H5P_DEFAULT);
    NEED(H5Dclose(dataset));
    NEED(H5Fclose(file));
}

/* All processes, each with rows of its own: the first one with none if `empty`. */
static void
everybody(bool collective, bool empty, bool metadata)
{
    hid_t file = make_file("all.h5", true);
    NEED(H5Fclose(file));
    hid_t access = access_list(true), transfer = transfer_list(collective);
    if (metadata) {
        NEED(H5Pset_all_coll_metadata_ops(access, true));
        NEED(H5Pset_coll_metadata_write(access, true));
    }
    file = NEED(H5Fopen("all.h5", H5F_ACC_RDWR, access));
    int band = ROWS / ranks, count = empty && rank == 0 ? 0 : band;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        hid_t dataset = NEED(H5Dopen2(file, LAYOUT_NAMES[layout], H5P_DEFAULT));
        read_rows(dataset, rank * band, count, transfer);
        write_rows(dataset, rank * band, count, transfer, 5);
        NEED(H5Fflush(file, H5F_SCOPE_GLOBAL));
        MPI_Barrier(MPI_COMM_WORLD);
        read_rows(dataset, (ranks - 1 - rank) * band, band, transfer);
        NEED(H5Dclose(dataset));
    }
    NEED(H5Fclose(file));
    H5Pclose(access);
    H5Pclose(transfer);
}

static void independent(void) { everybody(false, false, false); }
static void collective(void) { everybody(true, false, false); }
static void empty_selection(void) { everybody(true, true, false); }
static void collective_metadata(void) { everybody(true, false, true); }

/* Several datasets in one call. */
static void
multi(void)
{
    enum { MANY = 3 };
    static int values[MANY][ROWS][COLUMNS];
    hid_t      file = make_file("multi.h5", true), datasets[MANY], types[MANY], spaces[MANY], memories[MANY];
    void      *buffers[MANY];
    int        band = ROWS / ranks;
    for (int each = 0; each < MANY; each++) {
        datasets[each] = NEED(H5Dopen2(file, LAYOUT_NAMES[each], H5P_DEFAULT));
        types[each] = H5T_NATIVE_INT;
        spaces[each] = rows_of(datasets[each], rank * band, band);
        memories[each] = memory_of(band);
        buffers[each] = values[each];
    }
    hid_t transfer = transfer_list(true);
    say(" multi %d", H5Dread_multi(MANY, datasets, types, memories, spaces, transfer, buffers));
    for (int each = 0; each < MANY; each++) {
        say(" %d", values[each][band - 1][COLUMNS - 1]);
        H5Sclose(spaces[each]);
        H5Sclose(memories[each]);
        NEED(H5Dclose(datasets[each]));
    }
    H5Pclose(transfer);
    NEED(H5Fclose(file));
}

/* Attributes, growing and shrinking, flushing, a second handle. */
static void
other_calls(void)
{
    hid_t   file = make_file("other.h5", true), dataset = NEED(H5Dopen2(file, "extensible", H5P_DEFAULT));
    hsize_t larger[2] = {ROWS + 8, COLUMNS}, smaller[2] = {ROWS - 8, COLUMNS}, dims[2];
    hid_t   scalar = NEED(H5Screate(H5S_SCALAR)), transfer = transfer_list(true);
    hid_t   attribute = NEED(H5Acreate2(dataset, "a", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    int     value = 41;
    NEED(H5Awrite(attribute, H5T_NATIVE_INT, &value));
    NEED(H5Aread(attribute, H5T_NATIVE_INT, &value));
    say(" attribute %d", value);
    NEED(H5Aclose(attribute));
    NEED(H5Dset_extent(dataset, larger));
    read_rows(dataset, ROWS, 8, transfer);
    herr_t flushed, refreshed;
    H5E_BEGIN_TRY
    {
        flushed = H5Dflush(dataset);
        refreshed = H5Drefresh(dataset);
    }
    H5E_END_TRY
    say(" flush %d refresh %d", flushed, refreshed);
    NEED(H5Dset_extent(dataset, smaller));
    NEED(H5Fflush(dataset, H5F_SCOPE_LOCAL));
    hid_t space = NEED(H5Dget_space(dataset));
    NEED(H5Sget_simple_extent_dims(space, dims, NULL));
    say(" rows %d", (int)dims[0]);
    H5Sclose(space);
    read_rows(dataset, 0, 8, transfer);
    hid_t again = NEED(H5Freopen(file)), other = NEED(H5Dopen2(again, "contiguous", H5P_DEFAULT));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        read_rows(other, 1, 1, H5P_DEFAULT);
    MPI_Barrier(MPI_COMM_WORLD);
    NEED(H5Fclose(again));
    if (rank == 0)
        read_rows(other, 2, 1, H5P_DEFAULT);
    MPI_Barrier(MPI_COMM_WORLD);
    NEED(H5Dclose(other));
    NEED(H5Dclose(dataset));
    NEED(H5Fclose(file));
    H5Sclose(scalar);
    H5Pclose(transfer);
}

/* One process has used HDF5 before, the others have not: what is remembered must not make them differ. */
static void
one_came_earlier(void)
{
    if (rank == ranks - 1) {
        hid_t file = make_file("earlier.h5", false);
        hid_t dataset = NEED(H5Dopen2(file, "chunked", H5P_DEFAULT));
        read_rows(dataset, 0, ROWS, H5P_DEFAULT);
        NEED(H5Dclose(dataset));
        NEED(H5Fclose(file));
    }
    NEED(H5Fclose(make_file("together.h5", true)));
    hid_t file = open_file("together.h5", H5F_ACC_RDONLY), dataset = NEED(H5Dopen2(file, "filtered", H5P_DEFAULT));
    read_rows(dataset, 0, ROWS, H5P_DEFAULT);
    NEED(H5Dclose(dataset));
    NEED(H5Fclose(file));
}

/* Files behind an external link, reached by one process alone. */
static void
behind_a_link(void)
{
    NEED(H5Fclose(make_file("behind.h5", true)));
    hid_t access = access_list(true);
    hid_t file = NEED(H5Fcreate("link.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
    NEED(H5Lcreate_external("behind.h5", "/", file, "there", H5P_DEFAULT, H5P_DEFAULT));
    NEED(H5Fclose(file));
    for (int own = 0; own < 2; own++) {
        hid_t link_access = NEED(H5Pcreate(H5P_DATASET_ACCESS)), plain = access_list(false);
        file = NEED(H5Fopen("link.h5", H5F_ACC_RDONLY, own ? plain : access));
        NEED(H5Pset_elink_fapl(link_access, access));
        hid_t dataset = NEED(H5Dopen2(file, "there/contiguous", link_access));
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            read_rows(dataset, 0, ROWS, H5P_DEFAULT);
        MPI_Barrier(MPI_COMM_WORLD);
        NEED(H5Dclose(dataset));
        NEED(H5Fclose(file));
        H5Pclose(plain);
        H5Pclose(link_access);
    }
    H5Pclose(access);
}

/* A file of each process's own, not shared: a collective transfer is refused there. */
static void
not_shared(void)
{
    char name[32];
    snprintf(name, sizeof name, "own%d.h5", rank);
    hid_t file = make_file(name, false), collective = transfer_list(true), independent = transfer_list(false);
    for (int layout = 0; layout < LAYOUTS; layout++) {
        hid_t dataset = NEED(H5Dopen2(file, LAYOUT_NAMES[layout], H5P_DEFAULT));
        read_rows(dataset, 0, ROWS, collective);
        write_rows(dataset, 0, 8, collective, 9);
        read_rows(dataset, 0, ROWS, independent);
        write_rows(dataset, 0, 8, independent, 9);
        read_rows(dataset, 0, ROWS, H5P_DEFAULT);
        NEED(H5Dclose(dataset));
    }
    NEED(H5Fclose(file));
    H5Pclose(independent);
    H5Pclose(collective);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } OTHERS[] = {
        {"independent", independent},
        {"collective", collective},
        {"empty_selection", empty_selection},
        {"collective_metadata", collective_metadata},
        {"multi", multi},
        {"other_calls", other_calls},
        {"behind_a_link", behind_a_link},
        {"not_shared", not_shared},
    };
    begin_program(argc, argv);
    if (ROWS % ranks != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);

    /* First, while HDF5 has not been used. */
    if (begin("one_came_earlier")) {
        one_came_earlier();
        end("one_came_earlier");
    }
    for (int use = 0; use < USES; use++)
        for (int layout = 0; layout < LAYOUTS; layout++) {
            char name[64];
            snprintf(name, sizeof name, "alone_%s_%s", USE_NAMES[use], LAYOUT_NAMES[layout]);
            if (begin(name)) {
                alone((enum use)use, (enum layout)layout);
                end(name);
            }
        }
    for (size_t each = 0; each < sizeof OTHERS / sizeof *OTHERS; each++)
        if (begin(OTHERS[each].name)) {
            OTHERS[each].run();
            end(OTHERS[each].name);
        }
    return end_program();
}
