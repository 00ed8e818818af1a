/* Choosing the connector: every way an application can name it, and what the library then says about it.
 *
 * prog HOST MODE DIR NAME VALUE INFO [INFO2]. Nothing here is compared with native, apart from `query`: the
 * pytest side asserts the lines. Run without HDF5_VOL_CONNECTOR except for `env`, `query`.
 */
#include "h5api.h"

static const char *name, *info_text, *other_text;
static int         value;

static void
show_connector(hid_t id)
{
    char text[64] = "?";

    RC(h5.H5VLget_connector_name(id, text, sizeof text));
    printf("connector: %s\n", text);
    h5_note_connector(id);
}

/* Writes and reads a file with the list, then reads it natively by an explicit native list. */
static void
use(hid_t fapl, const char *path)
{
    hid_t file = ID(h5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl));

    if (file < 0)
        return;
    show_connector(file);
    hid_t data = h5_make_ints(file, "d", 3, 5);
    show_connector(data);
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
    file = ID(h5.H5Fopen(path, H5F_ACC_RDWR, fapl));
    show_connector(file);
    data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    h5_show_ints("through the connector", data);
    /* The list of an open file names the connector too. */
    hid_t back = ID(h5.H5Fget_access_plist(file));
    hid_t id = -1, its = ID(h5.H5VLget_connector_id(file));
    int   different = 99;
    RC(h5.H5Pget_vol_id(back, &id));
    RC(h5.H5VLcmp_connector_cls(&different, id, its));
    printf("the file's list names its connector: %d\n", different == 0);
    RC(h5.H5VLclose(id));
    RC(h5.H5VLclose(its));
    CLOSE(back, data, file);
}

static hid_t
list_with(hid_t connector, const char *text)
{
    hid_t fapl = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    void *info = NULL;

    if (text) {
        RC(h5.H5VLconnector_str_to_info(text, connector, &info));
        printf("info made: %d\n", info != NULL);
    }
    RC(h5.H5Pset_vol(fapl, connector, info));
    if (info)
        RC(h5.H5VLfree_connector_info(connector, info));
    return fapl;
}

static void
registered(hid_t connector, const char *text)
{
    TRY_RC(h5.H5VLis_connector_registered_by_name(name));
    TRY_RC(h5.H5VLis_connector_registered_by_value(value));
    hid_t by_name = ID(h5.H5VLget_connector_id_by_name(name));
    hid_t by_value = ID(h5.H5VLget_connector_id_by_value(value));
    int   a = 99, b = 99;
    RC(h5.H5VLcmp_connector_cls(&a, connector, by_name));
    RC(h5.H5VLcmp_connector_cls(&b, connector, by_value));
    printf("all the same class: %d\n", a == 0 && b == 0);
    RC(h5.H5VLclose(by_name));
    RC(h5.H5VLclose(by_value));
    hid_t fapl = list_with(connector, text);
    hid_t id = -1;
    RC(h5.H5Pget_vol_id(fapl, &id));
    RC(h5.H5VLcmp_connector_cls(&a, connector, id));
    printf("the list names the connector: %d\n", a == 0);
    RC(h5.H5VLclose(id));
    /* The list keeps the connector alive. */
    RC(h5.H5VLclose(connector));
    use(fapl, "chosen.h5");
    RC(h5.H5Pclose(fapl));
    hid_t file = ID(h5.H5Fopen("chosen.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    hid_t data = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    h5_show_ints("by the default list", data);
    RC(h5.H5Dclose(data));
    RC(h5.H5Fclose(file));
}

/* Registered, used and let go over and over: nothing may be left of the last time. */
static void
again(void)
{
    for (int i = 0; i < 40; i++) {
        hid_t connector = i % 2 ? h5.H5VLregister_connector_by_name(name, H5P_DEFAULT)
                                : h5.H5VLregister_connector_by_value(value, H5P_DEFAULT);
        void *info = NULL;
        hid_t fapl = h5.H5Pcreate(H5P_FILE_ACCESS);
        if (connector < 0 || h5.H5VLconnector_str_to_info(info_text, connector, &info) < 0 ||
            h5.H5Pset_vol(fapl, connector, info) < 0)
            h5_failures++;
        h5.H5VLfree_connector_info(connector, info);
        if (i % 3) {
            hid_t file = h5.H5Fcreate("again.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
            h5_failures += file < 0 || h5.H5Fclose(file) < 0;
        }
        h5_failures += h5.H5Pclose(fapl) < 0 || h5.H5VLclose(connector) < 0;
    }
    printf("failures: %d\n", h5_failures);
    TRY_RC(h5.H5VLis_connector_registered_by_name(name));
    hid_t one = ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT));
    hid_t two = ID(h5.H5VLregister_connector_by_value(value, H5P_DEFAULT));
    RC(h5.H5VLclose(one));
    TRY_RC(h5.H5VLis_connector_registered_by_name(name));
    registered(two, info_text);
}

/* Info to text and back, and through a property list. */
static void
round_trip(void)
{
    hid_t connector = ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT));
    void *info = NULL, *kept = NULL, *second = NULL;
    char *text = NULL, *text2 = NULL, *text3 = NULL;

    RC(h5.H5VLconnector_str_to_info(info_text, connector, &info));
    RC(h5.H5VLconnector_info_to_str(info, connector, &text));
    printf("text: %s\n", text ? text : "(null)");
    hid_t fapl = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    RC(h5.H5Pset_vol(fapl, connector, info));
    hid_t copy = ID(h5.H5Pcopy(fapl));
    RC(h5.H5Pclose(fapl));
    RC(h5.H5Pget_vol_info(copy, &kept));
    RC(h5.H5VLconnector_info_to_str(kept, connector, &text2));
    printf("text through a list: %s\n", text2 ? text2 : "(null)");
    if (text)
        RC(h5.H5VLconnector_str_to_info(text, connector, &second));
    RC(h5.H5VLconnector_info_to_str(second, connector, &text3));
    printf("text of the text: %s\n", text3 ? text3 : "(null)");
    use(copy, "round_trip.h5");
    RC(h5.H5VLfree_connector_info(connector, info));
    RC(h5.H5VLfree_connector_info(connector, kept));
    RC(h5.H5VLfree_connector_info(connector, second));
    h5.H5free_memory(text);
    h5.H5free_memory(text2);
    h5.H5free_memory(text3);
    RC(h5.H5Pclose(copy));
    RC(h5.H5VLclose(connector));
}

static void
equal(void)
{
    hid_t connector = ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT));
    hid_t one = list_with(connector, info_text);
    hid_t same = list_with(connector, info_text);
    hid_t different = list_with(connector, other_text);
    hid_t native = ID(h5.H5Pcreate(H5P_FILE_ACCESS));
    hid_t copy = ID(h5.H5Pcopy(one));

    printf("equal infos: %d\n", h5.H5Pequal(one, same));
    printf("a copy: %d\n", h5.H5Pequal(one, copy));
    printf("different infos: %d\n", h5.H5Pequal(one, different));
    printf("native: %d\n", h5.H5Pequal(one, native));
    use(different, "different.h5");
    CLOSE(one, same, different, native, copy);
    RC(h5.H5VLclose(connector));
}

/* What optional operations and capabilities are announced; compared with native's. */
static void
query(void)
{
    hid_t    file = ID(h5.H5Fcreate("query.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t    group = ID(h5.H5Gopen2(file, "/", H5P_DEFAULT));
    hid_t    data = h5_make_ints(file, "d", 1, 1);
    uint64_t flags, capabilities = 0;
    hid_t    ids[] = {data, file, group, data};
    int      classes[] = {4 /* dataset */, 6 /* file */, 7 /* group */, 9 /* object */};
    bool     native = false;

    h5_note_connector(file);
    for (int c = 0; c < 4; c++)
        for (int operation = 0; operation < 14; operation++) {
            flags = 0;
            int result = h5.H5VLquery_optional(ids[c], classes[c], operation, &flags);
            printf("class %d operation %d: %d %llx\n", classes[c], operation, result, (unsigned long long)flags);
        }
    if (HAVE(H5Pget_vol_cap_flags)) {
        hid_t fapl = ID(h5.H5Fget_access_plist(file));
        RC(h5.H5Pget_vol_cap_flags(fapl, &capabilities));
        fprintf(stderr, "@capabilities %llx\n", (unsigned long long)capabilities);
        RC(h5.H5Pclose(fapl));
    }
    RC(h5.H5VLobject_is_native(data, &native));
    printf("native object: %d\n", native);
    CLOSE(data, group, file);
}

int
main(int argc, char **argv)
{
    h5_start(argc, argv);
    if (argc < 7)
        return 2;
    const char *mode = argv[2];
    name = argv[4];
    value = atoi(argv[5]);
    info_text = argv[6];
    other_text = argc > 7 ? argv[7] : "";
    if (strcmp(mode, "by_name") == 0)
        registered(ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT)), info_text);
    else if (strcmp(mode, "by_value") == 0)
        registered(ID(h5.H5VLregister_connector_by_value(value, H5P_DEFAULT)), info_text);
    else if (strcmp(mode, "null_info") == 0)
        registered(ID(h5.H5VLregister_connector_by_name(name, H5P_DEFAULT)), NULL);
    else if (strcmp(mode, "env") == 0)
        use(H5P_DEFAULT, "env.h5");
    else if (strcmp(mode, "again") == 0)
        again();
    else if (strcmp(mode, "round_trip") == 0)
        round_trip();
    else if (strcmp(mode, "equal") == 0)
        equal();
    else if (strcmp(mode, "query") == 0)
        query();
    else
        return 2;
    return h5_result();
}
