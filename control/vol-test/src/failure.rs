//! What HDF5 says when it fails: the error stack.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::fmt;

use h5_abi::{H5E_DEFAULT, H5E_MAJOR, H5E_WALK_UPWARD, H5E_error2_t, hid_t};

use crate::host::Session;

/// Result of a call of HDF5.
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

/// A failed call, with the error stack it left: the first cause first.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Failure {
    /// The entries of one error class.
    pub fn of_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.class == class)
    }

    /// Whether an entry's description contains the text.
    pub fn mentions(&self, text: &str) -> bool {
        self.entries.iter().any(|entry| entry.description.contains(text))
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "HDF5 error stack:")?;
        for Entry { class, major, minor, description, file, function, line } in &self.entries {
            writeln!(f, "  {file}:{line} {function}: [{class}] {description} ({major} / {minor})")?;
        }
        Ok(())
    }
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
    let text = |text: *const c_char| {
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
        description: text(entry.desc),
        file: text(entry.file_name),
        function: text(entry.func_name),
        line: entry.line,
    });
    0
}

impl Session<'_> {
    /// Takes the error stack, leaving an empty one.
    pub fn take_failure(&self) -> Failure {
        let api = self.api();
        // Looking names up would clear the current stack, so it is set aside first.
        // SAFETY: no arguments.
        let stack = unsafe { (api.H5Eget_current_stack)() };
        let mut raw: Vec<RawEntry> = Vec::new();
        // SAFETY: `collect` gets the vector it expects.
        unsafe { (api.H5Ewalk2)(stack, H5E_WALK_UPWARD, Some(collect), (&raw mut raw).cast()) };
        let message = |id: hid_t| {
            self.text(|buffer, size| {
                let mut kind = H5E_MAJOR;
                // SAFETY: a buffer of the stated size or none.
                unsafe { (api.H5Eget_msg)(id, &raw mut kind, buffer, size) }
            })
            .unwrap_or_default()
        };
        let entries = raw
            .into_iter()
            .map(|entry| Entry {
                // SAFETY: a buffer of the stated size or none.
                class: self
                    .text(|buffer, size| unsafe { (api.H5Eget_class_name)(entry.class, buffer, size) })
                    .unwrap_or_default(),
                major: message(entry.major),
                minor: message(entry.minor),
                description: entry.description,
                file: entry.file,
                function: entry.function,
                line: entry.line,
            })
            .collect();
        // SAFETY: our own stack.
        unsafe {
            (api.H5Eclose_stack)(stack);
            (api.H5Eclear2)(H5E_DEFAULT);
        }
        Failure { entries }
    }

    /// Number of entries on the error stack now.
    pub fn failure_depth(&self) -> isize {
        // SAFETY: the current stack.
        unsafe { (self.api().H5Eget_num)(H5E_DEFAULT) }
    }
}
