//! Which dataset a thread is busy with: set by who knows, handed on to the threads that help, and recorded with every span.

use crate::kind::Kind;
use crate::label::Label;
use crate::lane::Lane;
use crate::local;
use crate::session::is_on;
use crate::span::{Span, span};

/// What a thread is busy with, to be handed on to another.
#[derive(Debug, Clone, Copy)]
pub struct Context(Label);

/// This thread is busy with something until the value is dropped.
#[must_use = "it lasts as long as this value"]
#[derive(Debug)]
pub struct Inside(Option<(&'static Lane, Label)>);

/// What this thread is busy with.
#[inline]
pub fn context() -> Context {
    Context(if is_on() { local::lane().map_or(Label::NONE, Lane::label) } else { Label::NONE })
}

/// This thread is busy with a dataset.
#[inline]
fn enter(label: Label) -> Inside {
    Inside::new(if is_on() { local::lane() } else { None }, label)
}

impl Inside {
    /// The thread of this list, if there is one, is busy with a dataset.
    #[inline]
    pub(crate) fn new(lane: Option<&'static Lane>, label: Label) -> Self {
        Self(lane.map(|lane| (lane, lane.set_label(label))))
    }
}

impl Context {
    /// This thread does a task of it.
    #[inline]
    pub fn task(self) -> Task {
        let inside = enter(self.0);
        Task { span: span(Kind::Task), _inside: inside }
    }
}

/// A task, from when this is made until it is dropped.
#[must_use = "it ends when this value is dropped"]
#[derive(Debug)]
pub struct Task {
    // Dropped, and so recorded, before what the thread is busy with is forgotten.
    span: Span,
    _inside: Inside,
}

impl Task {
    /// It is about so many chunks.
    #[inline]
    pub fn of(mut self, chunks: usize) -> Self {
        self.span = self.span.times(chunks);
        self
    }
}

impl Drop for Inside {
    #[inline]
    fn drop(&mut self) {
        if let Some((lane, before)) = self.0 {
            lane.set_label(before);
        }
    }
}
