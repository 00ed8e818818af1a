//! How a dataset is stored.

use std::path::PathBuf;

use codecs::Pipeline;
use h5_host::Questions;
use h5_host::questions::StorageLayout;
use h5_vol::{BelowObject, Id, ObjectKind, OwnedId};

use crate::inspect::chunks::Chunks;
use crate::inspect::external::{self, ExternalFiles};
use crate::inspect::filters::pipeline;
use crate::inspect::header_data::Compact;
use crate::inspect::host_filters;
use crate::inspect::virtual_layout::VirtualLayout;
use crate::report::reason::Reason;
use crate::run::cache::Place;

/// How it is stored.
#[derive(Debug)]
pub(crate) enum Storage {
    Missing,
    /// From this offset on; short runs are read in windows that are kept here.
    Contiguous(u64, Place),
    External(ExternalFiles),
    Chunked(Box<Chunks>),
    /// In other datasets.
    Virtual(Box<VirtualLayout>),
}

/// What the creation list of a dataset tells about its storage.
pub(super) struct Created {
    pub(super) list: OwnedId,
    pub(super) layout: StorageLayout,
    pub(super) pipeline: Option<Pipeline>,
    pub(super) lacks_filter: bool,
}

impl Created {
    pub(super) fn find(
        questions: Questions,
        below: &BelowObject,
        is_writable: bool,
        compact: Compact,
    ) -> Result<Self, Reason> {
        let list = below.dataset_creation_list(questions).ok_or(Reason::Untold("creation properties"))?;
        let layout = questions.layout(list.id());
        match layout {
            StorageLayout::Contiguous | StorageLayout::Chunked => {}
            StorageLayout::Compact if is_writable && compact == Compact::IsLeft => {
                return Err(Reason::Compact);
            }
            StorageLayout::Compact | StorageLayout::Virtual => {
                return Ok(Self { list, layout, pipeline: None, lacks_filter: false });
            }
            _ => return Err(Reason::UnknownLayout),
        }
        if is_writable {
            // Native HDF5 may have to write some of it, and leaves out filters that it does not have.
            host_filters::lend_for(questions, list.id());
        }
        let pipeline = pipeline(questions, list.id())?;
        let is_chunked = layout == StorageLayout::Chunked;
        let lacks_filter = is_writable && is_chunked && host_filters::leaves_one_out(questions, list.id());
        Ok(Self { list, layout, pipeline, lacks_filter })
    }
}

/// The storage of a contiguous dataset that has no place in the file.
pub(super) fn missing_or_external(
    questions: Questions,
    below: &BelowObject,
    creation: Id,
) -> Result<Storage, Reason> {
    let segments = questions.external_segments(creation).ok_or(Reason::Untold("external files"))?;
    if segments.is_empty() {
        return Ok(Storage::Missing);
    }
    let prefix = questions.external_prefix(below.dataset_access_list(questions).as_ref().map(OwnedId::id));
    let file = below.file_name(questions, ObjectKind::Dataset).map(PathBuf::from);
    let environment = external::prefix_of_environment();
    Ok(Storage::External(ExternalFiles::new(segments, prefix, file.as_deref(), environment)))
}
