//! What is fuzzed, as functions of arbitrary bytes: each codec, pipelines of them, conversions, heap collections, headers of
//! datasets, and documents and chunks of Zarr.
//!
//! The first bytes of an input say what is done, as each module describes, the rest is what it is done to. A target
//! panics if something is wrong. The program `fuzzer` gives the targets to libFuzzer; the tests run them on the
//! inputs kept in `corpus/`, one folder for each target. Compressors that are C libraries are not instrumented:
//! their own projects fuzz them.

mod chunk;
mod codec;
mod conversion;
mod datatypes;
mod filters;
mod headers;
mod heap;
mod input;
pub mod memory;
mod pipeline;
mod zarr_chunks;
mod zarr_metadata;

/// Something that can be given arbitrary bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name, and that of its folder in the corpus.
    pub name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Codec(filters::Kind),
    Pipeline,
    Conversion,
    Heap,
    Headers,
    ZarrMetadata,
    ZarrVersion2,
    ZarrChunk,
    ZarrValues,
}

/// What became of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was decoded, came back from a round trip, or was converted.
    Done,
    /// It was found damaged, or a filter could not be applied to it.
    Refused,
    /// Its parameters or types have no codec or conversion.
    Unsupported,
}

impl Target {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let codecs =
            filters::Kind::ALL.into_iter().map(|kind| Self { name: kind.name(), kind: Kind::Codec(kind) });
        codecs.chain([
            Self { name: "pipeline", kind: Kind::Pipeline },
            Self { name: "convert", kind: Kind::Conversion },
            Self { name: "heap", kind: Kind::Heap },
            Self { name: "headers", kind: Kind::Headers },
            Self { name: "zarr-metadata", kind: Kind::ZarrMetadata },
            Self { name: "zarr-version-2", kind: Kind::ZarrVersion2 },
            Self { name: "zarr-chunk", kind: Kind::ZarrChunk },
            Self { name: "zarr-values", kind: Kind::ZarrValues },
        ])
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|target| target.name == name)
    }

    /// Does what the input says.
    ///
    /// # Panics
    /// If something is wrong with the code under test, also if it takes too much memory.
    pub fn run(self, bytes: &[u8]) -> Outcome {
        memory::bounded(|| match self.kind {
            Kind::Codec(kind) => codec::run(kind, bytes),
            Kind::Pipeline => pipeline::run(bytes),
            Kind::Conversion => conversion::run(bytes),
            Kind::Heap => heap::run(bytes),
            Kind::Headers => headers::run(bytes),
            Kind::ZarrMetadata => zarr_metadata::run(bytes),
            Kind::ZarrVersion2 => zarr_metadata::run_version_2(bytes),
            Kind::ZarrChunk => zarr_chunks::run(bytes),
            Kind::ZarrValues => zarr_chunks::run_values(bytes),
        })
    }
}
