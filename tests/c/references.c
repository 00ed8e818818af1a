/* References: objects, regions and attributes, in the 1.12 form and the old one, in memory and stored,
 * opened from files other than the one that made them. MODE is unused.
 */
#include "h5api.h"

static void
current(hid_t file)
{
    H5R_ref_t refs[3], back[3];
    char      text[64] = "";
    int       kind = -1;
    hsize_t   low, high;

    memset(refs, 0, sizeof refs);
    memset(back, 0, sizeof back);
    hid_t data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    hid_t region = h5_slab(data, 2, 1, 3, 1);
    RC(h5.H5Rcreate_object(file, "d", H5P_DEFAULT, &refs[0]));
    RC(h5.H5Rcreate_region(file, "d", region, H5P_DEFAULT, &refs[1]));
    RC(h5.H5Rcreate_attr(file, "d", "a", H5P_DEFAULT, &refs[2]));
    TRY_RC(h5.H5Rcreate_object(file, "absent", H5P_DEFAULT, &back[0]));
    for (int i = 0; i < 3; i++) {
        printf("type %d\n", h5.H5Rget_type(&refs[i]));
        RC(h5.H5Rget_obj_type3(&refs[i], H5P_DEFAULT, &kind));
        printf("object type %d\n", kind);
        RC(h5.H5Rget_obj_name(&refs[i], H5P_DEFAULT, text, sizeof text));
        printf("object %s\n", text);
        RC(h5.H5Rget_file_name(&refs[i], text, sizeof text));
        printf("file %s\n", text);
    }
    hid_t object = ID(h5.H5Ropen_object(&refs[0], H5P_DEFAULT, H5P_DEFAULT));
    h5_show_ints("by object reference", object);
    hid_t owner = ID(h5.H5Iget_file_id(object));
    h5_note_connector(owner);
    RC(h5.H5Fclose(owner));
    RC(h5.H5Dclose(object));
    hid_t space = ID(h5.H5Ropen_region(&refs[1], H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Sget_select_bounds(space, &low, &high));
    printf("region %llu to %llu\n", (unsigned long long)low, (unsigned long long)high);
    RC(h5.H5Sclose(space));
    hid_t attribute = ID(h5.H5Ropen_attr(&refs[2], H5P_DEFAULT, H5P_DEFAULT));
    int   value = 0;
    RC(h5.H5Aread(attribute, H5T_NATIVE_INT, &value));
    printf("by attribute reference: %d\n", value);
    RC(h5.H5Aclose(attribute));
    RC(h5.H5Rcopy(&refs[0], &back[0]));
    TRY_RC(h5.H5Requal(&refs[0], &back[0]));
    TRY_RC(h5.H5Requal(&refs[0], &refs[1]));
    RC(h5.H5Rdestroy(&back[0]));

    /* Stored and read back. */
    hid_t three = h5_space(1, 3, 0);
    hid_t stored = ID(h5.H5Dcreate2(file, "refs", H5T_STD_REF, three, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(stored, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, refs));
    for (int i = 0; i < 3; i++)
        RC(h5.H5Rdestroy(&refs[i]));
    RC(h5.H5Dread(stored, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    object = ID(h5.H5Ropen_object(&back[0], H5P_DEFAULT, H5P_DEFAULT));
    h5_show_ints("by stored object reference", object);
    RC(h5.H5Dclose(object));
    object = ID(h5.H5Ropen_object(&back[1], H5P_DEFAULT, H5P_DEFAULT));
    space = ID(h5.H5Ropen_region(&back[1], H5P_DEFAULT, H5P_DEFAULT));
    int   values[3] = {0, 0, 0};
    hid_t memory = h5_space(1, 3, 0);
    RC(h5.H5Dread(object, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
    h5_show_array("by stored region reference", values, 3);
    RC(h5.H5Dclose(object));
    RC(h5.H5Sclose(space));
    for (int i = 0; i < 3; i++)
        RC(h5.H5Rdestroy(&back[i]));
    CLOSE(stored, data, memory, three, region);
}

static void
old_form(hid_t file)
{
    uint64_t object_refs[2] = {0, 0};
    uint8_t  region_ref[12] = {0};
    char     name[32] = "";
    int      kind = -1;

    hid_t data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    hid_t region = h5_slab(data, 1, 2, 2, 1);
    RC(h5.H5Rcreate(&object_refs[0], file, "d", H5R_OBJECT1, -1));
    RC(h5.H5Rcreate(&object_refs[1], data, "/g", H5R_OBJECT1, -1));
    RC(h5.H5Rcreate(region_ref, file, "d", H5R_DATASET_REGION1, region));
    hid_t object = ID(h5.H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT1, &object_refs[0]));
    h5_show_ints("dereferenced", object);
    RC(h5.H5Rget_obj_type2(file, H5R_OBJECT1, &object_refs[1], &kind));
    RC(h5.H5Rget_name(file, H5R_OBJECT1, &object_refs[1], name, sizeof name));
    printf("%s is of type %d\n", name, kind);
    hid_t group = ID(h5.H5Rdereference2(data, H5P_DEFAULT, H5R_OBJECT1, &object_refs[1]));
    RC(h5.H5Gclose(group));
    hid_t space = ID(h5.H5Rget_region(object, H5R_DATASET_REGION1, region_ref));
    printf("region of %lld points\n", (long long)h5.H5Sget_select_npoints(space));
    RC(h5.H5Sclose(space));
    RC(h5.H5Dclose(object));
    hid_t two = h5_space(1, 2, 0);
    hid_t one = h5_space(1, 1, 0);
    hid_t stored = ID(h5.H5Dcreate2(file, "old_refs", H5T_STD_REF_OBJ, two, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(stored, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, object_refs));
    RC(h5.H5Dclose(stored));
    stored = ID(h5.H5Dcreate2(file, "old_regions", H5T_STD_REF_DSETREG, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(stored, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, region_ref));
    memset(region_ref, 0, sizeof region_ref);
    RC(h5.H5Dread(stored, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, region_ref));
    object = ID(h5.H5Rdereference2(stored, H5P_DEFAULT, H5R_DATASET_REGION1, region_ref));
    h5_show_ints("dereferenced region", object);
    RC(h5.H5Dclose(object));
    RC(h5.H5Dclose(stored));
    /* Of an object that is gone. */
    object_refs[0] = 8;
    TRY_ID(h5.H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT1, &object_refs[0]));
    CLOSE(data, region, one, two);
}

int
main(int argc, char **argv)
{
    int answer = 42;

    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("references.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t group = ID(h5.H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = h5_make_ints(file, "d", 6, 60);
    hid_t space = h5_space(1, 1, 0);
    hid_t attribute = ID(h5.H5Acreate2(data, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, H5T_NATIVE_INT, &answer));
    CLOSE(attribute, data, group, space);
    current(file);
    old_form(file);
    RC(h5.H5Fclose(file));
    return h5_result();
}
