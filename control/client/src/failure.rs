//! What HDF5 says when it fails: the error stack.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::fmt;

use h5_abi::{H5E_DEFAULT, H5E_MAJOR, H5E_WALK_UPWARD, H5E_error2_t, hid_t};

use crate::session::Session;

/// Result of a call.
pub type Result<T, E = Failure> = core::result::Result<T, E>;

/// One entry of an error stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name of the error class: `HDF5`, or a connector's.
    pub class: String,
    /// Major message.
    pub major: String,
    /// Minor message.
    pub minor: String,
    /// What happened.
    pub description: String,
    /// Source file.
    pub file: String,
    /// Function.
    pub function: String,
    /// Line.
    pub line: u32,
}

/// A failed call.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// Which call failed, or why the client refused to make it.
    pub message: String,
    /// The error stack that the call left, the first cause first.
    pub entries: Vec<Entry>,
}

impl Failure {
    /// A refusal of the client's own: HDF5 was not called.
    pub fn refused(message: impl Into<String>) -> Self {
        Self { message: message.into(), entries: Vec::new() }
    }

    /// The library does not have a function or variable.
    pub(crate) fn lacks(name: &str) -> Self {
        Self::refused(format!("{}{name}", Self::LACKS))
    }

    /// How the message begins if the library does not have a function.
    pub const LACKS: &'static str = "the library has no ";

    /// The entries of one error class.
    pub fn of_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.class == class)
    }

    /// Whether an entry's description contains the text.
    pub fn mentions(&self, text: &str) -> bool {
        self.entries.iter().any(|entry| entry.description.contains(text))
    }
}

impl fmt::Display for Failure {
    /// In one line: the call, then the descriptions from the outermost to the first cause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for entry in self.entries.iter().rev().filter(|entry| !entry.description.trim().is_empty()) {
            write!(f, ": {}", entry.description.trim())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.message)?;
        for Entry { class, major, minor, description, file, function, line } in &self.entries {
            writeln!(f, "  {file}:{line} {function}: [{class}] {description} ({major} / {minor})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// A result that says by its value whether the call failed.
pub(crate) trait Status: Copy {
    fn is_failure(self) -> bool;
}

macro_rules! negative_is_failure {
    ($($integer:ty)* ; $($enumeration:ident)*) => {
        $(impl Status for $integer {
            fn is_failure(self) -> bool {
                self < 0
            }
        })*
        $(impl Status for h5_abi::$enumeration {
            fn is_failure(self) -> bool {
                self.0 < 0
            }
        })*
    };
}

negative_is_failure! {
    i32 i64 isize;
    H5D_layout_t H5I_type_t H5S_class_t H5S_sel_type H5T_class_t H5T_cset_t H5T_norm_t H5T_order_t H5T_pad_t H5T_sign_t H5T_str_t
}

/// An entry as the walk sees it, its names not yet looked up.
struct RawEntry {
    class: hid_t,
    major: hid_t,
    minor: hid_t,
    description: String,
    file: String,
    function: String,
    line: u32,
}

unsafe extern "C" fn collect(_: c_uint, entry: *const H5E_error2_t, entries: *mut c_void) -> c_int {
    // SAFETY: HDF5 passes a valid entry, and the vector given to the walk.
    let (entry, entries) = unsafe { (&*entry, &mut *entries.cast::<Vec<RawEntry>>()) };
    let string = |text: *const c_char| {
        if text.is_null() {
            return String::new();
        }
        // SAFETY: a C string of the entry.
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    };
    entries.push(RawEntry {
        class: entry.cls_id,
        major: entry.maj_num,
        minor: entry.min_num,
        description: string(entry.desc),
        file: string(entry.file_name),
        function: string(entry.func_name),
        line: entry.line,
    });
    0
}

impl Session {
    /// The result of the call, or the error stack it left.
    #[inline]
    pub(crate) fn check<T: Status>(&self, call: &str, status: T) -> Result<T> {
        if status.is_failure() { Err(self.failure(call)) } else { Ok(status) }
    }

    /// The failure of the call that was just made.
    #[cold]
    pub(crate) fn failure(&self, call: &str) -> Failure {
        Failure { message: format!("{call} failed"), ..self.take_failure() }
    }

    /// Takes the error stack, and leaves an empty one.
    pub fn take_failure(&self) -> Failure {
        // A library that has no error stack has nothing to tell.
        Failure { message: String::new(), entries: self.take_entries().unwrap_or_default() }
    }

    fn take_entries(&self) -> Result<Vec<Entry>> {
        let functions = self.functions();
        let (walk, close, clear) =
            (functions.H5Ewalk2()?, functions.H5Eclose_stack()?, functions.H5Eclear2()?);
        // Looking names up would clear the current stack, so it is set aside first.
        // SAFETY: no arguments.
        let stack = unsafe { (functions.H5Eget_current_stack()?)() };
        let mut raw: Vec<RawEntry> = Vec::new();
        // SAFETY: `collect` gets the vector it expects.
        unsafe { walk(stack, H5E_WALK_UPWARD, Some(collect), (&raw mut raw).cast()) };
        let entries = raw
            .into_iter()
            .map(|entry| Entry {
                class: self.class_name(entry.class).unwrap_or_default(),
                major: self.error_message(entry.major).unwrap_or_default(),
                minor: self.error_message(entry.minor).unwrap_or_default(),
                description: entry.description,
                file: entry.file,
                function: entry.function,
                line: entry.line,
            })
            .collect();
        // SAFETY: our own stack, and the current one.
        unsafe {
            close(stack);
            clear(H5E_DEFAULT);
        }
        Ok(entries)
    }

    fn class_name(&self, class: hid_t) -> Result<String> {
        let get = self.functions().H5Eget_class_name()?;
        // SAFETY: a buffer of the stated size or none.
        text(|buffer, size| unsafe { get(class, buffer, size) })
    }

    fn error_message(&self, message: hid_t) -> Result<String> {
        let get = self.functions().H5Eget_msg()?;
        text(|buffer, size| {
            let mut kind = H5E_MAJOR;
            // SAFETY: a buffer of the stated size or none.
            unsafe { get(message, &raw mut kind, buffer, size) }
        })
    }

    /// Number of entries on the error stack now.
    pub fn failure_depth(&self) -> Result<usize> {
        // SAFETY: the current stack.
        Ok(unsafe { call!(self, H5Eget_num(H5E_DEFAULT)) }?.unsigned_abs())
    }
}

/// A text of an error stack; failures of this must not look at the error stack again.
fn text(ask: impl Fn(*mut c_char, usize) -> isize) -> Result<String> {
    let failed = || Failure::refused("no text");
    let length = usize::try_from(ask(core::ptr::null_mut(), 0)).map_err(|_| failed())?;
    let mut buffer = vec![0_u8; length + 1];
    ask(buffer.as_mut_ptr().cast(), buffer.len());
    let text = CStr::from_bytes_until_nul(&buffer).map_err(|_| failed())?;
    Ok(text.to_string_lossy().into_owned())
}
