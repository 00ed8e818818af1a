/* A libhdf5 chosen at run time, and what the test programs share: printing, error stacks, small data.
 *
 * Output contract with python/tests/helpers/run_c.py:
 *   stdout   what is compared between native and connector, so never an id, address, time or pointer;
 *   stderr   "@connector NAME" for every file the program opened (proof of who served it), other notes, diagnosis;
 *   exit     0 when everything that must succeed did, 1 otherwise.
 */
#ifndef H5API_H
#define H5API_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

typedef int64_t  hid_t;
typedef int      herr_t;
typedef int      htri_t;
typedef uint64_t hsize_t;
typedef int64_t  hssize_t;
typedef uint64_t haddr_t;

typedef struct {
    uint8_t data[16];
} H5O_token_t;

typedef struct {
    union {
        uint8_t data[64];
        int64_t align;
    } u;
} H5R_ref_t;

typedef struct {
    unsigned long fileno;
    H5O_token_t   token;
    int           type;
    unsigned      rc;
    time_t        atime, mtime, ctime, btime;
    hsize_t       num_attrs;
} H5O_info2_t;

typedef struct {
    int     type;
    bool    corder_valid;
    int64_t corder;
    int     cset;
    union {
        H5O_token_t token;
        size_t      val_size;
    } u;
} H5L_info2_t;

typedef struct {
    int     storage_type;
    hsize_t nlinks;
    int64_t max_corder;
    bool    mounted;
} H5G_info_t;

typedef struct {
    bool     corder_valid;
    uint32_t corder;
    int      cset;
    hsize_t  data_size;
} H5A_info_t;

typedef struct {
    hid_t       cls_id, maj_num, min_num;
    unsigned    line;
    const char *func_name, *file_name, *desc;
} H5E_error2_t;

typedef struct {
    size_t len;
    void  *p;
} hvl_t;

typedef struct {
    const char *api_name;
    char       *api_args;
    const char *app_file_name, *app_func_name;
    unsigned    app_line_num;
    uint64_t    op_ins_count, op_ins_ts, op_exec_ts, op_exec_time;
} H5ES_op_info_t;

typedef struct {
    char    *api_name, *api_args, *app_file_name, *app_func_name;
    unsigned app_line_num;
    uint64_t op_ins_count, op_ins_ts, op_exec_ts, op_exec_time;
    hid_t    err_stack_id;
} H5ES_err_info_t;

typedef int (*H5ES_event_insert_func_t)(const H5ES_op_info_t *op_info, void *ctx);
typedef int (*H5ES_event_complete_func_t)(const H5ES_op_info_t *op_info, int status, hid_t err_stack, void *ctx);
typedef herr_t (*H5E_walk2_t)(unsigned n, const H5E_error2_t *entry, void *data);
typedef herr_t (*H5L_iterate2_t)(hid_t group, const char *name, const H5L_info2_t *info, void *data);
typedef herr_t (*H5O_iterate2_t)(hid_t object, const char *name, const H5O_info2_t *info, void *data);
typedef herr_t (*H5A_operator2_t)(hid_t location, const char *name, const H5A_info_t *info, void *data);
typedef int (*H5D_chunk_iter_op_t)(const hsize_t *offset, unsigned filter_mask, haddr_t addr, hsize_t size,
                                   void *data);

#include "h5functions.h"

struct h5_table {
#define H5_FIELD(result, name, arguments) result(*name) arguments;
    H5_FUNCTIONS(H5_FIELD)
#undef H5_FIELD
#define H5_FIELD(name) const hid_t *name;
    H5_VARIABLES(H5_FIELD)
#undef H5_FIELD
};

/* The loaded library. Every call reads `h5.H5Fopen(...)`. */
extern struct h5_table h5;

#define H5T_NATIVE_INT (*h5.H5T_NATIVE_INT_g)
#define H5T_NATIVE_SHORT (*h5.H5T_NATIVE_SHORT_g)
#define H5T_NATIVE_DOUBLE (*h5.H5T_NATIVE_DOUBLE_g)
#define H5T_NATIVE_FLOAT (*h5.H5T_NATIVE_FLOAT_g)
#define H5T_NATIVE_UCHAR (*h5.H5T_NATIVE_UCHAR_g)
#define H5T_STD_I32BE (*h5.H5T_STD_I32BE_g)
#define H5T_STD_I32LE (*h5.H5T_STD_I32LE_g)
#define H5T_IEEE_F64BE (*h5.H5T_IEEE_F64BE_g)
#define H5T_C_S1 (*h5.H5T_C_S1_g)
#define H5T_STD_REF (*h5.H5T_STD_REF_g)
#define H5T_STD_REF_OBJ (*h5.H5T_STD_REF_OBJ_g)
#define H5T_STD_REF_DSETREG (*h5.H5T_STD_REF_DSETREG_g)
#define H5P_FILE_ACCESS (*h5.H5P_CLS_FILE_ACCESS_ID_g)
#define H5P_FILE_CREATE (*h5.H5P_CLS_FILE_CREATE_ID_g)
#define H5P_DATASET_CREATE (*h5.H5P_CLS_DATASET_CREATE_ID_g)
#define H5P_DATASET_ACCESS (*h5.H5P_CLS_DATASET_ACCESS_ID_g)
#define H5P_DATASET_XFER (*h5.H5P_CLS_DATASET_XFER_ID_g)
#define H5P_GROUP_CREATE (*h5.H5P_CLS_GROUP_CREATE_ID_g)
#define H5P_LINK_CREATE (*h5.H5P_CLS_LINK_CREATE_ID_g)
#define H5P_LINK_ACCESS (*h5.H5P_CLS_LINK_ACCESS_ID_g)
#define H5P_OBJECT_COPY (*h5.H5P_CLS_OBJECT_COPY_ID_g)

enum {
    H5P_DEFAULT = 0,
    H5S_ALL = 0,
    H5S_BLOCK = 1,
    H5S_PLIST = 2,
    H5E_DEFAULT = 0,
    H5ES_NONE = 0,
    H5L_SAME_LOC = 0,
    H5F_ACC_RDONLY = 0,
    H5F_ACC_RDWR = 1,
    H5F_ACC_TRUNC = 2,
    H5F_ACC_EXCL = 4,
    H5F_ACC_SWMR_WRITE = 0x20,
    H5F_ACC_SWMR_READ = 0x40,
    H5F_OBJ_FILE = 1,
    H5F_OBJ_DATASET = 2,
    H5F_OBJ_GROUP = 4,
    H5F_OBJ_DATATYPE = 8,
    H5F_OBJ_ATTR = 16,
    H5F_OBJ_ALL = 31,
    H5F_SCOPE_LOCAL = 0,
    H5F_SCOPE_GLOBAL = 1,
    H5F_LIBVER_V18 = 1,
    H5F_LIBVER_V110 = 2,
    H5F_LIBVER_V114 = 4,
    H5F_CLOSE_STRONG = 3,
    H5_INDEX_NAME = 0,
    H5_INDEX_CRT_ORDER = 1,
    H5_ITER_INC = 0,
    H5O_INFO_BASIC = 1,
    H5O_INFO_ALL = 0x1f,
    H5S_SELECT_SET = 0,
    H5S_SELECT_OR = 1,
    H5R_OBJECT1 = 0,
    H5R_DATASET_REGION1 = 1,
    H5T_COMPOUND = 6,
};
#define H5S_UNLIMITED ((hsize_t)-1)
#define HADDR_UNDEF ((haddr_t)-1)
#define H5T_VARIABLE ((size_t)-1)

/* Loads the library at `path` and fills the table; returns the dlopen handle, NULL after a message. */
void *h5_load(const char *path);

/* Usual start of a program `prog HOST MODE DIR [ARGS]`: checks the arguments, enters DIR, loads HOST,
 * turns automatic error printing off, unless the environment has H5_TEST_PRINTS. Exits with 2 when that is impossible. */
void h5_start(int argc, char **argv);

/* Prints "@connector NAME" for the file or object to stderr. */
void h5_note_connector(hid_t id);

/* Prints "@plugin NAME" to stderr for every VOL plugin mapped into the process: proof that one was tried. */
void h5_note_plugins(void);

/* Number of calls that had to succeed and did not; programs return h5_result(). */
extern int h5_failures;
int        h5_result(void);

/* Print "label: ok" / "label: FAILED" or "label = number"; hand the value through. A failure also prints
 * the error stack to stderr. `must` counts failures. */
hid_t     h5_show_id(const char *label, hid_t id, bool must);
long long h5_show_number(const char *label, long long value, bool must);

/* ID, RC: must succeed. TRY_ID, TRY_RC: may fail, both outcomes are compared with native's. The label is
 * the call's own text. */
#define ID(call) h5_show_id(#call, (call), true)
#define RC(call) ((void)h5_show_number(#call, (long long)(call), true))
#define TRY_ID(call) h5_show_id(#call, (call), false)
#define TRY_RC(call) ((void)h5_show_number(#call, (long long)(call), false))

/* Closes files, objects, dataspaces and property lists, one after another. All of it must succeed; failures are shown. */
void h5_close_all(const char *labels, const hid_t *ids, size_t count);
#define CLOSE(...) h5_close_all(#__VA_ARGS__, (hid_t[]){__VA_ARGS__}, sizeof((hid_t[]){__VA_ARGS__}) / sizeof(hid_t))

/* True if the host has the function; says so on stdout when it has not. */
#define HAVE(name) (h5.name != NULL || (printf("missing in this host: %s\n", #name), false))

/* Prints the current error stack to `out` as a JSON array, innermost entry first, and clears it. */
void h5_print_stack(FILE *out);

/* Small data. */
hid_t h5_space(int rank, hsize_t first, hsize_t second);
hid_t h5_make_ints(hid_t location, const char *name, int count, int first);
void  h5_show_ints(const char *label, hid_t dataset);
void  h5_show_array(const char *label, const int *values, int count);
hid_t h5_slab(hid_t dataset, hsize_t start, hsize_t stride, hsize_t count, hsize_t block);

#endif
