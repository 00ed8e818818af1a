//! The command line of `copy`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

use super::filters::Filters;

/// Copy a file, or an object with everything below it.
///
/// Links of every kind, attributes, committed datatypes, properties and the order of creation are kept, objects with several
/// names are copied once, and references lead to the copies. An HDF5 file that is copied whole and without changes is copied byte for
/// byte. Otherwise chunks are copied as they are stored; only if chunks or filters change, data is decoded and encoded, on all
/// cores.
///
/// A side is an HDF5 file or a Zarr directory (its name ends in .zarr), or an object in it (FILE:/PATH). A group that is copied to a new
/// file becomes its root; a dataset keeps its name there. The copy is made under a temporary name and renamed at the end, so nothing is under
/// the final name before it is complete.
///
/// The exit code is 0, or 2 if nothing was copied.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct CopyArgs {
    /// What is copied: FILE or FILE:/PATH
    #[arg(value_name = "SRC")]
    pub(crate) source: OsString,

    /// Where to: FILE, or FILE:/PATH to add an object to an existing file or to make a new file with it
    #[arg(value_name = "DST")]
    pub(crate) destination: OsString,

    /// Replace an existing file or Zarr directory DST
    #[arg(short, long)]
    pub(crate) force: bool,

    /// The filters of all datasets in the copy, in the order of writing: gzip:LEVEL, zstd:LEVEL, lz4, lzf, bzip2:LEVEL, szip:PIXELS,
    /// shuffle, fletcher32, or NUMBER:OPTION:... of any filter (a colon and what follows may be left out); `none` removes them. Datasets of less than 1 KiB keep theirs
    #[arg(long, value_name = "FILTER,...")]
    pub(crate) filter: Option<Filters>,

    /// The shape of chunks in the copy, such as 512x512, of datasets with as many dimensions
    #[arg(long, value_name = "SHAPE", value_parser = chunk)]
    pub(crate) chunks: Option<Chunk>,

    /// Write everything anew, without unused space, and encode all chunks again
    #[arg(long)]
    pub(crate) repack: bool,

    /// List what would be done, and make nothing
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,

    /// Print the result, or with --dry-run the list, as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// The connector of SRC, with its info after a blank [default: zarr for Zarr directories, else bypass]
    #[arg(long, value_name = "NAME[ INFO]")]
    pub(crate) src_connector: Option<String>,

    /// The connector of DST
    #[arg(long, value_name = "NAME[ INFO]")]
    pub(crate) dst_connector: Option<String>,

    /// The libhdf5 to use [default: the newest that works, as `h5bypass doctor` lists them]
    #[arg(long, value_name = "PATH")]
    pub(crate) lib: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so and libh5zarr_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,
}

/// The shape of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk(pub(crate) Vec<u64>);

const EXAMPLES: &str = "\
Examples:
  h5bypass copy data.h5 backup.h5
  h5bypass copy data.h5 data.zarr                     an HDF5 file as Zarr
  h5bypass copy data.zarr data.h5                     and back
  h5bypass copy data.h5:/run1/images images.h5        one dataset
  h5bypass copy data.h5:/run1 all.h5:/runs/first      into a file that may exist
  h5bypass copy --filter shuffle,zstd:3 data.h5 small.h5
  h5bypass copy --filter none --chunks 512x512 data.h5 fast.h5
  h5bypass copy --repack --dry-run data.h5 tidy.h5

`h5bypass compare SRC DST` tells whether both are equal. In Zarr, filters that it does not have become
Zstandard. Virtual datasets and external files stay references to the same files, except in Zarr, where
their values are stored.";

fn chunk(text: &str) -> Result<Chunk, String> {
    let lengths: Option<Vec<u64>> = text
        .split(['x', ','])
        .map(|length| length.trim().parse().ok().filter(|length| *length > 0))
        .collect();
    lengths
        .filter(|lengths| lengths.len() <= 32)
        .map(Chunk)
        .ok_or_else(|| "expected lengths of at least 1, such as 512x512".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_lengths_between_crosses() {
        assert_eq!(chunk("512x512"), Ok(Chunk(vec![512, 512])));
        assert_eq!(chunk("7"), Ok(Chunk(vec![7])));
        for text in ["", "0", "5x", "-1", "5x0", "axb"] {
            assert!(chunk(text).is_err(), "{text}");
        }
    }
}
