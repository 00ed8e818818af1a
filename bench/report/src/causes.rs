//! Why rows are slower than native HDF5, or less than what is asked, as far as it is known.
//!
//! A cause belongs here when it was found out, not when it was guessed: until then PERFORMANCE.md says that it is not known.

use crate::Row;

/// Names of rows, and the cause, without a full stop. A `*` at the end of a name stands for any ending.
const CAUSES: &[(&[&str], &str)] = &[
    (
        &["open-read-close"],
        "HDF5 takes longer to open and close files and datasets through a connector than without one: it wraps each of them, \
         and each call passes more of its layers",
    ),
    (
        &["multi-small-first"],
        "The first read of a dataset is left to native HDF5 if it is small, because finding out about the dataset (storage, \
         datatype, filters) costs more than reading its 4 KiB; the rest is the way to native through HDF5's layers for connectors",
    ),
    (
        &["virtual-row"],
        "The dataset is opened for each row, which takes native HDF5 nearly all of the time; HDF5's own pass_through executes as many \
         instructions as we do, and more than native HDF5",
    ),
    (
        &["write-64-bytes"],
        "Both collect small writes in memory; the rest is the cost of HDF5's layers for connectors",
    ),
    (
        &["write-64-bytes-chunks", "write-64-bytes-gzip"],
        "Both copy 64 bytes into a chunk in memory; what a call costs beside that (HDF5's layers for connectors, claiming the \
         chunk, describing the selection) is several times as much here",
    ),
    (
        &["write-files", "write-multi-small"],
        "A new contiguous dataset gets its storage from native HDF5's own first write, so each write is passed on, after the \
         dataset was looked at",
    ),
    (
        &["tiles"],
        "Each row of a tile is a system call for 4000 bytes, and the call itself takes more than half of the time: even without \
         HDF5 (the limit), two threads are not much more than four times as fast as native HDF5",
    ),
    (
        &["small-tiles"],
        "A tile is sixteen system calls for 64 bytes each, even without HDF5 (the limit), where they take two thirds of our time",
    ),
    (
        &["chunks-*"],
        "The only work is to read a chunk and to copy its rows; the limit without HDF5 does that in 75 to 95 % of our time, \
         and between runs the ratio changes by as much",
    ),
    (
        &["contiguous-shifted", "multi-large-shifted"],
        "Copying from the system's cache to memory that begins 16 bytes further in its page is slow on this processor, with and \
         without HDF5; we copy through a small buffer of our own where it helps",
    ),
    (
        &["write-contiguous", "write-over-contiguous"],
        "The file system lets one thread at a time write to a file, and writing is mostly the system's work: taking pages and \
         copying into them",
    ),
    (
        &["write/*"],
        "HDF5 allocates the storage of new datasets under its lock and writes it there for the first time, so threads take turns \
         as they do natively; the rest is the cost of HDF5's layers for connectors",
    ),
    (
        &["read/*", "multi-large", "contiguous"],
        "Native HDF5 copies from the system's cache as fast as one core can, and two cores copy 1.4 to 1.6 times as much as one, \
         even without HDF5 (the limit); with four threads of the application and a pool, more threads share them",
    ),
    (
        &["gzip-noisy-alone", "write-gzip-f8"],
        "Both cores do nothing but deflate, and plain libdeflate on two threads, the limit, is no faster",
    ),
    (
        &["write-lzf"],
        "Both cores compress all the time: this ratio is nearly twice that of processor time, by which our encoder is 1.4 times as fast",
    ),
    (
        &["many-first", "many-later", "many-latest-first", "many-latest-later"],
        "Left to native HDF5, because the whole index of very many chunks would have to be read for a few of them; the rest is \
         the cost of HDF5's layers for connectors",
    ),
];

/// The same for rows of the benchmark through clients.
const CLIENTS: &[(&[&str], &str)] = &[
    (
        &["xarray/mean-dask-h5netcdf", "xarray/mean-dask-netcdf4"],
        "Three quarters of the time are Python, dask and xarray, which run one thread at a time; the row of uncompressed data shows \
         what native HDF5 takes if there is nothing to decode",
    ),
    (
        &["xarray/mean-dask-plain-*"],
        "Nearly all of the time is Python, dask and xarray; which thread they let run first changes from run to run",
    ),
    (
        &["h5py/rows-64B", "h5py/whole-rows", "h5py/lookups"],
        "Three quarters of the time are h5py's own code, and HDF5 takes about as long to come to a connector as we take to read",
    ),
    (
        &[
            "h5py/datasets",
            "h5py/read-files",
            "h5py/scalars",
            "h5py/strings-one",
            "h5py/new-datasets",
            "h5py/new-files",
            "h5py/strings-fixed",
            "h5py/write-strings-fixed",
            "h5py/write-contiguous",
        ],
        "Each call is passed on to native HDF5. Counted by valgrind, the program executes 1 to 4 % more instructions than natively, and \
         fewer than with HDF5's own pass_through; how far the longer way slows down the code around it changes with where things lie \
         in memory",
    ),
    (
        &[
            "h5py/listed-rows-gzip",
            "tables/read",
            "tables/query",
            "xarray/mean-h5netcdf",
            "xarray/mean-netcdf4",
        ],
        "Our decoding takes less than half of the time that is left; the rest is the client's own code and memory that the system hands \
         out page by page",
    ),
    (
        &["h5py/virtual-row", "h5py/virtual-open", "h5py/virtual-small"],
        "Left to native HDF5, which takes most of the time to open the files of the sources; the rest is the cost of HDF5's layers for \
         connectors",
    ),
    (
        &["h5py/write-strings"],
        "HDF5 itself stores each value, under its lock, natively as well as for us; that and Python, which makes the strings, are nearly \
         all of the time",
    ),
    (
        &["h5py/read-contiguous"],
        "With one thread we are as fast as native HDF5; with two we are 1.1 times as fast in some processes and 0.6 times in others, \
         with twice the processor time. Why two threads are slow in some is not known",
    ),
    (
        &["tables/append-array"],
        "An append is several calls through HDF5's layers for connectors, which cost its own pass_through as much",
    ),
    (&["h5py/strings-decoded"], "Most of the time is Python, which makes a string object of each value"),
];

/// The cause of a row's loss.
pub(crate) fn of(row: &Row) -> Option<&'static str> {
    find(CAUSES, &row.name).or_else(|| find(CLIENTS, &row.name))
}

/// The names above, those that stand for several left out.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CAUSES.iter().flat_map(|(names, _)| names.iter().copied()).filter(|name| !name.ends_with('*'))
}

fn find(causes: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    let is_meant = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *pattern,
    };
    causes.iter().find(|(names, _)| names.iter().any(is_meant)).map(|(_, cause)| *cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_ending_and_nothing_else_does() {
        let causes: &[(&[&str], &'static str)] = &[(&["one", "many-*"], "a cause")];
        for name in ["one", "many-", "many-later"] {
            assert_eq!(find(causes, name), Some("a cause"), "{name}");
        }
        for name in ["", "on", "one-more", "many", "too-many-later"] {
            assert_eq!(find(causes, name), None, "{name}");
        }
    }
    #[test]
    fn causes_are_sentences_without_an_end_for_rows_that_no_other_has() {
        let mut seen = std::collections::HashSet::new();
        for (names, cause) in CAUSES.iter().chain(CLIENTS) {
            assert!(
                cause.starts_with(char::is_uppercase) && cause.ends_with(char::is_alphanumeric),
                "{cause}"
            );
            assert!(!names.is_empty() && names.iter().all(|name| seen.insert(name)), "{names:?}");
        }
    }
}
