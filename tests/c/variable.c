/* Variable-length data whose memory is given back in each of the ways that HDF5 offers: who reads takes memory for every value, and the
 * application frees it. Run under valgrind (python/tests/test_memcheck_variable.py): nothing may be lost or used afterwards.
 *
 * MODE is the name of one of the functions at the end. ARG, if there is one, is the layout: contiguous, chunked or gzip.
 */
#include "h5api.h"

#include <fcntl.h>
#include <stddef.h>

enum { COUNT = 6000, CHUNK = 500 };

static const char *layout = "gzip";

typedef struct {
    int   number;
    char *text;
    hvl_t numbers, texts;
} record;

/* Values of every length, some of them none at all, in memory of their own. */
static record *
made(int seed)
{
    record *records = calloc(COUNT, sizeof *records);

    for (int i = 0; i < COUNT; i++) {
        int     length = (i + seed) % 23;
        record *one = &records[i];

        one->number = i * 7 + seed;
        one->text = length == 3 ? NULL : calloc((size_t)length + 1, 1);
        if (one->text)
            memset(one->text, 'a' + i % 26, (size_t)length);
        one->numbers.len = (size_t)(length % 5);
        one->numbers.p = calloc(one->numbers.len + 1, sizeof(int));
        for (size_t j = 0; j < one->numbers.len; j++)
            ((int *)one->numbers.p)[j] = i + (int)j;
        one->texts.len = (size_t)(length % 3);
        one->texts.p = calloc(one->texts.len + 1, sizeof(char *));
        for (size_t j = 0; j < one->texts.len; j++)
            ((char **)one->texts.p)[j] = strdup(one->text ? one->text : "none");
    }
    return records;
}

static void
give_up(record *records)
{
    for (int i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < records[i].texts.len; j++)
            free(((char **)records[i].texts.p)[j]);
        free(records[i].texts.p);
        free(records[i].numbers.p);
        free(records[i].text);
    }
    free(records);
}

static unsigned
mixed(unsigned sum, const char *text)
{
    for (; text && *text; text++)
        sum = sum * 31u + (unsigned char)*text;
    return sum * 31u + (text ? 1u : 2u);
}

static void
show(const char *what, const record *records, int count)
{
    unsigned sum = 1;

    for (int i = 0; i < count; i++) {
        sum = mixed(sum * 31u + (unsigned)records[i].number, records[i].text);
        for (size_t j = 0; j < records[i].numbers.len; j++)
            sum = sum * 31u + (unsigned)((const int *)records[i].numbers.p)[j];
        for (size_t j = 0; j < records[i].texts.len; j++)
            sum = mixed(sum, ((char *const *)records[i].texts.p)[j]);
    }
    printf("%s: %08x\n", what, sum);
}

static hid_t
type_of_records(void)
{
    hid_t text = h5.H5Tcopy(H5T_C_S1), type = ID(h5.H5Tcreate(H5T_COMPOUND, sizeof(record)));

    RC(h5.H5Tset_size(text, H5T_VARIABLE));
    hid_t numbers = ID(h5.H5Tvlen_create(H5T_NATIVE_INT)), texts = ID(h5.H5Tvlen_create(text));

    h5.H5Tinsert(type, "number", offsetof(record, number), H5T_NATIVE_INT);
    h5.H5Tinsert(type, "text", offsetof(record, text), text);
    h5.H5Tinsert(type, "numbers", offsetof(record, numbers), numbers);
    h5.H5Tinsert(type, "texts", offsetof(record, texts), texts);
    CLOSE(text, numbers, texts);
    return type;
}

static hid_t
make(const char *name, hid_t type, const record *records)
{
    hsize_t dims = COUNT, chunk = CHUNK;
    hid_t   dcpl = h5.H5Pcreate(H5P_DATASET_CREATE), space = h5.H5Screate_simple(1, &dims, NULL);

    if (strcmp(layout, "contiguous") != 0)
        h5.H5Pset_chunk(dcpl, 1, &chunk);
    if (strcmp(layout, "gzip") == 0)
        h5.H5Pset_deflate(dcpl, 4);
    hid_t file = ID(h5.H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    hid_t dataset = ID(h5.H5Dcreate2(file, "d", type, space, H5P_DEFAULT, dcpl, H5P_DEFAULT));

    h5_note_connector(file);
    RC(h5.H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, records));
    CLOSE(dcpl, space, dataset);
    return file;
}

/* Reads, shows and frees everything, or a part; `list` may say how memory is taken and given back. */
static void
read_and_reclaim(hid_t dataset, hid_t type, hsize_t count, hid_t list, bool old_function)
{
    record *records = calloc(COUNT, sizeof *records);
    hsize_t start = 0, dims = COUNT;
    hid_t   in_file = h5.H5Dget_space(dataset), in_memory = h5.H5Screate_simple(1, &dims, NULL);

    h5.H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &start, NULL, &count, NULL);
    h5.H5Sselect_hyperslab(in_memory, H5S_SELECT_SET, &start, NULL, &count, NULL);
    RC(h5.H5Dread(dataset, type, in_memory, in_file, list, records));
    show("read", records, (int)count);
    if (old_function)
        RC(h5.H5Dvlen_reclaim(type, in_memory, list, records));
    else
        RC(h5.H5Treclaim(type, in_memory, list, records));
    CLOSE(in_file, in_memory);
    free(records);
}

/* Memory from malloc, freed by either function; then values that are freed one by one. */
static void
reclaim(void)
{
    record *records = made(1);
    hid_t   type = type_of_records(), file = make("reclaim.h5", type, records);

    CLOSE(file);
    file = ID(h5.H5Fopen("reclaim.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    hid_t dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));

    for (int old = 0; old < 2; old++) {
        read_and_reclaim(dataset, type, COUNT, H5P_DEFAULT, old);
        read_and_reclaim(dataset, type, 17, H5P_DEFAULT, old);
        read_and_reclaim(dataset, type, 0, H5P_DEFAULT, old);
    }
    record *found = calloc(COUNT, sizeof *found);

    RC(h5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    show("read", found, COUNT);
    give_up(found);
    CLOSE(dataset, file, type);
    give_up(records);
}

typedef struct {
    int taken, given_back, refused, most;
} account;

static void *
take(size_t size, void *of)
{
    account *with = of;

    if (with->taken == with->most) {
        with->refused++;
        return NULL;
    }
    with->taken++;
    return malloc(size);
}

static void
give_back(void *memory, void *of)
{
    ((account *)of)->given_back += memory != NULL;
    free(memory);
}

/* The application's own functions, the last time with too little memory. What a failed read has taken it must have given back, or
 * have left in the elements. */
static void
own(void)
{
    record *records = made(2);
    hid_t   type = type_of_records(), file = make("own.h5", type, records), list = h5.H5Pcreate(H5P_DATASET_XFER);
    account with = {.most = 1 << 30};

    CLOSE(file);
    RC(h5.H5Pset_vlen_mem_manager(list, take, &with, give_back, &with));
    file = ID(h5.H5Fopen("own.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    hid_t dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));

    for (int old = 0; old < 2; old++) {
        read_and_reclaim(dataset, type, COUNT, list, old);
        printf("taken %d, given back %d\n", with.taken, with.given_back);
    }
    account little = {.most = 100};
    record *found = calloc(COUNT, sizeof *found);

    RC(h5.H5Pset_vlen_mem_manager(list, take, &little, give_back, &little));
    TRY_RC(h5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, list, found) < 0);
    printf("refused: %d\n", little.refused > 0);
    free(found);
    CLOSE(dataset, file, list, type);
    give_up(records);
}

/* A file that is open for writing: values are read before they are flushed, and overwritten. */
static void
overwrite(void)
{
    record *first = made(3), *second = made(4);
    hid_t   type = type_of_records(), file = make("overwrite.h5", type, first), dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));

    read_and_reclaim(dataset, type, COUNT, H5P_DEFAULT, false);
    for (int turn = 0; turn < 3; turn++) {
        RC(h5.H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, turn % 2 ? first : second));
        if (turn == 1)
            RC(h5.H5Fflush(file, H5F_SCOPE_LOCAL));
        read_and_reclaim(dataset, type, COUNT, H5P_DEFAULT, turn % 2);
    }
    CLOSE(dataset, file);
    file = ID(h5.H5Fopen("overwrite.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));
    read_and_reclaim(dataset, type, COUNT, H5P_DEFAULT, false);
    CLOSE(dataset, file, type);
    give_up(first);
    give_up(second);
}

/* A heap collection in the middle of the file that is none any more: the read fails, and nothing of it stays behind. */
static void
damaged(void)
{
    record *records = made(5);
    hid_t   type = type_of_records(), file = make("damaged.h5", type, records);

    CLOSE(file);
    int    raw = open("damaged.h5", O_RDWR), collections = 0;
    off_t  length = lseek(raw, 0, SEEK_END);
    char  *bytes = malloc((size_t)length);
    size_t read_bytes = (size_t)pread(raw, bytes, (size_t)length, 0);

    for (size_t at = 0; at + 4 < read_bytes; at++)
        if (memcmp(bytes + at, "GCOL", 4) == 0 && ++collections == 3)
            printf("damaged: %zd\n", pwrite(raw, "LOCG", 4, (off_t)at));
    close(raw);
    free(bytes);

    record *found = calloc(COUNT, sizeof *found);

    file = ID(h5.H5Fopen("damaged.h5", H5F_ACC_RDONLY, H5P_DEFAULT));
    hid_t dataset = ID(h5.H5Dopen2(file, "d", H5P_DEFAULT));

    TRY_RC(h5.H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, found));
    free(found);
    read_and_reclaim(dataset, type, 17, H5P_DEFAULT, false);
    CLOSE(dataset, file, type);
    give_up(records);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"reclaim", reclaim}, {"own", own}, {"overwrite", overwrite}, {"damaged", damaged}};

    h5_start(argc, argv);
    if (argc > 4)
        layout = argv[4];
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[2], modes[i].name) == 0)
            modes[i].run();
    return h5_result();
}
