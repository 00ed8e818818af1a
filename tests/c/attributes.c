/* Attributes: create, read, write, rename, delete, iterate, on files, groups, datasets and committed types,
 * with the attribute opened inside the iteration callback. MODE is unused.
 */
#include "h5api.h"

static void
show_attribute(hid_t location, const char *name)
{
    int   values[3] = {0, 0, 0};
    char  text[64] = "";
    hid_t attribute = ID(h5.H5Aopen(location, name, H5P_DEFAULT));

    RC(h5.H5Aread(attribute, H5T_NATIVE_INT, values));
    h5_show_array(name, values, 3);
    RC(h5.H5Aget_name(attribute, sizeof text, text));
    printf("name %s, stored %llu bytes", text, (unsigned long long)h5.H5Aget_storage_size(attribute));
    h5.H5Iget_name(attribute, text, sizeof text);
    printf(", object %s\n", text);
    hid_t space = ID(h5.H5Aget_space(attribute));
    hid_t type = ID(h5.H5Aget_type(attribute));
    printf("points %lld size %zu\n", (long long)h5.H5Sget_simple_extent_npoints(space), h5.H5Tget_size(type));
    hid_t owner = ID(h5.H5Iget_file_id(attribute));
    CLOSE(owner, space, type, attribute);
}

static herr_t
on_attribute(hid_t location, const char *name, const H5A_info_t *info, void *data)
{
    int   values[3] = {0, 0, 0};
    hid_t attribute = h5.H5Aopen(location, name, H5P_DEFAULT);

    ++*(int *)data;
    h5.H5Aread(attribute, H5T_NATIVE_INT, values);
    printf("  %s: %llu bytes, starts with %d, location type %d\n", name, (unsigned long long)info->data_size,
           values[0], h5.H5Iget_type(location));
    h5.H5Aclose(attribute);
    return 0;
}

static void
on(hid_t location)
{
    int     values[3] = {1, 2, 3}, others[3] = {9, 8, 7}, calls = 0;
    hsize_t index = 0;
    hid_t   space = h5_space(1, 3, 0);

    hid_t attribute = ID(h5.H5Acreate2(location, "one", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, H5T_NATIVE_INT, values));
    RC(h5.H5Aclose(attribute));
    attribute = ID(h5.H5Acreate_by_name(location, ".", "two", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, H5T_NATIVE_INT, others));
    RC(h5.H5Aclose(attribute));
    TRY_ID(h5.H5Acreate2(location, "one", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT));
    show_attribute(location, "one");
    show_attribute(location, "two");
    RC(h5.H5Arename(location, "one", "uno"));
    TRY_RC(h5.H5Arename(location, "one", "eins"));
    TRY_RC(h5.H5Aexists(location, "one"));
    TRY_RC(h5.H5Aexists_by_name(location, ".", "uno", H5P_DEFAULT));
    RC(h5.H5Arename_by_name(location, ".", "uno", "one", H5P_DEFAULT));
    attribute = ID(h5.H5Aopen_by_idx(location, ".", H5_INDEX_NAME, H5_ITER_INC, 1, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, H5T_NATIVE_INT, values));
    RC(h5.H5Aclose(attribute));
    attribute = ID(h5.H5Aopen_by_name(location, ".", "two", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Aclose(attribute));
    RC(h5.H5Aiterate2(location, H5_INDEX_NAME, H5_ITER_INC, &index, on_attribute, &calls));
    RC(h5.H5Aiterate_by_name(location, ".", H5_INDEX_NAME, H5_ITER_INC, NULL, on_attribute, &calls, H5P_DEFAULT));
    printf("%d calls\n", calls);
    RC(h5.H5Adelete(location, "one"));
    TRY_RC(h5.H5Adelete(location, "one"));
    TRY_ID(h5.H5Aopen(location, "one", H5P_DEFAULT));
    RC(h5.H5Adelete_by_name(location, ".", "two", H5P_DEFAULT));
    H5O_info2_t info;
    RC(h5.H5Oget_info3(location, &info, H5O_INFO_ALL));
    printf("%llu attributes left\n", (unsigned long long)info.num_attrs);
    /* One that stays, with text of variable length. */
    hid_t string = ID(h5.H5Tcopy(H5T_C_S1));
    hid_t scalar = ID(h5.H5Screate(0));
    const char *text = "stays, in a heap";
    char       *back = NULL;
    RC(h5.H5Tset_size(string, H5T_VARIABLE));
    attribute = ID(h5.H5Acreate2(location, "text", string, scalar, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, string, &text));
    RC(h5.H5Aread(attribute, string, &back));
    printf("text: %s\n", back ? back : "(null)");
    RC(h5.H5Treclaim(string, scalar, H5P_DEFAULT, &back));
    CLOSE(attribute, scalar, string, space);
}

/* Enough attributes to move them from the object header into a heap with its own index. */
static void
many(hid_t location)
{
    int   calls = 0;
    char  name[16];
    hid_t space = h5_space(1, 1, 0);

    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "many%02d", i);
        hid_t attribute = h5.H5Acreate2(location, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        h5_failures += attribute < 0 || h5.H5Awrite(attribute, H5T_NATIVE_INT, &i) < 0;
        h5.H5Aclose(attribute);
    }
    RC(h5.H5Aiterate2(location, H5_INDEX_NAME, H5_ITER_INC, NULL, on_attribute, &calls));
    printf("%d calls\n", calls);
    h5.H5Sclose(space);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    hid_t fapl = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    RC(h5.H5Pset_libver_bounds(fapl, H5F_LIBVER_V18, H5F_LIBVER_V114));
    hid_t file = ID(h5.H5Fcreate("attributes.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    h5_note_connector(file);
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = h5_make_ints(file, "d", 2, 0);
    hid_t type = ID(h5.H5Tcopy(H5T_NATIVE_INT));
    RC(h5.H5Tcommit2(file, "t", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    printf("-- file\n");
    on(file);
    printf("-- group\n");
    on(group);
    printf("-- dataset\n");
    on(data);
    printf("-- committed type\n");
    on(type);
    many(data);
    CLOSE(type, data, group, file, fapl);
    return h5_result();
}
