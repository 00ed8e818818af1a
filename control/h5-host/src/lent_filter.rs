//! Our own filters, registered in a host that lacks them. Everything that HDF5 does itself then works as with a plugin.

use core::ffi::{CStr, c_int, c_uint, c_void};
use core::ptr::null_mut;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{OnceLock, PoisonError, RwLock};

use h5_abi::{
    H5T_ARRAY, H5Z_CLASS_T_VERS, H5Z_FLAG_REVERSE, H5Z_class2_t, H5Z_filter_t, H5Z_func_t,
    H5Z_set_local_func_t, herr_t, hid_t,
};

use crate::host::Host;
use crate::id::{Id, OwnedId};
use crate::questions::Questions;

/// Hosts that can be lent filters at the same time.
const HOSTS: usize = 8;

/// The properties of a dataset that a filter depends on.
#[derive(Debug, Clone)]
pub struct AppliedTo {
    /// Bytes of an element.
    pub element: usize,
    /// Bytes of an array's element if the datatype is an array; otherwise the same.
    pub base: usize,
    /// The extent of a chunk.
    pub chunk: Vec<u64>,
}

/// Adapts the parameters to a dataset: `None` leaves them unchanged; an error says that the filter does not fit.
pub type Prepare = fn(H5Z_filter_t, &[u32], &AppliedTo) -> Result<Option<Vec<u32>>, ()>;

/// Runs a filter with these parameters over bytes, in either direction; `None` if it fails.
pub type Run = fn(H5Z_filter_t, &[u32], Direction, &[u8]) -> Option<Vec<u8>>;

/// The direction in which bytes go through a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the file.
    Apply,
    /// From the file.
    Undo,
}

/// The functions behind all lent filters.
#[derive(Debug, Clone, Copy)]
pub struct Lender {
    /// Runs when a dataset is created.
    pub prepare: Prepare,
    /// Runs on each chunk.
    pub run: Run,
}

static LENDER: OnceLock<Lender> = OnceLock::new();

/// Hosts that were lent a filter, by the number that their functions have.
static BORROWERS: RwLock<[Option<Host>; HOSTS]> = RwLock::new([None; HOSTS]);

impl Questions {
    /// Registers a filter with the host, under one of the numbers that can be lent. Says whether it is registered.
    pub fn lend_filter(self, id: H5Z_filter_t, name: &'static CStr, lender: Lender) -> bool {
        let Some((filter, set_local)) = number_of(self.0).and_then(|host| functions_of(id, host)) else {
            return false;
        };
        LENDER.get_or_init(|| lender);
        let class = H5Z_class2_t {
            version: H5Z_CLASS_T_VERS,
            id,
            encoder_present: 1,
            decoder_present: 1,
            name: name.as_ptr(),
            can_apply: None,
            set_local,
            filter,
        };
        // SAFETY: HDF5 copies the structure. Its functions and its name stay where they are: plugins are not unloaded.
        unsafe { (self.0.functions().H5Zregister)((&raw const class).cast()) >= 0 }
    }
}

/// The number of a host among those that were lent a filter.
fn number_of(host: Host) -> Option<usize> {
    let mut borrowers = BORROWERS.write().unwrap_or_else(PoisonError::into_inner);
    let known = borrowers.iter().position(|known| *known == Some(host));
    let number = known.or_else(|| borrowers.iter().position(Option::is_none))?;
    borrowers[number] = Some(host);
    Some(number)
}

/// The functions of a filter. HDF5 tells them neither which filter nor which host they are called for.
fn functions_of(id: H5Z_filter_t, host: usize) -> Option<(H5Z_func_t, H5Z_set_local_func_t)> {
    fn both<const ID: H5Z_filter_t>(host: usize) -> Option<(H5Z_func_t, H5Z_set_local_func_t)> {
        let set_local: H5Z_set_local_func_t = match host {
            0 => Some(set_local::<ID, 0>),
            1 => Some(set_local::<ID, 1>),
            2 => Some(set_local::<ID, 2>),
            3 => Some(set_local::<ID, 3>),
            4 => Some(set_local::<ID, 4>),
            5 => Some(set_local::<ID, 5>),
            6 => Some(set_local::<ID, 6>),
            7 => Some(set_local::<ID, 7>),
            _ => return None,
        };
        Some((Some(filter::<ID>), set_local))
    }
    match id {
        307 => both::<307>(host),
        32000 => both::<32000>(host),
        32001 => both::<32001>(host),
        32004 => both::<32004>(host),
        32008 => both::<32008>(host),
        32015 => both::<32015>(host),
        32026 => both::<32026>(host),
        _ => None,
    }
}

/// The filter itself, as HDF5 calls it: gives the number of bytes in the buffer, or 0 if it fails.
unsafe extern "C" fn filter<const ID: H5Z_filter_t>(
    flags: c_uint,
    parameter_count: usize,
    parameters: *const c_uint,
    length: usize,
    room: *mut usize,
    buffer: *mut *mut c_void,
) -> usize {
    let direction = if flags & H5Z_FLAG_REVERSE == 0 { Direction::Apply } else { Direction::Undo };
    // SAFETY: HDF5 passes as many parameters as it says, and a buffer with `length` bytes in it.
    let (parameters, input) = unsafe {
        let parameters = match parameter_count {
            0 => &[],
            count => core::slice::from_raw_parts(parameters, count),
        };
        (parameters, core::slice::from_raw_parts((*buffer).cast::<u8>(), length))
    };
    // A panic must not unwind through HDF5.
    let made = catch_unwind(AssertUnwindSafe(|| (LENDER.get()?.run)(ID, parameters, direction, input)));
    let Some(made) = made.ok().flatten().filter(|made| !made.is_empty()) else { return 0 };
    // SAFETY: the buffer has `*room` bytes and is one of malloc's, as HDF5 asks filters to replace it by another one.
    unsafe {
        if made.len() > *room {
            let larger = libc::malloc(made.len());
            if larger.is_null() {
                return 0;
            }
            libc::free(*buffer);
            *buffer = larger;
            *room = made.len();
        }
        core::ptr::copy_nonoverlapping(made.as_ptr(), (*buffer).cast::<u8>(), made.len());
    }
    made.len()
}

/// Makes the parameters of a dataset, as HDF5 asks for when it is created.
unsafe extern "C" fn set_local<const ID: H5Z_filter_t, const HOST: usize>(
    creation: hid_t,
    datatype: hid_t,
    _space: hid_t,
) -> herr_t {
    let done = catch_unwind(|| {
        let host = BORROWERS.read().unwrap_or_else(PoisonError::into_inner)[HOST]?;
        prepare(Questions(host), ID, Id(creation), Id(datatype))
    });
    if done.ok().flatten().is_some() { 0 } else { -1 }
}

fn prepare(questions: Questions, id: H5Z_filter_t, creation: Id, datatype: Id) -> Option<()> {
    let functions = questions.0.functions();
    let (mut flags, mut count) = (0, 64_usize);
    let mut given = vec![0; count];
    // SAFETY: the host verifies the list and cuts the parameters to the room there is; the name is not wanted.
    let status = unsafe {
        (functions.H5Pget_filter_by_id2)(
            creation.0,
            id,
            &raw mut flags,
            &raw mut count,
            given.as_mut_ptr(),
            0,
            null_mut(),
            null_mut(),
        )
    };
    if status < 0 || count > given.len() {
        return None;
    }
    given.truncate(count);
    let element = questions.element_size(datatype)?;
    // SAFETY: the host verifies the identifier.
    let is_array = unsafe { (functions.H5Tget_class)(datatype.0) } == H5T_ARRAY;
    let base = if is_array {
        // SAFETY: as above.
        let base = OwnedId::take(questions.0, unsafe { (functions.H5Tget_super)(datatype.0) })?;
        questions.element_size(base.id())?
    } else {
        element
    };
    let dataset = AppliedTo { element, base, chunk: questions.chunk_dimensions(creation)? };
    let Some(parameters) = (LENDER.get()?.prepare)(id, &given, &dataset).ok()? else { return Some(()) };
    // SAFETY: the host verifies the list and copies the parameters.
    let status: c_int =
        unsafe { (functions.H5Pmodify_filter)(creation.0, id, flags, parameters.len(), parameters.as_ptr()) };
    (status >= 0).then_some(())
}
