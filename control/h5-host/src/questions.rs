//! Questions that a connector asks about the identifiers of a call.
//!
//! Every question is a call of a public HDF5 function. It clears the error stack, and prints it if it fails, although the
//! application did not make that call. So questions are asked through [`Host::ask`] and similar functions, which preserve
//! the stack and turn off printing once for several questions.

use core::ffi::{c_char, c_int, c_uint};

use h5_abi::{
    H5D_ALLOC_TIME_EARLY, H5D_ALLOC_TIME_INCR, H5D_CHUNKED, H5D_COMPACT, H5D_CONTIGUOUS, H5D_FILL_TIME_ALLOC,
    H5D_FILL_TIME_IFSET, H5D_FILL_TIME_NEVER, H5D_FILL_VALUE_DEFAULT, H5D_FILL_VALUE_UNDEFINED,
    H5D_FILL_VALUE_USER_DEFINED, H5D_VIRTUAL, H5D_fill_time_t, H5D_fill_value_t, H5S_MAX_RANK, H5S_SEL_NONE,
    H5T_ARRAY, H5T_COMPOUND, H5T_REFERENCE, H5T_STRING, H5T_VLEN, H5Z_filter_t, HADDR_UNDEF,
};

use crate::errors::{preserve, quietly};
use crate::host::Host;
use crate::id::{Id, OwnedId};

/// Permission to ask a host: its error stack is being preserved. Every question about an identifier or an object needs it.
#[derive(Debug, Clone, Copy)]
pub struct Questions(pub(crate) Host);

impl Host {
    /// Asks any number of questions. The error stack is preserved, and nothing is printed.
    pub fn ask<R>(self, questions: impl FnOnce(Questions) -> R) -> R {
        preserve(self, || quietly(self, || questions(Questions(self))))
    }

    /// Asks only questions that go to callbacks of the connector below. These never print, so printing need not be turned
    /// off, which saves several calls of HDF5.
    pub fn ask_below<R>(self, questions: impl FnOnce(Questions) -> R) -> R {
        preserve(self, || questions(Questions(self)))
    }

    /// Asks at the start of an application's call, when HDF5 has just cleared the error stack and there is nothing to
    /// preserve. If a question gets no answer, call [`Host::forget_errors`].
    pub fn ask_first<R>(self, questions: impl FnOnce(Questions) -> R) -> R {
        quietly(self, || questions(Questions(self)))
    }

    /// The same for calls that are so short that even turning off printing would take too long. Ask only questions that
    /// HDF5 always answers if the application's call can succeed.
    pub fn ask_at_once<R>(self, questions: impl FnOnce(Questions) -> R) -> R {
        questions(Questions(self))
    }

    /// Drops the entries that failed questions have left on the error stack.
    pub fn forget_errors(self) {
        // SAFETY: takes no pointers.
        unsafe { (self.functions().H5Eclear2)(Id::DEFAULT.0) };
    }
}

/// How a dataset's raw data is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StorageLayout {
    /// In its object header.
    Compact,
    /// In one piece, or in external files.
    Contiguous,
    /// In chunks.
    Chunked,
    /// In other datasets.
    Virtual,
    /// A layout of a newer HDF5.
    Unknown(i32),
}

/// When missing data is replaced by the fill value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillTime {
    /// When storage is allocated.
    OnAllocation,
    /// Never.
    Never,
    /// When the application has set a value.
    IfSet,
}

/// Whether there is a fill value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillValue {
    /// The application has removed it.
    Undefined,
    /// Zeros.
    Default,
    /// The application's own.
    Set,
}

/// The part of a file's creation property list that concerns addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreationFacts {
    /// Bytes before the HDF5 file proper: addresses in the file are counted from there.
    pub user_block: u64,
    /// Bytes of a stored address.
    pub address_size: usize,
    /// Bytes of a stored length.
    pub length_size: usize,
}

impl CreationFacts {
    /// Whether addresses and lengths are stored in 8 bytes, as in nearly all files.
    pub fn is_wide(&self) -> bool {
        self.address_size == 8 && self.length_size == 8
    }

    /// Whether an address means "undefined". HDF5 adds the size of the user block to every address, even to the undefined
    /// one.
    pub fn is_undefined(&self, address: u64) -> bool {
        address == HADDR_UNDEF || address == HADDR_UNDEF.wrapping_add(self.user_block)
    }
}

/// One filter of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterDescription {
    /// Its number.
    pub id: H5Z_filter_t,
    /// Its name, if known.
    pub name: String,
    /// Whether a chunk may be stored without it if it fails.
    pub optional: bool,
    /// Its parameters, as stored with the dataset.
    pub parameters: Vec<c_uint>,
}

/// A part of a dataset's raw data that lies in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalSegment {
    /// Name of the file, as the application gave it.
    pub name: Vec<u8>,
    /// Where the data begins in it.
    pub offset: u64,
    /// Its size in bytes. The last part may be unlimited (`u64::MAX`).
    pub size: u64,
}

/// A part of a datatype whose data is not in the stored bytes alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndirectPart {
    /// Variable-length data or strings.
    VariableLength,
    /// References of the kind whose stored form differs from the one in memory.
    Reference,
}

impl Questions {
    /// The host.
    pub fn host(self) -> Host {
        self.0
    }

    /// Size in bytes of one element of a datatype.
    pub fn element_size(self, datatype: Id) -> Option<usize> {
        // SAFETY: the host verifies the identifier.
        let size = unsafe { (self.0.functions().H5Tget_size)(datatype.0) };
        (size > 0).then_some(size)
    }

    /// Number of elements of a dataspace's extent.
    pub fn extent_elements(self, space: Id) -> Option<u64> {
        // SAFETY: the host verifies the identifier.
        u64::try_from(unsafe { (self.0.functions().H5Sget_simple_extent_npoints)(space.0) }).ok()
    }

    /// Number of selected elements of a dataspace.
    pub fn selected_elements(self, space: Id) -> Option<u64> {
        // SAFETY: the host verifies the identifier.
        u64::try_from(unsafe { (self.0.functions().H5Sget_select_npoints)(space.0) }).ok()
    }

    /// The smallest box around what a dataspace of this rank selects: its first and its last place in each dimension.
    /// `None` if nothing is selected, or HDF5 does not say.
    pub fn bounds(self, space: Id, rank: usize) -> Option<(Vec<u64>, Vec<u64>)> {
        let functions = self.0.functions();
        // To HDF5 it is an error to ask for the bounds of nothing.
        // SAFETY: the host verifies the identifier.
        if unsafe { (functions.H5Sget_select_type)(space.0) } == H5S_SEL_NONE {
            return None;
        }
        let (mut low, mut high) = ([0; H5S_MAX_RANK], [0; H5S_MAX_RANK]);
        // SAFETY: the host verifies the identifier; room for the largest rank.
        let status =
            unsafe { (functions.H5Sget_select_bounds)(space.0, low.as_mut_ptr(), high.as_mut_ptr()) };
        if status < 0 {
            return None;
        }
        Some((low.get(..rank)?.to_vec(), high.get(..rank)?.to_vec()))
    }

    /// Whether two datatypes are the same, so that no conversion is needed.
    pub fn same_type(self, left: Id, right: Id) -> bool {
        // SAFETY: the host verifies the identifiers.
        unsafe { (self.0.functions().H5Tequal)(left.0, right.0) > 0 }
    }

    /// Whether a datatype is the same as one that is given up. That is closed at once: the error stack is preserved anyway.
    pub fn same_type_as(self, given_up: OwnedId, datatype: Id) -> bool {
        let is_same = self.same_type(given_up.id(), datatype);
        // SAFETY: the host verifies the identifier, whose reference was ours.
        unsafe { (self.0.functions().H5Idec_ref)(given_up.into_id().0) };
        is_same
    }

    /// Whether a datatype is one of the library's own, which are immutable.
    pub fn is_predefined_type(self, datatype: Id) -> bool {
        self.0.predefined_types().any(|predefined| predefined == datatype)
    }

    /// The library's own datatype that is the same as this one, if it has one.
    pub fn same_predefined_type(self, datatype: Id) -> Option<Id> {
        self.0.predefined_types().find(|&predefined| self.same_type(predefined, datatype))
    }

    /// Looks through a datatype for parts that are not in the stored bytes. An unreadable one counts.
    pub fn indirect_part(self, datatype: Id, file: CreationFacts) -> Option<IndirectPart> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        match unsafe { (functions.H5Tget_class)(datatype.0) } {
            H5T_VLEN => Some(IndirectPart::VariableLength),
            H5T_STRING => {
                // SAFETY: the host verifies the identifier.
                let variable = unsafe { (functions.H5Tis_variable_str)(datatype.0) };
                (variable != 0).then_some(IndirectPart::VariableLength)
            }
            // The kinds of HDF5 1.8 (8 and 12 bytes) are stored as they are in memory if addresses in the file
            // are as wide as there; the later kind is not.
            H5T_REFERENCE => {
                let same = file.address_size == 8 && matches!(self.element_size(datatype), Some(8 | 12));
                (!same).then_some(IndirectPart::Reference)
            }
            H5T_ARRAY => {
                // SAFETY: the host verifies the identifier; the answer is ours.
                let element = OwnedId::take(self.0, unsafe { (functions.H5Tget_super)(datatype.0) });
                element
                    .map_or(Some(IndirectPart::Reference), |element| self.indirect_part(element.id(), file))
            }
            H5T_COMPOUND => {
                // SAFETY: the host verifies the identifier.
                let members = unsafe { (functions.H5Tget_nmembers)(datatype.0) };
                (0..c_uint::try_from(members).unwrap_or(0)).find_map(|index| {
                    // SAFETY: the host verifies identifier and index; the answer is ours.
                    let member =
                        OwnedId::take(self.0, unsafe { (functions.H5Tget_member_type)(datatype.0, index) });
                    member
                        .map_or(Some(IndirectPart::Reference), |member| self.indirect_part(member.id(), file))
                })
            }
            _ => None,
        }
    }

    /// Whether elements of a datatype contain references, at any depth. An unreadable one does.
    pub fn has_references(self, datatype: Id) -> bool {
        // SAFETY: the host verifies the identifier.
        unsafe { (self.0.functions().H5Tdetect_class)(datatype.0, H5T_REFERENCE) != 0 }
    }

    /// A copy of a datatype that belongs to no file.
    pub fn copy_of_type(self, datatype: Id) -> Option<OwnedId> {
        // SAFETY: the host verifies the identifier; the copy is ours.
        OwnedId::take(self.0, unsafe { (self.0.functions().H5Tcopy)(datatype.0) })
    }

    /// Whether this is the default transfer property list.
    pub fn is_default_transfer(self, transfer: Id) -> bool {
        transfer == Id::DEFAULT || transfer == self.0.default_transfer()
    }

    /// Whether a transfer property list has a data transform. HDF5 reports an error for a list without one, so the question
    /// must not print.
    pub fn has_data_transform(self, transfer: Id) -> bool {
        // SAFETY: the host verifies the list; no buffer is given.
        unsafe { (self.0.functions().H5Pget_data_transform)(transfer.0, core::ptr::null_mut(), 0) > 0 }
    }

    /// How raw data is stored, from a creation property list.
    pub fn layout(self, creation: Id) -> StorageLayout {
        // SAFETY: the host verifies the list.
        match unsafe { (self.0.functions().H5Pget_layout)(creation.0) } {
            H5D_COMPACT => StorageLayout::Compact,
            H5D_CONTIGUOUS => StorageLayout::Contiguous,
            H5D_CHUNKED => StorageLayout::Chunked,
            H5D_VIRTUAL => StorageLayout::Virtual,
            other => StorageLayout::Unknown(other.0),
        }
    }

    /// Chunk dimensions, from a creation property list.
    pub fn chunk_dimensions(self, creation: Id) -> Option<Vec<u64>> {
        let mut dims = [0_u64; H5S_MAX_RANK];
        let room = c_int::try_from(dims.len()).ok()?;
        // SAFETY: the host verifies the list and writes at most `room` numbers.
        let rank = unsafe { (self.0.functions().H5Pget_chunk)(creation.0, room, dims.as_mut_ptr()) };
        dims.get(..usize::try_from(rank).ok()?).map(<[u64]>::to_vec)
    }

    /// The filters, from a creation property list. `None` if HDF5 does not tell them.
    pub fn filters(self, creation: Id) -> Option<Vec<FilterDescription>> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the list.
        let count = c_uint::try_from(unsafe { (functions.H5Pget_nfilters)(creation.0) }).ok()?;
        (0..count).map(|index| self.filter(creation, index)).collect()
    }

    pub(crate) fn filter(self, creation: Id, index: c_uint) -> Option<FilterDescription> {
        /// `H5Z_FLAG_OPTIONAL`.
        const OPTIONAL: c_uint = 1;
        let mut parameters = vec![0; 32];
        loop {
            let (mut flags, mut count, mut config) = (0, parameters.len(), 0);
            let mut name = [0_u8; 64];
            // SAFETY: parameters and name are cut to the room there is.
            let id = unsafe {
                (self.0.functions().H5Pget_filter2)(
                    creation.0,
                    index,
                    &raw mut flags,
                    &raw mut count,
                    parameters.as_mut_ptr(),
                    name.len(),
                    name.as_mut_ptr().cast::<c_char>(),
                    &raw mut config,
                )
            };
            if id < 0 {
                return None;
            }
            // The count is how many there are, not how many were returned.
            let all_given = count <= parameters.len();
            parameters.resize(count, 0);
            if all_given {
                let optional = flags & OPTIONAL != 0;
                return Some(FilterDescription { id, name: text_of(&name), optional, parameters });
            }
        }
    }

    /// Whether partial chunks at the edges of a dataset are stored without its filters, from a creation property
    /// list.
    pub fn leaves_edges_unfiltered(self, creation: Id) -> Option<bool> {
        /// `H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS`.
        const EDGES_UNFILTERED: c_uint = 2;
        let mut options = 0;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_chunk_opts)(creation.0, &raw mut options) };
        (status >= 0).then_some(options & EDGES_UNFILTERED != 0)
    }

    /// Whether the storage of a dataset is allocated chunk by chunk, from its creation property list.
    pub fn allocates_by_chunk(self, creation: Id) -> Option<bool> {
        let mut time = H5D_ALLOC_TIME_EARLY;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_alloc_time)(creation.0, &raw mut time) };
        (status >= 0).then_some(time == H5D_ALLOC_TIME_INCR)
    }

    /// Bytes of the chunk cache that a dataset access property list asks for.
    pub fn chunk_cache_bytes(self, access: Id) -> Option<usize> {
        let (mut slots, mut bytes, mut preemption) = (0, 0, 0.0);
        // SAFETY: the host verifies the list; valid out-pointers.
        let status = unsafe {
            (self.0.functions().H5Pget_chunk_cache)(
                access.0,
                &raw mut slots,
                &raw mut bytes,
                &raw mut preemption,
            )
        };
        (status >= 0).then_some(bytes)
    }

    /// Whether checksums are verified, from a transfer property list.
    pub fn verifies_checksums(self, transfer: Id) -> bool {
        // SAFETY: the host verifies the list.
        unsafe { (self.0.functions().H5Pget_edc_check)(transfer.0) != 0 }
    }

    /// Whether a transfer property list has a callback for failing filters, which may ignore the failure.
    pub fn has_filter_callback(self, transfer: Id) -> bool {
        // `H5Z_cb_t`: a function and its data.
        let mut callback = [core::ptr::null_mut::<core::ffi::c_void>(); 2];
        // SAFETY: the host verifies the list; the property of this name has the size of two pointers.
        let status = unsafe {
            (self.0.functions().H5Pget)(transfer.0, c"filter_cb".as_ptr(), callback.as_mut_ptr().cast())
        };
        status < 0 || !callback[0].is_null()
    }

    /// Whether a transfer property list has a callback for conversion exceptions, such as overflow.
    pub fn has_conversion_callback(self, transfer: Id) -> bool {
        let (mut function, mut data) = (None, core::ptr::null_mut());
        // SAFETY: the host verifies the list; valid out-pointers. The function is not called, only looked for.
        let status =
            unsafe { (self.0.functions().H5Pget_type_conv_cb)(transfer.0, &raw mut function, &raw mut data) };
        status < 0 || function.is_some()
    }

    /// The external files, from a creation property list. `None` if HDF5 does not tell them.
    pub fn external_segments(self, creation: Id) -> Option<Vec<ExternalSegment>> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the list.
        let count = c_uint::try_from(unsafe { (functions.H5Pget_external_count)(creation.0) }).ok()?;
        (0..count)
            .map(|index| {
                let mut name = vec![0_u8; 4096];
                let (mut offset, mut size) = (0_i64, 0_u64);
                // SAFETY: the name is cut to the room there is; two valid out-pointers.
                let status = unsafe {
                    (functions.H5Pget_external)(
                        creation.0,
                        index,
                        name.len(),
                        name.as_mut_ptr().cast::<c_char>(),
                        &raw mut offset,
                        &raw mut size,
                    )
                };
                let length = name.iter().position(|&byte| byte == 0)?;
                name.truncate(length);
                let offset = u64::try_from(offset).ok()?;
                (status >= 0).then_some(ExternalSegment { name, offset, size })
            })
            .collect()
    }

    /// The folder of external files, from a dataset access property list; `None` if it is not set.
    pub fn external_prefix(self, access: Option<Id>) -> Option<Vec<u8>> {
        let mut prefix = vec![0_u8; 4096];
        // SAFETY: the host verifies the list and cuts the text to the room there is.
        let length = unsafe {
            (self.0.functions().H5Pget_efile_prefix)(access?.0, prefix.as_mut_ptr().cast(), prefix.len())
        };
        prefix.truncate(usize::try_from(length).ok()?);
        (!prefix.is_empty()).then_some(prefix)
    }

    /// When and with what missing data is filled, from a creation property list.
    pub fn fill_rules(self, creation: Id) -> Option<(FillTime, FillValue)> {
        let functions = self.0.functions();
        let (mut time, mut value) = (H5D_fill_time_t(-1), H5D_fill_value_t(-1));
        // SAFETY: the host verifies the list; two valid out-pointers.
        let failed = unsafe {
            (functions.H5Pget_fill_time)(creation.0, &raw mut time) < 0
                || (functions.H5Pfill_value_defined)(creation.0, &raw mut value) < 0
        };
        if failed {
            return None;
        }
        let time = match time {
            H5D_FILL_TIME_ALLOC => FillTime::OnAllocation,
            H5D_FILL_TIME_NEVER => FillTime::Never,
            H5D_FILL_TIME_IFSET => FillTime::IfSet,
            _ => return None,
        };
        let value = match value {
            H5D_FILL_VALUE_UNDEFINED => FillValue::Undefined,
            H5D_FILL_VALUE_DEFAULT => FillValue::Default,
            H5D_FILL_VALUE_USER_DEFINED => FillValue::Set,
            _ => return None,
        };
        Some((time, value))
    }

    /// The fill value as an element of `datatype`, which has `size` bytes.
    pub fn fill_value(self, creation: Id, datatype: Id, size: usize) -> Option<Vec<u8>> {
        if self.element_size(datatype) != Some(size) {
            return None;
        }
        let mut value = vec![0_u8; size];
        // SAFETY: the host verifies the identifiers and writes one element of the datatype.
        let status = unsafe {
            (self.0.functions().H5Pget_fill_value)(creation.0, datatype.0, value.as_mut_ptr().cast())
        };
        (status >= 0).then_some(value)
    }

    /// The part of a file creation property list that concerns addresses.
    pub fn creation_facts(self, creation: Id) -> Option<CreationFacts> {
        let functions = self.0.functions();
        let (mut user_block, mut address_size, mut length_size) = (0, 0, 0);
        // SAFETY: the host verifies the list; valid out-pointers.
        let known = unsafe {
            (functions.H5Pget_userblock)(creation.0, &raw mut user_block) >= 0
                && (functions.H5Pget_sizes)(creation.0, &raw mut address_size, &raw mut length_size) >= 0
        };
        known.then_some(CreationFacts { user_block, address_size, length_size })
    }

    /// Bytes of the buffer in which native HDF5 collects small accesses to contiguous data (the sieve), from a file
    /// access property list.
    pub fn sieve_bytes(self, access: Id) -> Option<usize> {
        let mut bytes = 0;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_sieve_buf_size)(access.0, &raw mut bytes) };
        (status >= 0).then_some(bytes)
    }

    /// Sets the size that [`sieve_bytes`](Self::sieve_bytes) returns.
    pub fn set_sieve_bytes(self, access: Id, bytes: usize) -> bool {
        // SAFETY: the host verifies the list.
        unsafe { (self.0.functions().H5Pset_sieve_buf_size)(access.0, bytes) >= 0 }
    }

    /// Whether files opened with this access list have a page buffer, which also holds raw data.
    pub fn has_page_buffer(self, access: Id) -> bool {
        let (mut bytes, mut metadata, mut raw_data) = (0, 0, 0);
        // SAFETY: the host verifies the list; valid out-pointers.
        let status = unsafe {
            (self.0.functions().H5Pget_page_buffer_size)(
                access.0,
                &raw mut bytes,
                &raw mut metadata,
                &raw mut raw_data,
            )
        };
        status < 0 || bytes > 0
    }

    /// A copy of a property list.
    pub fn copy_of_list(self, list: Id) -> Option<OwnedId> {
        // SAFETY: the host verifies the list.
        OwnedId::take(self.0, unsafe { (self.0.functions().H5Pcopy)(list.0) })
    }
}

/// The text in a buffer that a C function filled, up to its NUL.
fn text_of(buffer: &[u8]) -> String {
    let length = buffer.iter().position(|&byte| byte == 0).unwrap_or(buffer.len());
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}
