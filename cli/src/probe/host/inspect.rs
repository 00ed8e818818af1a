//! What a file holds: its datasets, how each is stored, and what the connector says about it. Nothing is written,
//! no element is read, and no link out of the file is followed.

#![expect(unsafe_code, reason = "calls into a C library found at run time")]

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_ulong, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use super::{DEFAULT, FileId, Host, RawId, Status, Trouble, text};
use crate::explain::dataset::{Extent, Filter, Layout, chunk_grid};
use crate::explain::datatype::{Datatype, Number, Order};

/// `H5S_MAX_RANK`; chunks may have one dimension more.
const MAX_RANK: usize = 33;
/// `H5S_UNLIMITED`
const UNLIMITED: u64 = u64::MAX;
/// `H5O_INFO_BASIC`
const BASIC_INFO: c_uint = 1;
/// `H5O_TYPE_DATASET`
const OBJECT_IS_DATASET: c_int = 1;
/// `H5VL_SUBCLS_DATASET`
const SUBCLASS_DATASET: c_int = 4;
/// The operation by which the connector explains itself.
const EXPLAIN: &CStr = c"h5bypass.explain";
/// No explanation is longer than this.
const MAX_EXPLANATION: usize = 1 << 20;
/// Datatypes nested deeper than this are not described to the end.
const MAX_DEPTH: u32 = 8;

/// The file that an external link led to when it was last refused: the traversal callback has no other way to tell
/// that outlives the property list it is set in.
static REFUSED: Mutex<Option<String>> = Mutex::new(None);

/// The beginning of `H5O_info2_t`
#[repr(C)]
struct ObjectInfo {
    file_number: c_ulong,
    token: [u8; 16],
    kind: c_int,
}

/// `H5VL_optional_args_t`
#[repr(C)]
struct OptionalArguments {
    operation: c_int,
    arguments: *mut c_void,
}

/// What the operation takes: a buffer, its size, and where to store the length of the whole text.
#[repr(C)]
struct ExplainArguments {
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
}

/// Datasets found so far.
struct Visit {
    names: Vec<CString>,
    objects: u64,
    progress: fn(u64),
}

/// The number HDF5 gave to the connector's operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplainOperation(c_int);

/// An id that is given back at the end of its scope.
struct Owned<'host> {
    host: &'host Host,
    id: RawId,
    close: &'static CStr,
}

impl Drop for Owned<'_> {
    fn drop(&mut self) {
        // What was asked for is known by now; nothing depends on the closing.
        let _ = self.host.close(self.close, self.id);
    }
}

/// A dataset opened to be looked at.
pub(crate) struct Inspected<'host>(Owned<'host>);

impl Host {
    /// The names of all datasets in the file, relative to its root, each object once. A damaged group ends the search;
    /// what was found before it is kept. `progress` hears of the number of objects seen.
    pub(crate) fn datasets(&self, file: FileId, progress: fn(u64)) -> (Vec<CString>, Result<(), Trouble>) {
        type Callback = unsafe extern "C" fn(RawId, *const c_char, *const ObjectInfo, *mut c_void) -> Status;
        type VisitAll = unsafe extern "C" fn(RawId, c_int, c_int, Callback, *mut c_void, c_uint) -> Status;
        let mut found = Visit { names: Vec::new(), objects: 0, progress };
        // SAFETY: herr_t H5Ovisit3(hid_t, H5_index_t, H5_iter_order_t, H5O_iterate2_t, void *, unsigned)
        let visit: VisitAll = match unsafe { self.symbol(c"H5Ovisit3") } {
            Ok(visit) => visit,
            Err(trouble) => return (found.names, Err(trouble)),
        };
        // SAFETY: the callback gets back the pointer to `found`, which nothing else uses meanwhile. 0 and 0 are
        // H5_INDEX_NAME and H5_ITER_INC.
        let status = unsafe { visit(file.0, 0, 0, visited, (&raw mut found).cast(), BASIC_INFO) };
        (found.names, self.check("H5Ovisit3", status))
    }

    /// Opens a dataset, unless the way to it leaves the file.
    pub(crate) fn inspect(&self, file: FileId, name: &CStr) -> Result<Inspected<'_>, Trouble> {
        type Traverse = unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            *const c_char,
            *const c_char,
            *mut c_uint,
            RawId,
            *mut c_void,
        ) -> Status;
        type SetTraverse = unsafe extern "C" fn(RawId, Traverse, *mut c_void) -> Status;
        type Open = unsafe extern "C" fn(RawId, *const c_char, RawId) -> RawId;
        // SAFETY: extern hid_t H5P_CLS_DATASET_ACCESS_ID_g: the address of a variable is a pointer to it.
        let class: *const RawId = unsafe { self.symbol(c"H5P_CLS_DATASET_ACCESS_ID_g")? };
        // SAFETY: the variable lives as long as the library, and nothing writes it after H5open.
        let access = self.owned(c"H5Pcreate", unsafe { *class }, c"H5Pclose")?;
        // SAFETY: herr_t H5Pset_elink_cb(hid_t, H5L_elink_traverse_t, void *)
        let set_traverse: SetTraverse = unsafe { self.symbol(c"H5Pset_elink_cb")? };
        // SAFETY: `refuse` is good for any call and needs no data.
        let status = unsafe { set_traverse(access.id, refuse, ptr::null_mut()) };
        self.check("H5Pset_elink_cb", status)?;

        *REFUSED.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // SAFETY: hid_t H5Dopen2(hid_t, const char *, hid_t)
        let open: Open = unsafe { self.symbol(c"H5Dopen2")? };
        // SAFETY: the name is a C string, the ids come from this library.
        let id = unsafe { open(file.0, name.as_ptr(), access.id) };
        match self.check_id("H5Dopen2", id) {
            Ok(id) => Ok(Inspected(Owned { host: self, id, close: c"H5Dclose" })),
            Err(trouble) => {
                let refused = REFUSED.lock().unwrap_or_else(PoisonError::into_inner).take();
                let cause = refused.map(|other| format!("an external link leads to another file, '{other}'"));
                Err(Trouble { cause: cause.or(trouble.cause), ..trouble })
            }
        }
    }

    /// The connector's operation; nothing if the connector has none.
    pub(crate) fn find_explain(&self) -> Option<ExplainOperation> {
        type Find = unsafe extern "C" fn(c_int, *const c_char, *mut c_int) -> Status;
        // SAFETY: herr_t H5VLfind_opt_operation(H5VL_subclass_t, const char *, int *); the enum is an int.
        let find: Find = unsafe { self.symbol(c"H5VLfind_opt_operation") }.ok()?;
        let mut operation = 0;
        // SAFETY: the name is a C string, the pointer is valid for writes during the call.
        let status = unsafe { find(SUBCLASS_DATASET, EXPLAIN.as_ptr(), &raw mut operation) };
        (status >= 0).then_some(ExplainOperation(operation))
    }

    /// Calls one of the functions that make a new id from another.
    fn owned(&self, function: &CStr, id: RawId, close: &'static CStr) -> Result<Owned<'_>, Trouble> {
        // SAFETY: hid_t H5...(hid_t) for all that come here.
        let make: unsafe extern "C" fn(RawId) -> RawId = unsafe { self.symbol(function)? };
        // SAFETY: the id comes from this library; one that is not valid makes it fail, no more.
        let new = unsafe { make(id) };
        let id = self.check_id(&function.to_string_lossy(), new)?;
        Ok(Owned { host: self, id, close })
    }

    /// Calls one of the functions that answer with an int (or an enum), negative on failure.
    fn int(&self, function: &CStr, id: RawId) -> Result<c_int, Trouble> {
        // SAFETY: int H5...(hid_t) for all that come here.
        let ask: unsafe extern "C" fn(RawId) -> c_int = unsafe { self.symbol(function)? };
        // SAFETY: the id comes from this library; one that is not valid makes it fail, no more.
        let answer = unsafe { ask(id) };
        self.check(&function.to_string_lossy(), answer)?;
        Ok(answer)
    }

    /// Calls one of the functions that answer with a size, 0 on failure.
    fn size(&self, function: &CStr, id: RawId) -> Result<u64, Trouble> {
        // SAFETY: size_t H5...(hid_t) for all that come here.
        let ask: unsafe extern "C" fn(RawId) -> usize = unsafe { self.symbol(function)? };
        // SAFETY: the id comes from this library; one that is not valid makes it fail, no more.
        match unsafe { ask(id) } {
            0 => Err(self.failed(&function.to_string_lossy())),
            size => Ok(size as u64),
        }
    }

    fn datatype(&self, id: RawId, depth: u32) -> Result<Datatype, Trouble> {
        let class = self.int(c"H5Tget_class", id)?;
        let bytes = self.size(c"H5Tget_size", id)?;
        let base = || {
            if depth >= MAX_DEPTH {
                return Ok(Box::new(Datatype::Elided));
            }
            let base = self.owned(c"H5Tget_super", id, c"H5Tclose")?;
            self.datatype(base.id, depth + 1).map(Box::new)
        };
        Ok(match class {
            0 => {
                let signed = self.int(c"H5Tget_sign", id)? != 0;
                Datatype::Integer { signed, number: self.number(id, bytes)? }
            }
            1 => Datatype::Float(self.number(id, bytes)?),
            2 => Datatype::Time { bytes },
            3 if self.int(c"H5Tis_variable_str", id)? > 0 => Datatype::VariableString,
            3 => Datatype::String { bytes },
            4 => Datatype::Bitfield { bytes },
            5 => Datatype::Opaque { bytes },
            6 => {
                let members = self.int(c"H5Tget_nmembers", id)?.unsigned_abs();
                Datatype::Compound { members, bytes }
            }
            7 => Datatype::Reference { bytes },
            8 => Datatype::Enum(base()?),
            9 => Datatype::Variable(base()?),
            10 => Datatype::Array { shape: self.array_shape(id)?, of: base()? },
            11 => Datatype::Complex(base()?),
            class => Datatype::Unknown { class, bytes },
        })
    }

    fn number(&self, id: RawId, bytes: u64) -> Result<Number, Trouble> {
        let order = match self.int(c"H5Tget_order", id)? {
            1 => Order::Big,
            2 => Order::Vax,
            _ => Order::Little,
        };
        Ok(Number { bytes, bits: self.size(c"H5Tget_precision", id)?, order })
    }

    fn array_shape(&self, id: RawId) -> Result<Vec<u64>, Trouble> {
        type GetDims = unsafe extern "C" fn(RawId, *mut u64) -> c_int;
        let rank = rank(self.int(c"H5Tget_array_ndims", id)?)?;
        let mut shape = [0; MAX_RANK];
        // SAFETY: int H5Tget_array_dims2(hid_t, hsize_t *)
        let get_dims: GetDims = unsafe { self.symbol(c"H5Tget_array_dims2")? };
        // SAFETY: it writes `rank` lengths, for which there is room.
        let status = unsafe { get_dims(id, shape.as_mut_ptr()) };
        self.check("H5Tget_array_dims2", status)?;
        Ok(shape[..rank].to_vec())
    }

    fn filter(&self, list: RawId, index: c_uint) -> Result<Filter, Trouble> {
        type GetFilter = unsafe extern "C" fn(
            RawId,
            c_uint,
            *mut c_uint,
            *mut usize,
            *mut c_uint,
            usize,
            *mut c_char,
            *mut c_uint,
        ) -> c_int;
        let (mut flags, mut values, mut count) = (0, [0; 32], 32);
        let mut name = [0_u8; 256];
        // SAFETY: H5Z_filter_t H5Pget_filter2(hid_t, unsigned, unsigned *, size_t *, unsigned *, size_t, char *,
        // unsigned *)
        let get: GetFilter = unsafe { self.symbol(c"H5Pget_filter2")? };
        // SAFETY: the values and the name have the sizes that are passed (the name one byte more, so that it always
        // ends); the last pointer may be null.
        let id = unsafe {
            get(
                list,
                index,
                &raw mut flags,
                &raw mut count,
                values.as_mut_ptr(),
                name.len() - 1,
                name.as_mut_ptr().cast(),
                ptr::null_mut(),
            )
        };
        self.check("H5Pget_filter2", id)?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy();
        Ok(Filter::new(id, &name, &values[..count.min(values.len())]))
    }
}

impl Inspected<'_> {
    /// Its dimensions.
    pub(crate) fn extent(&self) -> Result<Extent, Trouble> {
        type GetDims = unsafe extern "C" fn(RawId, *mut u64, *mut u64) -> c_int;
        let host = self.0.host;
        let space = host.owned(c"H5Dget_space", self.0.id, c"H5Sclose")?;
        // H5S_NULL; a scalar has no dimensions, so it needs no case of its own.
        if host.int(c"H5Sget_simple_extent_type", space.id)? == 2 {
            return Ok(Extent::null());
        }
        let rank = rank(host.int(c"H5Sget_simple_extent_ndims", space.id)?)?;
        let (mut shape, mut most) = ([0; MAX_RANK], [0; MAX_RANK]);
        // SAFETY: int H5Sget_simple_extent_dims(hid_t, hsize_t *, hsize_t *)
        let get_dims: GetDims = unsafe { host.symbol(c"H5Sget_simple_extent_dims")? };
        // SAFETY: it writes `rank` lengths to each, for which there is room.
        let status = unsafe { get_dims(space.id, shape.as_mut_ptr(), most.as_mut_ptr()) };
        host.check("H5Sget_simple_extent_dims", status)?;
        let most = most[..rank].iter().map(|most| (*most != UNLIMITED).then_some(*most)).collect();
        Ok(Extent::new(shape[..rank].to_vec(), most))
    }

    /// Its datatype, and the bytes an element takes.
    pub(crate) fn datatype(&self) -> Result<(Datatype, u64), Trouble> {
        let host = self.0.host;
        let id = host.owned(c"H5Dget_type", self.0.id, c"H5Tclose")?;
        Ok((host.datatype(id.id, 0)?, host.size(c"H5Tget_size", id.id)?))
    }

    /// Its layout and filters.
    pub(crate) fn storage(&self, extent: &Extent, element: u64) -> Result<(Layout, Vec<Filter>), Trouble> {
        let host = self.0.host;
        let list = host.owned(c"H5Dget_create_plist", self.0.id, c"H5Pclose")?;
        let layout = match host.int(c"H5Pget_layout", list.id)? {
            0 => Layout::Compact,
            1 => match host.int(c"H5Pget_external_count", list.id)?.unsigned_abs() {
                0 => Layout::Contiguous,
                files => Layout::External { files },
            },
            2 => chunk_grid(extent, self.chunk_shape(list.id)?, element),
            3 => Layout::Virtual { mappings: self.mappings(list.id)? },
            other => Layout::Unknown { number: other },
        };
        let count = host.int(c"H5Pget_nfilters", list.id)?.unsigned_abs();
        let filters = (0..count).map(|index| host.filter(list.id, index)).collect::<Result<_, _>>()?;
        Ok((layout, filters))
    }

    fn chunk_shape(&self, list: RawId) -> Result<Vec<u64>, Trouble> {
        type GetChunk = unsafe extern "C" fn(RawId, c_int, *mut u64) -> c_int;
        let mut shape = [0; MAX_RANK];
        // SAFETY: int H5Pget_chunk(hid_t, int, hsize_t *)
        let get_chunk: GetChunk = unsafe { self.0.host.symbol(c"H5Pget_chunk")? };
        let room = c_int::try_from(shape.len()).unwrap_or(0);
        // SAFETY: it writes no more lengths than there is room for.
        let status = unsafe { get_chunk(list, room, shape.as_mut_ptr()) };
        self.0.host.check("H5Pget_chunk", status)?;
        Ok(shape[..rank(status)?].to_vec())
    }

    fn mappings(&self, list: RawId) -> Result<u64, Trouble> {
        type GetCount = unsafe extern "C" fn(RawId, *mut usize) -> Status;
        // SAFETY: herr_t H5Pget_virtual_count(hid_t, size_t *)
        let get_count: GetCount = unsafe { self.0.host.symbol(c"H5Pget_virtual_count")? };
        let mut count = 0;
        // SAFETY: the pointer is valid for writes during the call.
        let status = unsafe { get_count(list, &raw mut count) };
        self.0.host.check("H5Pget_virtual_count", status)?;
        Ok(count as u64)
    }

    /// What the connector says about it.
    pub(crate) fn explanation(&self, operation: ExplainOperation) -> Result<String, Trouble> {
        let mut buffer = vec![0_u8; 1024];
        let length = self.explain_into(operation, &mut buffer)?;
        if length >= buffer.len() {
            buffer = vec![0; length.min(MAX_EXPLANATION) + 1];
            self.explain_into(operation, &mut buffer)?;
        }
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// Asks once; the length is that of the whole text, whether or not there was room for it.
    fn explain_into(&self, operation: ExplainOperation, buffer: &mut [u8]) -> Result<usize, Trouble> {
        type Optional = unsafe extern "C" fn(
            *const c_char,
            *const c_char,
            c_uint,
            RawId,
            *mut OptionalArguments,
            RawId,
            RawId,
        ) -> Status;
        // SAFETY: herr_t H5VLdataset_optional_op(const char *, const char *, unsigned, hid_t,
        // H5VL_optional_args_t *, hid_t, hid_t)
        let optional: Optional = unsafe { self.0.host.symbol(c"H5VLdataset_optional_op")? };
        let mut length = 0;
        let mut arguments = ExplainArguments {
            buffer: buffer.as_mut_ptr().cast(),
            size: buffer.len(),
            length: &raw mut length,
        };
        let mut arguments =
            OptionalArguments { operation: operation.0, arguments: (&raw mut arguments).cast() };
        // SAFETY: the strings are C strings that live on; the number is that of an operation with these arguments,
        // whose pointers are valid for writes of the sizes given until it returns: no event set makes it wait.
        let status = unsafe {
            optional(
                c"explain".as_ptr(),
                c"explain".as_ptr(),
                0,
                self.0.id,
                &raw mut arguments,
                DEFAULT,
                DEFAULT,
            )
        };
        self.0.host.check("H5VLdataset_optional_op", status)?;
        Ok(length)
    }
}

/// A number of dimensions that our arrays have room for.
fn rank(rank: c_int) -> Result<usize, Trouble> {
    usize::try_from(rank)
        .ok()
        .filter(|rank| *rank <= MAX_RANK)
        .ok_or_else(|| Trouble::new(format!("HDF5 reports {rank} dimensions")))
}

/// Takes one object of the file.
///
/// # Safety
/// `name` is a C string, `info` a filled in `H5O_info2_t`, `visit` points to a [`Visit`] nothing else uses.
unsafe extern "C" fn visited(
    _: RawId,
    name: *const c_char,
    info: *const ObjectInfo,
    visit: *mut c_void,
) -> Status {
    // SAFETY: the caller's promise.
    let Some(visit) = (unsafe { visit.cast::<Visit>().as_mut() }) else { return -1 };
    visit.objects += 1;
    (visit.progress)(visit.objects);
    // SAFETY: the caller's promise.
    if unsafe { info.as_ref() }.is_some_and(|info| info.kind == OBJECT_IS_DATASET) {
        // SAFETY: the caller's promise.
        visit.names.push(unsafe { CStr::from_ptr(name) }.to_owned());
    }
    0
}

/// Keeps HDF5 from following an external link.
///
/// # Safety
/// `file` is null or a C string.
unsafe extern "C" fn refuse(
    _: *const c_char,
    _: *const c_char,
    file: *const c_char,
    _: *const c_char,
    _: *mut c_uint,
    _: RawId,
    _: *mut c_void,
) -> Status {
    // SAFETY: the caller's promise.
    let file = unsafe { text(file) };
    *REFUSED.lock().unwrap_or_else(PoisonError::into_inner) = Some(file);
    -1
}
