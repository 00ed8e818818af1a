/* Links: hard, soft, external; made from files, groups and objects; walked with objects opened inside
 * the callback.
 *
 * DESIGN section 7: hard-link targets and copied objects arrive wrapped, iteration needs a wrap context,
 * the bytes behind an external link are in another file. MODE is unused.
 */
#include "h5api.h"

static void
show_info(hid_t location, const char *name)
{
    H5L_info2_t info;

    if (h5.H5Lget_info2(location, name, &info, H5P_DEFAULT) < 0)
        printf("%s: no link\n", name);
    else
        printf("%s: link type %d, order %s%lld\n", name, info.type, info.corder_valid ? "" : "unknown ",
               info.corder_valid ? (long long)info.corder : 0LL);
}

/* Opens the member relative to the id the library hands to the callback and reads it: that id must be as
 * good as one of the application's own. */
static herr_t
on_link(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    int  *calls = data;
    hid_t object = h5.H5Oopen(group, name, H5P_DEFAULT);
    int   type = object >= 0 ? h5.H5Iget_type(object) : -1;
    char  path[4096] = "";

    ++*calls;
    if (object >= 0)
        h5.H5Iget_name(object, path, sizeof path);
    printf("  %s: link type %d, object type %d, path %s\n", name, info->type, type, path);
    if (type == 5)
        h5_show_ints("   data", object);
    if (object >= 0)
        h5.H5Oclose(object);
    return 0;
}

static herr_t
stop_at_second(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)group, (void)info;
    printf("  %s\n", name);
    return ++*(int *)data == 2 ? 42 : 0;
}

static herr_t
fail_at_once(hid_t group, const char *name, const H5L_info2_t *info, void *data)
{
    (void)group, (void)name, (void)info, (void)data;
    return -1;
}

static void
made(hid_t file)
{
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = h5_make_ints(group, "d", 3, 10);
    hid_t object = ID(h5.H5Oopen(file, "g/d", H5P_DEFAULT));

    RC(h5.H5Lcreate_hard(file, "g/d", file, "hard", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_hard(object, ".", file, "hard_from_object", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_hard(group, "d", H5L_SAME_LOC, "hard_same", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_hard(data, "/g/d", group, "hard_from_dataset", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Olink(object, file, "linked", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_soft("/g/d", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_soft("nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_external("target.h5", "/there/d", file, "external", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcreate_external("absent.h5", "/d", file, "external_dangling", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(h5.H5Lcreate_hard(file, "g/d", file, "hard", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Oclose(object));
    RC(h5.H5Dclose(data));
    RC(h5.H5Gclose(group));
}

static void
followed(hid_t file)
{
    const char *names[] = {"hard", "hard_from_object", "g/hard_same", "g/hard_from_dataset", "linked", "soft", "external"};
    char        name[4096];

    for (int i = 0; i < 7; i++) {
        show_info(file, names[i]);
        hid_t data = ID(h5.H5Dopen2(file, names[i], H5P_DEFAULT));
        h5_show_ints(names[i], data);
        h5.H5Fget_name(data, name, sizeof name);
        printf("in file %s\n", name);
        RC(h5.H5Dclose(data));
    }
    /* Writing through an external link changes the other file. */
    int   values[3] = {-1, -2, -3};
    hid_t data = ID(h5.H5Dopen2(file, "external", H5P_DEFAULT));
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    hid_t owner = ID(h5.H5Iget_file_id(data));
    h5_note_connector(owner);
    hid_t sibling = ID(h5.H5Gopen2(owner, "/there", H5P_DEFAULT));
    CLOSE(sibling, owner, data);
    TRY_ID(h5.H5Dopen2(file, "dangling", H5P_DEFAULT));
    TRY_ID(h5.H5Dopen2(file, "external_dangling", H5P_DEFAULT));
    TRY_RC(h5.H5Lexists(file, "dangling", H5P_DEFAULT));
    TRY_RC(h5.H5Oexists_by_name(file, "dangling", H5P_DEFAULT));
    TRY_RC(h5.H5Lexists(file, "nothing", H5P_DEFAULT));
    TRY_RC(h5.H5Lexists(file, "nothing/below", H5P_DEFAULT));

    char        value[4096] = "";
    unsigned    flags;
    const char *filename = "", *path = "";
    RC(h5.H5Lget_val(file, "soft", value, sizeof value, H5P_DEFAULT));
    printf("soft -> %s\n", value);
    RC(h5.H5Lget_val(file, "external", value, sizeof value, H5P_DEFAULT));
    RC(h5.H5Lunpack_elink_val(value, sizeof value, &flags, &filename, &path));
    printf("external -> %s %s\n", filename, path);
}

static void
moved(hid_t file, hid_t other)
{
    RC(h5.H5Lcopy(file, "soft", file, "soft_copy", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lcopy(file, "hard", H5L_SAME_LOC, "hard_copy", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Lmove(file, "hard_copy", file, "g/moved", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(h5.H5Lmove(file, "absent", file, "g/never", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(h5.H5Lcopy(file, "hard", other, "across_files", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Ldelete(file, "soft_copy", H5P_DEFAULT));
    TRY_RC(h5.H5Ldelete(file, "soft_copy", H5P_DEFAULT));
    hid_t group = ID(h5.H5Gopen2(file, "g", H5P_DEFAULT));
    char  name[64] = "";
    RC(h5.H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, 1, name, sizeof name, H5P_DEFAULT));
    printf("second by name: %s\n", name);
    RC(h5.H5Gclose(group));
}

static void
walked(hid_t file)
{
    int     calls = 0;
    hsize_t index = 0;
    hid_t   gcpl = ID(h5.H5Pcreate(H5P_GROUP_CREATE));

    RC(h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, &index, on_link, &calls));
    printf("%d calls, index %llu\n", calls, (unsigned long long)index);
    RC(h5.H5Literate_by_name2(file, "g", H5_INDEX_NAME, H5_ITER_INC, NULL, on_link, &calls, H5P_DEFAULT));
    RC(h5.H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_link, &calls));
    printf("%d calls\n", calls);
    calls = 0;
    index = 0;
    RC(h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, &index, stop_at_second, &calls));
    printf("stopped at %llu\n", (unsigned long long)index);
    TRY_RC(h5.H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, NULL, fail_at_once, NULL));

    RC(h5.H5Pset_link_creation_order(gcpl, 3));
    hid_t group = ID(h5.H5Gcreate2(file, "ordered", H5P_DEFAULT, gcpl, H5P_DEFAULT));
    RC(h5.H5Dclose(h5_make_ints(group, "z", 1, 1)));
    RC(h5.H5Dclose(h5_make_ints(group, "a", 1, 2)));
    RC(h5.H5Literate2(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, NULL, on_link, &calls));
    show_info(group, "z");
    show_info(group, "a");
    H5G_info_t info;
    RC(h5.H5Gget_info(group, &info));
    printf("%llu links, order %lld\n", (unsigned long long)info.nlinks, (long long)info.max_corder);
    RC(h5.H5Ldelete_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT));
    TRY_RC(h5.H5Lexists(group, "z", H5P_DEFAULT));
    RC(h5.H5Gclose(group));
    RC(h5.H5Pclose(gcpl));
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("links.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t target = ID(h5.H5Fcreate("target.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t there = ID(h5.H5Gcreate2(target, "there", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dclose(h5_make_ints(there, "d", 3, 77)));
    RC(h5.H5Gclose(there));
    RC(h5.H5Fclose(target));
    made(file);
    followed(file);
    target = ID(h5.H5Fopen("target.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    moved(file, target);
    RC(h5.H5Fclose(target));
    walked(file);
    RC(h5.H5Fclose(file));
    return h5_result();
}
