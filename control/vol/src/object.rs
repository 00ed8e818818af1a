//! Objects as a connector sees them: its own data, and the object below if there is one.

use core::ffi::c_void;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use h5_abi::{H5I_ATTR, H5I_BADID, H5I_DATASET, H5I_DATATYPE, H5I_FILE, H5I_GROUP, H5I_MAP, H5I_type_t};
use h5_host::{Host, OwnedId};

use crate::below::{BelowConnector, BelowObject};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::info::Info;
use crate::instance::Instance;
use crate::methods::{PassThrough, Terminal};

/// The kind of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ObjectKind {
    /// A file (container).
    File,
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
    /// An attribute.
    Attribute,
    /// A map object.
    Map,
    /// The token of an asynchronous operation.
    Request,
    /// A kind from a newer HDF5.
    Other,
}

impl ObjectKind {
    pub(crate) fn from_id_type(id_type: H5I_type_t) -> Self {
        match id_type {
            H5I_FILE => Self::File,
            H5I_GROUP => Self::Group,
            H5I_DATASET => Self::Dataset,
            H5I_DATATYPE => Self::Datatype,
            H5I_ATTR => Self::Attribute,
            H5I_MAP => Self::Map,
            _ => Self::Other,
        }
    }

    pub(crate) fn id_type(self) -> H5I_type_t {
        match self {
            Self::File => H5I_FILE,
            Self::Group => H5I_GROUP,
            Self::Dataset => H5I_DATASET,
            Self::Datatype => H5I_DATATYPE,
            Self::Attribute => H5I_ATTR,
            Self::Map => H5I_MAP,
            Self::Request | Self::Other => H5I_BADID,
        }
    }
}

/// Where a new object comes from.
pub enum Origin<'a, C: Connector> {
    /// A file that was opened or created with this info (its settings are the connector's own).
    Opened(&'a Info<C>),
    /// Opened from an open object.
    Object(&'a Object<C>),
    /// Found by HDF5 itself through an open object (an iteration, the file of an object), and handed out or kept for its
    /// own use. HDF5 does not close all of them: if a file is open through several connectors, it forgets some.
    Wrapped(&'a Object<C>),
}

/// An object handed out to the application.
pub struct Object<C: Connector> {
    kind: ObjectKind,
    instance: Arc<Instance<C>>,
    below: Option<BelowObject>,
    data: C::Data,
    /// Whether HDF5 holds a reference.
    handed_out: AtomicBool,
    /// For datasets: the number of dimensions, which never changes, once it was asked for.
    rank: OnceLock<usize>,
}

impl<C: Connector> Object<C> {
    /// Its kind.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// The connector's data for it.
    pub fn data(&self) -> &C::Data {
        &self.data
    }

    /// The connector it belongs to.
    pub fn connector(&self) -> &C {
        self.instance.connector()
    }

    /// The number of dimensions of a dataset; `find` is called the first time.
    pub(crate) fn rank_or_find(&self, find: impl FnOnce() -> Result<usize>) -> Result<usize> {
        match self.rank.get() {
            Some(rank) => Ok(*rank),
            None => find().map(|rank| *self.rank.get_or_init(|| rank)),
        }
    }

    /// The host it lives in.
    pub fn host(&self) -> Host {
        self.instance.host()
    }

    /// The object below, if the connector stands on another one and the object is still open there.
    pub(crate) fn open_below(&self) -> Option<&BelowObject> {
        self.below.as_ref().filter(|below| !below.is_closed())
    }

    pub(crate) fn instance(&self) -> &Arc<Instance<C>> {
        &self.instance
    }

    /// The object below.
    #[track_caller]
    pub(crate) fn require_below(&self) -> Result<&BelowObject> {
        match &self.below {
            Some(below) if below.is_closed() => Err(Error::bad_argument("the object is closed already")),
            Some(below) => Ok(below),
            None => Err(nothing_below()),
        }
    }

    /// Fails unless both objects stand on the same connector: the one below the first would take the other
    /// one's pointer for one of its own.
    #[track_caller]
    pub(crate) fn require_same_below(&self, other: &Self) -> Result<()> {
        let (ours, theirs) = (self.require_below()?.connector(), other.require_below()?.connector());
        // Two files opened separately hold separate references to one connector.
        if ours.value() == theirs.value() {
            Ok(())
        } else {
            Err(Error::unsupported(format_args!(
                "the objects of one call stand on different connectors below ({} and {})",
                ours.value(),
                theirs.value()
            )))
        }
    }

    /// The connector below, whether or not the object is still open there.
    pub(crate) fn below_connector(&self) -> Option<&Arc<BelowConnector>> {
        self.below.as_ref().map(BelowObject::connector)
    }

    /// Whether the object below has been closed.
    pub(crate) fn is_closed_below(&self) -> bool {
        self.below.as_ref().is_some_and(BelowObject::is_closed)
    }

    /// Notes that the object below is closed, or is HDF5's now.
    pub(crate) fn mark_below_closed(&self) {
        if let Some(below) = &self.below {
            below.mark_closed();
        }
    }

    /// Hands one reference to HDF5.
    pub(crate) fn into_raw(self) -> *mut c_void {
        Arc::new(self).hand_out()
    }

    /// The pointer by which HDF5 knows the object, handing it a reference if it has none (any more).
    pub(crate) fn hand_out(self: &Arc<Self>) -> *mut c_void {
        let pointer = if self.handed_out.swap(true, Ordering::AcqRel) {
            Arc::as_ptr(self)
        } else {
            Arc::into_raw(Arc::clone(self))
        };
        self.instance.note_held(pointer.cast(), true);
        pointer.cast_mut().cast()
    }

    /// The object behind a pointer that HDF5 gives back to us. The reference taken here keeps the object
    /// alive for the whole call even if the call (a refresh) or another thread closes it meanwhile.
    ///
    /// # Safety
    /// `raw` is null or came from [`Object::into_raw`] of the same `C` and has not been released.
    pub(crate) unsafe fn borrow_raw(raw: *mut c_void) -> Option<Arc<Self>> {
        if raw.is_null() || left_over::contains(raw) {
            return None;
        }
        let object = raw.cast_const().cast::<Self>();
        // SAFETY: by the contract, HDF5 still holds a reference.
        unsafe { Arc::increment_strong_count(object) };
        // SAFETY: the count was just raised for this `Arc`.
        Some(unsafe { Arc::from_raw(object) })
    }

    /// The instance that an object of HDF5's belongs to.
    ///
    /// # Safety
    /// As [`Object::borrow_raw`], and not null.
    pub(crate) unsafe fn instance_of(raw: *mut c_void) -> Arc<Instance<C>> {
        // SAFETY: by the contract.
        Arc::clone(unsafe { &(*raw.cast_const().cast::<Self>()).instance })
    }

    /// Takes back the reference that HDF5 held.
    ///
    /// If the destructor of the connector's data panics, the close must fail, and after a failed close HDF5
    /// may keep the pointer and use it again: it is then [left over](left_over).
    ///
    /// # Safety
    /// As [`Object::borrow_raw`], not null, and on success HDF5 will not use `raw` again.
    pub(crate) unsafe fn release_raw(raw: *mut c_void) {
        // SAFETY: by the contract.
        let object = unsafe { Arc::from_raw(raw.cast_const().cast::<Self>()) };
        object.handed_out.store(false, Ordering::Release);
        object.instance.note_held(raw, false);
        let mut memory = left_over::Memory::of(&object);
        drop(object);
        memory.is_free();
    }

    /// Gives an object of this connector an identifier, wrapped by the connectors above as the object of the
    /// present call is. For the group or object that an iteration passes to the application's function.
    /// Dropping the identifier closes the object.
    pub fn register(&self, new: NewObject<C>) -> Result<OwnedId> {
        let instance = self.instance();
        let id_type = new.kind.id_type();
        let raw = new.into_object(instance).into_raw();
        // SAFETY: an object of the connector whose call is running, which the identifier takes over.
        let id = unsafe { (self.host().functions().H5VLwrap_register)(raw, id_type) };
        OwnedId::take(self.host(), id).ok_or_else(|| {
            // SAFETY: handed out above, and HDF5 did not take it.
            unsafe { Self::release_raw(raw) };
            Error::Below(-1)
        })
    }
}

impl<C: PassThrough> Object<C> {
    /// The object below, if it is still open there.
    pub fn below(&self) -> Option<&BelowObject> {
        self.open_below()
    }
}

impl<C: Connector> fmt::Debug for Object<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").field("kind", &self.kind).field("below", &self.below).finish_non_exhaustive()
    }
}

/// Addresses of objects that are gone although HDF5 may still use them: closing them has failed in the
/// destructor of their data.
pub(crate) mod left_over {
    use core::ffi::c_void;
    use core::sync::atomic::{AtomicBool, Ordering};
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

    /// Whether there ever was one, so that calls need not take the lock.
    static ANY: AtomicBool = AtomicBool::new(false);
    static ALL: Mutex<BTreeSet<usize>> = Mutex::new(BTreeSet::new());

    fn all() -> MutexGuard<'static, BTreeSet<usize>> {
        ALL.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory of an object whose destructor runs. Unless [`is_free`](Self::is_free) follows, the destructor
    /// has panicked: the object is left over, and its memory is never freed, so that no other object gets this address.
    pub(super) struct Memory<T>(Option<Weak<T>>);

    impl<T> Memory<T> {
        pub(super) fn of(object: &Arc<T>) -> Self {
            Self(Some(Arc::downgrade(object)))
        }

        pub(super) fn is_free(&mut self) {
            self.0 = None;
        }
    }

    impl<T> Drop for Memory<T> {
        fn drop(&mut self) {
            if let Some(memory) = self.0.take() {
                all().insert(memory.as_ptr().addr());
                ANY.store(true, Ordering::Release);
                core::mem::forget(memory);
            }
        }
    }

    pub(crate) fn contains(raw: *mut c_void) -> bool {
        ANY.load(Ordering::Acquire) && all().contains(&raw.addr())
    }

    /// Forgets an object that is closed once more; false if it was none of these.
    pub(crate) fn remove(raw: *mut c_void) -> bool {
        ANY.load(Ordering::Acquire) && all().remove(&raw.addr())
    }
}

/// The error for a callback that the connector does not have.
#[track_caller]
pub(crate) fn not_implemented<C: Connector>() -> Error {
    Error::unsupported(format_args!("connector '{}' does not implement this", C::NAME.to_string_lossy()))
}

/// The error for an object or info of a pass-through connector without a counterpart below. There is no way to make one.
#[track_caller]
pub(crate) fn nothing_below() -> Error {
    Error::bad_argument("there is no connector below")
}

/// An object that a method of a connector returns, not yet handed to HDF5.
pub struct NewObject<C: Connector> {
    pub(crate) kind: ObjectKind,
    pub(crate) below: Option<BelowObject>,
    /// The connector's data; a method may replace what [`PassThrough::attach`] made.
    pub data: C::Data,
}

impl<C: Connector> NewObject<C> {
    /// Its kind.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    pub(crate) fn into_object(self, instance: &Arc<Instance<C>>) -> Object<C> {
        Object {
            kind: self.kind,
            instance: Arc::clone(instance),
            below: self.below,
            data: self.data,
            handed_out: AtomicBool::new(false),
            rank: OnceLock::new(),
        }
    }
}

impl<C: Terminal> NewObject<C> {
    /// An object of a terminal connector.
    pub fn terminal(kind: ObjectKind, data: C::Data) -> Self {
        Self { kind, below: None, data }
    }
}

impl<C: PassThrough> NewObject<C> {
    /// The object below.
    pub fn below(&self) -> Option<&BelowObject> {
        self.below.as_ref()
    }

    /// Gives a pointer returned by the connector below its data.
    pub(crate) fn from_below(
        instance: &Instance<C>,
        origin: &Origin<'_, C>,
        kind: ObjectKind,
        pointer: *mut c_void,
        connector: &Arc<BelowConnector>,
    ) -> Result<Self> {
        let below = BelowObject::new(pointer, kind, connector)?;
        let data = instance.connector().attach(origin, kind, &below);
        Ok(Self { kind, below: Some(below), data })
    }
}
