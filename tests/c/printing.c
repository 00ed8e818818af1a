/* Who is told about errors: reads and writes with all kinds of transfer lists, selections and datasets, most of which
 * succeed, some of which fail. MODE says who hears of failures:
 *   default    HDF5 prints the error stack on stderr
 *   function   a function of the program is called (H5Eset_auto2)
 *   old        the same, of the old kind (H5Eset_auto1)
 * After each call: what it returned, how often the function was called meanwhile, and how many errors are on the stack.
 */
#include "h5api.h"

enum { LENGTH = 4096, ROWS = 64, COLUMNS = 64, H5Z_DISABLE_EDC = 0, H5D_COMPACT = 0 };

static int  heard;
static int  values[LENGTH], back[LENGTH];
static char label[200];

static herr_t
hear(hid_t stack, void *data)
{
    (void)stack;
    ++*(int *)data;
    return 0;
}

static herr_t
hear_as_before(void *data)
{
    ++*(int *)data;
    return 0;
}

static void
show(const char *what, long long result)
{
    printf("%s, %s: %lld, heard %d, errors %d\n", label, what, result, heard, (int)h5.H5Eget_num(H5E_DEFAULT));
    fprintf(stderr, "after %s, %s\n", label, what);
    heard = 0;
    h5.H5Eclear2(H5E_DEFAULT);
}

static int
let_pass(int filter, void *buffer, size_t size, void *data)
{
    (void)filter, (void)buffer, (void)size, (void)data;
    return 1;
}

static int
leave_to_hdf5(int kind, hid_t from, hid_t to, void *source, void *target, void *data)
{
    (void)kind, (void)from, (void)to, (void)source, (void)target, (void)data;
    return 0;
}

/* A transfer list of each kind, NULL behind the last. */
static const char *
list_of(int kind, hid_t *list)
{
    static const char *names[] = {"no list", "new list", "unverified", "filter function", "conversion function",
                                  "transform", "small buffer", "vector size"};

    if (kind >= (int)(sizeof names / sizeof *names))
        return NULL;
    *list = kind == 0 ? H5P_DEFAULT : h5.H5Pcreate(H5P_DATASET_XFER);
    switch (kind) {
        case 2: h5.H5Pset_edc_check(*list, H5Z_DISABLE_EDC); break;
        case 3: h5.H5Pset_filter_callback(*list, (void *)let_pass, NULL); break;
        case 4: h5.H5Pset_type_conv_cb(*list, (void *)leave_to_hdf5, NULL); break;
        case 5: h5.H5Pset_data_transform(*list, "x+1"); break;
        case 6: h5.H5Pset_buffer(*list, 1024, NULL, NULL); break;
        case 7: h5.H5Pset_hyper_vector_size(*list, 16); break;
    }
    return names[kind];
}

/* A creation list of each kind. */
static const char *
storage_of(int kind, hid_t *dcpl)
{
    static const char *names[] = {"contiguous", "chunked", "gzip", "compact", "external", "one chunk", "fill value"};
    hsize_t            chunk[2] = {16, 16}, whole[2] = {ROWS, COLUMNS};
    int                fill = 7;

    if (kind >= (int)(sizeof names / sizeof *names))
        return NULL;
    *dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);
    switch (kind) {
        case 1: h5.H5Pset_chunk(*dcpl, 2, chunk); break;
        case 2:
            h5.H5Pset_chunk(*dcpl, 2, chunk);
            h5.H5Pset_fletcher32(*dcpl);
            h5.H5Pset_deflate(*dcpl, 1);
            break;
        case 3: h5.H5Pset_layout(*dcpl, H5D_COMPACT); break;
        case 4: h5.H5Pset_external(*dcpl, "raw", 0, sizeof values); break;
        case 5: h5.H5Pset_chunk(*dcpl, 2, whole); break;
        case 6: h5.H5Pset_fill_value(*dcpl, H5T_NATIVE_INT, &fill); break;
    }
    return names[kind];
}

static hid_t
space_with(int selection)
{
    hsize_t  start[2] = {3, 5}, count[2] = {7, 6}, stride[2] = {2, 3}, points[6] = {1, 2, 3, 4, 60, 1}, run[2] = {1, 16};
    hssize_t up[2] = {-4, 0}, down[2] = {60, 0};
    hid_t    space = h5_space(2, ROWS, COLUMNS);

    switch (selection) {
        case 0: h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL); break;
        case 1: h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL); break;
        case 2: h5.H5Sselect_elements(space, H5S_SELECT_SET, 3, points); break;
        case 3: h5.H5Sselect_none(space); break;
        case 4: h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, run, NULL); break;
        /* These leave the extent. */
        case 5:
            h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
            h5.H5Soffset_simple(space, up);
            break;
        case 6:
            h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
            h5.H5Soffset_simple(space, down);
            break;
    }
    return space;
}

static void
transfer(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t list, bool is_writable)
{
    if (is_writable)
        show("write", h5.H5Dwrite(dataset, type, memory, file, list, values));
    show("read", h5.H5Dread(dataset, type, memory, file, list, back));
}

/* All that is done with one dataset and one list. */
static void
transfers(hid_t dataset, const char *name, const char *list_name, hid_t list, bool is_writable)
{
    for (int selection = 0; selection < 7; selection++) {
        hid_t space = space_with(selection);

        snprintf(label, sizeof label, "%s, %s, selection %d", name, list_name, selection);
        transfer(dataset, H5T_NATIVE_INT, space, space, list, is_writable);
        h5.H5Sclose(space);
        /* The shortest calls are done with as few questions as possible: none of them whether a space is one. */
        if (selection == 4 && list != H5P_DEFAULT) {
            snprintf(label, sizeof label, "%s, %s, a space that is closed", name, list_name);
            transfer(dataset, H5T_NATIVE_INT, H5S_ALL, space, list, is_writable);
            transfer(dataset, H5T_NATIVE_INT, space, H5S_ALL, list, is_writable);
        }
    }
    hid_t other = h5_space(1, 8, 0), closed = h5.H5Tcopy(H5T_NATIVE_INT), text = h5.H5Tcopy(H5T_C_S1);
    h5.H5Tclose(closed);
    snprintf(label, sizeof label, "%s, %s, everything", name, list_name);
    transfer(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, list, is_writable);
    snprintf(label, sizeof label, "%s, %s, converted", name, list_name);
    transfer(dataset, H5T_STD_I32BE, H5S_ALL, H5S_ALL, list, is_writable);
    snprintf(label, sizeof label, "%s, %s, as text", name, list_name);
    transfer(dataset, text, H5S_ALL, H5S_ALL, list, is_writable);
    snprintf(label, sizeof label, "%s, %s, a type that is closed", name, list_name);
    transfer(dataset, closed, H5S_ALL, H5S_ALL, list, is_writable);
    snprintf(label, sizeof label, "%s, %s, sizes that differ", name, list_name);
    transfer(dataset, H5T_NATIVE_INT, other, H5S_ALL, list, is_writable);
    h5.H5Sclose(other);
    h5.H5Tclose(text);
}

/* Each kind of storage, with each kind of list. */
static void
datasets(hid_t file, bool is_writable)
{
    const char *name, *list_name;
    hid_t       dcpl, list;

    for (int kind = 0; (name = storage_of(kind, &dcpl)) != NULL; kind++) {
        hid_t space = h5_space(2, ROWS, COLUMNS);
        hid_t dataset = is_writable
                            ? h5.H5Dcreate2(file, name, H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT)
                            : h5.H5Dopen2(file, name, H5P_DEFAULT);

        snprintf(label, sizeof label, "%s", name);
        show("opened", dataset >= 0);
        for (int number = 0; (list_name = list_of(number, &list)) != NULL; number++) {
            transfers(dataset, name, list_name, list, is_writable);
            if (list != H5P_DEFAULT)
                h5.H5Pclose(list);
        }
        snprintf(label, sizeof label, "%s, a list that is closed", name);
        transfer(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, list, is_writable);
        show("closed", h5.H5Dclose(dataset));
        h5.H5Sclose(space);
        h5.H5Pclose(dcpl);
    }
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    if (strcmp(argv[2], "function") == 0)
        h5.H5Eset_auto2(H5E_DEFAULT, (void *)hear, &heard);
    if (strcmp(argv[2], "old") == 0)
        h5.H5Eset_auto1((void *)hear_as_before, &heard);
    for (int i = 0; i < LENGTH; i++)
        values[i] = i;
    for (int is_writable = 1; is_writable >= 0; is_writable--) {
        hid_t file = is_writable ? h5.H5Fcreate("printing.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                                 : h5.H5Fopen("printing.h5", H5F_ACC_RDONLY, H5P_DEFAULT);

        h5_note_connector(file);
        datasets(file, is_writable);
        snprintf(label, sizeof label, "file");
        show("closed", h5.H5Fclose(file));
    }
    return h5_result();
}
