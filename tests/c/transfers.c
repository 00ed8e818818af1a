/* Transfers with more than one dataset, file or request: H5Dread_multi and H5Dwrite_multi, the _async calls with
 * H5ES_NONE and with an event set, virtual datasets, external raw files. MODE is unused.
 */
#include "h5api.h"

#define HERE __FILE__, __func__, __LINE__

/* Datasets of one call: of one file, of one file under two ids, and of two files, which native refuses. */
static void
multi(void)
{
    hid_t a = ID(h5.H5Fcreate("multi_a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t b = ID(h5.H5Fcreate("multi_b.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t again = ID(h5.H5Freopen(a));
    hid_t datasets[3] = {h5_make_ints(a, "x", 4, 0), h5_make_ints(again, "y", 4, 10), h5_make_ints(a, "z", 2, 20)};
    hid_t mixed[2] = {datasets[0], h5_make_ints(b, "other", 4, 90)};
    hid_t types[3] = {H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_INT};
    hid_t spaces[3] = {H5S_ALL, H5S_ALL, H5S_ALL};
    int   x[4] = {0}, y[4] = {0}, z[2] = {0};
    void *buffers[3] = {x, y, z};

    h5_note_connector(a);
    h5_note_connector(b);
    if (HAVE(H5Dread_multi) && HAVE(H5Dwrite_multi)) {
        TRY_RC(h5.H5Dread_multi(2, mixed, types, spaces, spaces, H5P_DEFAULT, buffers));
        RC(h5.H5Dread_multi(3, datasets, types, spaces, spaces, H5P_DEFAULT, buffers));
        h5_show_array("x", x, 4);
        h5_show_array("y", y, 4);
        h5_show_array("z", z, 2);
        for (int i = 0; i < 4; i++)
            x[i] = -x[i], y[i] *= 2;
        const void *sources[3] = {x, y, z};
        TRY_RC(h5.H5Dwrite_multi(2, mixed, types, spaces, spaces, H5P_DEFAULT, sources));
        RC(h5.H5Dwrite_multi(3, datasets, types, spaces, spaces, H5P_DEFAULT, sources));
        h5_show_ints("x written", datasets[0]);
        h5_show_ints("y written", datasets[1]);
        RC(h5.H5Dread_multi(0, datasets, types, spaces, spaces, H5P_DEFAULT, buffers));
        hid_t twice[2] = {datasets[0], datasets[0]};
        RC(h5.H5Dread_multi(2, twice, types, spaces, spaces, H5P_DEFAULT, buffers));
        hid_t bad[2] = {datasets[0], a};
        TRY_RC(h5.H5Dread_multi(2, bad, types, spaces, spaces, H5P_DEFAULT, buffers));
        RC(h5.H5Dread_multi_async(HERE, 3, datasets, types, spaces, spaces, H5P_DEFAULT, buffers, H5ES_NONE));
        RC(h5.H5Dwrite_multi_async(HERE, 3, datasets, types, spaces, spaces, H5P_DEFAULT, sources, H5ES_NONE));
    }
    for (int i = 0; i < 3; i++)
        RC(h5.H5Dclose(datasets[i]));
    RC(h5.H5Dclose(mixed[1]));
    CLOSE(a, again, b);
}

static void
asynchronous(hid_t events)
{
    int     values[4] = {1, 2, 3, 4}, back[4] = {0};
    hsize_t size = 4, most = H5S_UNLIMITED;
    hid_t   space = h5.H5Screate_simple(1, &size, &most);
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);

    h5.H5Pset_chunk(dcpl, 1, &size);
    hid_t file = ID(h5.H5Fcreate_async(HERE, "async.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT, events));
    h5_note_connector(file);
    hid_t group = ID(h5.H5Gcreate_async(HERE, file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT, events));
    hid_t data = ID(h5.H5Dcreate_async(HERE, group, "d", H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT, events));
    RC(h5.H5Dwrite_async(HERE, data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values, events));
    size = 6;
    RC(h5.H5Dset_extent_async(HERE, data, &size, events));
    hid_t its_space = ID(h5.H5Dget_space_async(HERE, data, events));
    hid_t attribute = ID(h5.H5Acreate_async(HERE, data, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, events));
    RC(h5.H5Awrite_async(HERE, attribute, H5T_NATIVE_INT, values, events));
    RC(h5.H5Aread_async(HERE, attribute, H5T_NATIVE_INT, back, events));
    RC(h5.H5Aclose_async(HERE, attribute, events));
    RC(h5.H5Dclose_async(HERE, data, events));
    RC(h5.H5Gclose_async(HERE, group, events));
    RC(h5.H5Fflush_async(HERE, file, H5F_SCOPE_LOCAL, events));
    RC(h5.H5Fclose_async(HERE, file, events));
    file = ID(h5.H5Fopen_async(HERE, "async.h5", H5F_ACC_RDONLY, H5P_DEFAULT, events));
    h5_note_connector(file);
    hid_t again = ID(h5.H5Freopen_async(HERE, file, events));
    data = ID(h5.H5Dopen_async(HERE, again, "g/d", H5P_DEFAULT, events));
    RC(h5.H5Dread_async(HERE, data, H5T_NATIVE_INT, space, space, H5P_DEFAULT, back, events));
    if (events != H5ES_NONE) {
        size_t pending = 99;
        bool   failed = true;
        RC(h5.H5ESwait(events, UINT64_MAX, &pending, &failed));
        printf("%zu pending, failed %d\n", pending, failed);
    }
    h5_show_array("read", back, 4);
    TRY_ID(h5.H5Dopen_async(HERE, file, "absent", H5P_DEFAULT, events));
    TRY_ID(h5.H5Fopen_async(HERE, "absent.h5", H5F_ACC_RDONLY, H5P_DEFAULT, events));
    hid_t object = ID(h5.H5Oopen_async(HERE, file, "g", H5P_DEFAULT, events));
    RC(h5.H5Oclose_async(HERE, object, events));
    RC(h5.H5Dclose_async(HERE, data, events));
    RC(h5.H5Fclose_async(HERE, again, events));
    RC(h5.H5Fclose_async(HERE, file, events));
    CLOSE(its_space, space, dcpl);
}

static void
virtual_dataset(void)
{
    const char *sources[2] = {"vds_0.h5", "vds_1.h5"};
    hid_t       dcpl = ID(h5.H5Pcreate(H5P_DATASET_CREATE));
    hid_t       whole = h5_space(1, 12, 0), part = h5_space(1, 4, 0);
    int         fill = -1;

    RC(h5.H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    for (hsize_t i = 0; i < 3; i++) {
        hsize_t start = i * 4, count = 4;
        if (i < 2) {
            hid_t file = ID(h5.H5Fcreate(sources[i], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
            RC(h5.H5Dclose(h5_make_ints(file, "d", 4, (int)i * 100)));
            RC(h5.H5Fclose(file));
        }
        RC(h5.H5Sselect_hyperslab(whole, H5S_SELECT_SET, &start, NULL, &count, NULL));
        /* The third source does not exist: fill values are read there. */
        RC(h5.H5Pset_virtual(dcpl, whole, i < 2 ? sources[i] : "vds_absent.h5", "d", part));
    }
    hid_t file = ID(h5.H5Fcreate("vds.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t data = ID(h5.H5Dcreate2(file, "v", H5T_NATIVE_INT, whole, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    h5_show_ints("virtual", data);
    int   values[2] = {-50, -51};
    hid_t two = h5_space(1, 2, 0);
    hid_t space = h5_slab(data, 3, 1, 2, 1);
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, two, space, H5P_DEFAULT, values));
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen("vds.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    data = ID(h5.H5Dopen2(file, "v", H5P_DEFAULT));
    h5_show_ints("virtual, written over the seam", data);
    hid_t  back = ID(h5.H5Dget_create_plist(data));
    size_t mappings = 0;
    RC(h5.H5Pget_virtual_count(back, &mappings));
    printf("%zu mappings\n", mappings);
    CLOSE(back, data, file, space, two, part, whole, dcpl);
}

static void
external_raw(void)
{
    hid_t dcpl = ID(h5.H5Pcreate(H5P_DATASET_CREATE));
    int   values[6] = {5, 4, 3, 2, 1, 0};
    hid_t space = h5_space(1, 6, 0);

    RC(h5.H5Pset_external(dcpl, "raw_1.bin", 8, 12));
    RC(h5.H5Pset_external(dcpl, "raw_2.bin", 0, 12));
    hid_t file = ID(h5.H5Fcreate("external.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t data = ID(h5.H5Dcreate2(file, "e", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5_show_ints("external", data);
    CLOSE(data, file, dcpl, space);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    multi();
    if (HAVE(H5Fopen_async)) {
        asynchronous(H5ES_NONE);
        hid_t events = ID(h5.H5EScreate());
        size_t pending = 99;
        bool   failed = true;
        asynchronous(events);
        RC(h5.H5ESwait(events, UINT64_MAX, &pending, &failed));
        RC(h5.H5ESclose(events));
    }
    virtual_dataset();
    external_raw();
    return h5_result();
}
