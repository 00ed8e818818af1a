//! Why raw data is moved by the connector below and not by us.

/// A reason not to bypass: not an error, but a decision that is counted and shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Reason {
    #[error("the connector is switched off by BYPASS_VOL_DISABLE")]
    Disabled,
    #[error("the connector below is not HDF5's native one")]
    NotNative,
    #[error("the file is open for writing and was reached through a link")]
    OpenForWriting,
    #[error("the application has no handle of the file but one that HDF5 made for an object in it")]
    OnlyFound,
    #[error("processes share the file through MPI, and may write it")]
    Mpi,
    #[error("processes share the file through MPI, and read its metadata collectively")]
    MpiMetadata,
    #[error("processes share the file through MPI, and BYPASS_VOL_MPI leaves such files to native HDF5")]
    MpiNative,
    #[error("processes share the file through MPI, and the data is in other files")]
    MpiLayout,
    #[error(
        "a collective read of data without filters, in which native HDF5 lets a few processes read for all"
    )]
    MpiAggregated,
    #[error("processes share the file through MPI, and this one cannot open it for itself: {0}")]
    MpiUnreadable(String),
    #[error("the file was reached through a link in an HDF5 built for MPI, and may be shared")]
    LinkUnderMpi,
    #[error("the file is open read-only")]
    ReadOnly,
    #[error("the file is written while other processes read it (SWMR)")]
    SwmrWriter,
    #[error("the file has a page buffer, which holds raw data")]
    PageBuffer,
    #[error("the file is open without the connector as well")]
    OpenNatively,
    #[error("storage that native HDF5 allocates by its first write")]
    NoStorage,
    #[error("the only chunk, with a filter that may be left out: HDF5 would not note whether it was")]
    OnlyChunk,
    #[error("chunks are changed without their checksums being verified")]
    Unverified,
    #[error("datasets of several files in one call, which native HDF5 refuses")]
    SeveralFiles,
    #[error("a dataset twice in one call")]
    NamedTwice,
    #[error("the file is open for reading while another process writes it (SWMR)")]
    SwmrReader,
    #[error("the file's driver does not read from a plain file descriptor")]
    Driver,
    #[error("HDF5 does not tell about the dataset's {0}")]
    Untold(&'static str),
    #[error("compact layout: the data is in the object header")]
    Compact,
    #[error("virtual layout: the data is in other datasets")]
    Virtual,
    #[error(
        "virtual layout with an extent that depends on its sources, which nobody has asked for, or which have changed"
    )]
    VirtualUnlimited,
    #[error("virtual layout with mappings that only native HDF5 can judge")]
    VirtualMapping,
    #[error("virtual layout, source {0}")]
    VirtualSource(String),
    #[error("a layout that a newer HDF5 knows")]
    UnknownLayout,
    #[error("{0}")]
    FilterUnknown(String),
    #[error("{0}")]
    FilterForeign(String),
    #[error("{0}")]
    ChunkForeign(String),
    #[error("{0}")]
    ValueForeign(String),
    #[error("variable-length data of an unusual form, or written where the application has set a fill value")]
    VariableLength,
    #[error(
        "a small write of variable-length data or to a virtual dataset, which native HDF5 collects in its buffers"
    )]
    SmallWrite,
    #[error(
        "functions for the memory of values are set in the transfer property list, and the file is open for writing"
    )]
    ValueMemory,
    #[error("references whose stored form differs from the one in memory")]
    Reference,
    #[error("a datatype that only HDF5 understands")]
    UnknownType,
    #[error("the dataset has no fill value and storage is missing")]
    NoFillValue,
    #[error("the dataset is too large to count its elements in 64 bits")]
    TooLarge,
    #[error("its chunk index has entries that make no sense")]
    OddIndex,
    #[error("external file: {0}")]
    External(String),
    #[error("a datatype conversion that only native HDF5 does")]
    Conversion,
    #[error("a function for exceptions in conversions is set in the transfer property list")]
    ConversionCallback,
    #[error("a data transform is set in the transfer property list")]
    DataTransform,
    #[error("the buffer for conversions in the transfer property list is small: native HDF5 may refuse it")]
    SmallBuffer,
    #[error("a collective transfer (MPI), which native HDF5 does or refuses")]
    Collective,
    #[error("a function for failures of filters is set in the transfer property list")]
    FilterCallback,
    #[error("a selection that only native HDF5 can judge")]
    Selection,
    #[error("the memory selection names a place twice")]
    RepeatedMemory,
    #[error("nothing is selected")]
    Nothing,
    #[error("a small read, which native HDF5 serves from its buffers")]
    Small,
    #[error("first small read: inspecting the dataset would cost more than reading it")]
    First,
    #[error("few chunks of a large dataset: looking them all up would cost more than it gains")]
    LargeIndex,
}

impl Reason {
    /// Its stable name, for programs. The sentence is for people, and may be reworded. docs/reasons.md lists all of them.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::NotNative => "not-native",
            Self::OpenForWriting => "link-writable",
            Self::OnlyFound => "no-handle",
            Self::Mpi => "mpi",
            Self::MpiMetadata => "mpi-metadata",
            Self::MpiNative => "mpi-native",
            Self::MpiLayout => "mpi-layout",
            Self::MpiAggregated => "mpi-aggregated",
            Self::MpiUnreadable(_) => "mpi-unreadable",
            Self::LinkUnderMpi => "link-mpi",
            Self::ReadOnly => "read-only",
            Self::SwmrWriter => "swmr-writer",
            Self::PageBuffer => "page-buffer",
            Self::OpenNatively => "open-natively",
            Self::NoStorage => "no-storage",
            Self::OnlyChunk => "only-chunk",
            Self::Unverified => "unverified",
            Self::SeveralFiles => "several-files",
            Self::NamedTwice => "dataset-twice",
            Self::SwmrReader => "swmr-reader",
            Self::Driver => "driver",
            Self::Untold(_) => "no-answer",
            Self::Compact => "compact",
            Self::Virtual => "virtual",
            Self::VirtualUnlimited => "virtual-unlimited",
            Self::VirtualMapping => "virtual-mapping",
            Self::VirtualSource(_) => "virtual-source",
            Self::UnknownLayout => "layout-unknown",
            Self::FilterUnknown(_) => "filter-unknown",
            Self::FilterForeign(_) => "filter-foreign",
            Self::ChunkForeign(_) => "chunk-foreign",
            Self::ValueForeign(_) => "value-foreign",
            Self::VariableLength => "variable-length",
            Self::SmallWrite => "small-write",
            Self::ValueMemory => "value-memory",
            Self::Reference => "reference",
            Self::UnknownType => "type-unknown",
            Self::NoFillValue => "no-fill-value",
            Self::TooLarge => "too-large",
            Self::OddIndex => "index-invalid",
            Self::External(_) => "external-file",
            Self::Conversion => "conversion",
            Self::ConversionCallback => "conversion-callback",
            Self::DataTransform => "data-transform",
            Self::SmallBuffer => "small-buffer",
            Self::Collective => "collective",
            Self::FilterCallback => "filter-callback",
            Self::Selection => "selection",
            Self::RepeatedMemory => "memory-place-twice",
            Self::Nothing => "nothing-selected",
            Self::Small => "small-read",
            Self::First => "first-small-read",
            Self::LargeIndex => "large-index",
        }
    }

    /// Whether HDF5 may have failed to answer a question, and have said so on the error stack.
    pub(crate) fn is_no_answer(&self) -> bool {
        matches!(
            self,
            Self::Untold(_)
                | Self::Selection
                | Self::OddIndex
                | Self::NotNative
                | Self::Driver
                | Self::Conversion
                | Self::UnknownType
                | Self::VirtualUnlimited
                | Self::VirtualMapping
                | Self::VirtualSource(_)
        )
    }

    /// Whether native HDF5 may move raw data of other datasets when it moves that of this one.
    pub(crate) fn concerns_others(&self) -> bool {
        matches!(
            self,
            Self::Virtual
                | Self::VirtualUnlimited
                | Self::VirtualMapping
                | Self::VirtualSource(_)
                | Self::OpenForWriting
                | Self::OnlyFound
                | Self::LinkUnderMpi
                | Self::NotNative
                | Self::Untold(_)
        )
    }

    /// Whether it is why a file that processes share through MPI is not ours.
    pub(crate) fn is_about_mpi(&self) -> bool {
        matches!(self, Self::Mpi | Self::MpiMetadata | Self::MpiNative)
    }

    /// What the user could change so that it no longer holds.
    pub(crate) fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::Disabled => Some("unset BYPASS_VOL_DISABLE"),
            Self::OpenForWriting | Self::LinkUnderMpi => {
                Some("open the file that the link leads to by its name")
            }
            Self::OnlyFound => Some("keep the file open, and open the dataset through it"),
            Self::Mpi => Some("open the file read-only, if it is only read"),
            Self::MpiMetadata => Some("open the file without H5Pset_all_coll_metadata_ops"),
            Self::MpiNative => Some("unset BYPASS_VOL_MPI, or set it to auto"),
            Self::MpiLayout => Some("open the file without MPI in each process, if it is only read"),
            Self::MpiAggregated => Some("set BYPASS_VOL_MPI=all, if each process reads large parts"),
            Self::MpiUnreadable(_) => Some("make the file readable under its name in every process"),
            Self::SwmrWriter => Some("write the file without SWMR"),
            Self::PageBuffer => Some("open the file without a page buffer"),
            Self::OpenNatively => Some("open the file through the connector only"),
            Self::SwmrReader => Some("open the file without SWMR once its writer is done"),
            Self::NotNative => Some("put bypass directly above HDF5's native connector (under_vol=0)"),
            Self::Driver => Some("open the file with the default driver (sec2)"),
            Self::Compact => Some("none needed: compact datasets are at most 64 KiB"),
            Self::Virtual => Some("open the file once, by its name, and keep it open"),
            Self::VirtualUnlimited => {
                Some("ask for the dataspace (H5Dget_space) before reading, and open the file read-only")
            }
            Self::VirtualMapping | Self::VirtualSource(_) => {
                Some("read the source datasets directly, or repack into one dataset")
            }
            Self::FilterUnknown(_) | Self::FilterForeign(_) | Self::ChunkForeign(_) => {
                Some("store the dataset with other filters, such as gzip, lzf, zstd or blosc")
            }
            Self::ValueMemory => Some("open the file read-only, or let HDF5 take memory from malloc"),
            Self::Reference => {
                Some("use object or region references of the 1.8 kind, or read only the other members")
            }
            Self::Conversion => Some("read into a buffer of the dataset's own datatype"),
            Self::DataTransform => Some("apply the expression to the data after reading"),
            Self::SmallBuffer => Some("set a larger buffer, or none (H5Pset_buffer)"),
            Self::LargeIndex => Some("read larger parts at a time, or store larger chunks"),
            Self::External(_) => Some("make the external file readable"),
            Self::NoFillValue => Some("give the dataset a fill value, or write all of it"),
            Self::Untold(_)
            | Self::ReadOnly
            | Self::NoStorage
            | Self::OnlyChunk
            | Self::SeveralFiles
            | Self::NamedTwice
            | Self::Unverified
            | Self::UnknownLayout
            | Self::UnknownType
            | Self::TooLarge
            | Self::OddIndex
            | Self::ValueForeign(_)
            | Self::VariableLength
            | Self::SmallWrite
            | Self::Selection
            | Self::ConversionCallback
            | Self::Collective
            | Self::FilterCallback
            | Self::RepeatedMemory
            | Self::Nothing
            | Self::Small
            | Self::First => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Makes an example of each variant. A variant that is not listed here does not compile.
    macro_rules! every_reason {
        ($($plain:ident),* ; $($with_text:ident($text:expr)),*) => {
            fn every_reason() -> Vec<Reason> {
                let is_listed = |reason: Reason| match reason {
                    $(Reason::$plain)|* $(| Reason::$with_text(_))* => reason,
                };
                [$(Reason::$plain,)* $(Reason::$with_text($text),)*].map(is_listed).into()
            }
        };
    }

    every_reason!(
        Disabled, NotNative, OpenForWriting, OnlyFound, Mpi, MpiMetadata, MpiNative, MpiLayout, MpiAggregated, LinkUnderMpi, ReadOnly,
        SwmrWriter, PageBuffer, OpenNatively, NoStorage, OnlyChunk, Unverified,
        SeveralFiles, NamedTwice, SwmrReader, Driver, Compact, Virtual,
        VirtualUnlimited, VirtualMapping, UnknownLayout, VariableLength, SmallWrite, ValueMemory, Reference, UnknownType, NoFillValue, TooLarge,
        OddIndex, Conversion, ConversionCallback, DataTransform, SmallBuffer, Collective,
        FilterCallback, Selection, RepeatedMemory, Nothing, Small, First, LargeIndex;
        Untold("file"), FilterUnknown(String::new()), FilterForeign(String::new()), ChunkForeign(String::new()),
        ValueForeign(String::new()), External(String::new()), MpiUnreadable(String::new()), VirtualSource(String::new())
    );

    #[test]
    fn codes_are_unique_and_in_kebab_case() {
        let codes: BTreeSet<_> = every_reason().iter().map(Reason::code).collect();
        assert_eq!(codes.len(), every_reason().len());
        for code in codes {
            let is_word =
                |word: &str| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_lowercase());
            assert!(code.split('-').all(is_word), "{code}");
        }
    }

    /// Rows of the table in docs/reasons.md: code, meaning, remedy.
    fn documented() -> Vec<[&'static str; 3]> {
        let rows = include_str!("../../../../docs/reasons.md").lines().filter(|line| line.starts_with("| `"));
        rows.map(|row| {
            let mut cells = row.trim_matches('|').split(" | ").map(str::trim);
            [(); 3].map(|()| cells.next().unwrap_or_default())
        })
        .collect()
    }

    #[test]
    fn the_document_lists_every_code_with_its_remedy() {
        let quoted = |reason: &Reason| format!("`{}`", reason.code());
        let expected: BTreeSet<_> =
            every_reason().iter().map(|reason| (quoted(reason), reason.remedy().unwrap_or("none"))).collect();
        let found: BTreeSet<_> =
            documented().into_iter().map(|[code, _, remedy]| (code.to_owned(), remedy)).collect();
        assert_eq!(found, expected);
        assert_eq!(documented().len(), expected.len(), "a code is listed twice");
        assert!(documented().iter().all(|[_, meaning, _]| !meaning.is_empty()));
    }
}
