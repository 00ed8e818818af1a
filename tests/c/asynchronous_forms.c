/* Every `_async` function of HDF5, each while a write to a dataset of the same file is under way, and each in a case that fails.
 *
 * MODE is the name of one of the functions at the end. Lines "@called NAME" on stderr tell the test which functions were called.
 */
#include "event_sets.h"

/* The asynchronous form of `name`, which is noted, so that the test knows that none was left out. */
#define CALL(name, ...) (fprintf(stderr, "@called H5" #name "\n"), h5.H5##name(HERE, __VA_ARGS__, set))

static hid_t set, file, dataset;
static int  *values[2];
static int   turn;

static void
start(const char *name)
{
    values[0] = made(1);
    values[1] = made(2);
    set = ID(h5.H5EScreate());
    file = make_file(name);
    dataset = make_dataset(file, "d");
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t ints = h5_make_ints(group, "ints", 6, 10);

    CLOSE(ints, group);
}

/* Other values go to the dataset, and the calls that follow are made meanwhile. */
static void
write_behind(void)
{
    RC(write_all(dataset, values[turn++ % 2], set));
    note_count("under-way", set);
}

/* What the calls left, in the set and in the dataset. */
static void
settle(void)
{
    bool  failed = true;
    int  *out = calloc(COUNT, sizeof(int));

    RC(h5.H5ESget_err_status(set, &failed));
    printf("set has failed: %d\n", failed);
    finish(set);
    RC(h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    show("d", out, COUNT);
    free(out);
}

static void
end(const char *name)
{
    settle();
    CLOSE(dataset, file);
    RC(h5.H5ESclose(set));
    show_file(name, "d");
    free(values[0]);
    free(values[1]);
}

static herr_t
show_attribute(hid_t location, const char *name, const H5A_info_t *info, void *data)
{
    (void)location;
    (void)data;
    printf("attribute %s of %llu bytes\n", name, (unsigned long long)info->data_size);
    return 0;
}

static herr_t
show_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)group;
    (void)data;
    printf("link %s of kind %d\n", name, info->type);
    return 0;
}

static void
attributes(void)
{
    hid_t space, attribute, by_name;
    int   in[3] = {3, 5, 8}, out[3] = {0};
    bool  exists = false;

    start("attributes.h5");
    space = h5_space(1, 3, 0);
    write_behind();
    attribute = ID(CALL(Acreate_async, dataset, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Awrite_async, attribute, H5T_NATIVE_INT, in));
    RC(CALL(Aclose_async, attribute));
    by_name = ID(CALL(Acreate_by_name_async, file, "d", "b", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Awrite_async, by_name, H5T_NATIVE_INT, in));
    RC(CALL(Aread_async, by_name, H5T_NATIVE_INT, out));
    RC(CALL(Aclose_async, by_name));
    settle();
    h5_show_array("b", out, 3);

    write_behind();
    RC(CALL(Aexists_async, dataset, "a", &exists));
    printf("a exists: %d\n", exists);
    RC(CALL(Aexists_by_name_async, file, "d", "missing", &exists, H5P_DEFAULT));
    printf("missing exists: %d\n", exists);
    RC(CALL(Arename_async, dataset, "a", "first"));
    RC(CALL(Arename_by_name_async, file, "d", "b", "second", H5P_DEFAULT));
    settle();

    write_behind();
    hid_t opened[3] = {
        ID(CALL(Aopen_async, dataset, "first", H5P_DEFAULT)),
        ID(CALL(Aopen_by_name_async, file, "d", "second", H5P_DEFAULT, H5P_DEFAULT)),
        ID(CALL(Aopen_by_idx_async, file, "d", H5_INDEX_NAME, H5_ITER_INC, 1, H5P_DEFAULT, H5P_DEFAULT)),
    };
    for (int i = 0; i < 3; i++) {
        memset(out, 0, sizeof out);
        RC(CALL(Aread_async, opened[i], H5T_NATIVE_INT, out));
        RC(CALL(Aclose_async, opened[i]));
        h5_show_array("opened", out, 3);
    }

    /* What fails, fails at once, and the write goes on. */
    TRY_ID(CALL(Acreate_async, dataset, "first", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Acreate_by_name_async, file, "no", "b", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Aopen_async, dataset, "no", H5P_DEFAULT));
    TRY_ID(CALL(Aopen_by_name_async, file, "no", "first", H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Aopen_by_idx_async, file, "d", H5_INDEX_NAME, H5_ITER_INC, 99, H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(CALL(Aexists_by_name_async, file, "no", "first", &exists, H5P_DEFAULT));
    TRY_RC(CALL(Arename_async, dataset, "no", "name"));
    TRY_RC(CALL(Arename_by_name_async, file, "d", "first", "second", H5P_DEFAULT));
    TRY_RC(CALL(Aread_async, file, H5T_NATIVE_INT, out));
    TRY_RC(CALL(Awrite_async, file, H5T_NATIVE_INT, in));
    TRY_RC(CALL(Aclose_async, file));
    TRY_RC(CALL(Aexists_async, space, "first", &exists));
    RC(h5.H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, NULL, show_attribute, NULL));
    RC(h5.H5Sclose(space));
    end("attributes.h5");
}

static void
show_group(const char *what, const H5G_info_t *info)
{
    printf("%s: storage %d, links %llu, mounted %d\n", what, info->storage_type, (unsigned long long)info->nlinks, info->mounted);
}

static void
groups_and_links(void)
{
    H5G_info_t info = {0};
    bool       exists = false;
    hsize_t    at = 0;

    start("groups.h5");
    write_behind();
    hid_t made_group = ID(CALL(Gcreate_async, file, "made", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t group = ID(CALL(Gopen_async, file, "g", H5P_DEFAULT));
    RC(CALL(Gget_info_async, group, &info));
    show_group("g", &info);
    RC(CALL(Gget_info_by_name_async, file, "made", &info, H5P_DEFAULT));
    show_group("made", &info);
    RC(CALL(Gget_info_by_idx_async, file, "/", H5_INDEX_NAME, H5_ITER_INC, 1, &info, H5P_DEFAULT));
    show_group("by index", &info);
    RC(CALL(Gclose_async, made_group));
    settle();

    write_behind();
    RC(CALL(Lcreate_hard_async, file, "d", group, "hard", H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Lcreate_soft_async, "/d", group, "soft", H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Lcreate_soft_async, "/gone", group, "dangling", H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Lexists_async, group, "hard", &exists, H5P_DEFAULT));
    printf("hard exists: %d\n", exists);
    RC(CALL(Literate_async, group, H5_INDEX_NAME, H5_ITER_INC, &at, show_link, NULL));
    printf("at %llu\n", (unsigned long long)at);
    RC(CALL(Ldelete_async, group, "soft", H5P_DEFAULT));
    RC(CALL(Ldelete_by_idx_async, file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    RC(CALL(Lexists_async, group, "dangling", &exists, H5P_DEFAULT));
    printf("dangling exists: %d\n", exists);
    settle();

    write_behind();
    TRY_ID(CALL(Gcreate_async, file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Gopen_async, file, "d", H5P_DEFAULT));
    TRY_RC(CALL(Gget_info_async, dataset, &info));
    TRY_RC(CALL(Gget_info_by_name_async, file, "no", &info, H5P_DEFAULT));
    TRY_RC(CALL(Gget_info_by_idx_async, file, "/", H5_INDEX_NAME, H5_ITER_INC, 99, &info, H5P_DEFAULT));
    TRY_RC(CALL(Gclose_async, dataset));
    TRY_RC(CALL(Lcreate_hard_async, file, "no", group, "x", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(CALL(Lcreate_soft_async, "/d", group, "hard", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(CALL(Ldelete_async, group, "no", H5P_DEFAULT));
    TRY_RC(CALL(Ldelete_by_idx_async, file, "g", H5_INDEX_NAME, H5_ITER_INC, 99, H5P_DEFAULT));
    TRY_RC(CALL(Lexists_async, group, "no/deeper", &exists, H5P_DEFAULT));
    at = 99;
    TRY_RC(CALL(Literate_async, group, H5_INDEX_NAME, H5_ITER_INC, &at, show_link, NULL));
    RC(CALL(Gclose_async, group));
    end("groups.h5");
}

static void
objects(void)
{
    H5O_info2_t info = {0};

    start("objects.h5");
    write_behind();
    hid_t object = ID(CALL(Oopen_async, file, "g", H5P_DEFAULT));
    hid_t by_index = ID(CALL(Oopen_by_idx_async, file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    printf("kinds %d and %d\n", h5.H5Iget_type(object), h5.H5Iget_type(by_index));
    RC(CALL(Oget_info_by_name_async, file, "d", &info, H5O_INFO_BASIC, H5P_DEFAULT));
    printf("d: kind %d, links %u\n", info.type, info.rc);
    RC(CALL(Oclose_async, object));
    RC(CALL(Oclose_async, by_index));
    settle();

    /* A copy has what was written before it, a flush stores it, and a refresh does not lose it. */
    write_behind();
    RC(CALL(Ocopy_async, file, "d", file, "copy", H5P_DEFAULT, H5P_DEFAULT));
    write_behind();
    RC(CALL(Oflush_async, dataset));
    write_behind();
    RC(CALL(Oflush_async, dataset));
    RC(CALL(Orefresh_async, dataset));
    settle();

    write_behind();
    TRY_ID(CALL(Oopen_async, file, "no", H5P_DEFAULT));
    TRY_ID(CALL(Oopen_by_idx_async, file, "/", H5_INDEX_NAME, H5_ITER_INC, 99, H5P_DEFAULT));
    TRY_RC(CALL(Oget_info_by_name_async, file, "no", &info, H5O_INFO_BASIC, H5P_DEFAULT));
    TRY_RC(CALL(Ocopy_async, file, "d", file, "copy", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(CALL(Oflush_async, H5T_NATIVE_INT));
    TRY_RC(CALL(Orefresh_async, H5T_NATIVE_INT));
    TRY_RC(CALL(Oclose_async, set));
    end("objects.h5");
    show_file("objects.h5", "copy");
}

static void
types_and_references(void)
{
    H5R_ref_t to_object, to_region, to_attribute;
    int       in[3] = {3, 5, 8}, out[3] = {0};

    start("references.h5");
    hid_t space = h5_space(1, 3, 0), region = rows(2, 3);
    hid_t attribute = ID(h5.H5Acreate2(dataset, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));

    RC(h5.H5Awrite(attribute, H5T_NATIVE_INT, in));
    RC(h5.H5Rcreate_object(file, "d", H5P_DEFAULT, &to_object));
    RC(h5.H5Rcreate_region(file, "d", region, H5P_DEFAULT, &to_region));
    RC(h5.H5Rcreate_attr(file, "d", "a", H5P_DEFAULT, &to_attribute));

    write_behind();
    hid_t type = ID(h5.H5Tcopy(H5T_STD_I32BE));
    RC(CALL(Tcommit_async, file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Tclose_async, type));
    type = ID(CALL(Topen_async, file, "type", H5P_DEFAULT));
    printf("committed %d, as it was %d\n", h5.H5Tcommitted(type), h5.H5Tequal(type, H5T_STD_I32BE));
    settle();

    write_behind();
    hid_t object = ID(CALL(Ropen_object_async, &to_object, H5P_DEFAULT, H5P_DEFAULT));
    hid_t selected = ID(CALL(Ropen_region_async, &to_region, H5P_DEFAULT, H5P_DEFAULT));
    hid_t opened = ID(CALL(Ropen_attr_async, &to_attribute, H5P_DEFAULT, H5P_DEFAULT));
    printf("kind %d, elements %lld\n", h5.H5Iget_type(object), (long long)h5.H5Sget_select_npoints(selected));
    RC(CALL(Aread_async, opened, H5T_NATIVE_INT, out));
    h5_show_array("a", out, 3);
    /* The dataset behind the reference is the one that is being written. */
    int *whole = calloc(COUNT, sizeof(int));
    RC(read_all(object, whole, set));
    settle();
    show("by reference", whole, COUNT);
    free(whole);

    write_behind();
    TRY_RC(CALL(Tcommit_async, file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Topen_async, file, "d", H5P_DEFAULT));
    TRY_RC(CALL(Tclose_async, H5T_NATIVE_INT));
    TRY_ID(CALL(Ropen_region_async, &to_object, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Ropen_attr_async, &to_object, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Ropen_object_async, NULL, H5P_DEFAULT, H5P_DEFAULT));
    RC(CALL(Tclose_async, type));
    CLOSE(object, selected, opened, attribute, space, region);
    RC(h5.H5Rdestroy(&to_object));
    RC(h5.H5Rdestroy(&to_region));
    RC(h5.H5Rdestroy(&to_attribute));
    end("references.h5");
}

static void
files_and_datasets(void)
{
    hsize_t larger[2] = {ROWS + CHUNK_ROWS, COLUMNS}, smaller[2] = {ROWS, COLUMNS}, dims[2] = {0};
    int    *out = calloc(COUNT, sizeof(int)), *more[1] = {made(3)};

    start("files.h5");
    write_behind();
    hid_t again = ID(CALL(Freopen_async, file));
    hid_t same = ID(CALL(Dopen_async, again, "d", H5P_DEFAULT));
    RC(CALL(Dread_async, same, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    settle();
    show("of the file opened again", out, COUNT);

    write_behind();
    TRY_RC(CALL(Dset_extent_async, dataset, larger)); /* not if it is contiguous */
    hid_t space = ID(CALL(Dget_space_async, dataset));
    h5.H5Sget_simple_extent_dims(space, dims, NULL);
    printf("%llu rows\n", (unsigned long long)dims[0]);
    TRY_RC(CALL(Dset_extent_async, dataset, smaller));
    settle();

    write_behind();
    RC(CALL(Fflush_async, file, H5F_SCOPE_GLOBAL));
    hid_t plain = rows(0, ROWS);
    hid_t second = ID(CALL(Dcreate_async, file, "e", H5T_NATIVE_INT, plain, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t types[2] = {H5T_NATIVE_INT, H5T_NATIVE_INT}, all[2] = {H5S_ALL, H5S_ALL}, both[2] = {dataset, second};
    const void *from[2] = {values[1], more[0]};
    RC(CALL(Dwrite_async, second, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[0]));
    RC(CALL(Dwrite_multi_async, 2, both, types, all, all, H5P_DEFAULT, from));
    int  *read[2] = {out, calloc(COUNT, sizeof(int))};
    void *to[2] = {read[0], read[1]};
    RC(CALL(Dread_multi_async, 2, both, types, all, all, H5P_DEFAULT, to));
    settle();
    show("several: d", read[0], COUNT);
    show("several: e", read[1], COUNT);

    write_behind();
    TRY_ID(CALL(Fopen_async, "no.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    TRY_ID(CALL(Fcreate_async, "files.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Freopen_async, space));
    TRY_RC(CALL(Fflush_async, space, H5F_SCOPE_GLOBAL));
    TRY_RC(CALL(Fclose_async, dataset));
    TRY_ID(CALL(Dopen_async, file, "no", H5P_DEFAULT));
    TRY_ID(CALL(Dcreate_async, file, "d", H5T_NATIVE_INT, plain, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY_ID(CALL(Dget_space_async, file));
    TRY_RC(CALL(Dset_extent_async, second, larger));
    TRY_RC(CALL(Dread_async, file, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    TRY_RC(CALL(Dwrite_async, dataset, file, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[0]));
    TRY_RC(CALL(Dclose_async, file));
    /* A dataset named twice. */
    both[1] = both[0];
    TRY_RC(CALL(Dread_multi_async, 2, both, types, all, all, H5P_DEFAULT, to));
    TRY_RC(CALL(Dwrite_multi_async, 2, both, types, all, all, H5P_DEFAULT, from));
    settle();

    hid_t other = ID(CALL(Fcreate_async, "other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t third = make_dataset(other, "d");
    RC(CALL(Dwrite_async, third, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[0]));
    RC(CALL(Dclose_async, third));
    RC(CALL(Fclose_async, other));
    other = ID(CALL(Fopen_async, "other.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    RC(CALL(Fclose_async, other));
    RC(CALL(Dclose_async, same));
    RC(CALL(Fclose_async, again));
    CLOSE(second, space, plain);
    end("files.h5");
    show_file("other.h5", "d");
    free(read[0]);
    free(read[1]);
    free(more[0]);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {
        {"attributes", attributes},
        {"groups_and_links", groups_and_links},
        {"objects", objects},
        {"types_and_references", types_and_references},
        {"files_and_datasets", files_and_datasets},
    };

    h5_start(argc, argv);
    if (argc > 4)
        layout = argv[4];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[2], modes[i].name) == 0)
            modes[i].run();
    return h5_result();
}
