//! Rust functions as callbacks of HDF5's iterations.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use h5_abi::{H5A_info_t, H5L_info2_t, H5O_info2_t, haddr_t, hid_t, hsize_t};

/// What is called for each step. It returns what HDF5's callbacks return: zero to go on, a positive number to stop, a
/// negative one to fail.
type Function<'f, I> = &'f mut dyn FnMut(hid_t, &CStr, &I) -> c_int;

/// A function on its way through C. A panic stops the iteration and goes on after it.
pub(crate) struct Visitor<'f, I> {
    function: Function<'f, I>,
    panic: Option<Box<dyn Any + Send>>,
}

impl<'f, I> Visitor<'f, I> {
    /// Runs an iteration: `call` gets the data for [`visit`].
    pub(crate) fn run<R>(function: Function<'f, I>, call: impl FnOnce(*mut c_void) -> R) -> R {
        let mut visitor = Self { function, panic: None };
        let result = call((&raw mut visitor).cast());
        if let Some(panic) = visitor.panic {
            resume_unwind(panic);
        }
        result
    }
}

/// The callback for an iteration over links, attributes or objects.
///
/// # Safety
/// `name` is a C string, `info` valid, and `visitor` what [`Visitor::run`] has made for this kind of information.
pub(crate) unsafe extern "C" fn visit<I>(
    id: hid_t,
    name: *const c_char,
    info: *const I,
    visitor: *mut c_void,
) -> c_int {
    // SAFETY: by the contract.
    let (name, info, visitor) =
        unsafe { (CStr::from_ptr(name), &*info, &mut *visitor.cast::<Visitor<'_, I>>()) };
    catch_unwind(AssertUnwindSafe(|| (visitor.function)(id, name, info))).unwrap_or_else(|panic| {
        visitor.panic = Some(panic);
        -1
    })
}

const _: h5_abi::H5L_iterate2_t = Some(visit::<H5L_info2_t>);
const _: h5_abi::H5A_operator2_t = Some(visit::<H5A_info_t>);
const _: h5_abi::H5O_iterate2_t = Some(visit::<H5O_info2_t>);

/// What a step of `H5Dchunk_iter` is about.
pub(crate) struct ChunkStep<'c> {
    pub(crate) place: &'c [u64],
    pub(crate) filter_mask: u32,
    pub(crate) address: u64,
    pub(crate) size: u64,
}

/// A function that takes chunks, and the rank of their dataset.
pub(crate) struct ChunkVisitor<'f> {
    pub(crate) rank: usize,
    /// It must not panic.
    pub(crate) function: &'f mut dyn FnMut(ChunkStep<'_>),
}

/// The callback for an iteration over chunks.
///
/// # Safety
/// `place` has as many numbers as the [`ChunkVisitor`] says to which `visitor` points.
pub(crate) unsafe extern "C" fn visit_chunk(
    place: *const hsize_t,
    filter_mask: c_uint,
    address: haddr_t,
    size: hsize_t,
    visitor: *mut c_void,
) -> c_int {
    // SAFETY: by the contract.
    let visitor = unsafe { &mut *visitor.cast::<ChunkVisitor<'_>>() };
    // SAFETY: by the contract.
    let place = unsafe { core::slice::from_raw_parts(place, visitor.rank) };
    (visitor.function)(ChunkStep { place, filter_mask, address, size });
    0
}
