//! Reads that convert: the data is stored in another form and read as floats.

mod files;

use anyhow::Result;
use bench_report::Unit;
use limit::{Conversion, Shuffled};

use self::files::{FIELD_AT, RECORD};
use crate::Scenario;
use crate::bench::Bench;
use crate::filtered::files::DATASET;
use crate::filtered::limits;
use crate::hdf5::Datatype;
use crate::plain::limit::LimitReads;
use crate::plain::{Recipe, reads_with_limit};
use crate::registry::Entry;

const GROUP: &str = "Converted reads";

/// All of a contiguous dataset that `recipe` makes, converted.
fn contiguous(scenario: Scenario, conversion: Conversion, recipe: fn(&Bench) -> Result<Recipe>) -> Entry {
    Entry::new(scenario, move |bench| {
        let recipe = recipe(bench)?;
        let (offset, threads) = (bench.offset_of(&recipe.path, DATASET)?, bench.limit_threads);
        let read = move |file: &std::fs::File, memory: &mut [u8]| {
            limit::convert(file, offset, conversion, memory, threads)
        };
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            let limit = LimitReads::new(&recipe.path, native.buffer(), native.buffer().len(), read)?;
            Ok(Some(Box::new(limit)))
        })
    })
}

/// One field of compressed records.
fn compressed_field(scenario: Scenario) -> Entry {
    Entry::new(scenario, |bench| {
        let recipe = field_of(bench, true)?;
        let form = files::PACKED.form(Shuffled { element: RECORD, at: FIELD_AT });
        reads_with_limit(bench, &recipe, Unit::Rate, |native| {
            form.map(|form| limits::whole(bench, &recipe.path, form, native.buffer(), 1)).transpose()
        })
    })
}

fn field_of(bench: &Bench, is_packed: bool) -> Result<Recipe> {
    let path = files::records(bench, is_packed)?;
    let recipe = recipe(bench, path, files::count_of_records(bench))?;
    Ok(Recipe { datatype: files::field(bench)?, ..recipe })
}

/// Reads a whole dataset of this many numbers, as floats.
fn recipe(bench: &Bench, path: std::path::PathBuf, count: u64) -> Result<Recipe> {
    Ok(Recipe::whole(path, DATASET, Datatype::named(bench.library, "NATIVE_FLOAT")?, &[count]))
}

pub(crate) fn entries() -> Vec<Entry> {
    let scenario = |name, what| Scenario::new(name, GROUP, what);
    vec![
        contiguous(
            scenario("be-f8-to-f4", "big-endian f8 to f4").asking(30.0),
            Conversion::BigDoubles,
            |bench| recipe(bench, files::doubles(bench)?, files::count_of_doubles(bench)),
        ),
        contiguous(scenario("i2-to-f4", "i2 to f4").asking(2.5), Conversion::Shorts, |bench| {
            recipe(bench, files::shorts(bench)?, files::count_of_shorts(bench))
        }),
        compressed_field(scenario("field-gzip", "one of 20 fields, gzip").asking(5.0)),
        // Limited by the speed of memory: even the limit gains little.
        contiguous(
            scenario("field", "one of 20 fields"),
            Conversion::Field { record: RECORD, at: FIELD_AT },
            |bench| field_of(bench, false),
        ),
    ]
}
