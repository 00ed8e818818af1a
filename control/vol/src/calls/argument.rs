//! Converts raw C arguments to the safe values of a call, and back.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::marker::PhantomData;

use h5_abi::{H5VL_optional_args_t, hid_t};
use h5_host::Id;

/// A kind of argument: its C type, and what a connector sees of it.
pub trait Argument {
    type Raw;
    type Safe<'a>;

    /// # Safety
    /// `raw` is what HDF5 passed to a callback that lasts for `'a`.
    unsafe fn safe<'a>(raw: Self::Raw) -> Self::Safe<'a>;

    fn raw(safe: &Self::Safe<'_>) -> Self::Raw;
}

/// An identifier.
pub struct Identifier;

impl Argument for Identifier {
    type Raw = hid_t;
    type Safe<'a> = Id;

    unsafe fn safe<'a>(raw: hid_t) -> Self::Safe<'a> {
        Id(raw)
    }

    fn raw(safe: &Id) -> hid_t {
        safe.0
    }
}

/// A name. Anonymous objects have none.
pub struct Name;

impl Argument for Name {
    type Raw = *const c_char;
    type Safe<'a> = Option<&'a CStr>;

    unsafe fn safe<'a>(raw: *const c_char) -> Option<&'a CStr> {
        // SAFETY: HDF5 passes null or a C string that outlives the callback.
        (!raw.is_null()).then(|| unsafe { CStr::from_ptr(raw) })
    }

    fn raw(safe: &Self::Safe<'_>) -> *const c_char {
        safe.map_or(core::ptr::null(), CStr::as_ptr)
    }
}

/// The argument structure of a `get` or `specific` callback. `view` (see [`views`](crate::views)) gives the question or
/// operation, with safe access to its results.
pub struct Arguments<'a, T> {
    raw: *mut T,
    lifetime: PhantomData<&'a mut T>,
}

impl<T> Arguments<'_, T> {
    /// The structure itself, for the views.
    pub(crate) fn get(&mut self) -> Option<&mut T> {
        // SAFETY: null, or valid and exclusively ours for the callback, by the contract of `safe`.
        unsafe { self.raw.as_mut() }
    }

    /// The structure for reading.
    pub(crate) fn peek(&self) -> Option<&T> {
        // SAFETY: as in `get`.
        unsafe { self.raw.as_ref() }
    }

    pub(crate) fn as_ptr(&self) -> *mut T {
        self.raw
    }
}

impl<T> Argument for Arguments<'static, T> {
    type Raw = *mut T;
    type Safe<'a> = Arguments<'a, T>;

    unsafe fn safe<'a>(raw: *mut T) -> Arguments<'a, T> {
        Arguments { raw, lifetime: PhantomData }
    }

    fn raw(safe: &Arguments<'_, T>) -> *mut T {
        safe.raw
    }
}

/// An operation outside the common interface, identified by its number. Only the two parties that know the number know its
/// arguments.
pub struct OptionalOperation<'a>(Arguments<'a, H5VL_optional_args_t>);

impl OptionalOperation<'_> {
    /// Number of the operation.
    pub fn number(&self) -> Option<c_int> {
        self.0.peek().map(|args| args.op_type)
    }

    /// The arguments as C passes them, valid for the call.
    pub fn as_ptr(&self) -> *mut H5VL_optional_args_t {
        self.0.as_ptr()
    }
}

impl Argument for OptionalOperation<'static> {
    type Raw = *mut H5VL_optional_args_t;
    type Safe<'a> = OptionalOperation<'a>;

    unsafe fn safe<'a>(raw: *mut H5VL_optional_args_t) -> OptionalOperation<'a> {
        OptionalOperation(Arguments { raw, lifetime: PhantomData })
    }

    fn raw(safe: &OptionalOperation<'_>) -> *mut H5VL_optional_args_t {
        safe.as_ptr()
    }
}

/// Memory of the application that a read fills.
pub struct MemoryTarget<'a> {
    raw: *mut c_void,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl MemoryTarget<'_> {
    /// # Safety
    /// `raw` is the buffer HDF5 passed to a callback that lasts as long as the value.
    pub(crate) unsafe fn new(raw: *mut c_void) -> Self {
        Self { raw, lifetime: PhantomData }
    }

    /// The address of the first byte. The size follows from the dataspaces and the datatype of the call, as the application
    /// promises to HDF5.
    pub fn as_ptr(&self) -> *mut u8 {
        self.raw.cast()
    }
}

impl Argument for MemoryTarget<'static> {
    type Raw = *mut c_void;
    type Safe<'a> = MemoryTarget<'a>;

    unsafe fn safe<'a>(raw: *mut c_void) -> MemoryTarget<'a> {
        // SAFETY: by this function's contract.
        unsafe { MemoryTarget::new(raw) }
    }

    fn raw(safe: &MemoryTarget<'_>) -> *mut c_void {
        safe.raw
    }
}

/// Memory of the application that a write reads from.
pub struct MemorySource<'a> {
    raw: *const c_void,
    lifetime: PhantomData<&'a [u8]>,
}

impl MemorySource<'_> {
    /// # Safety
    /// `raw` is the buffer HDF5 passed to a callback that lasts as long as the value.
    pub(crate) unsafe fn new(raw: *const c_void) -> Self {
        Self { raw, lifetime: PhantomData }
    }

    /// The address of the first byte. For the size see [`MemoryTarget::as_ptr`].
    pub fn as_ptr(&self) -> *const u8 {
        self.raw.cast()
    }
}

impl Argument for MemorySource<'static> {
    type Raw = *const c_void;
    type Safe<'a> = MemorySource<'a>;

    unsafe fn safe<'a>(raw: *const c_void) -> MemorySource<'a> {
        // SAFETY: by this function's contract.
        unsafe { MemorySource::new(raw) }
    }

    fn raw(safe: &MemorySource<'_>) -> *const c_void {
        safe.raw
    }
}
