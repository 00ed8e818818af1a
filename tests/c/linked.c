/* A program that is linked to libhdf5, as most C programs are, and not one that loads it. Naming a variable such as
 * H5T_NATIVE_INT_g makes the linker put it into the executable: what the library itself has under that name is never set.
 *
 * Reads or writes one element after the other of the dataset `name`, through variables of the library.
 *
 *     linked (read | write) FILE NAME COUNT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t hid_t;

extern hid_t H5T_NATIVE_INT_g, H5P_LST_DATASET_XFER_ID_g;

int H5open(void);
hid_t H5Fopen(const char *name, unsigned flags, hid_t access);
hid_t H5Dopen2(hid_t location, const char *name, hid_t access);
hid_t H5Dget_space(hid_t dataset);
hid_t H5Screate_simple(int rank, const uint64_t *dims, const uint64_t *largest);
int H5Sselect_hyperslab(hid_t space, int how, const uint64_t *start, const uint64_t *stride, const uint64_t *count,
                        const uint64_t *block);
int H5Dread(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t transfer, void *buffer);
int H5Dwrite(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t transfer, const void *buffer);
int H5Dclose(hid_t dataset);
int H5Sclose(hid_t space);
int H5Fclose(hid_t file);

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    int writes = strcmp(argv[1], "write") == 0;
    H5open();
    hid_t file = H5Fopen(argv[2], (unsigned)writes, 0), dataset = H5Dopen2(file, argv[3], 0);
    uint64_t one = 1, count = strtoull(argv[4], NULL, 10);
    hid_t memory = H5Screate_simple(1, &one, NULL), space = H5Dget_space(dataset);
    for (uint64_t place = 0; place < count; place++) {
        int value = (int)place * 3;
        H5Sselect_hyperslab(space, 0, &place, NULL, &one, NULL);
        /* Both ways to say that there is no transfer property list. */
        hid_t transfer = place % 2 ? H5P_LST_DATASET_XFER_ID_g : 0;
        int status = writes ? H5Dwrite(dataset, H5T_NATIVE_INT_g, memory, space, transfer, &value)
                            : H5Dread(dataset, H5T_NATIVE_INT_g, memory, space, transfer, &value);
        if (status < 0)
            return 3;
        if (!writes)
            printf("%d\n", value);
    }
    return H5Sclose(space) + H5Sclose(memory) + H5Dclose(dataset) + H5Fclose(file) ? 4 : 0;
}
