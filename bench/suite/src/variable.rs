//! Reads of strings of variable length.

use std::ffi::CString;
use std::path::PathBuf;

use anyhow::Result;
use bench_report::Unit;

use crate::bench::Bench;
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::{Creation, Dataset, Datatype, File, Library, Space};
use crate::measure::spent_by;
use crate::registry::{Amount, Entry, Prepared, Subject, Workload};
use crate::{Scenario, Spent, Way};

const GROUP: &str = "Strings of variable length";
const DATASET: &str = "strings";
/// How many there are.
const COUNT: u32 = 200_000;
/// How many are in a chunk that is compressed.
const CHUNK: u64 = 8192;

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, what, ratio, is_packed| {
        Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench: &Bench| {
            let path = file(bench, is_packed)?;
            Prepared::both(Unit::PerCall, |way| {
                Ok(Strings { library: bench.library, path: path.clone(), way })
            })
        })
    };
    vec![
        entry("strings", "200,000 short strings, contiguous", 3.0, false),
        entry("strings-gzip", "200,000 short strings, gzip", 4.0, true),
    ]
}

fn words() -> impl Iterator<Item = String> {
    (0..COUNT).map(|number| format!("station {}", u64::from(number) * 7919 % 100_003))
}

fn file(bench: &Bench, is_packed: bool) -> Result<PathBuf> {
    let name = if is_packed { "strings-gzip.h5" } else { "strings.h5" };
    bench.hdf5_file(name, |file| {
        let (datatype, space) =
            (Datatype::strings(bench.library)?, Space::new(bench.library, &[COUNT.into()])?);
        let (chunk, filters) =
            if is_packed { (Some(vec![CHUNK]), Pipeline::Gzip(4).filters()) } else { (None, Vec::new()) };
        let creation = Creation::new(bench.library.session(), chunk.as_deref(), &filters)?;
        let dataset = Dataset::create(file, DATASET, &datatype, &space, &creation)?;
        dataset
            .write_strings(&datatype, words().map(|word| Ok(CString::new(word)?)).collect::<Result<_>>()?)?;
        dataset.close()
    })
}

/// `H5Dread`s of all strings, in one way. The file is opened for each.
struct Strings {
    library: &'static Library,
    path: PathBuf,
    way: Way,
}

impl Workload for Strings {
    fn amount(&self) -> Amount {
        Amount { bytes: words().map(|word| word.len() as u64).sum(), calls: 1 }
    }
}

impl Subject for Strings {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let one = |_| {
            let file = File::open(self.library, &self.path, self.way)?;
            let dataset = Dataset::open(&file, DATASET)?;
            let (datatype, mut strings) = (Datatype::strings(self.library)?, None);
            // What frees them is not measured.
            let spent = spent_by(|| {
                strings = Some(dataset.read_elements(&datatype)?);
                Ok(())
            })?;
            drop(strings);
            dataset.close()?;
            file.close()?;
            Ok(spent)
        };
        (0..passes).map(one).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let file = File::open(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, DATASET)?;
        let strings = dataset.read_elements(&Datatype::strings(self.library)?)?.strings()?;
        part(&strings.iter().flat_map(CString::as_bytes_with_nul).copied().collect::<Vec<u8>>())?;
        dataset.close()?;
        file.close()
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
