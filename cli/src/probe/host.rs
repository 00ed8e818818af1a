//! A libhdf5 loaded by path: this file and the one below it are the only ones of this crate that call C.
//!
//! Functions are looked up when they are called, so that a library too old to have one can still be identified.
//! The signatures are those of HDF5 1.14 and 2.x; `hid_t` has been 64 bits wide since 1.10, and nothing here that
//! takes one (but the constant 0) is called in an older library.

#![expect(unsafe_code, reason = "calls into a C library found at run time")]

pub(crate) mod inspect;

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::{LACKS, Version};

/// `hid_t`
type RawId = i64;
/// `herr_t`: negative means failure.
type Status = c_int;

/// `H5P_DEFAULT`, `H5S_ALL`, `H5E_DEFAULT`
const DEFAULT: RawId = 0;
/// `H5F_ACC_TRUNC`
const TRUNCATE: c_uint = 2;
/// `H5F_ACC_RDONLY`
const READ_ONLY: c_uint = 0;
/// `H5E_WALK_DOWNWARD`: from the API function to the place where it went wrong.
const DOWNWARD: c_int = 1;
/// The values HDF5's `H5T_NATIVE_INT` describes must be the ones we pass.
const _: () = assert!(size_of::<c_int>() == size_of::<i32>());

/// An open file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileId(RawId);

/// An open dataset of native integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DatasetId(RawId);

/// Why something failed.
#[derive(Debug)]
pub(crate) struct Trouble {
    /// The call, or the dynamic linker's own words.
    pub(crate) message: String,
    /// libhdf5's error stack.
    pub(crate) stack: Vec<String>,
    /// What the innermost entry of it says.
    pub(crate) cause: Option<String>,
}

impl Trouble {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), stack: Vec::new(), cause: None }
    }
}

/// `H5E_error2_t`
#[repr(C)]
struct ErrorEntry {
    class: RawId,
    major: RawId,
    minor: RawId,
    line: c_uint,
    function: *const c_char,
    file: *const c_char,
    description: *const c_char,
}

type WalkCallback = unsafe extern "C" fn(c_uint, *const ErrorEntry, *mut c_void) -> Status;

/// A loaded library. It is never unloaded: libhdf5 has handlers that run at exit, and real programs keep it, too.
pub(crate) struct Host {
    library: ManuallyDrop<Library>,
}

impl Host {
    /// Loads a shared library as a program would that links to it.
    pub(crate) fn load(path: &Path) -> Result<Self, Trouble> {
        // SAFETY: the library's initialisers run here. It is one the user asked us to try, and this process exists
        // for nothing else.
        match unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) } {
            Ok(library) => Ok(Self { library: ManuallyDrop::new(library) }),
            Err(error) => Err(Trouble::new(linker_message(&error))),
        }
    }

    /// `H5open`, and no more printing of errors from then on.
    pub(crate) fn initialise(&self) -> Result<(), Trouble> {
        type SetAuto = unsafe extern "C" fn(RawId, *const c_void, *mut c_void) -> Status;
        // SAFETY: herr_t H5open(void)
        let open: unsafe extern "C" fn() -> Status = unsafe { self.symbol(c"H5open")? };
        // SAFETY: has no preconditions.
        let status = unsafe { open() };
        if status < 0 {
            // A library that failed to start may crash in any further call; it has printed why on standard error.
            return Err(Trouble::new("H5open failed"));
        }
        // SAFETY: herr_t H5Eset_auto2(hid_t, H5E_auto2_t, void *); the second is a function pointer, here null.
        let set_auto: SetAuto = unsafe { self.symbol(c"H5Eset_auto2")? };
        // SAFETY: a null function means no printing, and null data belong to it.
        let status = unsafe { set_auto(DEFAULT, ptr::null(), ptr::null_mut()) };
        self.check("H5Eset_auto2", status)
    }

    /// Version of the library that is loaded, not of any header.
    pub(crate) fn version(&self) -> Result<Version, Trouble> {
        type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) -> Status;
        // SAFETY: herr_t H5get_libversion(unsigned *, unsigned *, unsigned *)
        let get_version: GetVersion = unsafe { self.symbol(c"H5get_libversion")? };
        let mut version = Version(0, 0, 0);
        // SAFETY: the three pointers are valid for writes during the call.
        let status = unsafe { get_version(&raw mut version.0, &raw mut version.1, &raw mut version.2) };
        self.check("H5get_libversion", status)?;
        Ok(version)
    }

    /// Whether the library was built thread-safe; nothing if it is too old to tell.
    pub(crate) fn thread_safe(&self) -> Result<Option<bool>, Trouble> {
        type IsThreadSafe = unsafe extern "C" fn(*mut u8) -> Status;
        // SAFETY: herr_t H5is_library_threadsafe(bool *); hbool_t was never wider than the 4 bytes there are below.
        let symbol: Result<IsThreadSafe, _> = unsafe { self.symbol(c"H5is_library_threadsafe") };
        let Ok(is_thread_safe) = symbol else { return Ok(None) };
        let mut answer = 0_u32;
        // SAFETY: the pointer is valid for writes of the answer.
        let status = unsafe { is_thread_safe((&raw mut answer).cast()) };
        self.check("H5is_library_threadsafe", status)?;
        Ok(Some(answer != 0))
    }

    /// Creates a file with the default access list, so through the connector the environment names.
    pub(crate) fn create_file(&self, path: &CStr) -> Result<FileId, Trouble> {
        type Create = unsafe extern "C" fn(*const c_char, c_uint, RawId, RawId) -> RawId;
        // SAFETY: hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t)
        let create: Create = unsafe { self.symbol(c"H5Fcreate")? };
        // SAFETY: the path is a C string; the library is initialised.
        let id = unsafe { create(path.as_ptr(), TRUNCATE, DEFAULT, DEFAULT) };
        self.check_id("H5Fcreate", id).map(FileId)
    }

    /// Opens a file for reading, with the default access list.
    pub(crate) fn open_file(&self, path: &CStr) -> Result<FileId, Trouble> {
        type Open = unsafe extern "C" fn(*const c_char, c_uint, RawId) -> RawId;
        // SAFETY: hid_t H5Fopen(const char *, unsigned, hid_t)
        let open: Open = unsafe { self.symbol(c"H5Fopen")? };
        // SAFETY: the path is a C string; the library is initialised.
        let id = unsafe { open(path.as_ptr(), READ_ONLY, DEFAULT) };
        self.check_id("H5Fopen", id).map(FileId)
    }

    /// Name of the connector the file really goes through; nothing if the library is too old to tell.
    pub(crate) fn connector_name(&self, file: FileId) -> Result<Option<String>, Trouble> {
        type GetName = unsafe extern "C" fn(RawId, *mut c_char, usize) -> isize;
        // SAFETY: ssize_t H5VLget_connector_name(hid_t, char *, size_t)
        let symbol: Result<GetName, _> = unsafe { self.symbol(c"H5VLget_connector_name") };
        let Ok(get_name) = symbol else { return Ok(None) };
        let mut name = [0_u8; 256];
        // SAFETY: the buffer is valid for writes of its length, which is what is passed.
        let length = unsafe { get_name(file.0, name.as_mut_ptr().cast(), name.len()) };
        if length < 0 {
            return Err(self.failed("H5VLget_connector_name"));
        }
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        Ok(Some(name.to_string_lossy().into_owned()))
    }

    /// Creates a dataset of native integers.
    pub(crate) fn create_dataset(
        &self,
        file: FileId,
        name: &CStr,
        shape: [usize; 2],
    ) -> Result<DatasetId, Trouble> {
        type CreateSpace = unsafe extern "C" fn(c_int, *const u64, *const u64) -> RawId;
        type Create = unsafe extern "C" fn(RawId, *const c_char, RawId, RawId, RawId, RawId, RawId) -> RawId;
        // SAFETY: hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *)
        let create_space: CreateSpace = unsafe { self.symbol(c"H5Screate_simple")? };
        // SAFETY: hid_t H5Dcreate2(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t)
        let create: Create = unsafe { self.symbol(c"H5Dcreate2")? };
        let integer = self.native_int()?;

        let shape = shape.map(|length| length as u64);
        // SAFETY: `shape` has the two elements that the first argument announces; no maximum is given.
        let space = unsafe { create_space(2, shape.as_ptr(), ptr::null()) };
        let space = self.check_id("H5Screate_simple", space)?;
        // SAFETY: the name is a C string, the ids come from this library.
        let id = unsafe { create(file.0, name.as_ptr(), integer, space, DEFAULT, DEFAULT, DEFAULT) };
        let id = self.check_id("H5Dcreate2", id)?;
        self.close(c"H5Sclose", space)?;
        Ok(DatasetId(id))
    }

    /// Opens a dataset of native integers.
    pub(crate) fn open_dataset(&self, file: FileId, name: &CStr) -> Result<DatasetId, Trouble> {
        type Open = unsafe extern "C" fn(RawId, *const c_char, RawId) -> RawId;
        // SAFETY: hid_t H5Dopen2(hid_t, const char *, hid_t)
        let open: Open = unsafe { self.symbol(c"H5Dopen2")? };
        // SAFETY: the name is a C string, the id comes from this library.
        let id = unsafe { open(file.0, name.as_ptr(), DEFAULT) };
        self.check_id("H5Dopen2", id).map(DatasetId)
    }

    /// Writes the whole dataset.
    pub(crate) fn write(&self, dataset: DatasetId, numbers: &[i32]) -> Result<(), Trouble> {
        type Write = unsafe extern "C" fn(RawId, RawId, RawId, RawId, RawId, *const c_void) -> Status;
        // SAFETY: herr_t H5Dwrite(hid_t, hid_t, hid_t, hid_t, hid_t, const void *)
        let write: Write = unsafe { self.symbol(c"H5Dwrite")? };
        let integer = self.native_int()?;
        self.expect_elements(dataset, numbers.len())?;
        // SAFETY: the dataset has exactly as many elements as the buffer, each an int.
        let status = unsafe { write(dataset.0, integer, DEFAULT, DEFAULT, DEFAULT, numbers.as_ptr().cast()) };
        self.check("H5Dwrite", status)
    }

    /// Reads the whole dataset.
    pub(crate) fn read(&self, dataset: DatasetId, numbers: &mut [i32]) -> Result<(), Trouble> {
        type Read = unsafe extern "C" fn(RawId, RawId, RawId, RawId, RawId, *mut c_void) -> Status;
        // SAFETY: herr_t H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *)
        let read: Read = unsafe { self.symbol(c"H5Dread")? };
        let integer = self.native_int()?;
        self.expect_elements(dataset, numbers.len())?;
        // SAFETY: the dataset has exactly as many elements as the buffer, each an int.
        let status =
            unsafe { read(dataset.0, integer, DEFAULT, DEFAULT, DEFAULT, numbers.as_mut_ptr().cast()) };
        self.check("H5Dread", status)
    }

    pub(crate) fn close_dataset(&self, dataset: DatasetId) -> Result<(), Trouble> {
        self.close(c"H5Dclose", dataset.0)
    }

    pub(crate) fn close_file(&self, file: FileId) -> Result<(), Trouble> {
        self.close(c"H5Fclose", file.0)
    }

    /// Makes sure that a transfer of the whole dataset stays inside the buffer.
    fn expect_elements(&self, dataset: DatasetId, expected: usize) -> Result<(), Trouble> {
        // SAFETY: hid_t H5Dget_space(hid_t)
        let get_space: unsafe extern "C" fn(RawId) -> RawId = unsafe { self.symbol(c"H5Dget_space")? };
        // SAFETY: hssize_t H5Sget_simple_extent_npoints(hid_t)
        let count: unsafe extern "C" fn(RawId) -> i64 =
            unsafe { self.symbol(c"H5Sget_simple_extent_npoints")? };
        // SAFETY: the id comes from this library.
        let space = unsafe { get_space(dataset.0) };
        let space = self.check_id("H5Dget_space", space)?;
        // SAFETY: the id was just returned.
        let elements = unsafe { count(space) };
        self.close(c"H5Sclose", space)?;
        if usize::try_from(elements) == Ok(expected) {
            Ok(())
        } else {
            Err(Trouble::new(format!("the dataset has {elements} elements instead of {expected}")))
        }
    }

    /// `H5T_NATIVE_INT`, which is a macro over a variable that `H5open` fills.
    fn native_int(&self) -> Result<RawId, Trouble> {
        // SAFETY: extern hid_t H5T_NATIVE_INT_g: the address of a variable is a pointer to it.
        let variable: *const RawId = unsafe { self.symbol(c"H5T_NATIVE_INT_g")? };
        // SAFETY: the variable lives as long as the library, and nothing writes it after H5open.
        Ok(unsafe { *variable })
    }

    /// Calls one of the functions that take an id and give it back.
    fn close(&self, function: &CStr, id: RawId) -> Result<(), Trouble> {
        // SAFETY: herr_t H5?close(hid_t) for all that come here.
        let close: unsafe extern "C" fn(RawId) -> Status = unsafe { self.symbol(function)? };
        // SAFETY: an id that is not valid (any more) makes it fail, no more.
        let status = unsafe { close(id) };
        self.check(&function.to_string_lossy(), status)
    }

    /// Fails if the library has no function of this name.
    pub(crate) fn require(&self, function: &CStr) -> Result<(), Trouble> {
        // SAFETY: the pointer is only compared with null, by the look-up, and never called.
        unsafe { self.symbol::<*const c_void>(function) }.map(|_| ())
    }

    /// Looks a symbol up.
    ///
    /// # Safety
    /// `T` must be the pointer type of what the library has under this name.
    unsafe fn symbol<T: Copy>(&self, name: &CStr) -> Result<T, Trouble> {
        // SAFETY: the caller vouches for the type; the library is never unloaded, so the pointer stays valid.
        match unsafe { self.library.get::<T>(name) } {
            Ok(symbol) => Ok(*symbol),
            Err(_) => Err(Trouble::new(format!("{LACKS}{}", name.to_string_lossy()))),
        }
    }

    fn check(&self, call: &str, status: Status) -> Result<(), Trouble> {
        if status < 0 { Err(self.failed(call)) } else { Ok(()) }
    }

    fn check_id(&self, call: &str, id: RawId) -> Result<RawId, Trouble> {
        if id < 0 { Err(self.failed(call)) } else { Ok(id) }
    }

    /// The error stack of the call that just failed. If not even that works, the call's name has to do.
    fn failed(&self, call: &str) -> Trouble {
        type Walk = unsafe extern "C" fn(RawId, c_int, WalkCallback, *mut c_void) -> Status;
        let mut trouble = Trouble::new(format!("{call} failed"));
        // SAFETY: herr_t H5Ewalk2(hid_t, H5E_direction_t, H5E_walk2_t, void *); the enum is an int.
        if let Ok(walk) = unsafe { self.symbol::<Walk>(c"H5Ewalk2") } {
            // SAFETY: `collect` gets back the pointer to the trouble, which nothing else uses meanwhile.
            unsafe { walk(DEFAULT, DOWNWARD, collect, (&raw mut trouble).cast()) };
        }
        trouble
    }
}

/// Takes one entry of the error stack.
///
/// # Safety
/// `entry` is an entry of the error stack or null, `trouble` points to a [`Trouble`] nothing else uses.
unsafe extern "C" fn collect(_: c_uint, entry: *const ErrorEntry, trouble: *mut c_void) -> Status {
    // SAFETY: the caller's promise.
    let Some(entry) = (unsafe { entry.as_ref() }) else { return 0 };
    // SAFETY: the caller's promise.
    let Some(trouble) = (unsafe { trouble.cast::<Trouble>().as_mut() }) else { return 0 };
    // SAFETY: the three are C strings or null for as long as the entry is on the stack.
    let [function, file, description] =
        unsafe { [text(entry.function), text(entry.file), text(entry.description)] };
    let file = file.rsplit('/').next().unwrap_or_default();
    trouble.stack.push(format!("{function}: {description} ({file}:{})", entry.line));
    trouble.cause = Some(description);
    0
}

/// A C string as text.
///
/// # Safety
/// `string` is null or points to a C string.
unsafe fn text(string: *const c_char) -> String {
    if string.is_null() {
        return String::from("?");
    }
    // SAFETY: not null, so a C string by the caller's promise.
    unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned()
}

/// The dynamic linker's own words, without a wrapping.
fn linker_message(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
