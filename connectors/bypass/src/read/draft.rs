//! A part of a read, from the questions about it to the engine's request.

use std::sync::Arc;

use engine::{Converted, Fill, Layout, Memory, Part, Source};
use selection::Selection;

use crate::coherency::sources::SourceDataset;
use crate::inspect::selection::Selected;
use crate::read::staged::Staged;
use crate::read::variable::VariablePart;
use crate::run::memory;

/// One dataset's part of a read that we do.
pub(crate) struct Prepared<'a> {
    pub(crate) source: Source,
    pub(crate) draft: Draft<'a>,
    /// Bytes that were counted as bypassed.
    pub(crate) bytes: u64,
}

/// A part of the engine's request before it is known where its source is kept.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are direct, and boxing would be an allocation for each"
)]
pub(crate) enum Draft<'a> {
    /// Straight to the application's memory.
    Direct(Option<Direct<'a>>),
    /// By way of a buffer in which HDF5 converts.
    Staged(Box<Staged<'a>>),
    /// By way of a buffer in which elements get their values.
    Variable(Box<VariablePart<'a>>),
    /// Pieces of a virtual dataset, each straight to the application's memory.
    Virtual(Vec<Piece<'a>>),
}

/// A piece of a virtual dataset that lies in one source.
pub(crate) struct Piece<'a> {
    pub(crate) source: Source,
    pub(crate) direct: Option<Direct<'a>>,
    /// The source, which stays open as long as it is read; `None` for what no source has.
    pub(crate) dataset: Option<Arc<SourceDataset>>,
}

/// A part that goes straight to the application's memory.
pub(crate) struct Direct<'a> {
    pub(crate) layout: Layout,
    pub(crate) element: u64,
    pub(crate) conversion: Option<Arc<Converted>>,
    pub(crate) file: Selected,
    pub(crate) places: Selection,
    pub(crate) memory: Memory<'a>,
    pub(crate) fill: Fill,
}

impl<'a> Prepared<'a> {
    /// Whether it can be read after the call has returned, without HDF5.
    pub(crate) fn can_outlive_call(&self) -> bool {
        let is_certain = |direct: &Option<Direct<'_>>| match direct.as_ref().map(|direct| &direct.layout) {
            // Native HDF5 would have to read it.
            Some(Layout::Filtered(chunks)) => !chunks.pipeline.may_be_foreign(),
            _ => true,
        };
        match &self.draft {
            Draft::Direct(direct) => is_certain(direct),
            Draft::Virtual(pieces) => pieces.iter().all(|piece| is_certain(&piece.direct)),
            Draft::Staged(_) | Draft::Variable(_) => false,
        }
    }

    /// What is read of it, for a request, if [it can be](Self::can_outlive_call).
    pub(crate) fn outliving_call(self) -> Vec<Piece<'static>> {
        match self.draft {
            Draft::Direct(direct) => {
                let direct = direct.map(Direct::outliving_call);
                vec![Piece { source: self.source, direct, dataset: None }]
            }
            Draft::Virtual(pieces) => {
                let piece = |Piece { source, direct, dataset }: Piece<'a>| Piece {
                    source,
                    direct: direct.map(Direct::outliving_call),
                    dataset,
                };
                pieces.into_iter().map(piece).collect()
            }
            Draft::Staged(_) | Draft::Variable(_) => Vec::new(),
        }
    }
}

impl<'a> Piece<'a> {
    /// The part of the engine's request; there is one until it is taken.
    pub(crate) fn part<'b>(&'b mut self) -> Option<Part<'b>>
    where
        'a: 'b,
    {
        Some(self.direct.take()?.part(&self.source))
    }
}

impl<'a> Draft<'a> {
    pub(crate) fn direct(direct: Direct<'a>) -> Self {
        Self::Direct(Some(direct))
    }

    /// Whether filters go over what is read.
    pub(crate) fn is_filtered(&self) -> bool {
        let is_filtered = |layout: &Layout| matches!(layout, Layout::Filtered(_));
        let of_direct =
            |direct: &Option<Direct<'_>>| direct.as_ref().is_some_and(|it| is_filtered(&it.layout));
        match self {
            Self::Direct(direct) => of_direct(direct),
            Self::Staged(staged) => staged.stage.layout().is_some_and(is_filtered),
            Self::Variable(variable) => variable.stage.layout().is_some_and(is_filtered),
            Self::Virtual(pieces) => pieces.iter().any(|piece| of_direct(&piece.direct)),
        }
    }

    /// Whether the host's global lock, and all claims, are kept until everything is done.
    pub(crate) fn keeps_lock(&self) -> bool {
        matches!(self, Self::Variable(variable) if variable.newer.is_some())
    }

    /// Adds the parts; there are some until they are taken.
    pub(crate) fn add_parts<'b>(&'b mut self, source: &'b Source, parts: &mut Vec<Part<'b>>) {
        match self {
            Self::Direct(direct) => parts.extend(direct.take().map(|direct| direct.part(source))),
            Self::Staged(staged) => parts.extend(staged.stage.part(source)),
            Self::Variable(variable) => parts.extend(variable.stage.part(source)),
            Self::Virtual(pieces) => {
                parts.extend(pieces.iter_mut().filter_map(Piece::part));
            }
        }
    }

    /// The source of a part, if it is that of a virtual dataset.
    pub(crate) fn source_of_part(&self, part: usize) -> Option<&Arc<SourceDataset>> {
        match self {
            Self::Virtual(pieces) => pieces.get(part)?.dataset.as_ref(),
            Self::Direct(_) | Self::Staged(_) | Self::Variable(_) => None,
        }
    }
}

impl<'a> Direct<'a> {
    fn outliving_call(self) -> Direct<'static> {
        let Direct { layout, element, conversion, file, places, memory, fill } = self;
        Direct { layout, element, conversion, file, places, memory: memory::outliving(memory), fill }
    }

    fn part<'b>(self, source: &'b Source) -> Part<'b>
    where
        'a: 'b,
    {
        let Direct { layout, element, conversion, file, places, memory, fill } = self;
        Part {
            source,
            layout,
            element,
            conversion,
            file: file.selection,
            file_in_order: file.in_order,
            memory_selection: places,
            memory,
            fill,
        }
    }
}
