//! The files of numbers that are converted when they are read. Native HDF5 creates them once.

use std::array;
use std::path::PathBuf;

use anyhow::Result;

use crate::bench::Bench;
use crate::filtered::files::DATASET;
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::Datatype;
use crate::stored::Stored;
use crate::walk::{Walk, fill};

/// Fields of a record: doubles, floats, doubles and integers in turn.
const FIELDS: usize = 20;
/// The field that is read, a float.
const FIELD: usize = 9;
/// Bytes of a record, and where in it that field is.
pub(crate) const RECORD: usize = place_of(FIELDS);
pub(crate) const FIELD_AT: usize = place_of(FIELD);
/// The compression of records, and the number of records in a chunk.
pub(crate) const PACKED: Pipeline = Pipeline::Gzip(4);
const CHUNK: u64 = 8192;
/// The distance between two fields in the walk. It is large, so that the fields are unrelated.
const APART: usize = 1 << 22;

/// Where in a record a field begins.
const fn place_of(field: usize) -> usize {
    let (mut place, mut number) = (0, 0);
    while number < field {
        place += size_of_field(number);
        number += 1;
    }
    place
}

const fn size_of_field(field: usize) -> usize {
    if field.is_multiple_of(2) { 8 } else { 4 }
}

/// Only an eighth of the bytes, because native HDF5 takes very long for them.
pub(crate) fn count_of_doubles(bench: &Bench) -> u64 {
    bench.bytes() / 8 / 8
}

pub(crate) fn count_of_shorts(bench: &Bench) -> u64 {
    bench.bytes() / 4
}

pub(crate) fn count_of_records(bench: &Bench) -> u64 {
    bench.bytes() / 2 / RECORD as u64
}

/// Big-endian doubles.
pub(crate) fn doubles(bench: &Bench) -> Result<PathBuf> {
    let mut walk = Walk::new();
    numbers(bench, "doubles", "IEEE_F64BE", count_of_doubles(bench), |memory| {
        fill(memory, || walk.next_place().to_be_bytes());
    })
}

/// 16-bit integers.
pub(crate) fn shorts(bench: &Bench) -> Result<PathBuf> {
    let mut walk = Walk::new();
    numbers(bench, "shorts", "STD_I16LE", count_of_shorts(bench), |memory| {
        fill(memory, || walk.next_short().to_le_bytes());
    })
}

/// A contiguous dataset of numbers, which have the same form in memory as in the file.
fn numbers(
    bench: &Bench,
    name: &str,
    datatype: &str,
    count: u64,
    fill: impl FnMut(&mut [u8]),
) -> Result<PathBuf> {
    bench.hdf5_file(&format!("converted-{name}-{}.h5", bench.mebibytes), |file| {
        let datatype = Datatype::named(bench.library, datatype)?;
        let memory = datatype.clone();
        Stored { datatype, extent: vec![count], chunk: None, filters: Vec::new() }
            .write(file, DATASET, &memory, fill)
    })
}

/// Records, compressed or not.
pub(crate) fn records(bench: &Bench, is_packed: bool) -> Result<PathBuf> {
    let name = if is_packed { "records-gzip" } else { "records" };
    bench.hdf5_file(&format!("converted-{name}-{}.h5", bench.mebibytes), |file| {
        let (datatype, count) = (record(bench)?, count_of_records(bench));
        let memory = datatype.clone();
        let (chunk, filters) =
            if is_packed { (Some(vec![CHUNK.min(count)]), PACKED.filters()) } else { (None, Vec::new()) };
        let mut walks = walks();
        let stored = Stored { datatype, extent: vec![count], chunk, filters };
        stored.write(file, DATASET, &memory, |memory| fill(memory, || next_record(&mut walks)))
    })
}

/// The datatype of a record.
fn record(bench: &Bench) -> Result<Datatype> {
    let kinds = ["IEEE_F64LE", "IEEE_F32LE", "IEEE_F64LE", "STD_I32LE"];
    let kinds: Vec<Datatype> =
        kinds.iter().map(|kind| Datatype::named(bench.library, kind)).collect::<Result<_>>()?;
    let names: Vec<String> = (0..FIELDS).map(name_of).collect();
    let fields = names.iter().enumerate();
    let fields: Vec<(&str, usize, &Datatype)> = fields
        .map(|(number, name)| (name.as_str(), place_of(number), &kinds[number % kinds.len()]))
        .collect();
    Datatype::compound(bench.library, RECORD, &fields)
}

/// The datatype of the field that is read, alone in memory.
pub(crate) fn field(bench: &Bench) -> Result<Datatype> {
    let float = Datatype::named(bench.library, "NATIVE_FLOAT")?;
    Datatype::compound(bench.library, size_of_field(FIELD), &[(&name_of(FIELD), 0, &float)])
}

fn name_of(field: usize) -> String {
    format!("field{field}")
}

/// A walk for each field.
fn walks() -> [Walk; FIELDS] {
    let mut walk = Walk::new();
    array::from_fn(|_| {
        let here = walk.clone();
        walk.skip(APART);
        here
    })
}

fn next_record(walks: &mut [Walk; FIELDS]) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    for (number, walk) in walks.iter_mut().enumerate() {
        let (value, place) = (walk.next_rounded(), place_of(number));
        #[expect(clippy::cast_possible_truncation, reason = "a walk does not get that far, and is rounded")]
        match number % 4 {
            1 => record[place..place + 4].copy_from_slice(&(value as f32).to_le_bytes()),
            3 => record[place..place + 4].copy_from_slice(&(value as i32).to_le_bytes()),
            _ => record[place..place + 8].copy_from_slice(&value.to_le_bytes()),
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_packed_without_gaps() {
        assert_eq!((RECORD, FIELD_AT, size_of_field(FIELD)), (120, 56, 4));
        assert_eq!([0, 1, 2, 3, 4].map(place_of), [0, 8, 12, 20, 24]);
    }

    #[test]
    fn the_field_that_is_read_is_the_next_number_of_its_walk() {
        let mut walks = walks();
        let mut expected = Walk::new();
        expected.skip(FIELD * APART);
        for _ in 0..100 {
            let record = next_record(&mut walks);
            let field = f32::from_le_bytes(record[FIELD_AT..FIELD_AT + 4].try_into().unwrap());
            assert_eq!(f64::from(field).to_bits(), expected.next_rounded().to_bits());
        }
    }
}
