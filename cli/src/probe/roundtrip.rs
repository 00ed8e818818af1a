//! Writes a small file with default settings, so through the connector the environment names, and reads it back.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::host::{Host, Trouble};
use super::{Report, announce};

/// Shape of the dataset; 42 numbers are enough to see that they came through.
const ROWS: usize = 6;
const COLUMNS: usize = 7;

/// Fills in the second half of the report.
pub(super) fn roundtrip(host: &Host, file: &Path, report: &mut Report) -> Result<(), Trouble> {
    let path =
        CString::new(file.as_os_str().as_bytes()).map_err(|_| Trouble::new("the path holds a NUL byte"))?;
    let written = pattern();

    announce("H5Fcreate");
    let id = host.create_file(&path)?;
    report.created_through = host.connector_name(id)?;
    announce("H5Dcreate2");
    let dataset = host.create_dataset(id, c"numbers", [ROWS, COLUMNS])?;
    announce("H5Dwrite");
    host.write(dataset, &written)?;
    announce("H5Dclose");
    host.close_dataset(dataset)?;
    announce("H5Fclose");
    host.close_file(id)?;

    announce("H5Fopen");
    let id = host.open_file(&path)?;
    report.opened_through = host.connector_name(id)?;
    announce("H5Dopen2");
    let dataset = host.open_dataset(id, c"numbers")?;
    announce("H5Dread");
    let mut read = [0; ROWS * COLUMNS];
    host.read(dataset, &mut read)?;
    report.data_equal = read == written;
    announce("H5Dclose");
    host.close_dataset(dataset)?;
    announce("H5Fclose");
    host.close_file(id)?;

    announce("exit");
    if report.data_equal { Ok(()) } else { Err(Trouble::new("the data read back are not the data written")) }
}

/// Numbers that no fill value and no shift by a row reproduces.
fn pattern() -> [i32; ROWS * COLUMNS] {
    let mut numbers = [0; ROWS * COLUMNS];
    let mut next = 1_i32;
    for number in &mut numbers {
        *number = next;
        next = next.wrapping_mul(-31).wrapping_add(7);
    }
    numbers
}
