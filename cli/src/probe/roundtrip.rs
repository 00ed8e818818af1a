//! Writes a small file with default settings, which means through the connector that the environment names, and reads it back.

use std::path::Path;

use h5_client::{Dataspace, Datatype, Failure, File, FileAccess, Location as _, Object as _, Session};

use super::{Report, announce};

/// The shape of the dataset. 42 numbers are enough to see whether they arrive.
const ROWS: usize = 6;
const COLUMNS: usize = 7;

/// Fills in the part of the report about the file.
pub(super) fn roundtrip(h5: &Session, path: &Path, report: &mut Report) -> Result<(), Failure> {
    let access = FileAccess::default_of(h5);
    let integers = Datatype::predefined(h5, "NATIVE_INT")?;
    let written: Vec<u8> = pattern().iter().flat_map(|number| number.to_ne_bytes()).collect();

    announce("H5Fcreate");
    let file = File::create(h5, path, &access)?;
    report.created_through = file.connector()?;
    announce("H5Dcreate2");
    let space = Dataspace::simple(h5, &[ROWS as u64, COLUMNS as u64])?;
    let dataset = file.create_dataset("numbers", &integers, &space, None)?;
    announce("H5Dwrite");
    dataset.write(&integers, &written)?;
    announce("H5Dclose");
    dataset.close()?;
    announce("H5Fclose");
    file.close()?;

    report.is_stub = is_stub(path);

    announce("H5Fopen");
    let file = File::open(h5, path, &access)?;
    report.opened_through = file.connector()?;
    announce("H5Dopen2");
    let dataset = file.open_dataset("numbers")?;
    announce("H5Dread");
    let mut read = vec![0; written.len()];
    dataset.read(&integers, &mut read)?;
    report.data_equal = read == written;
    announce("H5Dclose");
    dataset.close()?;
    announce("H5Fclose");
    file.close()?;

    announce("exit");
    if report.data_equal {
        Ok(())
    } else {
        Err(Failure::refused("the data read back differs from the data written"))
    }
}

/// Whether the file is a stub, and what it stands for is a Zarr directory.
fn is_stub(path: &Path) -> bool {
    let stub = stub::Stub::read(path).ok().flatten();
    stub.is_some_and(|stub| zarr::Container::exists(&stub.container(path)))
}

/// Numbers that neither a fill value nor a shift by a row can reproduce.
fn pattern() -> [i32; ROWS * COLUMNS] {
    let mut numbers = [0; ROWS * COLUMNS];
    let mut next = 1_i32;
    for number in &mut numbers {
        *number = next;
        next = next.wrapping_mul(-31).wrapping_add(7);
    }
    numbers
}
