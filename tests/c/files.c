/* Files: every call that takes a file name or a file id, and what a file id remembers.
 *
 * DESIGN section 7: file_specific with a NULL object (H5Fis_accessible, H5Fdelete), H5Freopen, mounts,
 * H5Fflush on any object, descriptors that are not sec2's. MODE is unused.
 */
#include "h5api.h"

#include <sys/stat.h>

static void
show_name(hid_t id)
{
    char    file[256] = "?", path[256] = "?";
    ssize_t length = h5.H5Fget_name(id, file, sizeof file);

    printf("file %s (%zd)", file, length);
    length = h5.H5Iget_name(id, path, sizeof path);
    printf(" path %s (%zd) type %d\n", path, length, h5.H5Iget_type(id));
}

/* The descriptor the application gets is the file's own, not a copy of some other. */
static void
show_descriptor(hid_t file, const char *path)
{
    void       *handle = NULL;
    struct stat a, b;

    RC(h5.H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
    if (handle && fstat(*(int *)handle, &a) == 0 && stat(path, &b) == 0)
        printf("descriptor of %s: %s\n", path, a.st_ino == b.st_ino && a.st_dev == b.st_dev ? "same inode" : "OTHER");
}

static void
reachable(void)
{
    FILE *text = fopen("text.txt", "w");

    fputs("not HDF5, but long enough to be looked at by a reader of signatures\n", text);
    fclose(text);
    TRY_RC(h5.H5Fis_accessible("missing.h5", H5P_DEFAULT));
    TRY_RC(h5.H5Fis_accessible("text.txt", H5P_DEFAULT));
    TRY_RC(h5.H5Fis_accessible(".", H5P_DEFAULT));
    TRY_RC(h5.H5Fis_accessible("plain.h5", H5P_DEFAULT));
    if (HAVE(H5Fis_hdf5))
        TRY_RC(h5.H5Fis_hdf5("plain.h5"));
    TRY_RC(h5.H5Fdelete("missing.h5", H5P_DEFAULT));
    TRY_RC(h5.H5Fdelete("text.txt", H5P_DEFAULT));
    TRY_ID(h5.H5Fcreate("plain.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT));
    hid_t doomed = ID(h5.H5Fcreate("doomed.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    RC(h5.H5Fclose(doomed));
    RC(h5.H5Fdelete("doomed.h5", H5P_DEFAULT));
    TRY_RC(h5.H5Fis_accessible("doomed.h5", H5P_DEFAULT));
}

/* What the application set is what it gets back. */
static void
properties(void)
{
    hid_t   fapl = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    hid_t   fcpl = ID(h5.H5Pcreate(H5P_FILE_CREATE));
    size_t  sieve = 0;
    hsize_t userblock = 0;
    int     degree = -1;

    RC(h5.H5Pset_sieve_buf_size(fapl, 12345));
    RC(h5.H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG));
    RC(h5.H5Pset_userblock(fcpl, 1024));
    hid_t file = ID(h5.H5Fcreate("props.h5", H5F_ACC_TRUNC, fcpl, fapl));
    h5_note_connector(file);
    hid_t data = h5_make_ints(file, "d", 5, 100);
    hid_t fapl2 = ID(h5.H5Fget_access_plist(file));
    hid_t fcpl2 = ID(h5.H5Fget_create_plist(file));
    RC(h5.H5Pget_sieve_buf_size(fapl2, &sieve));
    RC(h5.H5Pget_fclose_degree(fapl2, &degree));
    RC(h5.H5Pget_userblock(fcpl2, &userblock));
    printf("sieve %zu degree %d userblock %llu\n", sieve, degree, (unsigned long long)userblock);
    printf("same driver: %d\n", h5.H5Pget_driver(fapl) == h5.H5Pget_driver(fapl2));
    h5_show_ints("behind a user block", data);
    /* Strong close: the file takes its open objects with it. */
    RC(h5.H5Fclose(file));
    TRY_RC(h5.H5Iis_valid(data));
    /* A list taken from an open file opens the next one. */
    file = ID(h5.H5Fopen("props.h5", H5F_ACC_RDONLY, fapl2));
    h5_note_connector(file);
    CLOSE(file, fapl, fapl2, fcpl, fcpl2);
}

static void
reopened(void)
{
    unsigned      intent = 99;
    unsigned long one = 1, two = 2;
    int           values[4] = {7, 7, 7, 7};

    hid_t file = ID(h5.H5Fopen("plain.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    h5_note_connector(file);
    hid_t again = ID(h5.H5Freopen(file));
    h5_note_connector(again);
    RC(h5.H5Fget_intent(again, &intent));
    RC(h5.H5Fget_fileno(file, &one));
    RC(h5.H5Fget_fileno(again, &two));
    printf("intent %u, same file number: %d\n", intent, one == two);
    hid_t writer = ID(h5.H5Dopen2(file, "ints", H5P_DEFAULT));
    hid_t reader = ID(h5.H5Dopen2(again, "ints", H5P_DEFAULT));
    RC(h5.H5Dwrite(writer, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    h5_show_ints("written by one handle, read by the other", reader);
    hid_t second = ID(h5.H5Fopen("plain.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    hid_t third = ID(h5.H5Dopen2(second, "ints", H5P_DEFAULT));
    h5_show_ints("opened a second time", third);
    TRY_ID(h5.H5Fcreate("plain.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CLOSE(third, second, file);
    /* Weak close: the dataset keeps the file open. */
    h5_show_ints("after its file id is closed", writer);
    hid_t owner = ID(h5.H5Iget_file_id(writer));
    h5_note_connector(owner);
    show_name(owner);
    show_name(writer);
    RC(h5.H5Fflush(writer, H5F_SCOPE_GLOBAL));
    CLOSE(writer, reader, owner, again);
}

static void
counted(void)
{
    hid_t ids[16];
    hid_t file = ID(h5.H5Fopen("plain.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    hid_t group = ID(h5.H5Gopen2(file, "/", H5P_DEFAULT));
    hid_t data = ID(h5.H5Dopen2(file, "ints", H5P_DEFAULT));
    hid_t space = h5_space(1, 1, 0);
    hid_t attribute = ID(h5.H5Acreate2(data, "a", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT));

    RC(h5.H5Fget_obj_count(file, H5F_OBJ_ALL));
    RC(h5.H5Fget_obj_count(file, H5F_OBJ_DATASET));
    RC(h5.H5Fget_obj_count(file, H5F_OBJ_ATTR));
    RC(h5.H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    ssize_t count = h5.H5Fget_obj_ids(file, H5F_OBJ_ALL, 16, ids);
    int     kinds[16] = {0};
    for (ssize_t i = 0; i < count; i++)
        kinds[h5.H5Iget_type(ids[i]) & 15]++;
    h5_show_array("kinds of open objects", kinds, 12);
    RC(h5.H5Fget_obj_ids(file, H5F_OBJ_DATASET, 16, ids));
    printf("the id given out is the application's own: %d\n", ids[0] == data);
    RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
    RC(h5.H5Fflush(group, H5F_SCOPE_LOCAL));
    RC(h5.H5Fflush(data, H5F_SCOPE_LOCAL));
    RC(h5.H5Fflush(attribute, H5F_SCOPE_LOCAL));
    show_descriptor(file, "plain.h5");
    hsize_t size = 0;
    haddr_t end = 0;
    size_t  most, least, current;
    int     entries;
    RC(h5.H5Fget_filesize(file, &size));
    RC(h5.H5Fget_eoa(file, &end));
    printf("has a size: %d, an end: %d\n", size > 0, end > 0 && end != HADDR_UNDEF);
    printf("free space known: %d\n", h5.H5Fget_freespace(file) >= 0);
    RC(h5.H5Fget_mdc_size(file, &most, &least, &current, &entries));
    printf("file image: %d\n", h5.H5Fget_file_image(file, NULL, 0) > 0);
    RC(h5.H5Fset_libver_bounds(file, H5F_LIBVER_V18, H5F_LIBVER_V114));
    RC(h5.H5Aclose(attribute));
    RC(h5.H5Adelete(data, "a"));
    RC(h5.H5Dclose(data));
    RC(h5.H5Gclose(group));
    RC(h5.H5Fget_obj_count(file, H5F_OBJ_ALL));
    RC(h5.H5Fclose(file));
    h5.H5Sclose(space);
}

static void
mounted(void)
{
    hid_t parent = ID(h5.H5Fcreate("parent.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t child = ID(h5.H5Fcreate("child.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t point = ID(h5.H5Gcreate2(parent, "mnt", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));

    RC(h5.H5Dclose(h5_make_ints(child, "inner", 4, 40)));
    RC(h5.H5Dclose(h5_make_ints(point, "hidden", 2, 90)));
    RC(h5.H5Gclose(point));
    RC(h5.H5Fmount(parent, "mnt", child, H5P_DEFAULT));
    TRY_RC(h5.H5Fmount(parent, "mnt", child, H5P_DEFAULT));
    hid_t data = ID(h5.H5Dopen2(parent, "/mnt/inner", H5P_DEFAULT));
    h5_show_ints("through the mount", data);
    show_name(data);
    hid_t group = ID(h5.H5Gopen2(parent, "mnt", H5P_DEFAULT));
    show_name(group);
    TRY_RC(h5.H5Lexists(parent, "mnt/hidden", H5P_DEFAULT));
    RC(h5.H5Dclose(h5_make_ints(group, "new", 3, 60)));
    RC(h5.H5Gclose(group));
    RC(h5.H5Dclose(data));
    /* By an object id instead of the file's. */
    RC(h5.H5Funmount(parent, "mnt"));
    TRY_RC(h5.H5Funmount(parent, "mnt"));
    TRY_RC(h5.H5Lexists(parent, "mnt/hidden", H5P_DEFAULT));
    group = ID(h5.H5Gopen2(parent, "mnt", H5P_DEFAULT));
    RC(h5.H5Fmount(group, ".", child, H5P_DEFAULT));
    TRY_RC(h5.H5Lexists(parent, "mnt/new", H5P_DEFAULT));
    RC(h5.H5Gclose(group));
    RC(h5.H5Funmount(parent, "mnt"));
    RC(h5.H5Fclose(child));
    RC(h5.H5Fclose(parent));
}

/* A driver that has no descriptor, several, or another kind of handle. */
static void
drivers(void)
{
    hid_t core = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    hid_t family = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    hid_t stdio = ID(h5.H5Pcreate(H5P_FILE_ACCESS));

    RC(h5.H5Pset_fapl_core(core, 4096, false));
    RC(h5.H5Pset_fapl_family(family, 2048, H5P_DEFAULT));
    RC(h5.H5Pset_fapl_stdio(stdio));
    const char *names[] = {"core.h5", "family%d.h5", "stdio.h5"};
    hid_t       lists[] = {core, family, stdio};
    for (int i = 0; i < 3; i++) {
        printf("-- %s\n", names[i]);
        hid_t file = ID(h5.H5Fcreate(names[i], H5F_ACC_TRUNC, H5P_DEFAULT, lists[i]));
        h5_note_connector(file);
        hid_t data = h5_make_ints(file, "d", 1000, i);
        RC(h5.H5Fflush(file, H5F_SCOPE_GLOBAL));
        hid_t space = h5_slab(data, 3, 100, 5, 2);
        hid_t memory = h5_space(1, 10, 0);
        int   values[10];
        RC(h5.H5Dread(data, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, values));
        h5_show_array("some", values, 10);
        CLOSE(space, memory, data, file);
        TRY_RC(h5.H5Fis_accessible(names[i], lists[i]));
        file = TRY_ID(h5.H5Fopen(names[i], H5F_ACC_RDONLY, lists[i]));
        if (file >= 0)
            RC(h5.H5Fclose(file));
        RC(h5.H5Pclose(lists[i]));
    }
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    hid_t file = ID(h5.H5Fcreate("plain.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    h5_note_connector(file);
    RC(h5.H5Dclose(h5_make_ints(file, "ints", 4, 1)));
    RC(h5.H5Fclose(file));
    reachable();
    properties();
    reopened();
    counted();
    mounted();
    drivers();
    return h5_result();
}
