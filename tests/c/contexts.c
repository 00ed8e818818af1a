/* What a transfer list says holds in every call, also in the first one that uses a dataset: the allocator for
 * variable-length data, the function for failing filters, whether checksums are verified, the function for exceptions in
 * conversions. HDF5 looks such things up once in a call and remembers them, so a question asked in between with another list
 * can make it forget the application's. MODE is unused.
 */
#include "h5api.h"

#include <stddef.h>

enum { COUNT = 24, H5Z_DISABLE_EDC = 0 };

/* Memory of the program's own: free() would crash on it, and it is told what comes back. */
static struct {
    int    taken, returned, foreign;
    size_t bytes;
} heap;
static unsigned char arena[1 << 20];
static size_t        used;

static void *
take(size_t size, void *data)
{
    void *place = arena + used;

    (void)data;
    heap.taken++;
    heap.bytes += size;
    used += (size + 15) / 16 * 16;
    return place;
}

static void
give_back(void *place, void *data)
{
    (void)data;
    heap.returned++;
    if ((unsigned char *)place < arena || (unsigned char *)place >= arena + sizeof arena)
        heap.foreign++;
}

struct record {
    int   number;
    hvl_t list;
    char *text;
};

/* A type of each kind with variable-length data in it, and an element of it. */
static hid_t
type_of(int kind, void *element)
{
    static int   numbers[3] = {7, 8, 9};
    hid_t        list = h5.H5Tvlen_create(H5T_NATIVE_INT), text = h5.H5Tcopy(H5T_C_S1), type;
    hvl_t        some = {3, numbers};
    hvl_t        two[2] = {{3, numbers}, {1, numbers}};
    struct record record = {5, {2, numbers}, "filling"};
    char         *word = "filling";
    hsize_t       pair = 2;

    h5.H5Tset_size(text, H5T_VARIABLE);
    switch (kind) {
        case 0: memcpy(element, &some, sizeof some); return list;
        case 1: memcpy(element, &word, sizeof word); return text;
        case 2: memcpy(element, two, sizeof two); return h5.H5Tarray_create2(list, 1, &pair);
        default:
            type = h5.H5Tcreate(H5T_COMPOUND, sizeof record);
            h5.H5Tinsert(type, "number", offsetof(struct record, number), H5T_NATIVE_INT);
            h5.H5Tinsert(type, "list", offsetof(struct record, list), list);
            h5.H5Tinsert(type, "text", offsetof(struct record, text), text);
            memcpy(element, &record, sizeof record);
            return type;
    }
}

static void
read_all(const char *label, hid_t dataset, hid_t type, hid_t list, hid_t space)
{
    unsigned char *buffer = calloc(COUNT, h5.H5Tget_size(type));

    memset(&heap, 0, sizeof heap);
    RC(h5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, list, buffer));
    printf("%s: taken %d, %zu bytes\n", label, heap.taken, heap.bytes);
    RC(h5.H5Treclaim(type, space, list, buffer));
    printf("%s: returned %d, of others %d\n", label, heap.returned, heap.foreign);
    free(buffer);
    used = 0;
}

/* Datasets with a fill value of which half is written, read with an allocator of the program's: at once, again, and after
 * the file was opened anew, to read and to write. */
static void
variable_length(int kind, bool is_chunked, bool is_written)
{
    unsigned char element[64];
    char          name[40];
    hid_t         type = type_of(kind, element), dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5_space(1, COUNT, 0);
    hid_t         list = h5.H5Pcreate(H5P_DATASET_XFER);
    hsize_t       chunk = 4, size = h5.H5Tget_size(type);

    snprintf(name, sizeof name, "vlen_%d_%d_%d.h5", kind, is_chunked, is_written);
    h5.H5Pset_vlen_mem_manager(list, (void *)take, NULL, (void *)give_back, NULL);
    h5.H5Pset_fill_value(dcpl, type, element);
    if (is_chunked)
        h5.H5Pset_chunk(dcpl, 1, &chunk);
    hid_t file = ID(h5.H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t dataset = ID(h5.H5Dcreate2(file, "x", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    if (is_written) {
        unsigned char *elements = calloc(COUNT, size);
        hid_t          half = h5_slab(dataset, 1, 2, COUNT / 2, 1);
        for (int i = 0; i < COUNT; i++)
            memcpy(elements + i * size, element, size);
        RC(h5.H5Dwrite(dataset, type, half, half, list, elements));
        h5.H5Sclose(half);
        free(elements);
    }
    read_all("just made", dataset, type, list, space);
    read_all("again", dataset, type, list, space);
    RC(h5.H5Dclose(dataset));
    RC(h5.H5Fclose(file));
    for (unsigned flags = H5F_ACC_RDONLY; flags <= H5F_ACC_RDWR; flags++) {
        file = ID(h5.H5Fopen(name, flags, H5P_DEFAULT));
        h5_note_connector(file);
        dataset = ID(h5.H5Dopen2(file, "x", H5P_DEFAULT));
        read_all("first", dataset, type, list, space);
        read_all("second", dataset, type, list, space);
        RC(h5.H5Dclose(dataset));
        RC(h5.H5Fclose(file));
    }
    CLOSE(list, dcpl, space, type);
}

static int failures;

static int
let_pass(int filter, void *buffer, size_t size, void *data)
{
    (void)filter, (void)buffer, (void)size, (void)data;
    failures++;
    return 1;
}

/* A dataset with a chunk whose checksum is wrong, and one that native HDF5 has changed in its own cache. */
static void
checksums(bool unverified)
{
    int     values[COUNT], back[COUNT] = {0}, damaged[5] = {1, 2, 3, 4, 12345};
    hsize_t chunk = 4, place = 8;
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5_space(1, COUNT, 0);
    hid_t   list = h5.H5Pcreate(H5P_DATASET_XFER), transform = h5.H5Pcreate(H5P_DATASET_XFER);

    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    h5.H5Pset_chunk(dcpl, 1, &chunk);
    h5.H5Pset_fletcher32(dcpl);
    h5.H5Pset_data_transform(transform, "x*2");
    if (unverified)
        h5.H5Pset_edc_check(list, H5Z_DISABLE_EDC);
    else
        h5.H5Pset_filter_callback(list, (void *)let_pass, NULL);
    hid_t file = ID(h5.H5Fcreate("checksums.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t dataset = ID(h5.H5Dcreate2(file, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dflush(dataset));
    RC(h5.H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &place, sizeof damaged, damaged));
    for (int round = 0; round < 2; round++) {
        hid_t part = h5_slab(dataset, 0, 1, 4, 1);
        RC(h5.H5Dwrite(dataset, H5T_NATIVE_INT, part, part, transform, values));
        failures = 0;
        TRY_RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, list, back));
        printf("failures told: %d\n", failures);
        h5_show_array("read", back, COUNT);
        h5.H5Sclose(part);
    }
    CLOSE(dataset, file, list, transform, dcpl, space);
}

static int exceptions;

static int
clamp(int kind, hid_t from, hid_t to, void *source, void *target, void *data)
{
    (void)kind, (void)from, (void)to, (void)source, (void)data;
    exceptions++;
    *(short *)target = -1;
    return 1;
}

/* A fill value that is converted when HDF5 is asked for it, and a function for exceptions. */
static void
conversions(void)
{
    double  fill = 1e6, values[COUNT];
    short   back[COUNT];
    hsize_t chunk = 4;
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5_space(1, COUNT, 0);
    hid_t   list = h5.H5Pcreate(H5P_DATASET_XFER);

    for (int i = 0; i < COUNT; i++)
        values[i] = i * 1e4;
    h5.H5Pset_chunk(dcpl, 1, &chunk);
    h5.H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &fill);
    h5.H5Pset_type_conv_cb(list, (void *)clamp, NULL);
    hid_t file = ID(h5.H5Fcreate("conversions.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t dataset = ID(h5.H5Dcreate2(file, "x", H5T_IEEE_F64BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    hid_t part = h5_slab(dataset, 0, 1, 10, 1);
    RC(h5.H5Dwrite(dataset, H5T_NATIVE_DOUBLE, part, part, H5P_DEFAULT, values));
    for (int round = 0; round < 2; round++) {
        exceptions = 0;
        RC(h5.H5Dread(dataset, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, list, back));
        printf("exceptions: %d; %d %d %d\n", exceptions, back[0], back[5], back[COUNT - 1]);
    }
    CLOSE(part, dataset, file, list, dcpl, space);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    for (int kind = 0; kind < 4; kind++)
        for (int is_chunked = 0; is_chunked < 2; is_chunked++)
            for (int is_written = 0; is_written < 2; is_written++) {
                printf("kind %d, chunked %d, written %d\n", kind, is_chunked, is_written);
                variable_length(kind, is_chunked, is_written);
            }
    checksums(true);
    checksums(false);
    conversions();
    return h5_result();
}
