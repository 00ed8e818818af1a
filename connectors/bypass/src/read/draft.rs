//! A part of a read, from the questions about it to the engine's request.

use std::sync::Arc;

use engine::{Converted, Fill, Layout, Memory, Part, Source};
use selection::Selection;

use crate::inspect::selection::Selected;
use crate::read::staged::Staged;
use crate::read::variable::VariablePart;

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

impl<'a> Draft<'a> {
    pub(crate) fn direct(direct: Direct<'a>) -> Self {
        Self::Direct(Some(direct))
    }

    pub(crate) fn layout(&self) -> Option<&Layout> {
        match self {
            Self::Direct(direct) => direct.as_ref().map(|direct| &direct.layout),
            Self::Staged(staged) => staged.stage.layout(),
            Self::Variable(variable) => variable.stage.layout(),
        }
    }

    /// The part; there is one until it is taken.
    pub(crate) fn part<'b>(&'b mut self, source: &'b Source) -> Option<Part<'b>> {
        match self {
            Self::Direct(direct) => {
                let Direct { layout, element, conversion, file, places, memory, fill } = direct.take()?;
                Some(Part {
                    source,
                    layout,
                    element,
                    conversion,
                    file: file.selection,
                    file_in_order: file.in_order,
                    memory_selection: places,
                    memory,
                    fill,
                })
            }
            Self::Staged(staged) => staged.stage.part(source),
            Self::Variable(variable) => variable.stage.part(source),
        }
    }
}
