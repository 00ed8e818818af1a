//! Calls of HDF5's public functions on the shadow: checked results, owned identifiers.
//!
//! They are made inside callbacks, with the application's error stack preserved and nothing printed ([`aside`]).

use core::ffi::{CStr, c_char, c_int, c_void};
use std::ffi::CString;

use h5_abi::{
    H5_INDEX_CRT_ORDER, H5_INDEX_NAME, H5_ITER_INC, H5A_info_t, H5F_fspace_strategy_t, H5L_TYPE_EXTERNAL,
    H5L_TYPE_HARD, H5L_TYPE_SOFT, H5L_info2_t, H5O_INFO_BASIC, H5O_TYPE_DATASET, H5O_TYPE_GROUP, H5O_info2_t,
    H5O_token_t, H5P_DEFAULT, H5S_NULL, H5S_SCALAR, H5S_UNLIMITED, herr_t, hid_t,
};
use h5_host::errors::{preserve, quietly};
use h5_host::{Host, Id, OwnedId};
use h5_vol::{Error, Result, Token};

use crate::functions::{Functions, Table};
use crate::spec::{FileSpace, Kind, Orders, SpaceSpec};

pub(crate) const DEFAULT: hid_t = H5P_DEFAULT;

/// Our own calls: the application's error stack stays as it is, and nothing is printed.
pub(crate) fn aside<R>(host: Host, calls: impl FnOnce() -> R) -> R {
    preserve(host, || quietly(host, calls))
}

/// A link as the shadow has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RawLink {
    Hard(Token),
    Soft(Vec<u8>),
    External {
        file: Vec<u8>,
        path: Vec<u8>,
    },
    /// Defined by the application.
    Other,
}

/// One libhdf5, for calls on the shadow.
#[derive(Clone, Copy)]
pub(crate) struct Hdf5 {
    host: Host,
    table: &'static Table,
}

impl Hdf5 {
    pub(crate) fn of(host: Host) -> Self {
        Self { host, table: Table::of(host) }
    }

    pub(crate) fn host(self) -> Host {
        self.host
    }

    pub(crate) fn functions(self) -> &'static Functions {
        &self.table.functions
    }

    pub(crate) fn identifier(self, name: &str) -> Result<Id> {
        self.table.identifier(name)
    }

    /// Takes over an identifier that a call returned.
    #[track_caller]
    pub(crate) fn own(self, id: hid_t, what: &str) -> Result<OwnedId> {
        OwnedId::take(self.host, id).ok_or_else(|| failed(what))
    }

    /// A property list of this class.
    pub(crate) fn new_list(self, class: &str) -> Result<OwnedId> {
        let class = self.identifier(class)?;
        // SAFETY: the host verifies the identifier.
        self.own(unsafe { (self.host.functions().H5Pcreate)(class.0) }, "make a property list")
    }

    /// Identifiers of these types that the application has, of a file or of all files.
    pub(crate) fn open_ids(self, file: Id, types: u32) -> Vec<Id> {
        let functions = self.functions();
        let (Ok(count), Ok(list)) = (functions.H5Fget_obj_count(), functions.H5Fget_obj_ids()) else {
            return Vec::new();
        };
        // SAFETY: the host verifies the identifier, and gets room for as many as are said.
        unsafe {
            let mut ids = vec![-1; usize::try_from(count(file.0, types)).unwrap_or(0)];
            let found = usize::try_from(list(file.0, types, ids.len(), ids.as_mut_ptr())).unwrap_or(0);
            ids.truncate(found);
            ids.into_iter().map(Id).collect()
        }
    }

    /// The number of an open file. `None` if the identifier is none, or none any more.
    pub(crate) fn file_number(self, file: Id) -> Option<u64> {
        let mut number = 0;
        // SAFETY: the host verifies the identifier; a valid out-pointer.
        let status = unsafe { self.functions().H5Fget_fileno().ok()?(file.0, &raw mut number) };
        (status >= 0).then_some(number)
    }

    /// A copy of a property list.
    pub(crate) fn copy_list(self, list: Id) -> Result<OwnedId> {
        // SAFETY: the host verifies the identifier.
        self.own(unsafe { (self.host.functions().H5Pcopy)(list.0) }, "copy a property list")
    }

    /// A property list as bytes.
    pub(crate) fn encode_list(self, list: Id) -> Result<Vec<u8>> {
        let encode = self.functions().H5Pencode2()?;
        // SAFETY: HDF5 writes as many bytes as it has said.
        encoded("encode a property list", |buffer, size| unsafe { encode(list.0, buffer, size, DEFAULT) })
    }

    /// A property list from bytes that [`encode_list`](Self::encode_list) made. They come from a file, and HDF5 does not know how many
    /// there are: what follows them is zeros, which end a list.
    pub(crate) fn decode_list(self, bytes: &[u8]) -> Result<OwnedId> {
        let decode = self.functions().H5Pdecode()?;
        let bytes = padded(bytes);
        // SAFETY: the host verifies what it reads; behind the list are zeros.
        self.own(unsafe { decode(bytes.as_ptr().cast()) }, "decode a property list")
    }

    /// Which orders a creation list keeps.
    pub(crate) fn orders(self, list: Id, of_group: bool) -> Result<Orders> {
        let mut orders = Orders::default();
        // SAFETY: the host verifies the list; valid out-pointers.
        unsafe {
            if of_group {
                good(
                    self.functions().H5Pget_link_creation_order()?(list.0, &raw mut orders.links),
                    "ask for an order",
                )?;
            }
            good(
                self.functions().H5Pget_attr_creation_order()?(list.0, &raw mut orders.attributes),
                "ask for an order",
            )?;
        }
        Ok(orders)
    }

    /// Makes a creation list keep orders.
    pub(crate) fn set_orders(self, list: Id, orders: Orders) -> Result<()> {
        // SAFETY: the host verifies the list.
        unsafe {
            if orders.links != 0 {
                good(self.functions().H5Pset_link_creation_order()?(list.0, orders.links), "keep an order")?;
            }
            if orders.attributes != 0 {
                good(
                    self.functions().H5Pset_attr_creation_order()?(list.0, orders.attributes),
                    "keep an order",
                )?;
            }
        }
        Ok(())
    }

    /// What stands before the names of the files of a virtual dataset, by its access list; nothing if it does not say.
    pub(crate) fn virtual_prefix(self, list: Id) -> Vec<u8> {
        let Ok(get) = self.functions().H5Pget_virtual_prefix() else { return Vec::new() };
        // SAFETY: the host verifies the list; without room only the length is told.
        let length = unsafe { get(list.0, core::ptr::null_mut(), 0) };
        let Ok(length) = usize::try_from(length) else { return Vec::new() };
        let mut prefix = vec![0_u8; length + 1];
        // SAFETY: room for as many bytes as HDF5 has said, and a zero.
        let status = unsafe { get(list.0, prefix.as_mut_ptr().cast(), prefix.len()) };
        if status < 0 { Vec::new() } else { until_zero(&prefix).to_vec() }
    }

    /// Whether an access list wants files to be locked, and whether it ignores that the system cannot. `None` if it does not say, or if
    /// the environment says it for all files.
    pub(crate) fn file_locking(self, list: Id) -> Option<(bool, bool)> {
        if std::env::var_os("HDF5_USE_FILE_LOCKING").is_some() {
            return None;
        }
        let (mut locks, mut ignores) = (false, false);
        // SAFETY: the host verifies the list; valid out-pointers.
        let status =
            unsafe { self.functions().H5Pget_file_locking().ok()?(list.0, &raw mut locks, &raw mut ignores) };
        (status >= 0).then_some((locks, ignores))
    }

    /// How a file creation list says that space is managed.
    pub(crate) fn file_space(self, list: Id) -> Result<FileSpace> {
        let mut space = FileSpace::default();
        let mut strategy = H5F_fspace_strategy_t(space.strategy);
        let (functions, what) = (self.functions(), "ask how a file manages its space");
        // SAFETY: the host verifies the list; valid out-pointers.
        unsafe {
            good(functions.H5Pget_userblock()?(list.0, &raw mut space.user_block), what)?;
            let (persist, threshold) = (&raw mut space.persist, &raw mut space.threshold);
            let ask = functions.H5Pget_file_space_strategy()?;
            good(ask(list.0, &raw mut strategy, persist, threshold), what)?;
            good(functions.H5Pget_file_space_page_size()?(list.0, &raw mut space.page), what)?;
        }
        space.strategy = strategy.0;
        Ok(space)
    }

    /// Makes a file creation list say the same. HDF5 refuses numbers that make no sense.
    pub(crate) fn set_file_space(self, list: Id, space: FileSpace) -> Result<()> {
        if space == FileSpace::default() {
            return Ok(());
        }
        let (functions, what) = (self.functions(), "set how a file manages its space");
        // SAFETY: the host verifies the list and the numbers.
        unsafe {
            good(functions.H5Pset_userblock()?(list.0, space.user_block), what)?;
            let (strategy, set) =
                (H5F_fspace_strategy_t(space.strategy), functions.H5Pset_file_space_strategy()?);
            good(set(list.0, strategy, space.persist, space.threshold), what)?;
            good(functions.H5Pset_file_space_page_size()?(list.0, space.page), what)
        }
    }

    /// How a link access list says that files behind external links are opened: with which access list, and for what
    /// (`H5F_ACC_...`). `None` where it does not say.
    pub(crate) fn behind_links(self, list: Id) -> (Option<OwnedId>, Option<u32>) {
        /// `H5F_ACC_DEFAULT`.
        const UNSAID: u32 = 0xffff;
        if !list.is_valid() {
            return (None, None);
        }
        let (Ok(access), Ok(intent)) =
            (self.functions().H5Pget_elink_fapl(), self.functions().H5Pget_elink_acc_flags())
        else {
            return (None, None);
        };
        let mut flags = UNSAID;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let (access, status) = unsafe { (access(list.0), intent(list.0, &raw mut flags)) };
        (OwnedId::take(self.host, access), (status >= 0 && flags != UNSAID).then_some(flags))
    }

    /// A datatype as bytes.
    pub(crate) fn encode_type(self, datatype: Id) -> Result<Vec<u8>> {
        let encode = self.functions().H5Tencode()?;
        // SAFETY: HDF5 writes as many bytes as it has said.
        encoded("encode a datatype", |buffer, size| unsafe { encode(datatype.0, buffer, size) })
    }

    /// A datatype from bytes that [`encode_type`](Self::encode_type) made.
    pub(crate) fn decode_type(self, bytes: &[u8]) -> Result<OwnedId> {
        let padded = padded(bytes);
        // SAFETY: the host verifies what it reads; older versions do not know the length, so zeros follow.
        let id = unsafe {
            match self.functions().H5Tdecode2() {
                Ok(decode) => decode(padded.as_ptr().cast(), bytes.len()),
                Err(_) => self.functions().H5Tdecode()?(padded.as_ptr().cast()),
            }
        };
        self.own(id, "decode a datatype")
    }

    /// A dataspace with everything selected.
    pub(crate) fn make_space(self, space: &SpaceSpec) -> Result<OwnedId> {
        let id = match space {
            // SAFETY: takes a class.
            SpaceSpec::Null => unsafe { (self.host.functions().H5Screate)(H5S_NULL) },
            // SAFETY: as above.
            SpaceSpec::Scalar => unsafe { (self.host.functions().H5Screate)(H5S_SCALAR) },
            SpaceSpec::Simple { dims, maximum } => {
                let maximum: Vec<u64> = maximum.iter().map(|size| size.unwrap_or(H5S_UNLIMITED)).collect();
                if maximum.len() != dims.len() {
                    return Err(Error::failed("an extent with a different number of greatest dimensions"));
                }
                let rank = c_int::try_from(dims.len())
                    .map_err(|_| Error::failed("an extent of too many dimensions"))?;
                // SAFETY: both lists have that many numbers, which the host verifies.
                unsafe { self.functions().H5Screate_simple()?(rank, dims.as_ptr(), maximum.as_ptr()) }
            }
        };
        self.own(id, "make a dataspace")
    }

    /// The extent of a dataspace.
    pub(crate) fn space_spec(self, space: Id) -> Result<SpaceSpec> {
        let functions = self.host.functions();
        // SAFETY: the host verifies the identifier.
        match unsafe { (functions.H5Sget_simple_extent_type)(space.0) } {
            H5S_NULL => Ok(SpaceSpec::Null),
            H5S_SCALAR => Ok(SpaceSpec::Scalar),
            _ => {
                // SAFETY: as above.
                let rank = unsafe { (functions.H5Sget_simple_extent_ndims)(space.0) };
                let rank = usize::try_from(rank).map_err(|_| failed("ask for the rank of a dataspace"))?;
                let (mut dims, mut maximum) = (vec![0; rank], vec![0; rank]);
                // SAFETY: room for that many numbers.
                let status = unsafe {
                    (functions.H5Sget_simple_extent_dims)(space.0, dims.as_mut_ptr(), maximum.as_mut_ptr())
                };
                good(status, "ask for the extent of a dataspace")?;
                let maximum =
                    maximum.into_iter().map(|size| (size != H5S_UNLIMITED).then_some(size)).collect();
                Ok(SpaceSpec::Simple { dims, maximum })
            }
        }
    }

    /// Opens an object by its place in the file.
    pub(crate) fn open(self, file: Id, token: Token) -> Result<OwnedId> {
        let open = self.functions().H5Oopen_by_token()?;
        // SAFETY: the host verifies both.
        self.own(unsafe { open(file.0, H5O_token_t { __data: token.0 }) }, "open an object")
    }

    /// Where an object is, what it is, and how many hard links it has.
    pub(crate) fn info(self, object: Id) -> Result<(Token, Kind, u32)> {
        let get = self.functions().H5Oget_info3()?;
        let mut info = core::mem::MaybeUninit::<H5O_info2_t>::zeroed();
        // SAFETY: a valid out-pointer; zeros are a value of each of its fields.
        let info = unsafe {
            good(get(object.0, info.as_mut_ptr(), H5O_INFO_BASIC), "ask for an object")?;
            info.assume_init()
        };
        Ok((Token(info.token.__data), kind_of(&info), info.rc))
    }

    /// Where an object of this name in a group is, and what it is. The object is not opened: an application may have a dataset open in
    /// a way in which it cannot be opened once more.
    pub(crate) fn info_of(self, group: Id, name: &CStr) -> Result<(Token, Kind)> {
        let get = self.functions().H5Oget_info_by_name3()?;
        let mut info = core::mem::MaybeUninit::<H5O_info2_t>::zeroed();
        // SAFETY: a C string and a valid out-pointer; zeros are a value of each of its fields.
        let info = unsafe {
            let status = get(group.0, name.as_ptr(), info.as_mut_ptr(), H5O_INFO_BASIC, DEFAULT);
            good(status, "ask for an object")?;
            info.assume_init()
        };
        Ok((Token(info.token.__data), kind_of(&info)))
    }

    /// Deletes a link.
    pub(crate) fn unlink(self, group: Id, name: &CStr) -> Result<()> {
        // SAFETY: the host verifies the identifier; a C string.
        let status = unsafe { self.functions().H5Ldelete()?(group.0, name.as_ptr(), DEFAULT) };
        good(status, "delete a link")
    }

    /// What an object copy list says (`H5O_COPY_...`).
    pub(crate) fn copy_flags(self, list: Id) -> Result<u32> {
        let mut flags = 0;
        if list.is_valid() {
            // SAFETY: the host verifies the list; a valid out-pointer.
            let status = unsafe { self.functions().H5Pget_copy_object()?(list.0, &raw mut flags) };
            good(status, "ask how to copy")?;
        }
        Ok(flags)
    }

    /// The link of this name in a group; `None` if there is none.
    pub(crate) fn link(self, group: Id, name: &CStr) -> Result<Option<RawLink>> {
        let get = self.functions().H5Lget_info2()?;
        let mut info = core::mem::MaybeUninit::<H5L_info2_t>::zeroed();
        // SAFETY: a C string and a valid out-pointer; zeros are a value of each of its fields.
        let info = unsafe {
            if get(group.0, name.as_ptr(), info.as_mut_ptr(), DEFAULT) < 0 {
                return Ok(None);
            }
            info.assume_init()
        };
        self.raw_link(group, name, &info).map(Some)
    }

    /// All links of a group: in the order of creation if that is known, otherwise by name.
    pub(crate) fn links(self, group: Id) -> Result<Vec<(CString, RawLink)>> {
        unsafe extern "C" fn visit(
            _: hid_t,
            name: *const c_char,
            info: *const H5L_info2_t,
            data: *mut c_void,
        ) -> herr_t {
            // SAFETY: the data is the list below; HDF5 passes a C string and information.
            unsafe {
                (*data.cast::<Vec<(CString, H5L_info2_t)>>()).push((CStr::from_ptr(name).to_owned(), *info));
            };
            0
        }
        let mut found = Vec::<(CString, H5L_info2_t)>::new();
        let iterate = self.functions().H5Literate2()?;
        // SAFETY: the function and its data belong together; both outlive the call. A list that grows does not panic but aborts.
        let status = unsafe {
            iterate(
                group.0,
                H5_INDEX_NAME,
                H5_ITER_INC,
                core::ptr::null_mut(),
                Some(visit),
                (&raw mut found).cast(),
            )
        };
        good(status, "list the links of a group")?;
        found.sort_by_key(|(_, info)| if info.corder_valid { info.corder } else { 0 });
        found
            .into_iter()
            .map(|(name, info)| Ok((name.clone(), self.raw_link(group, &name, &info)?)))
            .collect()
    }

    fn raw_link(self, group: Id, name: &CStr, info: &H5L_info2_t) -> Result<RawLink> {
        let value = || {
            let get = self.functions().H5Lget_val()?;
            // SAFETY: the type says which member of the union is set.
            let mut bytes = vec![0_u8; unsafe { info.u.val_size }];
            // SAFETY: room for as many bytes as HDF5 has said.
            let status =
                unsafe { get(group.0, name.as_ptr(), bytes.as_mut_ptr().cast(), bytes.len(), DEFAULT) };
            good(status, "ask for the value of a link")?;
            Ok::<_, Error>(bytes)
        };
        Ok(match info.type_ {
            // SAFETY: the type says which member of the union is set.
            H5L_TYPE_HARD => RawLink::Hard(Token(unsafe { info.u.token }.__data)),
            H5L_TYPE_SOFT => RawLink::Soft(until_zero(&value()?).to_vec()),
            H5L_TYPE_EXTERNAL => {
                // Version and flags in one byte, then two texts.
                let bytes = value()?;
                let rest = bytes.get(1..).unwrap_or_default();
                let file = until_zero(rest).to_vec();
                let path = until_zero(rest.get(file.len() + 1..).unwrap_or_default()).to_vec();
                RawLink::External { file, path }
            }
            _ => RawLink::Other,
        })
    }

    /// Names of an object's attributes, in the order of creation if that is known.
    pub(crate) fn attribute_names(self, object: Id) -> Result<Vec<CString>> {
        unsafe extern "C" fn visit(
            _: hid_t,
            name: *const c_char,
            _: *const H5A_info_t,
            data: *mut c_void,
        ) -> herr_t {
            // SAFETY: the data is the list below; HDF5 passes a C string.
            unsafe { (*data.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned()) };
            0
        }
        let iterate = self.functions().H5Aiterate2()?;
        let mut names = Vec::<CString>::new();
        // The index by creation does not exist in all objects.
        for index in [H5_INDEX_CRT_ORDER, H5_INDEX_NAME] {
            names.clear();
            // SAFETY: the function and its data belong together; both outlive the call.
            let status = unsafe {
                iterate(
                    object.0,
                    index,
                    H5_ITER_INC,
                    core::ptr::null_mut(),
                    Some(visit),
                    (&raw mut names).cast(),
                )
            };
            if status >= 0 {
                return Ok(names);
            }
        }
        Err(failed("list the attributes of an object"))
    }
}

fn kind_of(info: &H5O_info2_t) -> Kind {
    match info.type_ {
        H5O_TYPE_GROUP => Kind::Group,
        H5O_TYPE_DATASET => Kind::Dataset,
        _ => Kind::Datatype,
    }
}

/// Fails if a call did.
#[track_caller]
pub(crate) fn good(status: c_int, what: &str) -> Result<()> {
    if status < 0 { Err(failed(what)) } else { Ok(()) }
}

/// What HDF5 could not do with the shadow.
#[track_caller]
pub(crate) fn failed(what: &str) -> Error {
    Error::failed(format_args!("HDF5 could not {what} in the container's file in memory"))
}

/// A text for C. One with a zero byte has no meaning there.
pub(crate) fn c_string(text: &[u8]) -> Result<CString> {
    CString::new(text)
        .map_err(|_| Error::failed(format_args!("'{}' has a zero byte in it", String::from_utf8_lossy(text))))
}

/// Calls a function twice: for the size, and for the bytes.
fn encoded(what: &str, encode: impl Fn(*mut c_void, *mut usize) -> herr_t) -> Result<Vec<u8>> {
    let mut size = 0;
    good(encode(core::ptr::null_mut(), &raw mut size), what)?;
    let mut bytes = vec![0_u8; size];
    good(encode(bytes.as_mut_ptr().cast(), &raw mut size), what)?;
    bytes.truncate(size);
    Ok(bytes)
}

/// Bytes with zeros behind them, for functions that are not told how many there are.
fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len() + 4096, 0);
    padded
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}
