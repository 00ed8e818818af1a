/* Objects by every way to reach them: path, index, token, object id; copies within and across files; visits; ids that
 * are datasets or datatypes used as locations. MODE is unused.
 */
#include "h5api.h"

static herr_t
on_object(hid_t object, const char *name, const H5O_info2_t *info, void *data)
{
    hid_t opened = h5.H5Oopen(object, name, H5P_DEFAULT);
    char  path[4096] = "?";

    ++*(int *)data;
    h5.H5Iget_name(opened, path, sizeof path);
    printf("  %s: type %d, %u link(s), %llu attribute(s), opens as %s\n", name, info->type, info->rc,
           (unsigned long long)info->num_attrs, path);
    if (info->type == 1)
        h5_show_ints("   data", opened);
    h5.H5Oclose(opened);
    return 0;
}

static void
every_way(hid_t file)
{
    H5O_info2_t info, again;
    char       *text = NULL;
    int         same = -1;

    hid_t by_path = ID(h5.H5Oopen(file, "/g/d", H5P_DEFAULT));
    RC(h5.H5Oget_info3(by_path, &info, H5O_INFO_ALL));
    printf("type %d links %u\n", info.type, info.rc);
    hid_t by_token = ID(h5.H5Oopen_by_token(file, info.token));
    RC(h5.H5Oget_info3(by_token, &again, H5O_INFO_BASIC));
    RC(h5.H5Otoken_cmp(file, &info.token, &again.token, &same));
    printf("tokens compare %d, type of id %d\n", same, h5.H5Iget_type(by_token));
    h5_show_ints("by token", by_token);
    RC(h5.H5Otoken_to_str(file, &info.token, &text));
    H5O_token_t parsed;
    RC(h5.H5Otoken_from_str(file, text, &parsed));
    RC(h5.H5Otoken_cmp(by_path, &info.token, &parsed, &same));
    printf("token survives text: %d\n", same == 0);
    h5.H5free_memory(text);
    hid_t by_index = ID(h5.H5Oopen_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    h5_show_ints("by index", by_index);
    TRY_ID(h5.H5Oopen_by_idx(file, "g", H5_INDEX_NAME, H5_ITER_INC, 99, H5P_DEFAULT));
    hid_t group = ID(h5.H5Oopen(file, "g", H5P_DEFAULT));
    hid_t from_group = ID(h5.H5Dopen2(group, "d", H5P_DEFAULT));
    h5_show_ints("relative to a group opened as object", from_group);
    printf("reference count %d\n", h5.H5Iget_ref(from_group));
    RC(h5.H5Iinc_ref(from_group));
    RC(h5.H5Idec_ref(from_group));
    RC(h5.H5Oget_info_by_name3(file, "g", &info, H5O_INFO_ALL, H5P_DEFAULT));
    printf("type %d links %u\n", info.type, info.rc);
    TRY_RC(h5.H5Oexists_by_name(file, "g/d", H5P_DEFAULT));
    RC(h5.H5Oset_comment(by_path, "a remark"));
    char comment[32] = "";
    RC(h5.H5Oget_comment(by_path, comment, sizeof comment));
    printf("comment: %s\n", comment);
    RC(h5.H5Oincr_refcount(by_path));
    RC(h5.H5Odecr_refcount(by_path));
    RC(h5.H5Oflush(by_path));
    RC(h5.H5Orefresh(by_path));
    h5_show_ints("after refresh", by_path);
    RC(h5.H5Gflush(group));
    RC(h5.H5Grefresh(group));
    RC(h5.H5Oclose(by_path));
    RC(h5.H5Oclose(by_token));
    RC(h5.H5Oclose(by_index));
    RC(h5.H5Oclose(group));
    RC(h5.H5Dclose(from_group));
}

/* A dataset or datatype id stands for its file when used as a location. */
static void
locations(hid_t file)
{
    hid_t type = ID(h5.H5Tcopy(H5T_NATIVE_INT));
    hid_t data = ID(h5.H5Dopen2(file, "g/d", H5P_DEFAULT));

    RC(h5.H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t one = ID(h5.H5Gopen2(data, "/g", H5P_DEFAULT));
    hid_t two = ID(h5.H5Dopen2(type, "/g/d", H5P_DEFAULT));
    hid_t three = ID(h5.H5Oopen(data, "/type", H5P_DEFAULT));
    hid_t four = ID(h5.H5Gcreate2(type, "/from_type", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    h5_show_ints("relative to a datatype", two);
    TRY_ID(h5.H5Dopen2(data, "absent", H5P_DEFAULT));
    hid_t owner = ID(h5.H5Iget_file_id(type));
    h5_note_connector(owner);
    RC(h5.H5Fflush(type, H5F_SCOPE_LOCAL));
    CLOSE(owner, one, two, three, four, data, type);
}

static void
copies(hid_t file, hid_t other)
{
    hid_t ocpypl = ID(h5.H5Pcreate(H5P_OBJECT_COPY));
    hid_t group = ID(h5.H5Gopen2(file, "g", H5P_DEFAULT));
    hid_t data = ID(h5.H5Dopen2(file, "g/d", H5P_DEFAULT));

    RC(h5.H5Ocopy(file, "g/d", file, "d_copy", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Ocopy(group, ".", other, "g_copy", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Ocopy(data, ".", other, "d_copy", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Pset_copy_object(ocpypl, 0x0001 /* shallow */));
    RC(h5.H5Ocopy(file, "g", other, "shallow", ocpypl, H5P_DEFAULT));
    TRY_RC(h5.H5Ocopy(file, "absent", other, "never", H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(h5.H5Ocopy(file, "g/d", other, "d_copy", H5P_DEFAULT, H5P_DEFAULT));
    hid_t copy = ID(h5.H5Dopen2(other, "d_copy", H5P_DEFAULT));
    h5_show_ints("copied across files", copy);
    CLOSE(copy, data, group, ocpypl);
}

/* Unlinked or never linked objects live until their last id is closed. */
static void
anonymous(hid_t file)
{
    int   values[4] = {4, 3, 2, 1};
    hid_t space = h5_space(1, 4, 0);
    hid_t data = ID(h5.H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    hid_t lost = ID(h5.H5Dcreate_anon(file, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    hid_t group = ID(h5.H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    char  path[32] = "";

    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    printf("name length of an anonymous dataset: %zd\n", h5.H5Iget_name(data, path, sizeof path));
    h5_show_ints("before the link", data);
    RC(h5.H5Olink(data, file, "named_later", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Olink(group, file, "group_later", H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dclose(h5_make_ints(group, "inside", 2, 20)));
    RC(h5.H5Dclose(lost));
    RC(h5.H5Ldelete(file, "named_later", H5P_DEFAULT));
    h5_show_ints("after the link is gone", data);
    RC(h5.H5Olink(data, file, "named_again", H5P_DEFAULT, H5P_DEFAULT));
    CLOSE(data, group, space);
}

int
main(int argc, char **argv)
{
    int calls = 0;

    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("objects.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t other = ID(h5.H5Fcreate("copies.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dclose(h5_make_ints(group, "d", 5, 50)));
    RC(h5.H5Gclose(group));
    every_way(file);
    locations(file);
    copies(file, other);
    anonymous(file);
    RC(h5.H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, on_object, &calls, H5O_INFO_ALL));
    RC(h5.H5Ovisit_by_name3(other, "g_copy", H5_INDEX_NAME, H5_ITER_INC, on_object, &calls, H5O_INFO_ALL, H5P_DEFAULT));
    printf("%d objects seen\n", calls);
    RC(h5.H5Fclose(other));
    RC(h5.H5Fclose(file));
    return h5_result();
}
