//! Identifiers for objects of a connector's own call.
//!
//! A callback gets objects, not identifiers. For what only HDF5's public functions can do, such as reading from one connector and
//! writing to another, it needs identifiers of them. HDF5 makes them only for what a connector opens. So a second connector is
//! registered for as long as it takes, the [`Lender`]: it stands on the first one, its files are the objects that are lent, and what is
//! opened in them is opened by the first connector. A lent file is good for nothing but to open objects (`H5Oopen`), and is best
//! closed at once.

use core::ffi::{CStr, c_int};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use h5_abi::H5VL_class_t;
use h5_host::{Host, Id};

use crate::below::{BelowConnector, BelowObject};
use crate::calls::{FileClose, FileOpen, FileOptional, ObjectOpen, RequestSlot};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::export::class_for;
use crate::location::{OwnLocation, Target};
use crate::methods::{Methods, PassThrough};
use crate::object::{NewObject, Object, ObjectKind, not_implemented};
use crate::slots::Slots;

/// A connector that lends its objects.
pub trait Lends: PassThrough {
    /// Name of its lender, which nothing else has.
    const LENDER: &'static CStr;

    /// Where the lender's instances live: write [`lends!`](crate::lends)`(TheType);`.
    fn lender_slots() -> &'static Slots<Lender<Self>>;

    /// How an object's file keeps what is in it.
    fn storage(object: &Object<Self>) -> Storage {
        object.below().map_or(Storage::Other, |below| Storage::below(below.connector().value()))
    }
}

/// How the file of an object keeps what is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// As in HDF5 files: there are chunks.
    Plain,
    /// Committed datatypes are known by their names only.
    ByName,
    /// In some other way.
    Other,
}

impl Storage {
    /// That of a connector, by its value.
    pub fn below(connector: c_int) -> Self {
        /// `bypass`.
        const BYPASS: c_int = 518;
        if connector == h5_abi::H5VL_NATIVE_VALUE || connector == BYPASS { Self::Plain } else { Self::Other }
    }
}

/// Implements [`Lends::lender_slots`] for the named connector.
#[macro_export]
macro_rules! lends {
    ($connector:ty) => {
        fn lender_slots() -> &'static $crate::Slots<$crate::Lender<$connector>> {
            static SLOTS: $crate::Slots<$crate::Lender<$connector>> = $crate::Slots::new();
            &SLOTS
        }
    };
}

/// The connector through which a connector lends its objects.
pub struct Lender<C: Lends> {
    host: Host,
    lent: Mutex<HashMap<u64, Arc<Object<C>>>>,
}

impl<C: Lends> Connector for Lender<C> {
    const NAME: &'static CStr = C::LENDER;
    const VALUE: c_int = C::VALUE + 1000;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const METHODS: Methods<Self> = Methods::pass_through();

    type Settings = ();
    /// What a file is that is lent. Everything else is opened in the connector below, as always.
    type Data = Option<Arc<Object<C>>>;

    fn slots() -> &'static Slots<Self> {
        C::lender_slots()
    }

    fn new(host: Host) -> Self {
        Self { host, lent: Mutex::default() }
    }
}

impl<C: Lends> Lender<C> {
    /// Its class, to be registered in a host while objects are lent.
    pub fn class(host: Host) -> Result<&'static H5VL_class_t> {
        let address = host.functions().H5get_libversion as *const core::ffi::c_void;
        // SAFETY: an address in a libhdf5.
        unsafe { class_for::<Self>(address) }.map_err(Error::failed)
    }

    /// Opens what has a name, relative to an object, in the terms of the application's call: HDF5 notes them in a file that it opens
    /// behind an external link, and would close that in the terms of the application, whoever has opened it.
    pub fn open_named(object: &Arc<Object<C>>, name: &CStr) -> Result<Arc<Object<C>>> {
        let open = const { C::METHODS.object_cls.open }.ok_or_else(not_implemented::<C>)?;
        let place = OwnLocation::named(object.kind(), name.to_owned(), Id::DEFAULT);
        let call = ObjectOpen {
            object: Arc::clone(object),
            location: place.as_location(),
            transfer: object.host().default_transfer(),
            request: RequestSlot::NONE,
        };
        Ok(Arc::new(open(object.connector(), call)?.into_object(object.instance())))
    }

    /// Lets an object be opened as a file, once. The result is the file's name; `.` in it is the object. The lender must be registered.
    pub fn offer(object: &Arc<Object<C>>) -> Result<String> {
        let instance = (0..crate::SLOTS)
            .filter_map(|slot| Self::slots().instance(slot))
            .find(|instance| instance.host() == object.host());
        let instance = instance.ok_or_else(|| Error::failed("the lender is not registered"))?;
        let mut lent = instance.connector().lent.lock().unwrap_or_else(PoisonError::into_inner);
        let number = lent.keys().max().map_or(0, |last| last + 1);
        lent.insert(number, Arc::clone(object));
        Ok(number.to_string())
    }

    fn take(&self, name: Option<&CStr>) -> Option<Arc<Object<C>>> {
        let number = name?.to_str().ok()?.parse().ok()?;
        self.lent.lock().unwrap_or_else(PoisonError::into_inner).remove(&number)
    }
}

impl<C: Lends> PassThrough for Lender<C> {
    fn attach(&self, _: &crate::Origin<'_, Self>, _: ObjectKind, _: &BelowObject) -> Self::Data {
        None
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let object = self.take(call.name).ok_or_else(|| Error::failed("nothing is lent under this name"))?;
        let connector = BelowConnector::by_value(self.host, C::VALUE)?;
        // Whoever holds the object keeps it alive by this pointer: HDF5 or this file.
        let pointer = Arc::as_ptr(&object).cast_mut().cast();
        let below = BelowObject::new(pointer, object.kind(), &connector)?;
        Ok(NewObject { kind: ObjectKind::File, below: Some(below), data: Some(object) })
    }

    fn file_optional(&self, mut call: FileOptional<'_, Self>) -> Result<c_int> {
        // The file was opened before it was lent.
        if call.object.data().is_some() { Ok(0) } else { call.forward() }
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        if call.object.data().is_some() {
            // It is the application's.
            call.object.mark_below_closed();
            return Ok(());
        }
        call.forward()
    }

    fn object_open(&self, mut call: ObjectOpen<'_, Self>) -> Result<NewObject<Self>> {
        let Some(lent) = call.object.data().clone() else { return call.forward() };
        let Target::Name(name) = call.location.target() else {
            return Err(Error::unsupported("what is lent is opened by name"));
        };
        // What is lent may be of any kind.
        let place = OwnLocation::named(lent.kind(), name.to_owned(), call.location.link_access());
        // SAFETY: the call ends below.
        call.location = unsafe { place.for_earlier_call() };
        call.forward()
    }
}
