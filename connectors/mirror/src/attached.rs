//! The objects of the other sides that belong to an object of the application.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use h5_sides::{Failure, Hdf5, Outcome};
use h5_vol::{Id, Object, OwnedId, Result};

use crate::Mirror;
use crate::opening::Opening;

/// How an object holds its opening. What HDF5 has wrapped by itself may never be closed, and must not keep it.
enum Held {
    Strong(Arc<Opening>),
    Weak(Weak<Opening>),
}

/// What an object has on the other sides.
pub struct Attached {
    opening: Held,
    /// For each side other than the first one.
    ids: Mutex<Vec<Option<OwnedId>>>,
}

impl Attached {
    pub(crate) fn new(opening: Arc<Opening>, ids: Vec<Option<OwnedId>>) -> Self {
        Self { opening: Held::Strong(opening), ids: Mutex::new(ids) }
    }

    pub(crate) fn wrapped(opening: &Arc<Opening>, ids: Vec<Option<OwnedId>>) -> Self {
        Self { opening: Held::Weak(Arc::downgrade(opening)), ids: Mutex::new(ids) }
    }

    pub(crate) fn opening(&self) -> Option<Arc<Opening>> {
        match &self.opening {
            Held::Strong(opening) => Some(Arc::clone(opening)),
            Held::Weak(opening) => opening.upgrade(),
        }
    }

    /// Whether this is the last object of its opening. Nobody may hold the opening meanwhile.
    fn is_last(&self) -> bool {
        match &self.opening {
            Held::Strong(opening) => Arc::strong_count(opening) == 1,
            Held::Weak(_) => false,
        }
    }

    /// The object of a side.
    pub(crate) fn id(&self, side: usize) -> Option<Id> {
        let ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        ids.get(side)?.as_ref().map(OwnedId::id)
    }
}

/// An object's own, with its opening. `None` if it is not mirrored.
pub(crate) fn of(object: &Object<Mirror>) -> Option<(&Attached, Arc<Opening>)> {
    let attached = object.data().as_ref()?;
    Some((attached, attached.opening()?))
}

/// Makes a call on every side that is not left out.
pub(crate) fn each_side(
    object: &Object<Mirror>,
    what: &str,
    mut call: impl FnMut(Hdf5, usize, Id) -> Outcome<()>,
) -> Result<()> {
    let Some((attached, opening)) = of(object) else { return Ok(()) };
    let mut outcome = Ok(());
    for (number, _) in opening.sides.iter().enumerate().filter(|(_, side)| !side.is_out()) {
        let id = attached.id(number);
        let made = match id {
            Some(id) => call(opening.hdf5, number, id),
            None => Err(Failure::new("the object could not be found on this side")),
        };
        if let Err(failure) = made {
            outcome = outcome.and(opening.failed(number, id, what, &failure));
        }
    }
    outcome
}

/// Makes a call that gives an object on every side that is not left out.
pub(crate) fn new_on_each(
    object: &Object<Mirror>,
    what: &str,
    mut call: impl FnMut(Hdf5, usize, Id) -> Outcome<OwnedId>,
) -> (Vec<Option<OwnedId>>, Result<()>) {
    let mut new = Vec::new();
    let outcome = each_side(object, what, |hdf5, number, id| {
        new.resize_with(number + 1, || None);
        new[number] = Some(call(hdf5, number, id)?);
        Ok(())
    });
    (new, outcome)
}

/// Closes what an object has on the other sides, before the first one: if it fails, the object is still open, and can be closed again.
pub(crate) fn close(object: &Object<Mirror>, what: &str) -> Result<()> {
    let Some(attached) = object.data().as_ref() else { return Ok(()) };
    let ids = core::mem::take(&mut *attached.ids.lock().unwrap_or_else(PoisonError::into_inner));
    let Some(opening) = attached.opening() else { return Ok(()) };
    let mut outcome = Ok(());
    for (number, id) in ids.into_iter().enumerate() {
        let Some(id) = id else { continue };
        let closed = opening.hdf5.close(id);
        if let (Err(failure), false) = (closed, opening.sides[number].is_out()) {
            outcome = outcome.and(opening.failed(number, None, what, &failure));
        }
    }
    outcome
}

/// An object is closed on all sides. After the last one, the opening is finished: it fails if the sides turn out to differ.
pub(crate) fn closed(object: &Object<Mirror>) -> Result<()> {
    let Some(attached) = object.data().as_ref() else { return Ok(()) };
    if attached.is_last()
        && let Some(opening) = attached.opening()
    {
        opening.forget_files();
        if !object.connector().is_open(&opening) {
            return opening.finish();
        }
    }
    Ok(())
}
