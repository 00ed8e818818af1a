//! The command line of `compare`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Compare two files, or two objects in them.
///
/// Everything is compared: groups, links with their kinds and targets, attributes, datatypes, shapes with their limits, and all
/// values, on all cores. References are equal if they lead to the same place. What only one side has, or what cannot be
/// compared, is a difference. Chunks with the same filters and the same stored bytes are equal, and are not decoded.
///
/// A side is an HDF5 file, a Zarr directory or a stub of one, or an object in it (FILE:/PATH).
///
/// The exit code is 0 if both are equal, 1 if they differ, and 2 if they could not be compared at all.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option")]
pub(crate) struct CompareArgs {
    /// The first file or object: FILE or FILE:/PATH
    #[arg(value_name = "A")]
    pub(crate) a: OsString,

    /// The second
    #[arg(value_name = "B")]
    pub(crate) b: OsString,

    /// Types may differ if values can be compared: numbers with numbers, strings with strings, members by their names
    #[arg(long)]
    pub(crate) convertible: bool,

    /// Numbers are equal if they differ by no more than this part of the larger one
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true, value_parser = tolerance)]
    pub(crate) rtol: f64,

    /// Numbers are equal if they differ by no more than this
    #[arg(long, value_name = "X", default_value_t = 0.0, allow_negative_numbers = true, value_parser = tolerance)]
    pub(crate) atol: f64,

    /// Floating-point numbers are equal if they are no more than N steps of their type apart
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) ulp: u64,

    /// Compare how objects are stored, too: layouts, chunks, filters, fill values and other properties
    #[arg(long)]
    pub(crate) properties: bool,

    /// Compare the order in which links and attributes were created, too
    #[arg(long)]
    pub(crate) order: bool,

    /// Leave out an object with everything below it (/PATH), or an attribute (/PATH@NAME) (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub(crate) exclude: Vec<PathBuf>,

    /// List at most N differing elements of each dataset or attribute
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) max: usize,

    /// Print the result as one JSON document
    #[arg(long)]
    pub(crate) json: bool,

    /// Print nothing, and stop at the first difference: the exit code tells
    #[arg(short, long, conflicts_with = "json")]
    pub(crate) quiet: bool,

    /// The connector of the first side, with its info after a blank [default: zarr for Zarr directories, else bypass]
    #[arg(long, value_name = "NAME[ INFO]")]
    pub(crate) a_connector: Option<String>,

    /// The connector of the second side
    #[arg(long, value_name = "NAME[ INFO]")]
    pub(crate) b_connector: Option<String>,

    /// The libhdf5 to use [default: the newest that works, as `h5bypass doctor` lists them]
    #[arg(long, value_name = "PATH")]
    pub(crate) lib: Option<PathBuf>,

    /// Directory that holds libh5bypass_vol.so and libh5zarr_vol.so
    #[arg(long, value_name = "DIR")]
    pub(crate) plugin_dir: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  h5bypass compare a.h5 b.h5
  h5bypass compare a.h5 a.zarr
  h5bypass compare run1.h5:/results run2.h5:/results --rtol 1e-6
  h5bypass compare a.h5 b.h5 --exclude /log --exclude /@created
  h5bypass compare a.h5 b.h5 --properties --order
  h5bypass compare a.h5 b.h5 --json | jq -r '.differences[] | .path, .kind'
  h5bypass compare --quiet a.h5 b.h5 && echo equal

NaN equals NaN, and -0 equals 0. Soft and external links are compared by where they lead,
and are not followed. References that lead nowhere are equal to each other.";

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number that is not negative, such as 1e-6".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tolerances_are_not_negative() {
        assert_eq!(tolerance("1e-6"), Ok(1e-6));
        for text in ["-1", "nan", "inf", "", "x"] {
            assert!(tolerance(text).is_err(), "{text}");
        }
    }
}
