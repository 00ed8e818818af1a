/* Processes that read a file together through MPI (mpio). cases.h says how it is run.
 *
 * More on stderr: "@collectives N" is the number of collective calls that MPI has got from all processes in reads of data that
 * is in the file, unless BYPASS_VOL_MPI leaves them to native HDF5. Where it reads as natively, that number is among the
 * results.
 */
#define _GNU_SOURCE
#include "cases.h"
#include "collectives.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>

enum { ROWS = 48, COLUMNS = 40, STRINGS = 24 };

/* One process does not let the connector open files, as if it had no permission: root has all. */
static bool is_refused;

static bool
is_of_connector(const void *caller)
{
    Dl_info found;
    return is_refused && dladdr(caller, &found) && strstr(found.dli_fname, "bypass") != NULL;
}

int
open64(const char *name, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    if (!next)
        next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    if (is_of_connector(__builtin_return_address(0)) && strstr(name, "reads.h5")) {
        errno = EACCES;
        return -1;
    }
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return next(name, flags, mode);
}

/* How a dataset is stored. */
enum layout { CONTIGUOUS, SWAPPED, CHUNKED, LARGE_CHUNKS, FILTERED, BIG_FILTERED, COMPACT, MISSING, VIRTUAL, LAYOUTS };
static const char *const NAMES[LAYOUTS] = {"contiguous",   "big_endian", "chunked", "large_chunks", "filtered",
                                           "big_filtered", "compact",    "missing", "virtual"};

static hid_t
creation_list(enum layout layout)
{
    hsize_t chunk[2] = {7, COLUMNS / 3}, large[2] = {ROWS / 2, COLUMNS};
    hid_t   list = NEED(H5Pcreate(H5P_DATASET_CREATE));
    if (layout == CHUNKED || layout == FILTERED || layout == BIG_FILTERED)
        NEED(H5Pset_chunk(list, 2, chunk));
    if (layout == LARGE_CHUNKS)
        NEED(H5Pset_chunk(list, 2, large));
    if (layout == FILTERED || layout == BIG_FILTERED) {
        NEED(H5Pset_shuffle(list));
        if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
            NEED(H5Pset_deflate(list, 4));
    }
    if (layout == COMPACT)
        NEED(H5Pset_layout(list, H5D_COMPACT));
    if (layout == VIRTUAL) {
        hsize_t size[2] = {ROWS, COLUMNS};
        hid_t   space = NEED(H5Screate_simple(2, size, NULL));
        NEED(H5Pset_virtual(list, space, ".", NAMES[CHUNKED], space));
        H5Sclose(space);
    }
    return list;
}

/* Made by one process, which also writes what MPI cannot: strings of variable length. */
static void
make_file(void)
{
    static int  values[ROWS][COLUMNS];
    static char text[STRINGS][32];
    char       *strings[STRINGS];
    hsize_t     size[2] = {ROWS, COLUMNS}, length = STRINGS;
    if (rank != 0)
        return;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            values[row][column] = row * 1000 + column;
    hid_t file = NEED(H5Fcreate("reads.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    note_connector(file);
    hid_t space = NEED(H5Screate_simple(2, size, NULL));
    for (int layout = 0; layout < LAYOUTS; layout++) {
        hid_t list = creation_list((enum layout)layout);
        hid_t type = layout == SWAPPED || layout == BIG_FILTERED ? H5T_STD_I32BE : H5T_STD_I32LE;
        hid_t dataset = NEED(H5Dcreate2(file, NAMES[layout], type, space, H5P_DEFAULT, list, H5P_DEFAULT));
        if (layout != VIRTUAL && layout != MISSING)
            NEED(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
        NEED(H5Dclose(dataset));
        H5Pclose(list);
    }
    for (int each = 0; each < STRINGS; each++) {
        snprintf(text[each], sizeof text[each], "string %d", each * each);
        strings[each] = text[each];
    }
    hid_t type = NEED(H5Tcopy(H5T_C_S1)), line = NEED(H5Screate_simple(1, &length, NULL));
    NEED(H5Tset_size(type, H5T_VARIABLE));
    hid_t dataset = NEED(H5Dcreate2(file, "strings", type, line, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    NEED(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, strings));
    hid_t attribute = NEED(H5Acreate2(dataset, "a", H5T_NATIVE_INT, line, H5P_DEFAULT, H5P_DEFAULT));
    NEED(H5Awrite(attribute, H5T_NATIVE_INT, values[1]));
    NEED(H5Aclose(attribute));
    NEED(H5Dclose(dataset));
    H5Tclose(type);
    H5Sclose(line);
    H5Sclose(space);
    NEED(H5Fclose(file));
}

/* How MPI's collective calls are told: among the results, or apart. */
static bool counts_are_results;

static void
count(int before)
{
    int mine = collectives - before, all = 0;
    if (counts_are_results)
        say(" collectives %d", mine);
    PMPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!counts_are_results && rank == 0)
        fprintf(stderr, "@collectives %d\n", all);
}

/* Tells how HDF5 says that it has read. */
static void
say_how(hid_t transfer)
{
    H5D_mpio_actual_io_mode_t        mode;
    H5D_mpio_actual_chunk_opt_mode_t chunks;
    uint32_t                         local, global, cause, selection;
    NEED(H5Pget_mpio_actual_io_mode(transfer, &mode));
    NEED(H5Pget_mpio_actual_chunk_opt_mode(transfer, &chunks));
    NEED(H5Pget_mpio_no_collective_cause(transfer, &local, &global));
    NEED(H5Pget_no_selection_io_cause(transfer, &cause));
    NEED(H5Pget_actual_selection_io_mode(transfer, &selection));
    /* Whether chunks were read or came from HDF5's cache depends on what was read before. */
    say(" mode %d/%d cause %x/%x selection %x/%x", (int)mode, (int)chunks, local, global, cause, selection & ~1U);
}

/* What each process reads. */
enum part { ALL, BAND, STRIPE, POINTS, NONE_FIRST, NOTHING, PARTS };
static const char *const PART_NAMES[PARTS] = {"all", "band", "stripe", "points", "none_first", "nothing"};

static hid_t
select_part(hid_t dataset, enum part part)
{
    hid_t   space = NEED(H5Dget_space(dataset));
    hsize_t start[2] = {0, 0}, size[2] = {ROWS, COLUMNS}, points[5][2];
    if (part == BAND || part == NONE_FIRST) {
        size[0] = (hsize_t)(ROWS / ranks);
        start[0] = (hsize_t)rank * size[0];
    }
    if (part == STRIPE) {
        size[1] = (hsize_t)(COLUMNS / ranks);
        start[1] = (hsize_t)rank * size[1];
    }
    if (part == NOTHING || (part == NONE_FIRST && rank == 0))
        NEED(H5Sselect_none(space));
    else if (part == POINTS) {
        for (int each = 0; each < 5; each++) {
            points[each][0] = (hsize_t)((7 * each + 3 * rank) % ROWS);
            points[each][1] = (hsize_t)((11 * each + rank) % COLUMNS);
        }
        NEED(H5Sselect_elements(space, H5S_SELECT_SET, 5, &points[0][0]));
    }
    else if (part != ALL)
        NEED(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL));
    return space;
}

/* Memory for as much as a dataspace selects. */
static hid_t
memory_for(hid_t space)
{
    hsize_t count = (hsize_t)H5Sget_select_npoints(space), one = 1;
    hid_t   memory = NEED(H5Screate_simple(1, count > 0 ? &count : &one, NULL));
    if (count == 0)
        NEED(H5Sselect_none(memory));
    return memory;
}

static double
sum(const double *values)
{
    double all = 0;
    for (int each = 0; each < ROWS * COLUMNS; each++)
        all += values[each] * (1 + each % 97);
    return all;
}

static void
read_part(hid_t dataset, enum part part, hid_t type, hid_t transfer)
{
    static double values[ROWS * COLUMNS];
    static int    numbers[ROWS * COLUMNS];
    bool          is_double = H5Tequal(type, H5T_NATIVE_DOUBLE) > 0;
    hid_t         space = select_part(dataset, part), memory = memory_for(space);
    for (int each = 0; each < ROWS * COLUMNS; each++)
        numbers[each] = -1, values[each] = -1;
    int    before = collectives;
    herr_t outcome = H5Dread(dataset, type, memory, part == ALL ? H5S_ALL : space, transfer,
                             is_double ? (void *)values : (void *)numbers);
    count(before);
    if (!is_double)
        for (int each = 0; each < ROWS * COLUMNS; each++)
            values[each] = numbers[each];
    say(" %d sum %.0f", outcome, sum(values));
    if (transfer != H5P_DEFAULT && outcome >= 0)
        say_how(transfer);
    H5Sclose(memory);
    H5Sclose(space);
}

static hid_t
open_shared(bool metadata)
{
    hid_t access = access_list(true);
    if (metadata)
        NEED(H5Pset_all_coll_metadata_ops(access, true));
    hid_t file = NEED(H5Fopen("reads.h5", H5F_ACC_RDONLY, access));
    note_connector(file);
    H5Pclose(access);
    return file;
}

/* Every dataset, converted or not. */
static void
read_all_layouts(hid_t file, enum part part, hid_t transfer)
{
    bool were_results = counts_are_results;
    for (int layout = 0; layout < LAYOUTS; layout++) {
        /* Native HDF5 waits forever if a process selects nothing of what is not there, and others do. */
        if (layout == MISSING && part == NONE_FIRST)
            continue;
        hid_t dataset = NEED(H5Dopen2(file, NAMES[layout], H5P_DEFAULT));
        counts_are_results = were_results || layout == VIRTUAL;
        say("\n  %s", NAMES[layout]);
        read_part(dataset, part, H5T_NATIVE_INT, transfer);
        read_part(dataset, part, H5T_NATIVE_INT, transfer);
        read_part(dataset, part, H5T_NATIVE_DOUBLE, transfer);
        NEED(H5Dclose(dataset));
    }
    counts_are_results = were_results;
}

static void
read_with(enum part part, hid_t transfer)
{
    hid_t file = open_shared(false);
    read_all_layouts(file, part, transfer);
    NEED(H5Fclose(file));
}

static void
strings(void)
{
    char *found[STRINGS];
    for (int way = 0; way < 3; way++) {
        hid_t file = open_shared(false), dataset = NEED(H5Dopen2(file, "strings", H5P_DEFAULT));
        hid_t type = NEED(H5Dget_type(dataset)), space = NEED(H5Dget_space(dataset));
        hid_t transfer = way ? transfer_list(way == 2) : H5P_DEFAULT;
        int   before = collectives;
        memset(found, 0, sizeof found);
        say("\n  %d", H5Dread(dataset, type, H5S_ALL, H5S_ALL, transfer, found));
        count(before);
        for (int each = 0; each < STRINGS; each += 5)
            say(" %s", found[each] ? found[each] : "(none)");
        if (way)
            say_how(transfer);
        NEED(H5Treclaim(type, space, H5P_DEFAULT, found));
        int   numbers[STRINGS];
        hid_t attribute = NEED(H5Aopen(dataset, "a", H5P_DEFAULT));
        NEED(H5Aread(attribute, H5T_NATIVE_INT, numbers));
        say(" attribute %d", numbers[STRINGS - 1]);
        NEED(H5Aclose(attribute));
        H5Tclose(type);
        H5Sclose(space);
        if (way)
            H5Pclose(transfer);
        NEED(H5Dclose(dataset));
        NEED(H5Fclose(file));
    }
}

/* Several datasets in one call. */
static void
multi_of(hid_t file, const enum layout *layouts, size_t many, enum part part, hid_t transfer)
{
    static double values[LAYOUTS][ROWS * COLUMNS];
    hid_t         datasets[LAYOUTS], types[LAYOUTS], spaces[LAYOUTS], memories[LAYOUTS];
    void         *buffers[LAYOUTS];
    for (size_t each = 0; each < many; each++) {
        datasets[each] = NEED(H5Dopen2(file, NAMES[layouts[each]], H5P_DEFAULT));
        types[each] = H5T_NATIVE_INT;
        spaces[each] = select_part(datasets[each], part);
        memories[each] = memory_for(spaces[each]);
        memset(values[each], 0, sizeof values[each]);
        buffers[each] = values[each];
    }
    for (int again = 0; again < 2; again++) {
        int before = collectives;
        say("\n  multi %d", H5Dread_multi(many, datasets, types, memories, spaces, transfer, buffers));
        count(before);
        say_how(transfer);
        for (size_t each = 0; each < many; each++) {
            const int *numbers = buffers[each];
            long       all = 0;
            for (int element = 0; element < ROWS * COLUMNS; element++)
                all += (long)numbers[element] * (1 + element % 89);
            say(" %ld", all);
        }
    }
    for (size_t each = 0; each < many; each++) {
        H5Sclose(spaces[each]);
        H5Sclose(memories[each]);
        NEED(H5Dclose(datasets[each]));
    }
}

static void
multi(void)
{
    static const enum layout plain[] = {CONTIGUOUS, LARGE_CHUNKS, CHUNKED}, mixed[] = {FILTERED, CONTIGUOUS, BIG_FILTERED},
                             filtered[] = {FILTERED, BIG_FILTERED}, odd[] = {CONTIGUOUS, COMPACT};
    for (int collective = 0; collective < 2; collective++) {
        hid_t file = open_shared(false), transfer = transfer_list(collective != 0);
        multi_of(file, plain, 3, BAND, transfer);
        multi_of(file, plain, 1, BAND, transfer);
        multi_of(file, mixed, 3, NONE_FIRST, transfer);
        multi_of(file, filtered, 2, STRIPE, transfer);
        multi_of(file, odd, 2, ALL, transfer);
        H5Pclose(transfer);
        NEED(H5Fclose(file));
    }
}

/* How lists may ask for it. */
static void
wishes(void)
{
    hid_t file = open_shared(false), dataset = NEED(H5Dopen2(file, NAMES[FILTERED], H5P_DEFAULT));
    hid_t other = NEED(H5Dopen2(file, NAMES[CONTIGUOUS], H5P_DEFAULT));
    for (int wish = 0; wish < 5; wish++) {
        hid_t transfer = transfer_list(true);
        if (wish == 1)
            NEED(H5Pset_dxpl_mpio_chunk_opt(transfer, H5FD_MPIO_CHUNK_ONE_IO));
        if (wish == 2)
            NEED(H5Pset_dxpl_mpio_chunk_opt(transfer, H5FD_MPIO_CHUNK_MULTI_IO));
        if (wish == 3)
            NEED(H5Pset_selection_io(transfer, H5D_SELECTION_IO_MODE_OFF));
        if (wish == 4)
            NEED(H5Pset_data_transform(transfer, "2*x"));
        say("\n  wish %d", wish);
        read_part(dataset, BAND, H5T_NATIVE_INT, transfer);
        read_part(other, BAND, H5T_NATIVE_INT, transfer);
        read_part(other, STRIPE, H5T_NATIVE_DOUBLE, transfer);
        H5Pclose(transfer);
    }
    NEED(H5Dclose(other));
    NEED(H5Dclose(dataset));
    NEED(H5Fclose(file));
}

/* Metadata is read collectively: everything is native HDF5's. */
static void
collective_metadata(void)
{
    counts_are_results = true;
    hid_t file = open_shared(true), transfer = transfer_list(true);
    read_all_layouts(file, BAND, transfer);
    H5Pclose(transfer);
    NEED(H5Fclose(file));
    counts_are_results = false;
}

/* Handles that are opened again, or that outlive their file. */
static void
handles(void)
{
    hid_t file = open_shared(false), again = NEED(H5Freopen(file)), transfer = transfer_list(true);
    hid_t dataset = NEED(H5Dopen2(again, NAMES[FILTERED], H5P_DEFAULT));
    hid_t other = NEED(H5Dopen2(file, NAMES[CHUNKED], H5P_DEFAULT));
    read_part(dataset, STRIPE, H5T_NATIVE_INT, transfer);
    NEED(H5Fclose(again));
    NEED(H5Fclose(file));
    read_part(dataset, STRIPE, H5T_NATIVE_INT, transfer);
    read_part(other, STRIPE, H5T_NATIVE_INT, transfer);
    NEED(H5Dclose(dataset));
    NEED(H5Dclose(other));
    H5Pclose(transfer);
}

/* A prefix that names the kind of file system, which MPI takes away (ROMIO) or not (OMPIO). */
static void
prefix(void)
{
    hid_t access = access_list(true), file;
    H5E_BEGIN_TRY { file = H5Fopen("ufs:reads.h5", H5F_ACC_RDONLY, access); } H5E_END_TRY
    say(" opened %d", file >= 0);
    if (file >= 0) {
        hid_t dataset = NEED(H5Dopen2(file, NAMES[FILTERED], H5P_DEFAULT)), transfer = transfer_list(true);
        read_part(dataset, BAND, H5T_NATIVE_INT, transfer);
        H5Pclose(transfer);
        NEED(H5Dclose(dataset));
        NEED(H5Fclose(file));
    }
    H5Pclose(access);
}

/* One process cannot open the file for itself. */
static void
refused(void)
{
    hid_t transfer = transfer_list(true);
    is_refused = rank == ranks - 1;
    read_with(BAND, transfer);
    read_with(STRIPE, H5P_DEFAULT);
    is_refused = false;
    H5Pclose(transfer);
}

/* One process asks for what native HDF5 must do, the others do not. */
static void
one_differs(void)
{
    hid_t file = open_shared(false), transfer = transfer_list(false);
    hid_t dataset = NEED(H5Dopen2(file, NAMES[FILTERED], H5P_DEFAULT));
    if (rank == 0)
        NEED(H5Pset_buffer(transfer, 4096, NULL, NULL));
    read_part(dataset, BAND, rank == 0 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, transfer);
    NEED(H5Dclose(dataset));
    NEED(H5Fclose(file));
    H5Pclose(transfer);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } OTHERS[] = {
        {"strings", strings},   {"multi", multi},   {"wishes", wishes},   {"collective_metadata", collective_metadata},
        {"handles", handles},   {"prefix", prefix}, {"refused", refused}, {"one_differs", one_differs},
    };
    static const char *const WAYS[] = {"default", "independent", "collective"};
    begin_program(argc, argv);
    /* Then collective reads of data without filters are as natively. */
    const char *who = getenv("BYPASS_VOL_MPI");
    counts_are_results = who && strcmp(who, "native") == 0;
    if (!only_list)
        make_file();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int way = 0; way < 3; way++)
        for (int part = 0; part < PARTS; part++) {
            char name[64];
            snprintf(name, sizeof name, "read_%s_%s", WAYS[way], PART_NAMES[part]);
            if (begin(name)) {
                hid_t transfer = way ? transfer_list(way == 2) : H5P_DEFAULT;
                read_with((enum part)part, transfer);
                if (way)
                    H5Pclose(transfer);
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
