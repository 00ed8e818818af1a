//! Reads of variable-length data: strings, sequences, and compounds with a string.

use std::ffi::CString;
use std::path::PathBuf;

use anyhow::Result;
use bench_report::Unit;
use h5_client::Elements;

use crate::bench::Bench;
use crate::filtered::pipeline::Pipeline;
use crate::hdf5::{Creation, Dataset, Datatype, File, Library, Space};
use crate::measure::spent_by;
use crate::registry::{Amount, Entry, Prepared, Subject, Workload};
use crate::{Scenario, Spent, Way};

const GROUP: &str = "Variable-length data";
const DATASET: &str = "values";
/// How many strings and records there are.
const STRINGS: u32 = 200_000;
/// How many sequences there are.
const SEQUENCES: u32 = 50_000;
/// The longest sequence has one float less.
const LONGEST: u32 = 33;
/// How many elements are in a chunk that is compressed.
const CHUNK: u64 = 8192;

pub(crate) fn entries() -> Vec<Entry> {
    let entry = |name, what, ratio, kind: Kind| {
        Entry::new(Scenario::new(name, GROUP, what).asking(ratio), move |bench: &Bench| {
            let path = kind.file(bench)?;
            Prepared::both(Unit::PerCall, |way| {
                Ok(Values { library: bench.library, path: path.clone(), kind, way })
            })
        })
    };
    vec![
        entry("strings", "200,000 short strings, contiguous", 3.0, Kind::Strings { is_packed: false }),
        entry("strings-gzip", "200,000 short strings, gzip", 4.0, Kind::Strings { is_packed: true }),
        entry("sequences", "50,000 sequences of up to 32 floats", 3.0, Kind::Sequences),
        entry("records", "200,000 compounds of a number and a short string", 3.0, Kind::Records),
    ]
}

/// What the elements are.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Strings {
        /// Whether they are compressed.
        is_packed: bool,
    },
    /// Of floats.
    Sequences,
    /// A number and a string each.
    Records,
}

impl Kind {
    fn count(self) -> u32 {
        match self {
            Self::Strings { .. } | Self::Records => STRINGS,
            Self::Sequences => SEQUENCES,
        }
    }

    /// Bytes of all values.
    fn bytes(self) -> u64 {
        let words = || words().map(|word| word.len() as u64).sum::<u64>();
        match self {
            Self::Strings { .. } => words(),
            Self::Records => words() + 8 * u64::from(STRINGS),
            Self::Sequences => sequences().map(|sequence| sequence.len() as u64).sum(),
        }
    }

    fn datatype(self, library: &Library) -> Result<Datatype> {
        match self {
            Self::Strings { .. } => Datatype::strings(library),
            Self::Sequences => Datatype::sequences(library, &Datatype::named(library, "NATIVE_FLOAT")?),
            Self::Records => {
                let (number, text) = (Datatype::named(library, "NATIVE_INT64")?, Datatype::strings(library)?);
                Datatype::compound(library, 16, &[("number", 0, &number), ("text", 8, &text)])
            }
        }
    }

    fn file(self, bench: &Bench) -> Result<PathBuf> {
        let name = match self {
            Self::Strings { is_packed: true } => "values-strings-gzip.h5",
            Self::Strings { is_packed: false } => "values-strings.h5",
            Self::Sequences => "values-sequences.h5",
            Self::Records => "values-records.h5",
        };
        bench.hdf5_file(name, |file| {
            let library = bench.library;
            let (datatype, space) = (self.datatype(library)?, Space::new(library, &[self.count().into()])?);
            let (chunk, filters) = match self {
                Self::Strings { is_packed: true } => (Some([CHUNK]), Pipeline::Gzip(4).filters()),
                _ => (None, Vec::new()),
            };
            let creation =
                Creation::new(library.session(), chunk.as_ref().map(|chunk| &chunk[..]), &filters)?;
            let dataset = Dataset::create(file, DATASET, &datatype, &space, &creation)?;
            let word = |word: String| Ok(CString::new(word)?);
            match self {
                Self::Strings { .. } => {
                    dataset.write_strings(&datatype, words().map(word).collect::<Result<_>>()?)?;
                }
                Self::Sequences => dataset.write_sequences(&datatype, sequences().collect())?,
                Self::Records => {
                    let pairs = (0..).zip(words()).map(|(number, text)| Ok((number, word(text)?)));
                    dataset.write_pairs(&datatype, pairs.collect::<Result<_>>()?)?;
                }
            }
            dataset.close()
        })
    }

    /// The values, one after another.
    fn show(self, elements: &Elements, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut all = Vec::new();
        match self {
            Self::Strings { .. } => {
                elements.strings()?.iter().for_each(|string| all.extend(string.as_bytes_with_nul()));
            }
            Self::Sequences => {
                for sequence in elements.sequences()? {
                    all.extend((sequence.len() as u64).to_le_bytes());
                    all.extend(sequence);
                }
            }
            Self::Records => {
                for (number, text) in elements.pairs()? {
                    all.extend(number.to_le_bytes());
                    all.extend(text.as_bytes_with_nul());
                }
            }
        }
        part(&all)
    }
}

fn words() -> impl Iterator<Item = String> {
    (0..STRINGS).map(|number| format!("station {}", u64::from(number) * 7919 % 100_003))
}

/// Sequences of floats, as bytes.
fn sequences() -> impl Iterator<Item = Vec<u8>> {
    (0..SEQUENCES).map(|number| {
        let length = number.wrapping_mul(7919) % LONGEST;
        (0..length).flat_map(|place| (number ^ place << 20).to_le_bytes()).collect()
    })
}

/// `H5Dread`s of all values, in one way. The file is opened for each.
struct Values {
    library: &'static Library,
    path: PathBuf,
    kind: Kind,
    way: Way,
}

impl Values {
    fn read(&self, work: impl FnOnce(&Dataset, &Datatype) -> Result<Spent>) -> Result<Spent> {
        let file = File::open(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, DATASET)?;
        let spent = work(&dataset, &self.kind.datatype(self.library)?)?;
        dataset.close()?;
        file.close()?;
        Ok(spent)
    }
}

impl Workload for Values {
    fn amount(&self) -> Amount {
        Amount { bytes: self.kind.bytes(), calls: 1 }
    }
}

impl Subject for Values {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let one = |_| {
            self.read(|dataset, datatype| {
                // What frees them is not measured.
                let mut elements = None;
                spent_by(|| {
                    elements = Some(dataset.read_elements(datatype)?);
                    Ok(())
                })
            })
        };
        (0..passes).map(one).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.read(|dataset, datatype| {
            self.kind.show(&dataset.read_elements(datatype)?, part)?;
            Ok(Spent::default())
        })?;
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
