//! Filters that are not part of HDF5 itself, each on its own, as its plugin would run it.

use crate::error::{CodecError, PipelineError, Unsupported};
use crate::registry::{Filter, codec};
use crate::work::{Work, room};

/// A filter that HDF5 knows through a plugin only.
#[derive(Debug, Clone, Copy)]
pub struct WellKnown {
    /// Its registered number.
    pub id: i32,
    /// The name that its plugin gives it, and that files have.
    pub name: &'static core::ffi::CStr,
    /// In all names that it goes by, in lower case.
    marks: &'static [&'static str],
    /// Parameters of a chunk of so many bytes, for elements of four.
    example: fn(u32) -> Vec<u32>,
}

/// The filters of which there is a plugin, and a codec here.
const WELL_KNOWN: [WellKnown; 7] = [
    WellKnown { id: 307, name: c"bzip2", marks: &["bzip2"], example: |_| vec![9] },
    WellKnown { id: LZF, name: c"lzf", marks: &["lzf"], example: |bytes| vec![4, 261, bytes] },
    WellKnown { id: BLOSC, name: c"blosc", marks: &["blosc"], example: |bytes| vec![2, 2, 4, bytes, 5, 1, 0] },
    WellKnown {
        id: 32004,
        name: c"HDF5 lz4 filter; see https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md",
        marks: &["lz4"],
        example: |_| vec![0],
    },
    WellKnown {
        id: BITSHUFFLE,
        name: c"bitshuffle; see https://github.com/kiyo-masui/bitshuffle",
        marks: &["bitshuffle"],
        example: |_| vec![0, 4, 4, 0, 2],
    },
    WellKnown {
        id: 32015,
        name: c"HDF5 zstd filter; see https://github.com/HDFGroup/hdf5_plugins/blob/master/docs/RegisteredFilterPlugins.md",
        marks: &["zstd", "zstandard"],
        example: |_| vec![3],
    },
    WellKnown { id: BLOSC2, name: c"blosc2", marks: &["blosc2"], example: |bytes| vec![1, 0, 4, bytes, 5, 1, 0] },
];

const LZF: i32 = 32000;
const BLOSC: i32 = 32001;
const BITSHUFFLE: i32 = 32008;
const BLOSC2: i32 = 32026;

/// More bytes than this are in no chunk of HDF5's.
const LONGEST: usize = u32::MAX as usize;

/// What a filter is told about the dataset that it is to be applied to.
#[derive(Debug, Clone, Copy)]
pub struct Applied<'a> {
    /// Bytes of an element.
    pub element: usize,
    /// The same, of the elements of arrays if the datatype is one.
    pub base: usize,
    /// The extent of a chunk.
    pub chunk: &'a [u64],
}

impl WellKnown {
    /// The filter of this number, if it is one of these.
    pub fn numbered(id: i32) -> Option<Self> {
        WELL_KNOWN.into_iter().find(|known| known.id == id)
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        WELL_KNOWN.into_iter()
    }

    /// Whether a filter of this name may be this one. Its authors have changed some of the names.
    pub fn may_be_called(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.marks.iter().any(|mark| name.contains(mark))
    }

    /// The filter with parameters for a chunk of so many bytes.
    pub fn example(&self, bytes: u32) -> Filter {
        self.with((self.example)(bytes))
    }

    /// The filter with these parameters.
    pub fn with(&self, parameters: Vec<u32>) -> Filter {
        let name = self.name.to_string_lossy().into_owned();
        Filter { id: self.id, name, optional: false, parameters }
    }

    /// The parameters to store with a dataset, from those that the application gives. `None` if they are the same; an error if
    /// the filter does not fit the dataset. They are what the filter's plugin makes of them.
    pub fn parameters_for(
        &self,
        given: &[u32],
        dataset: &Applied<'_>,
    ) -> Result<Option<Vec<u32>>, Unsupported> {
        let too_large = || Unsupported("a chunk that is too large for the filter".to_owned());
        let number = |size: usize| u32::try_from(size).map_err(|_| too_large());
        let elements = dataset.chunk.iter().try_fold(1_u64, |all, &along| all.checked_mul(along));
        let bytes = elements.and_then(|elements| elements.checked_mul(u64::try_from(dataset.element).ok()?));
        let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or_else(too_large)?;
        let reserved =
            |own: [u32; 4]| own.into_iter().chain(given.iter().skip(4).copied()).collect::<Vec<_>>();
        let made = match self.id {
            LZF => {
                let or = |at: usize, default| {
                    given.get(at).copied().filter(|given| *given != 0).unwrap_or(default)
                };
                [or(0, 4), or(1, 261), bytes].into_iter().chain(given.iter().skip(3).copied()).collect()
            }
            BLOSC => {
                let element = if dataset.base > 255 { 1 } else { number(dataset.base)? };
                reserved([2, 2, element, bytes])
            }
            BITSHUFFLE => [0, 4, number(dataset.element)?].into_iter().chain(given.iter().copied()).collect(),
            BLOSC2 => {
                let block = given.get(1).copied().unwrap_or(0);
                let mut made = reserved([1, block, number(dataset.base)?, bytes]);
                if (2..=8).contains(&dataset.chunk.len()) {
                    made.extend([5, 1, 0].iter().skip(made.len() - 4));
                    made.truncate(7);
                    made.push(number(dataset.chunk.len())?);
                    for &along in dataset.chunk {
                        made.push(u32::try_from(along).map_err(|_| too_large())?);
                    }
                }
                made
            }
            _ => return Ok(None),
        };
        Ok(Some(made))
    }
}

impl Filter {
    /// What the filter makes of these bytes.
    pub fn apply(&self, input: &[u8]) -> Result<Vec<u8>, PipelineError> {
        let codec = codec(self).map_err(|_| self.error(NO_CODEC))?;
        let mut output = Vec::new();
        codec.encode(input, &mut output, &mut Work::new()).map_err(|source| self.error(source))?;
        Ok(output)
    }

    /// What the filter has made these bytes of, however long that is.
    pub fn undo(&self, input: &[u8]) -> Result<Vec<u8>, PipelineError> {
        let codec = codec(self).map_err(|_| self.error(NO_CODEC))?;
        let (mut output, mut work) = (Vec::new(), Work::new());
        let told = codec.decoded_len(input);
        let mut length = told.unwrap_or(input.len().saturating_mul(4).max(4096)).min(LONGEST);
        loop {
            let decoded = room(&mut output, length).and_then(|output| codec.decode(input, output, &mut work));
            match decoded {
                Ok(written) => {
                    output.truncate(written);
                    return Ok(output);
                }
                Err(CodecError::NoRoom) if length < LONGEST => {
                    length = told
                        .filter(|&told| told > length)
                        .unwrap_or(length.saturating_mul(2))
                        .clamp(length + 1, LONGEST);
                }
                Err(source) => return Err(self.error(source)),
            }
        }
    }

    fn error(&self, source: CodecError) -> PipelineError {
        PipelineError { id: self.id, name: self.name.clone(), source }
    }
}

const NO_CODEC: CodecError = CodecError::NotApplicable("there is no codec for these parameters");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_undoes_what_it_applies() {
        let input: Vec<u8> = (0..3000_u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
        for known in WellKnown::all() {
            let filter = known.example(12_000);
            let stored = filter.apply(&input).unwrap();
            assert!(stored != input && filter.undo(&stored).unwrap() == input, "{known:?}");
            filter.undo(&stored[..stored.len() / 2]).unwrap_err();
            assert!(known.may_be_called(&known.name.to_string_lossy()));
        }
    }

    #[test]
    fn a_long_result_finds_room() {
        for known in WellKnown::all().filter(|known| ![BLOSC, BLOSC2, LZF].contains(&known.id)) {
            let filter = known.example(1 << 22);
            let stored = filter.apply(&vec![7; 1 << 22]).unwrap();
            assert!(filter.undo(&stored).unwrap() == vec![7; 1 << 22], "{known:?}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_plugins() {
        let dataset = Applied { element: 24, base: 8, chunk: &[7, 9] };
        let made = |id: i32, given: &[u32]| {
            WellKnown::numbered(id).unwrap().parameters_for(given, &dataset).unwrap()
        };
        assert_eq!(made(LZF, &[]), Some(vec![4, 261, 1512]));
        assert_eq!(made(BLOSC, &[]), Some(vec![2, 2, 8, 1512]));
        assert_eq!(made(BLOSC, &[0, 0, 0, 0, 9, 2, 5]), Some(vec![2, 2, 8, 1512, 9, 2, 5]));
        assert_eq!(made(BITSHUFFLE, &[0, 2]), Some(vec![0, 4, 24, 0, 2]));
        assert_eq!(made(BLOSC2, &[0, 0, 0, 0, 7]), Some(vec![1, 0, 8, 1512, 7, 1, 0, 2, 7, 9]));
        assert_eq!(made(32015, &[3]), None);
        let line = Applied { element: 300, base: 300, chunk: &[50] };
        let blosc2 = WellKnown::numbered(BLOSC2).unwrap();
        assert_eq!(blosc2.parameters_for(&[], &line), Ok(Some(vec![1, 0, 300, 15000])));
        let large = Applied { element: 8, base: 8, chunk: &[u64::MAX] };
        blosc2.parameters_for(&[], &large).unwrap_err();
    }
}
