/* See h5api.h. */
#define _GNU_SOURCE
#include "h5api.h"

#include <dlfcn.h>

struct h5_table h5;
int             h5_failures;

void *
h5_load(const char *path)
{
    /* RTLD_LOCAL, as Python does: the plugin must not count on finding HDF5 in the global scope. */
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        fprintf(stderr, "dlopen: %s\n", dlerror());
        return NULL;
    }
#define H5_RESOLVE(result, name, arguments) *(void **)&h5.name = dlsym(library, #name);
    H5_FUNCTIONS(H5_RESOLVE)
#undef H5_RESOLVE
#define H5_RESOLVE(name) h5.name = (const hid_t *)dlsym(library, #name);
    H5_VARIABLES(H5_RESOLVE)
#undef H5_RESOLVE
    return library;
}

void
h5_start(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s HOST MODE DIR [ARGS]\n", argv[0]);
        exit(2);
    }
    if (chdir(argv[3]) != 0) {
        perror(argv[3]);
        exit(2);
    }
    if (!h5_load(argv[1]))
        exit(2);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (h5.H5open() < 0) {
        printf("H5open failed\n");
        exit(1);
    }
    if (!getenv("H5_TEST_PRINTS"))
        h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void
h5_note_connector(hid_t id)
{
    char name[4096] = "?";

    if (id < 0)
        return;
    h5.H5VLget_connector_name(id, name, sizeof name);
    fprintf(stderr, "@connector %s\n", name);
}

void
h5_note_plugins(void)
{
    char  line[1024], last[1024] = "";
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof line, maps)) {
        char *name = strrchr(line, '/');
        if (name && strstr(name, "_vol.so") && strcmp(name, last) != 0) {
            strcpy(last, name);
            fprintf(stderr, "@plugin %s", name + 1);
        }
    }
    if (maps)
        fclose(maps);
}

int
h5_result(void)
{
    if (h5_failures)
        fprintf(stderr, "%d call(s) failed that must not\n", h5_failures);
    return h5_failures ? 1 : 0;
}

static void
diagnose(const char *label)
{
    fprintf(stderr, "%s failed: ", label);
    h5_print_stack(stderr);
    fprintf(stderr, "\n");
}

hid_t
h5_show_id(const char *label, hid_t id, bool must)
{
    printf("%s: %s\n", label, id >= 0 ? "ok" : "FAILED");
    if (id < 0) {
        h5_failures += must;
        diagnose(label);
    }
    return id;
}

long long
h5_show_number(const char *label, long long value, bool must)
{
    printf("%s = %lld\n", label, value);
    if (value < 0) {
        h5_failures += must;
        diagnose(label);
    }
    return value;
}

void
h5_close_all(const char *labels, const hid_t *ids, size_t count)
{
    enum { FILE_ID = 1, GROUP_ID, TYPE_ID, SPACE_ID, DATASET_ID, ATTRIBUTE_ID = 7, LIST_ID = 11 };

    for (size_t i = 0; i < count; i++) {
        herr_t status = -1;

        switch (h5.H5Iget_type(ids[i])) {
            case FILE_ID: status = h5.H5Fclose(ids[i]); break;
            case GROUP_ID: status = h5.H5Gclose(ids[i]); break;
            case TYPE_ID: status = h5.H5Tclose(ids[i]); break;
            case SPACE_ID: status = h5.H5Sclose(ids[i]); break;
            case DATASET_ID: status = h5.H5Dclose(ids[i]); break;
            case ATTRIBUTE_ID: status = h5.H5Aclose(ids[i]); break;
            case LIST_ID: status = h5.H5Pclose(ids[i]); break;
        }
        if (status < 0) {
            char label[256];

            snprintf(label, sizeof label, "closing number %zu of %s", i, labels);
            (void)h5_show_number(label, status, true);
        }
    }
}

static void
print_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; text && *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
    fputc('"', out);
}

static herr_t
print_entry(unsigned n, const H5E_error2_t *entry, void *data)
{
    FILE *out = data;
    char  text[512];

    fprintf(out, "%s{\"class\": ", n ? ", " : "");
    text[0] = 0;
    h5.H5Eget_class_name(entry->cls_id, text, sizeof text);
    print_json_string(out, text);
    text[0] = 0;
    h5.H5Eget_msg(entry->maj_num, NULL, text, sizeof text);
    fprintf(out, ", \"major\": ");
    print_json_string(out, text);
    text[0] = 0;
    h5.H5Eget_msg(entry->min_num, NULL, text, sizeof text);
    fprintf(out, ", \"minor\": ");
    print_json_string(out, text);
    fprintf(out, ", \"function\": ");
    print_json_string(out, entry->func_name);
    fprintf(out, ", \"description\": ");
    print_json_string(out, entry->desc);
    fputc('}', out);
    return 0;
}

void
h5_print_stack(FILE *out)
{
    /* A copy is walked: looking texts up may itself reset the current stack. */
    hid_t stack = h5.H5Eget_current_stack();

    fputc('[', out);
    h5.H5Ewalk2(stack, 0 /* upward: innermost first */, print_entry, out);
    fputc(']', out);
    h5.H5Eclose_stack(stack);
}

hid_t
h5_space(int rank, hsize_t first, hsize_t second)
{
    hsize_t dims[2] = {first, second};

    return h5.H5Screate_simple(rank, dims, NULL);
}

hid_t
h5_make_ints(hid_t location, const char *name, int count, int first)
{
    hid_t space = h5_space(1, (hsize_t)count, 0);
    hid_t dataset =
        h5.H5Dcreate2(location, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int *values = malloc(sizeof(int) * (size_t)count);

    for (int i = 0; i < count; i++)
        values[i] = first + i;
    if (dataset < 0 || h5.H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        h5_failures++;
        diagnose(name);
    }
    free(values);
    h5.H5Sclose(space);
    return dataset;
}

void
h5_show_array(const char *label, const int *values, int count)
{
    printf("%s:", label);
    for (int i = 0; i < count; i++)
        printf(" %d", values[i]);
    printf("\n");
}

void
h5_show_ints(const char *label, hid_t dataset)
{
    hid_t    space = h5.H5Dget_space(dataset);
    hssize_t count = h5.H5Sget_simple_extent_npoints(space);
    int     *values = calloc((size_t)(count > 0 ? count : 1), sizeof(int));

    if (count < 0 || h5.H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        printf("%s: FAILED\n", label);
        h5_failures++;
        diagnose(label);
    }
    else
        h5_show_array(label, values, (int)count);
    free(values);
    h5.H5Sclose(space);
}

hid_t
h5_slab(hid_t dataset, hsize_t start, hsize_t stride, hsize_t count, hsize_t block)
{
    hid_t space = h5.H5Dget_space(dataset);

    h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &count, &block);
    return space;
}
