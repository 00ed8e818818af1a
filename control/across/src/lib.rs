//! Copies of objects (`H5Ocopy`) between files that stand on different connectors.
//!
//! HDF5 compares the outermost connectors only. If they are the same one of ours, the call arrives, although the files below may have
//! nothing in common: an HDF5 file and a Zarr directory, say. No connector below can do it then. So both objects are lent to HDF5
//! ([`h5_vol::Lender`]), and copied as `h5bypass copy` does it ([`h5_exchange::copy`]), with everything that the application's
//! property lists ask for. All calls go through the connector itself: it sees what is read and written, and does it in its own way.

#![deny(unsafe_code)]

use core::ffi::{CStr, c_int};
use std::sync::{Arc, Mutex, PoisonError};

use h5_client::{
    AnyLocation, AnyObject, Connector, CopyFlags, Failure, File, FileAccess, Library, LinkCreation, Session,
};
use h5_exchange::Side;
use h5_exchange::copy::{Target, Wanted, copy_lent};
use h5_host::errors::{preserve, quietly};
use h5_vol::calls::ObjectCopy;
use h5_vol::{Error, Host, Lender, Lends, Object, Result, Storage};

/// Makes the copy that a call asks for. To be used if [the connector below cannot](ObjectCopy::is_across).
pub fn copy_object<C: Lends>(call: &ObjectCopy<'_, C>) -> Result<c_int> {
    let host = call.source.host();
    let (Some(name), Some(new)) = (call.source_name, call.target_name) else {
        return Err(Error::bad_argument("a copy of an object without a name"));
    };
    let source = Lender::open_named(&call.source, name)?;
    preserve(host, || quietly(host, || copy(call, &source, new, host)))
}

fn copy<C: Lends>(
    call: &ObjectCopy<'_, C>,
    source: &Arc<Object<C>>,
    new: &CStr,
    host: Host,
) -> Result<c_int> {
    let session = library(host).enter().map_err(|failure| failed(&failure))?;
    let lent = Lending::<C>::new(&session, host)?;
    let source = lent.open(&Lender::offer(source)?)?;
    let location = match lent.open(&Lender::offer(&call.target)?)? {
        AnyObject::Group(group) => AnyLocation::Group(group),
        _ => return Err(Error::bad_argument("objects are copied into files and groups")),
    };
    let source = Side::lent(source, C::storage(&call.source) == Storage::Plain).map_err(Error::failed)?;
    let storage = C::storage(&call.target);
    let target = Target {
        location,
        name: new,
        is_plain: storage == Storage::Plain,
        knows_types_by_name: storage == Storage::ByName,
    };
    let wanted = Wanted {
        flags: CopyFlags::of_list(&session, call.copy.0).map_err(|failure| failed(&failure))?,
        link: LinkCreation::of_application(&session, call.link_creation.0),
    };
    copy_lent(&source, &target, &wanted).map_err(Error::failed)?;
    Ok(0)
}

/// Objects of a connector that are lent.
struct Lending<C: Lends> {
    access: FileAccess,
    session: Session,
    of: core::marker::PhantomData<C>,
    /// Registered as long as this exists.
    _lender: Connector,
}

impl<C: Lends> Lending<C> {
    fn new(session: &Session, host: Host) -> Result<Self> {
        let lender = register::<C>(session, host)?;
        let access = FileAccess::through(&lender, None).map_err(|failure| failed(&failure))?;
        Ok(Self { access, session: session.clone(), of: core::marker::PhantomData, _lender: lender })
    }

    /// Opens what is lent under this name.
    fn open(&self, file: &str) -> Result<AnyObject> {
        let file = File::open_writable(&self.session, file, &self.access);
        file.and_then(|file| AnyObject::open(&file, c".")).map_err(|failure| failed(&failure))
    }
}

#[expect(unsafe_code, reason = "registers a connector")]
fn register<C: Lends>(session: &Session, host: Host) -> Result<Connector> {
    // SAFETY: a connector of the framework, with the class that is for this host.
    unsafe { Connector::register(session, Lender::<C>::class(host)?) }.map_err(|failure| failed(&failure))
}

fn failed(failure: &Failure) -> Error {
    Error::failed(failure)
}

/// The client of a host. Its functions are looked up once.
#[expect(unsafe_code, reason = "looks up HDF5's functions")]
fn library(host: Host) -> &'static Library {
    static KNOWN: Mutex<Vec<(Host, &'static Library)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, library)) = known.iter().find(|(of, _)| *of == host) {
        return library;
    }
    // SAFETY: a host is a libhdf5, and we are inside of one of its callbacks.
    let library = unsafe { Library::inside(host.path(), |names| h5_vol::locate::symbols(host, names)) };
    known.push((host, library));
    library
}
