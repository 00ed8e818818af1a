/* Datatypes: committed types and datasets made with them, compounds, enums, arrays, variable lengths,
 * conversions. MODE is unused.
 *
 * DESIGN section 7: vlen data needs introspection and blobs forwarded; a dataset's type may be a committed
 * object that carries the connector with it.
 */
#include "h5api.h"

#include <stddef.h>

struct record {
    int    number;
    double weight;
};

static hid_t
record_type(void)
{
    hid_t type = ID(h5.H5Tcreate(H5T_COMPOUND, sizeof(struct record)));

    RC(h5.H5Tinsert(type, "number", offsetof(struct record, number), H5T_NATIVE_INT));
    RC(h5.H5Tinsert(type, "weight", offsetof(struct record, weight), H5T_NATIVE_DOUBLE));
    return type;
}

static void
committed(hid_t file)
{
    struct record in[3] = {{1, 1.5}, {2, 2.5}, {3, 3.5}}, out[3];
    hid_t         type = record_type();
    hid_t         space = h5_space(1, 3, 0);
    char          path[64] = "";

    memset(out, 0, sizeof out);
    TRY_RC(h5.H5Tcommitted(type));
    RC(h5.H5Tcommit2(file, "record", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    TRY_RC(h5.H5Tcommitted(type));
    TRY_RC(h5.H5Tcommit2(file, "record_again", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t data = ID(h5.H5Dcreate2(file, "records", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, in));
    hid_t its_type = ID(h5.H5Dget_type(data));
    TRY_RC(h5.H5Tcommitted(its_type));
    TRY_RC(h5.H5Tequal(type, its_type));
    h5.H5Iget_name(its_type, path, sizeof path);
    printf("the dataset's type is %s\n", path);
    RC(h5.H5Dread(data, its_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    for (int i = 0; i < 3; i++)
        printf("  %d %g\n", out[i].number, out[i].weight);
    hid_t owner = ID(h5.H5Iget_file_id(its_type));
    RC(h5.H5Fclose(owner));
    RC(h5.H5Tclose(its_type));
    hid_t opened = ID(h5.H5Topen2(file, "record", H5P_DEFAULT));
    hid_t copy = ID(h5.H5Tcopy(opened));
    TRY_RC(h5.H5Tcommitted(copy));
    printf("class %d size %zu members %d\n", h5.H5Tget_class(opened), h5.H5Tget_size(opened), h5.H5Tget_nmembers(opened));
    hid_t tcpl = ID(h5.H5Tget_create_plist(opened));
    RC(h5.H5Pclose(tcpl));
    RC(h5.H5Tflush(opened));
    RC(h5.H5Trefresh(opened));
    TRY_RC(h5.H5Tequal(copy, opened));
    TRY_ID(h5.H5Topen2(file, "records", H5P_DEFAULT));
    TRY_ID(h5.H5Dopen2(file, "record", H5P_DEFAULT));
    /* One member of the compound, by a memory type with only that member. */
    hid_t one = ID(h5.H5Tcreate(H5T_COMPOUND, sizeof(double)));
    double weights[3] = {0, 0, 0};
    RC(h5.H5Tinsert(one, "weight", 0, H5T_NATIVE_DOUBLE));
    RC(h5.H5Dread(data, one, H5S_ALL, H5S_ALL, H5P_DEFAULT, weights));
    printf("weights %g %g %g\n", weights[0], weights[1], weights[2]);
    /* The committed type outlives its first file id and its link. */
    hid_t anonymous = record_type();
    RC(h5.H5Tcommit_anon(file, anonymous, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Olink(anonymous, file, "record_linked", H5P_DEFAULT, H5P_DEFAULT));
    hid_t attribute = ID(h5.H5Acreate2(data, "typed", opened, space, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Awrite(attribute, copy, in));
    hid_t attribute_type = ID(h5.H5Aget_type(attribute));
    TRY_RC(h5.H5Tcommitted(attribute_type));
    CLOSE(attribute_type, attribute, anonymous, one, copy, opened, data, type, space);
}

static void
variable(hid_t file)
{
    int   one[] = {1}, two[] = {2, 3}, *none = NULL;
    hvl_t in[3] = {{1, one}, {0, none}, {2, two}}, out[3];
    hid_t type = ID(h5.H5Tvlen_create(H5T_NATIVE_INT));
    hid_t space = h5_space(1, 3, 0);

    memset(out, 0, sizeof out);
    hid_t data = ID(h5.H5Dcreate2(file, "vlen", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, in));
    hsize_t bytes = 0;
    RC(h5.H5Dvlen_get_buf_size(data, type, space, &bytes));
    printf("needs %llu bytes\n", (unsigned long long)bytes);
    RC(h5.H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out));
    for (int i = 0; i < 3; i++)
        h5_show_array("  vlen", out[i].p, (int)out[i].len);
    RC(h5.H5Treclaim(type, space, H5P_DEFAULT, out));
    RC(h5.H5Dclose(data));
    RC(h5.H5Tclose(type));

    const char *words[3] = {"alpha", "", "a longer word than the others"};
    char       *back[3] = {NULL, NULL, NULL};
    hid_t       string = ID(h5.H5Tcopy(H5T_C_S1));
    RC(h5.H5Tset_size(string, H5T_VARIABLE));
    RC(h5.H5Tset_cset(string, 1));
    data = ID(h5.H5Dcreate2(file, "strings", string, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, words));
    RC(h5.H5Dclose(data));
    data = ID(h5.H5Dopen2(file, "strings", H5P_DEFAULT));
    RC(h5.H5Dread(data, string, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    for (int i = 0; i < 3; i++)
        printf("  string %s\n", back[i] ? back[i] : "(null)");
    RC(h5.H5Treclaim(string, space, H5P_DEFAULT, back));
    CLOSE(data, string, space);
}

static void
converted(hid_t file)
{
    hid_t  space = h5_space(1, 4, 0);
    int    ints[4] = {1, -2, 70000, -70000};
    short  shorts[4] = {0};
    double doubles[4] = {0};

    hid_t data = ID(h5.H5Dcreate2(file, "bigendian", H5T_STD_I32BE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints));
    RC(h5.H5Dread(data, H5T_NATIVE_SHORT, H5S_ALL, H5S_ALL, H5P_DEFAULT, shorts));
    RC(h5.H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles));
    for (int i = 0; i < 4; i++)
        printf("  %d as short %d as double %g\n", ints[i], shorts[i], doubles[i]);
    TRY_RC(h5.H5Dread(data, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, doubles));
    RC(h5.H5Dclose(data));
    hid_t narrow = ID(h5.H5Tcopy(H5T_STD_I32LE));
    RC(h5.H5Tset_precision(narrow, 20));
    data = ID(h5.H5Dcreate2(file, "narrow", narrow, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints));
    h5_show_ints("twenty bits of 32", data);
    RC(h5.H5Dclose(data));
    RC(h5.H5Tclose(narrow));

    hid_t colour = ID(h5.H5Tenum_create(H5T_NATIVE_INT));
    int   red = 0, blue = 1, colours[4] = {0, 1, 1, 0};
    RC(h5.H5Tenum_insert(colour, "red", &red));
    RC(h5.H5Tenum_insert(colour, "blue", &blue));
    data = ID(h5.H5Dcreate2(file, "colours", colour, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, colour, H5S_ALL, H5S_ALL, H5P_DEFAULT, colours));
    TRY_RC(h5.H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, ints));
    h5_show_array("enum", ints, 4);
    RC(h5.H5Dclose(data));
    RC(h5.H5Tclose(colour));

    hsize_t three = 3;
    hid_t   array = ID(h5.H5Tarray_create2(H5T_NATIVE_INT, 1, &three));
    int     matrix[12], back[12];
    for (int i = 0; i < 12; i++)
        matrix[i] = i * i;
    data = ID(h5.H5Dcreate2(file, "arrays", array, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Dwrite(data, array, H5S_ALL, H5S_ALL, H5P_DEFAULT, matrix));
    RC(h5.H5Dread(data, array, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    h5_show_array("arrays", back, 12);
    CLOSE(data, array, space);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("types.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    committed(file);
    variable(file);
    converted(file);
    RC(h5.H5Fclose(file));
    return h5_result();
}
