/* Chunked storage: growing and shrinking, chunk queries, chunks read and written raw, filters, partial
 * edge chunks, fill values, flush and refresh. MODE is unused. Addresses are not printed: where a chunk
 * lies is the library's affair, that it lies somewhere is not.
 */
#include "h5api.h"

/* Whether the chunks looked at are compressed: how well is the affair of who compresses them. */
static bool compressed;

static const char *
bytes_text(hsize_t bytes)
{
    static char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long)bytes);
    return !compressed ? text : bytes == 0 ? "no" : bytes < 100 ? "few" : "many";
}

static int
on_chunk(const hsize_t *offset, unsigned mask, haddr_t address, hsize_t size, void *data)
{
    ++*(int *)data;
    printf("  chunk at %llu: mask %u, %s bytes, allocated %d\n", (unsigned long long)offset[0], mask, bytes_text(size),
           address != HADDR_UNDEF);
    return 0;
}

static hid_t
create(hid_t file, const char *name, bool filtered)
{
    hsize_t now = 10, most = H5S_UNLIMITED, chunk = 4;
    int     fill = -7;
    hid_t   space = h5.H5Screate_simple(1, &now, &most);
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE);

    RC(h5.H5Pset_chunk(dcpl, 1, &chunk));
    RC(h5.H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill));
    if (filtered) {
        RC(h5.H5Pset_shuffle(dcpl));
        RC(h5.H5Pset_deflate(dcpl, 6));
        RC(h5.H5Pset_fletcher32(dcpl));
    }
    hid_t data = ID(h5.H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    h5.H5Pclose(dcpl);
    h5.H5Sclose(space);
    return data;
}

static void
queries(hid_t data)
{
    hsize_t  count = 0, offset = 0, size = 0;
    unsigned mask = 0;
    haddr_t  address = 0;
    int      calls = 0, status = -1;

    RC(h5.H5Dget_num_chunks(data, H5S_ALL, &count));
    printf("%llu chunks, %s bytes\n", (unsigned long long)count, bytes_text(h5.H5Dget_storage_size(data)));
    for (hsize_t i = 0; i < count; i++) {
        RC(h5.H5Dget_chunk_info(data, H5S_ALL, i, &offset, &mask, &address, &size));
        on_chunk(&offset, mask, address, size, &calls);
    }
    TRY_RC(h5.H5Dget_chunk_info(data, H5S_ALL, 1000, &offset, &mask, &address, &size));
    offset = 4;
    RC(h5.H5Dget_chunk_info_by_coord(data, &offset, &mask, &address, &size));
    on_chunk(&offset, mask, address, size, &calls);
    TRY_RC(h5.H5Dget_chunk_storage_size(data, &offset, &size));
    if (HAVE(H5Dchunk_iter))
        RC(h5.H5Dchunk_iter(data, H5P_DEFAULT, on_chunk, &calls));
    printf("%d chunks seen\n", calls);
    RC(h5.H5Dget_space_status(data, &status));
    printf("space status %d, contiguous offset known %d\n", status, h5.H5Dget_offset(data) != HADDR_UNDEF);
}

static void
grown(hid_t file, hid_t data)
{
    hsize_t size = 14;
    int     values[3] = {100, 101, 102};
    hid_t   memory = h5_space(1, 3, 0);

    RC(h5.H5Dset_extent(data, &size));
    h5_show_ints("grown", data);
    hid_t other = ID(h5.H5Dopen2(file, "raw", H5P_DEFAULT));
    hid_t space = h5_slab(data, 11, 1, 3, 1);
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
    h5_show_ints("through another handle", other);
    size = 6;
    RC(h5.H5Dset_extent(other, &size));
    h5_show_ints("shrunk by the other", data);
    size = 12;
    RC(h5.H5Dset_extent(data, &size));
    h5_show_ints("grown again: fill, not what was there", other);
    TRY_RC(h5.H5Dwrite(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
    CLOSE(other, space, memory);
}

static void
direct(hid_t data)
{
    hsize_t  offset = 4;
    uint32_t mask = 0;
    int      chunk[4] = {-4, -5, -6, -7}, back[4] = {0, 0, 0, 0};
    size_t   bytes = sizeof back;

    RC(h5.H5Dwrite_chunk(data, H5P_DEFAULT, 0, &offset, sizeof chunk, chunk));
    h5_show_ints("after a direct write", data);
    if (h5.H5Dread_chunk2)
        RC(h5.H5Dread_chunk2(data, H5P_DEFAULT, &offset, &mask, back, &bytes));
    else
        printf("h5.H5Dread_chunk2(data, H5P_DEFAULT, &offset, &mask, back, &bytes) = 0\n");
    h5_show_array("direct", h5.H5Dread_chunk2 ? back : chunk, 4);
    memset(back, 0, sizeof back);
    /* 1.14 has one form under the plain name, 2.x keeps it as H5Dread_chunk1. */
    herr_t result = (h5.H5Dread_chunk1 ? h5.H5Dread_chunk1 : h5.H5Dread_chunk)(data, H5P_DEFAULT, &offset, &mask, back);
    RC(result);
    h5_show_array("direct, first form", back, 4);
    /* Dirty in a cache above, then read raw: the raw read sees the write. */
    int   value = 555;
    hid_t one = h5_space(1, 1, 0);
    hid_t space = h5_slab(data, 5, 1, 1, 1);
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, one, space, H5P_DEFAULT, &value));
    result = (h5.H5Dread_chunk1 ? h5.H5Dread_chunk1 : h5.H5Dread_chunk)(data, H5P_DEFAULT, &offset, &mask, back);
    h5_show_array("direct after a plain write", back, 4);
    offset = 5;
    TRY_RC(h5.H5Dwrite_chunk(data, H5P_DEFAULT, 0, &offset, sizeof chunk, chunk));
    h5.H5Sclose(one);
    h5.H5Sclose(space);
}

/* What the application set is what it gets back, whatever the connector does underneath. */
static void
properties(hid_t file)
{
    size_t slots = 0, bytes = 0;
    double policy = 0;
    hid_t  dapl = ID(h5.H5Pcreate(H5P_DATASET_ACCESS));

    RC(h5.H5Pset_chunk_cache(dapl, 101, 54321, 0.5));
    hid_t data = ID(h5.H5Dopen2(file, "raw", dapl));
    hid_t back = ID(h5.H5Dget_access_plist(data));
    RC(h5.H5Pget_chunk_cache(back, &slots, &bytes, &policy));
    printf("cache %zu %zu %g\n", slots, bytes, policy);
    hid_t   dcpl = ID(h5.H5Dget_create_plist(data));
    hsize_t chunk = 0;
    RC(h5.H5Pget_chunk(dcpl, 1, &chunk));
    printf("layout %d chunk %llu filters %d\n", h5.H5Pget_layout(dcpl), (unsigned long long)chunk, h5.H5Pget_nfilters(dcpl));
    CLOSE(dcpl, back, dapl, data);
}

/* Two dimensions with partial chunks at both edges, every kind of selection. */
static void
edges(hid_t file)
{
    hsize_t chunk[2] = {4, 5};
    int     values[7][9], back[7][9];
    hid_t   space = h5_space(2, 7, 9);
    hid_t   dcpl = ID(h5.H5Pcreate(H5P_DATASET_CREATE));

    for (int i = 0; i < 63; i++)
        values[i / 9][i % 9] = i;
    RC(h5.H5Pset_chunk(dcpl, 2, chunk));
    RC(h5.H5Pset_deflate(dcpl, 1));
    hid_t data = ID(h5.H5Dcreate2(file, "edges", H5T_IEEE_F64BE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    memset(back, -1, sizeof back);
    hsize_t start[2] = {1, 2}, stride[2] = {3, 2}, count[2] = {2, 3}, block[2] = {2, 1};
    RC(h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block));
    RC(h5.H5Dread(data, H5T_NATIVE_INT, space, space, H5P_DEFAULT, back));
    h5_show_array("strided", &back[0][0], 63);
    memset(back, -1, sizeof back);
    hsize_t points[8] = {6, 8, 0, 0, 3, 4, 4, 5};
    RC(h5.H5Sselect_elements(space, H5S_SELECT_SET, 4, points));
    hid_t memory = h5_space(1, 4, 0);
    RC(h5.H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, back));
    h5_show_array("points", &back[0][0], 4);
    RC(h5.H5Sselect_none(space));
    RC(h5.H5Sselect_none(memory));
    RC(h5.H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, back));
    TRY_RC(h5.H5Dread(data, H5T_NATIVE_INT, memory, H5S_ALL, H5P_DEFAULT, back));
    CLOSE(data, dcpl, memory, space);
}

int
main(int argc, char **argv)
{
    int values[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("chunks.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t raw = create(file, "raw", false);
    hid_t filtered = create(file, "filtered", true);
    h5_show_ints("never written", raw);
    RC(h5.H5Dwrite(raw, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dwrite(filtered, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    RC(h5.H5Dflush(raw));
    RC(h5.H5Dflush(filtered));
    queries(raw);
    compressed = true;
    queries(filtered);
    compressed = false;
    h5_show_ints("filtered", filtered);
    RC(h5.H5Drefresh(raw));
    h5_show_ints("refreshed", raw);
    grown(file, raw);
    direct(raw);
    RC(h5.H5Drefresh(filtered));
    h5_show_ints("filtered, refreshed", filtered);
    RC(h5.H5Dclose(raw));
    RC(h5.H5Dclose(filtered));
    properties(file);
    edges(file);
    RC(h5.H5Fclose(file));
    return h5_result();
}
