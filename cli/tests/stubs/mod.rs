//! Libraries made up for the tests: a few lines of C that behave as a libhdf5 does, or crash, or hang.

use std::path::PathBuf;

use crate::common::directory;
use crate::plugins::compile;

/// What every libhdf5 has; the version is filled in.
pub(crate) const IDENTITY: &str = "
    int H5Eset_auto2(long long stack, void *function, void *data) { return 0; }
    int H5get_libversion(unsigned *a, unsigned *b, unsigned *c) { *a = MAJOR; *b = MINOR; *c = 3; return 0; }
    int H5is_library_threadsafe(_Bool *answer) { *answer = 1; return 0; }
";

/// As much of HDF5 as is needed to write and read one dataset, through a connector of this name. `OPEN` and `READ` are
/// run where a file is opened and a dataset is read.
pub(crate) const ONE_DATASET: &str = r"
    #include <string.h>
    #include <unistd.h>
    #ifndef OPEN
    #define OPEN
    #endif
    #ifndef READ
    #define READ
    #endif
    static int stored[42];
    long long H5T_NATIVE_INT_g = 5;
    long long H5Fcreate(const char *name, unsigned flags, long long fcpl, long long fapl) { return 1; }
    long long H5Fopen(const char *name, unsigned flags, long long fapl) { OPEN; return 1; }
    long H5VLget_connector_name(long long id, char *name, unsigned long size) { strcpy(name, CONNECTOR); return 6; }
    long long H5Screate_simple(int rank, const void *dims, const void *max) { return 2; }
    long long H5Dcreate2(long long file, const char *name, long long type, long long space, long long lcpl,
                         long long dcpl, long long dapl) { return 3; }
    long long H5Dopen2(long long file, const char *name, long long dapl) { return 3; }
    long long H5Dget_space(long long dataset) { return 2; }
    long long H5Sget_simple_extent_npoints(long long space) { return 42; }
    int H5Sget_simple_extent_ndims(long long space) { return 1; }
    int H5Sget_simple_extent_dims(long long space, long long *dims, long long *max) { *dims = *max = 42; return 1; }
    int H5Tget_class(long long type) { return 0; }
    int H5Tdetect_class(long long type, int class) { return 0; }
    unsigned long H5Tget_size(long long type) { return 4; }
    int H5Sclose(long long id) { return 0; }
    int H5Dclose(long long id) { return 0; }
    int H5Fclose(long long id) { return 0; }
    int H5Dwrite(long long d, long long t, long long m, long long f, long long p, const void *buffer)
    { memcpy(stored, buffer, sizeof stored); return 0; }
    int H5Dread(long long d, long long t, long long m, long long f, long long p, void *buffer)
    { READ; memcpy(buffer, stored, sizeof stored); return 0; }
";

/// A libhdf5 1.14 that can hold a dataset. The hook, if there is one, defines `OPEN` or `READ`.
pub(crate) fn working(name: &str, connector: &str, hook: &str) -> PathBuf {
    let path = directory(name).join("libhdf5.so.310");
    let source = format!("#include <stdlib.h>\nint H5open(void) {{ return 0; }}\n{IDENTITY}{ONE_DATASET}");
    let connector = format!("CONNECTOR=\"{connector}\"");
    let defines = ["MAJOR=1", "MINOR=14", &connector, hook];
    compile(&path, &source, if hook.is_empty() { &defines[..3] } else { &defines });
    path
}
