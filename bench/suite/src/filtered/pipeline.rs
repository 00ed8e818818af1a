//! The filters that datasets are measured with.

use anyhow::Result;
use limit::{Form, Pack, Packing, Shuffled};

use super::without_python;
use crate::bench::Bench;
use crate::hdf5::Filter;
use crate::registry::CannotBeMeasured;

/// HDF5's numbers of the filters.
const DEFLATE: i32 = 1;
const SHUFFLE: i32 = 2;
const FLETCHER32: i32 = 3;
const SZIP: i32 = 4;
const NBIT: i32 = 5;
const SCALE_OFFSET: i32 = 6;
const BZIP2: i32 = 307;
const LZF: i32 = 32_000;
const BLOSC: i32 = 32_001;
const LZ4: i32 = 32_004;
const BITSHUFFLE: i32 = 32_008;
const ZSTD: i32 = 32_015;
const BLOSC2: i32 = 32_026;

const ZSTD_LEVEL: u8 = 3;
/// Level 5, byte shuffle, LZ4. The filter itself fills in the first four.
const BLOSC_OPTIONS: [u32; 7] = [0, 0, 0, 0, 5, 1, 1];
/// The filter chooses the block size; LZ4.
const BITSHUFFLE_OPTIONS: [u32; 2] = [0, 2];
/// Flags (all codes, nearest neighbour, raw), and the number of elements in a block.
const SZIP_OPTIONS: [u32; 2] = [1 | 32 | 128, 32];
/// Integers, with the minimum number of bits.
const SCALE_OFFSET_OPTIONS: [u32; 2] = [2, 0];

/// The filters of a dataset. Bytes are shuffled first, unless the variant says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pipeline {
    /// At this level.
    Gzip(u8),
    /// At this level, without shuffle.
    GzipAlone(u8),
    Lzf,
    Zstd,
    /// A checksum, and nothing else.
    Fletcher32,
    Lz4,
    Bzip2,
    /// Which shuffles by itself, with LZ4.
    Blosc,
    /// Which shuffles by itself, with LZ4.
    Blosc2,
    /// With LZ4. It shuffles bits instead of bytes.
    Bitshuffle,
    /// Without shuffle.
    Szip,
    /// Stores only the significant bits of the datatype.
    Nbit,
    /// Stores only the bits that the integers of a chunk need.
    ScaleOffset,
}

impl Pipeline {
    /// Its name, as a part of scenario names.
    pub(crate) fn name(self) -> &'static str {
        self.needed().1
    }

    /// A short description.
    pub(crate) fn what(self) -> String {
        match self {
            Self::Gzip(level) => format!("gzip {level} + shuffle"),
            Self::GzipAlone(level) => format!("gzip {level} without shuffle"),
            Self::Lzf | Self::Lz4 | Self::Bzip2 => format!("{} + shuffle", self.name()),
            Self::Zstd => format!("zstd {ZSTD_LEVEL} + shuffle"),
            Self::Fletcher32 => "fletcher32 alone".to_owned(),
            Self::Blosc | Self::Blosc2 => format!("{} lz4", self.name()),
            Self::Bitshuffle => "bitshuffle + lz4".to_owned(),
            Self::Szip | Self::Nbit | Self::ScaleOffset => self.name().to_owned(),
        }
    }

    /// The number and name of the filter that native HDF5 must have.
    fn needed(self) -> (i32, &'static str) {
        match self {
            Self::Gzip(_) | Self::GzipAlone(_) => (DEFLATE, "gzip"),
            Self::Lzf => (LZF, "lzf"),
            Self::Zstd => (ZSTD, "zstd"),
            Self::Fletcher32 => (FLETCHER32, "fletcher32"),
            Self::Lz4 => (LZ4, "lz4"),
            Self::Bzip2 => (BZIP2, "bzip2"),
            Self::Blosc => (BLOSC, "blosc"),
            Self::Blosc2 => (BLOSC2, "blosc2"),
            Self::Bitshuffle => (BITSHUFFLE, "bitshuffle"),
            Self::Szip => (SZIP, "szip"),
            Self::Nbit => (NBIT, "nbit"),
            Self::ScaleOffset => (SCALE_OFFSET, "scaleoffset"),
        }
    }

    /// The filters, in the order of writing.
    pub(crate) fn filters(self) -> Vec<Filter> {
        let number = self.needed().0;
        let shuffled = |options: &[u32]| vec![Filter::new(SHUFFLE, &[]), Filter::new(number, options)];
        let alone = |options: &[u32]| vec![Filter::new(number, options)];
        match self {
            Self::Gzip(level) => shuffled(&[level.into()]),
            Self::GzipAlone(level) => alone(&[level.into()]),
            Self::Lzf => shuffled(&[]),
            Self::Zstd => shuffled(&[ZSTD_LEVEL.into()]),
            Self::Lz4 => shuffled(&[0]),
            Self::Bzip2 => shuffled(&[9]),
            Self::Blosc | Self::Blosc2 => alone(&BLOSC_OPTIONS),
            Self::Bitshuffle => alone(&BITSHUFFLE_OPTIONS),
            Self::Szip => alone(&SZIP_OPTIONS),
            Self::ScaleOffset => alone(&SCALE_OFFSET_OPTIONS),
            Self::Fletcher32 | Self::Nbit => alone(&[]),
        }
    }

    /// How the limit reads it, if it can. `shuffled` is the part of the elements that is read.
    pub(crate) fn form(self, shuffled: Shuffled) -> Option<Form> {
        let (packing, shuffled) = match self {
            Self::Gzip(_) => (Packing::Gzip, Some(shuffled)),
            Self::GzipAlone(_) => (Packing::Gzip, None),
            Self::Lzf => (Packing::Lzf, Some(shuffled)),
            Self::Zstd => (Packing::Zstd, Some(shuffled)),
            Self::Fletcher32 => (Packing::Fletcher32, None),
            _ => return None,
        };
        Some(Form { packing, shuffled })
    }

    /// How the limit writes it, if it can.
    pub(crate) fn pack(self) -> Option<Pack> {
        match self {
            Self::Gzip(level) => Some(Pack::Gzip(level.into())),
            Self::GzipAlone(level) => Some(Pack::GzipAlone(level.into())),
            Self::Zstd => Some(Pack::Zstd(ZSTD_LEVEL.into())),
            _ => None,
        }
    }

    /// By how much the data is reduced, because native HDF5 takes very long for this filter.
    pub(crate) fn slowness(self) -> u64 {
        match self {
            Self::Bzip2 | Self::Nbit => 32,
            Self::Szip | Self::ScaleOffset => 8,
            _ => 1,
        }
    }

    /// The plugin of hdf5plugin that must be told which libhdf5 to use.
    fn plugin_to_bind(self) -> Option<&'static str> {
        match self {
            Self::Bzip2 => Some("libh5bzip2.so"),
            Self::Blosc => Some("libh5blosc.so"),
            Self::Blosc2 => Some("libh5blosc2.so"),
            Self::Bitshuffle => Some("libh5bshuf.so"),
            _ => None,
        }
    }

    /// Makes the filter available to native HDF5.
    ///
    /// # Errors
    /// [`CannotBeMeasured`] if that is not possible.
    pub(crate) fn provide(self, bench: &Bench) -> Result<()> {
        let (number, name) = self.needed();
        if let Some(folder) = &bench.filters {
            without_python::share_mathematics()?;
            let plugin = self.plugin_to_bind().map(|name| folder.join(name));
            if let Some(plugin) = plugin.filter(|plugin| plugin.exists()) {
                bench.library.bind_filter(&plugin)?;
            }
        }
        if bench.library.has_filter(number)? {
            return Ok(());
        }
        let advice = match self {
            Self::Lzf => match without_python::lend(bench.library.path(), number) {
                Ok(()) => return Ok(()),
                Err(why) => {
                    format!("{why:#}; use h5py's own libhdf5, or name a folder with the plugin with --filters")
                }
            },
            Self::Gzip(_)
            | Self::GzipAlone(_)
            | Self::Fletcher32
            | Self::Szip
            | Self::Nbit
            | Self::ScaleOffset => "it was built without this filter".to_owned(),
            _ => "name a folder that has it with --filters, such as the plugins of the Python package hdf5plugin"
                .to_owned(),
        };
        let why = format!("this libhdf5 finds no filter {name} (number {number}): {advice}");
        Err(CannotBeMeasured(why).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_undoes_what_is_written() {
        let shuffled = Shuffled { element: 4, at: 0 };
        let all = [
            Pipeline::Gzip(4),
            Pipeline::GzipAlone(4),
            Pipeline::Lzf,
            Pipeline::Zstd,
            Pipeline::Fletcher32,
            Pipeline::Blosc,
        ];
        for pipeline in all {
            let has_shuffle = pipeline.filters()[0].number == SHUFFLE;
            if let Some(form) = pipeline.form(shuffled) {
                assert_eq!(form.shuffled.is_some(), has_shuffle, "{pipeline:?}");
            }
            // The limit shuffles whatever it packs, where nothing else is said.
            let packs_planes = pipeline.pack().map(|pack| !matches!(pack, Pack::GzipAlone(_)));
            assert!(packs_planes.is_none_or(|planes| planes == has_shuffle), "{pipeline:?}");
        }
    }
}
