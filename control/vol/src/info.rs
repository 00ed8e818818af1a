//! The info of a connector: the connector below it, and its own settings.
//!
//! HDF5 keeps it in a file access property list, copies and compares it through our callbacks, and gives it
//! to us when a file is opened. An invalid string still makes an info, which carries the error. HDF5 parses the
//! environment's string while it initialises, and an error there would disable the whole library without a visible
//! message. So the error is reported when a file is opened.

use core::cmp::Ordering;
use core::ffi::{CStr, c_int, c_void};
use core::ptr::NonNull;
use std::ffi::CString;
use std::sync::Arc;

use h5_abi::H5VL_NATIVE_VALUE;
use h5_host::errors::{preserve, quietly};
use h5_host::{Host, Id, OwnedId};

use crate::below::BelowConnector;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::info_string::InfoString;

/// A connector's own `key=value` pairs in its info string.
pub trait Settings: Default + Clone + Send + Sync + 'static {
    /// Applies one pair. The error names the key and the value.
    fn set(&mut self, key: &str, value: &str) -> Result<(), String>;

    /// All pairs that differ from the default, to write them into an info string.
    fn pairs(&self) -> Vec<(String, String)>;

    /// The connector below and its info string, if the settings name them instead of `under_vol` and `under_info`.
    fn below(&self) -> Option<(i32, String)> {
        None
    }
}

/// Settings of a connector that has none.
impl Settings for () {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        Err(format!("unknown key '{key}' (value '{value}')"))
    }

    fn pairs(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// The info of connector `C`.
pub struct Info<C: Connector> {
    host: Host,
    below: Option<Below>,
    settings: C::Settings,
    fault: Option<String>,
}

/// A connector's own settings in an access property list.
pub fn settings_of<C: Connector>(host: Host, access: Id) -> Result<C::Settings> {
    info_of::<C>(host, access).map(|info| info.settings().clone())
}

/// What stands below: a connector and its info.
struct Below {
    connector: Arc<BelowConnector>,
    info: Option<BelowInfo>,
}

impl<C: Connector> Info<C> {
    /// The info when none was given: native below, default settings.
    pub(crate) fn default_for(host: Host) -> Result<Self> {
        let below = if C::METHODS.stacking.is_some() {
            Some(Below { connector: BelowConnector::by_value(host, H5VL_NATIVE_VALUE)?, info: None })
        } else {
            None
        };
        Ok(Self { host, below, settings: C::Settings::default(), fault: None })
    }

    /// Reads an info string. Never fails: see the module's comment.
    pub(crate) fn from_text(host: Host, text: &CStr) -> Self {
        Self::parse(host, text).unwrap_or_else(|error| Self {
            host,
            below: None,
            settings: C::Settings::default(),
            fault: Some(format!("connector '{}': {error}", C::NAME.to_string_lossy())),
        })
    }

    fn parse(host: Host, text: &CStr) -> Result<Self> {
        let text = text
            .to_str()
            .map_err(|_| Error::configuration(format_args!("info string {text:?} is not valid UTF-8")))?;
        let parsed = InfoString::parse(text).map_err(Error::configuration)?;
        let mut settings = C::Settings::default();
        for (key, value) in &parsed.extra {
            settings
                .set(key, value)
                .map_err(|fault| Error::configuration(format_args!("info string '{text}': {fault}")))?;
        }
        let below = if C::METHODS.stacking.is_some() {
            let named = settings.below();
            if named.is_some() && (parsed.under_vol.is_some() || parsed.under_info.is_some()) {
                return Err(Error::configuration(format_args!(
                    "info string '{text}': the connector below is given twice"
                )));
            }
            let (value, info) = named.unwrap_or_else(|| {
                let value = parsed.under_vol.unwrap_or(H5VL_NATIVE_VALUE);
                (value, parsed.under_info.unwrap_or_default().to_owned())
            });
            Some(Below::new(host, value, &info)?)
        } else if parsed.under_vol.is_some() || parsed.under_info.is_some() {
            return Err(Error::configuration(format_args!(
                "info string '{text}': this connector stands on no other, so under_vol and under_info \
                 mean nothing"
            )));
        } else {
            None
        };
        Ok(Self { host, below, settings, fault: None })
    }

    /// The connector's own settings.
    pub fn settings(&self) -> &C::Settings {
        &self.settings
    }

    /// The connector below by its value, and its info string. `None` if there is none.
    pub fn below_in_words(&self) -> Result<Option<(i32, String)>> {
        let Some(below) = &self.below else { return Ok(None) };
        Ok(Some((below.connector.value(), BelowInfo::text(below)?)))
    }

    /// Fails with what was wrong with the info string, if something was.
    #[track_caller]
    pub(crate) fn check(&self) -> Result<()> {
        match &self.fault {
            None => Ok(()),
            Some(fault) => Err(Error::configuration(fault)),
        }
    }

    /// The connector below and the pointer to its info (null if it has none).
    pub(crate) fn below(&self) -> Option<(&Arc<BelowConnector>, *mut c_void)> {
        self.below.as_ref().map(|below| (&below.connector, BelowInfo::as_ptr(below.info.as_ref())))
    }

    pub(crate) fn try_clone(&self) -> Result<Self> {
        let below = match &self.below {
            None => None,
            Some(below) => Some(Below {
                connector: Arc::clone(&below.connector),
                info: below.info.as_ref().map(BelowInfo::try_clone).transpose()?,
            }),
        };
        Ok(Self { host: self.host, below, settings: self.settings.clone(), fault: self.fault.clone() })
    }

    /// Orders two infos like `strcmp`: connector below, its info, settings.
    pub(crate) fn compare(&self, other: &Self) -> Result<Ordering> {
        let below = match (&self.below, &other.below) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(a), Some(b)) => a.compare(b)?,
        };
        Ok(below
            .then_with(|| self.settings.pairs().cmp(&other.settings.pairs()))
            .then_with(|| self.fault.cmp(&other.fault)))
    }

    /// Writes the info as a string that [`Info::from_text`] reads back.
    pub(crate) fn to_text(&self) -> Result<CString> {
        self.check()?;
        let mut text = String::new();
        if let Some(below) = &self.below {
            let info = BelowInfo::text(below)?;
            text = format!("under_vol={};under_info={{{info}}}", below.connector.value());
        }
        for (key, value) in self.settings.pairs() {
            if !text.is_empty() {
                text.push(';');
            }
            text.extend([key.as_str(), "=", value.as_str()]);
        }
        CString::new(text).map_err(Error::failed)
    }

    /// # Safety
    /// `raw` is null or came from [`Info::into_raw`] of the same `C` and has not been released.
    pub(crate) unsafe fn from_raw<'a>(raw: *const c_void) -> Option<&'a Self> {
        // SAFETY: by the contract.
        unsafe { raw.cast::<Self>().as_ref() }
    }

    /// # Safety
    /// As [`Info::from_raw`], and nobody uses `raw` again.
    pub(crate) unsafe fn take_raw(raw: *mut c_void) -> Option<Box<Self>> {
        // SAFETY: by the contract; a null pointer is not an info.
        (!raw.is_null()).then(|| unsafe { Box::from_raw(raw.cast::<Self>()) })
    }

    pub(crate) fn into_raw(self) -> *mut c_void {
        Box::into_raw(Box::new(self)).cast()
    }
}

impl Below {
    fn new(host: Host, value: i32, info: &str) -> Result<Self> {
        let connector = BelowConnector::by_value(host, value)?;
        let info = BelowInfo::from_text(&connector, info)?;
        Ok(Self { connector, info })
    }

    fn compare(&self, other: &Self) -> Result<Ordering> {
        let functions = self.connector.host().functions();
        let (ours, theirs) = (BelowInfo::as_ptr(self.info.as_ref()), BelowInfo::as_ptr(other.info.as_ref()));
        preserve(self.connector.host(), || {
            let mut order: c_int = 0;
            // SAFETY: the host verifies both identifiers and writes one int.
            let status = unsafe {
                (functions.H5VLcmp_connector_cls)(
                    &raw mut order,
                    self.connector.id().0,
                    other.connector.id().0,
                )
            };
            if status < 0 {
                return Err(Error::Below(status));
            }
            if order == 0 {
                // SAFETY: both infos belong to the same connector, as just compared; null is allowed.
                let status = unsafe {
                    (functions.H5VLcmp_connector_info)(&raw mut order, self.connector.id().0, ours, theirs)
                };
                if status < 0 {
                    return Err(Error::Below(-1));
                }
            }
            Ok(order.cmp(&0))
        })
    }
}

/// An info that belongs to the connector below.
struct BelowInfo {
    pointer: NonNull<c_void>,
    connector: Arc<BelowConnector>,
}

// SAFETY: an opaque handle, handed back to its connector only from inside a callback.
unsafe impl Send for BelowInfo {}
// SAFETY: as for `Send`.
unsafe impl Sync for BelowInfo {}

impl BelowInfo {
    fn from_text(connector: &Arc<BelowConnector>, text: &str) -> Result<Option<Self>> {
        if text.is_empty() {
            return Ok(None);
        }
        if connector.is_native() {
            return Err(Error::configuration(format_args!(
                "under_info={{{text}}}: HDF5's native connector takes no info"
            )));
        }
        let host = connector.host();
        let c_text = CString::new(text).map_err(Error::configuration)?;
        let mut info = core::ptr::null_mut();
        // SAFETY: a valid C string and an out-pointer.
        let parse = || unsafe {
            (host.functions().H5VLconnector_str_to_info)(c_text.as_ptr(), connector.id().0, &raw mut info)
        };
        let status = preserve(host, || quietly(host, parse));
        if status < 0 {
            return Err(Error::configuration(format_args!(
                "under_info={{{text}}} is not understood by connector {}",
                connector.value()
            )));
        }
        Ok(NonNull::new(info).map(|pointer| Self { pointer, connector: Arc::clone(connector) }))
    }

    fn as_ptr(info: Option<&Self>) -> *mut c_void {
        info.map_or(core::ptr::null_mut(), |info| info.pointer.as_ptr())
    }

    fn try_clone(&self) -> Result<Self> {
        let host = self.connector.host();
        let mut copy = core::ptr::null_mut();
        // SAFETY: our info of that connector, and an out-pointer.
        let status = preserve(host, || unsafe {
            (host.functions().H5VLcopy_connector_info)(
                self.connector.id().0,
                &raw mut copy,
                self.pointer.as_ptr(),
            )
        });
        match NonNull::new(copy) {
            Some(pointer) if status >= 0 => Ok(Self { pointer, connector: Arc::clone(&self.connector) }),
            _ => Err(Error::failed("the connector below could not copy its info")),
        }
    }

    /// Text of the info below, empty if there is none.
    fn text(below: &Below) -> Result<String> {
        let Some(info) = &below.info else { return Ok(String::new()) };
        let host = below.connector.host();
        let mut text = core::ptr::null_mut();
        // SAFETY: our info of that connector, and an out-pointer.
        let status = preserve(host, || unsafe {
            (host.functions().H5VLconnector_info_to_str)(
                info.pointer.as_ptr(),
                below.connector.id().0,
                &raw mut text,
            )
        });
        if status < 0 {
            return Err(Error::Below(-1));
        }
        if text.is_null() {
            return Ok(String::new());
        }
        // SAFETY: a C string that the host allocated for us.
        let owned = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: allocated by the host, not used again.
        preserve(host, || unsafe { (host.functions().H5free_memory)(text.cast()) });
        Ok(owned)
    }
}

impl Drop for BelowInfo {
    fn drop(&mut self) {
        let host = self.connector.host();
        // SAFETY: our info of that connector, not used again.
        preserve(host, || unsafe {
            (host.functions().H5VLfree_connector_info)(self.connector.id().0, self.pointer.as_ptr())
        });
    }
}

/// A copy of a file access property list that names another connector, by its value and info string: to open files that do not stand
/// below one's own.
pub fn access_through(host: Host, access: Id, connector: i32, info: &str) -> Result<OwnedId> {
    let below = Below::new(host, connector, info)?;
    select(host, access, &below.connector, BelowInfo::as_ptr(below.info.as_ref()))
}

/// A copy of a file access property list that names this connector.
pub(crate) fn select(
    host: Host,
    access: Id,
    connector: &BelowConnector,
    info: *mut c_void,
) -> Result<OwnedId> {
    let functions = host.functions();
    preserve(host, || {
        // SAFETY: the host verifies the list.
        let list = OwnedId::take(host, unsafe { (functions.H5Pcopy)(access.0) })
            .ok_or_else(|| Error::failed("cannot copy the file access property list"))?;
        // SAFETY: the host verifies the identifiers; the info belongs to that connector and is copied.
        let outcome = unsafe { (functions.H5Pset_vol)(list.id().0, connector.id().0, info.cast_const()) };
        if outcome < 0 {
            return Err(Error::failed(format_args!(
                "cannot select connector {} in the file access property list",
                connector.value()
            )));
        }
        Ok(list)
    })
}

/// The info in a file access property list, or the default one if the application gave none.
pub(crate) fn info_of<C: Connector>(host: Host, access: Id) -> Result<Box<Info<C>>> {
    let mut raw = core::ptr::null_mut();
    // SAFETY: the host verifies the list; it returns a copy made by our own `info_copy`.
    let status = preserve(host, || unsafe { (host.functions().H5Pget_vol_info)(access.0, &raw mut raw) });
    if status < 0 {
        return Err(Error::failed("the file access property list has no VOL connector info"));
    }
    // SAFETY: the copy came from `info_copy::<C>`, that is, from `Info::into_raw`, and is now ours.
    let info = match unsafe { Info::<C>::take_raw(raw) } {
        Some(info) => info,
        None => Box::new(Info::default_for(host)?),
    };
    info.check()?;
    Ok(info)
}
