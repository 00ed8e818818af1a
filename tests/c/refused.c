/* A connector that must not start: bad info strings, bad settings, an unsupported library.
 *
 * prog HOST MODE DIR NAME INFO. MODE `env`: the default list, whatever HDF5_VOL_CONNECTOR says. MODE `api`: INFO
 * goes through H5VLconnector_str_to_info and H5Pset_vol. One JSON line per call with result and stack; the
 * calls go on after a failure, because an application does, too. `existing.h5` must be in DIR.
 */
#include "h5api.h"

static long long
report(const char *call, long long result)
{
    printf("{\"call\": \"%s\", \"return\": %d, \"stack\": ", call, result < 0 ? -1 : 0);
    h5_print_stack(stdout);
    printf("}\n");
    return result;
}

#define CALL(label, call) (h5.H5Eclear2(H5E_DEFAULT), report(label, (long long)(call)))

static void
use(hid_t fapl)
{
    hid_t file = CALL("open", h5.H5Fopen("existing.h5", H5F_ACC_RDONLY, fapl));

    h5_note_connector(file);
    if (file >= 0)
        h5.H5Fclose(file);
    file = CALL("create", h5.H5Fcreate("new.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    h5_note_connector(file);
    if (file >= 0)
        h5.H5Fclose(file);
    /* TRUNC over a good file: refused before anything is lost. */
    file = CALL("truncate", h5.H5Fcreate("victim.h5", H5F_ACC_TRUNC, H5P_DEFAULT, fapl));
    if (file >= 0)
        h5.H5Fclose(file);
    CALL("is_accessible", h5.H5Fis_accessible("existing.h5", fapl));
}

int
main(int argc, char **argv)
{
    if (argc < 6 || chdir(argv[3]) != 0 || !h5_load(argv[1]))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    /* The very first call: it starts the library, which is where an environment setting bites. */
    report("H5open", h5.H5open());
    h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (strcmp(argv[2], "env") == 0) {
        use(H5P_DEFAULT);
        return 0;
    }
    hid_t connector = CALL("register", h5.H5VLregister_connector_by_name(argv[4], H5P_DEFAULT));
    if (connector < 0)
        return 0;
    void *info = NULL;
    if (CALL("str_to_info", h5.H5VLconnector_str_to_info(argv[5], connector, &info)) < 0)
        return 0;
    hid_t fapl = h5.H5Pcreate(H5P_FILE_ACCESS);
    if (CALL("set_vol", h5.H5Pset_vol(fapl, connector, info)) >= 0)
        use(fapl);
    if (info)
        h5.H5VLfree_connector_info(connector, info);
    h5.H5Pclose(fapl);
    h5.H5VLclose(connector);
    return 0;
}
