//! Questions that only HDF5's native connector answers: where a dataset's raw bytes are.
//!
//! They go to the object below ours if that belongs to the native connector. Each takes a [`Questions`] token, which proves
//! that the error stack is preserved. They call the connector's callbacks, because HDF5's public functions print the error
//! stack when they fail. So [`Host::ask_below`](h5_host::Host::ask_below) is enough for them. Questions that make HDF5
//! convert, filter or allocate run in a context of their own ([`apart`]).

use core::ffi::{c_int, c_uint, c_void};
use core::hash::{Hash, Hasher};
use core::ptr::NonNull;
use std::fs::File;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use h5_abi::{
    H5D_CHUNK_IDX_BTREE, H5D_CHUNK_IDX_EARRAY, H5D_SPACE_STATUS_NOT_ALLOCATED, H5D_chunk_index_t,
    H5F_ACC_RDWR, H5F_ACC_SWMR_READ, H5F_ACC_SWMR_WRITE, H5VL_DATASET_GET_DAPL, H5VL_DATASET_GET_DCPL,
    H5VL_DATASET_GET_SPACE, H5VL_DATASET_GET_SPACE_STATUS, H5VL_DATASET_GET_STORAGE_SIZE,
    H5VL_DATASET_GET_TYPE, H5VL_FILE_GET_FAPL, H5VL_FILE_GET_FCPL, H5VL_FILE_GET_FILENO,
    H5VL_FILE_GET_INTENT, H5VL_NATIVE_DATASET_CHUNK_ITER, H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE,
    H5VL_NATIVE_DATASET_GET_OFFSET, H5VL_NATIVE_FILE_GET_EOA, H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO,
    H5VL_NATIVE_FILE_GET_SIZE, H5VL_OBJECT_GET_FILE, H5VL_class_t, H5VL_dataset_get_args_t,
    H5VL_dataset_get_args_u, H5VL_dataset_get_dapl_t, H5VL_dataset_get_dcpl_t,
    H5VL_dataset_get_space_status_t, H5VL_dataset_get_space_t, H5VL_dataset_get_storage_size_t,
    H5VL_dataset_get_type_t, H5VL_file_get_args_t, H5VL_file_get_args_u, H5VL_file_get_fapl_t,
    H5VL_file_get_fcpl_t, H5VL_file_get_fileno_t, H5VL_file_get_intent_t, H5VL_native_dataset_chunk_iter_t,
    H5VL_native_dataset_get_chunk_idx_type_t, H5VL_native_dataset_get_offset_t,
    H5VL_native_dataset_optional_args_t, H5VL_native_file_get_eoa_t, H5VL_native_file_get_mdc_image_info_t,
    H5VL_native_file_get_size_t, H5VL_native_file_optional_args_t, H5VL_object_get_args_t,
    H5VL_object_get_args_u, H5VL_object_get_file_t, H5VL_optional_args_t, HADDR_UNDEF,
};
use h5_host::context::apart;
use h5_host::{Driver, Host, Id, OwnedId, PosixDriver, Questions};

use crate::below::{BelowConnector, BelowObject, location_of_self};
use crate::object::ObjectKind;
use crate::token::Token;

pub use crate::native_blobs::HeapObject;
pub use crate::native_chunks::ChunkStorage;
pub use crate::native_source::LentDescriptor;

/// A chunk as the index knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkEntry<'a> {
    /// Coordinates of its first element.
    pub origin: &'a [u64],
    /// Filters that were skipped, one bit each.
    pub filter_mask: u32,
    /// Its address, counted from the beginning of the file.
    pub address: u64,
    /// Its size in bytes there.
    pub size: u64,
    /// The offset that a B-tree of version 1 stores for the dimension after the last, that of the bytes of an element.
    /// `None` if this HDF5 is not known to report it. Meaningless for other indexes.
    pub behind: Option<u64>,
}

/// The kind of index of a dataset's chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkIndexKind {
    /// A B-tree of version 1.
    BTree1,
    /// An extensible array.
    ExtensibleArray,
    /// Something else.
    Other,
}

/// The newest version that is known to report [`ChunkEntry::behind`]. From the first supported version up to this one, the
/// coordinates have one entry more than the dataset has dimensions.
const TELLS_BEHIND: (u32, u32) = (2, 2);

/// The identity of an object: the number of its open file, and its place in that file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// As [`NativeFile::number`].
    pub file: u64,
    token: [u8; 16],
}

impl Identity {
    /// The address of its header in the file.
    pub fn address(&self) -> u64 {
        u64::from_le_bytes(self.token.first_chunk().copied().unwrap_or_default())
    }

    /// Its place in the file. A new object may get the place of one that was deleted.
    pub fn token(&self) -> Token {
        Token(self.token)
    }
}

// The place is an address, which says nearly all there is to say. Hashing every byte would take longer than all the rest.
impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let [address, rest] = [0, 8].map(|from| {
            let bytes = self.token[from..].first_chunk().copied();
            u64::from_ne_bytes(bytes.unwrap_or_default())
        });
        state.write_u64(address ^ rest.rotate_left(32) ^ self.file.rotate_left(48));
    }
}

/// A file of the native connector. It stays open as long as the object from which it was obtained.
#[derive(Debug)]
pub struct NativeFile {
    pointer: *mut c_void,
    connector: Arc<BelowConnector>,
    /// Native HDF5 believes that there is an identifier for it since we asked, and must be told otherwise.
    borrowed: bool,
}

// SAFETY: the pointer means something only to functions of its host, which are called from inside its callbacks.
unsafe impl Send for NativeFile {}
// SAFETY: as for `Send`.
unsafe impl Sync for NativeFile {}

impl Drop for NativeFile {
    fn drop(&mut self) {
        if self.borrowed {
            let host = self.connector.host();
            // SAFETY: a file of the native connector. It stays open as long as the object that it was asked of: files
            // that have no identifier of their own were opened by following a link, or outlive theirs, and such are
            // closed with their last object (H5F_CLOSE_WEAK).
            unsafe {
                if let Some(close) = self.class().and_then(|class| class.file_cls.close) {
                    close(self.pointer, host.default_transfer().0, core::ptr::null_mut());
                }
            }
        }
    }
}

impl BelowObject {
    /// A dataset's creation property list. HDF5 converts the fill value for it.
    pub fn dataset_creation_list(&self, questions: Questions) -> Option<OwnedId> {
        let answer = H5VL_dataset_get_args_u { get_dcpl: H5VL_dataset_get_dcpl_t { dcpl_id: Id::INVALID.0 } };
        let args = H5VL_dataset_get_args_t { op_type: H5VL_DATASET_GET_DCPL, args: answer };
        apart(questions.host(), || {
            // SAFETY: the member that belongs to the question.
            self.dataset_question(questions, args, |args| unsafe { args.get_dcpl.dcpl_id })
        })
    }

    /// A dataset's dataspace.
    pub fn dataset_space(&self, questions: Questions) -> Option<OwnedId> {
        let answer =
            H5VL_dataset_get_args_u { get_space: H5VL_dataset_get_space_t { space_id: Id::INVALID.0 } };
        let args = H5VL_dataset_get_args_t { op_type: H5VL_DATASET_GET_SPACE, args: answer };
        // SAFETY: the member that belongs to the question.
        self.dataset_question(questions, args, |args| unsafe { args.get_space.space_id })
    }

    /// A dataset's datatype.
    pub fn dataset_type(&self, questions: Questions) -> Option<OwnedId> {
        let answer = H5VL_dataset_get_args_u { get_type: H5VL_dataset_get_type_t { type_id: Id::INVALID.0 } };
        let args = H5VL_dataset_get_args_t { op_type: H5VL_DATASET_GET_TYPE, args: answer };
        // SAFETY: the member that belongs to the question.
        self.dataset_question(questions, args, |args| unsafe { args.get_type.type_id })
    }

    /// A dataset's access property list.
    pub fn dataset_access_list(&self, questions: Questions) -> Option<OwnedId> {
        let answer = H5VL_dataset_get_args_u { get_dapl: H5VL_dataset_get_dapl_t { dapl_id: Id::INVALID.0 } };
        let args = H5VL_dataset_get_args_t { op_type: H5VL_DATASET_GET_DAPL, args: answer };
        // SAFETY: the member that belongs to the question.
        self.dataset_question(questions, args, |args| unsafe { args.get_dapl.dapl_id })
    }

    fn dataset_question(
        &self,
        questions: Questions,
        mut args: H5VL_dataset_get_args_t,
        answer: impl Fn(&H5VL_dataset_get_args_u) -> i64,
    ) -> Option<OwnedId> {
        // SAFETY: complete arguments.
        let status = unsafe { self.dataset_get(questions, &mut args) };
        if status < 0 { None } else { OwnedId::take(questions.host(), answer(&args.args)) }
    }

    /// Where a contiguous dataset's data begins in the file; `None` if HDF5 fails. A dataset without storage
    /// has an undefined address: see
    /// [`CreationFacts::is_undefined`](h5_host::questions::CreationFacts::is_undefined).
    pub fn contiguous_offset(&self, questions: Questions) -> Option<u64> {
        let mut offset = HADDR_UNDEF;
        let mut args = H5VL_native_dataset_optional_args_t {
            get_offset: H5VL_native_dataset_get_offset_t { offset: &raw mut offset },
        };
        self.dataset_optional(questions, H5VL_NATIVE_DATASET_GET_OFFSET, &mut args)?;
        Some(offset)
    }

    /// Bytes of a contiguous dataset's storage; `None` for other layouts, and in case of doubt. Where it works, it is the
    /// cheapest way to learn the size of a dataset: HDF5 creates nothing for the answer.
    pub fn contiguous_bytes(&self, questions: Questions) -> Option<u64> {
        // The size of a dataset in chunks would be found by walking over their index.
        if self.is_stored_in_one_piece(questions) { self.storage_bytes(questions) } else { None }
    }

    /// Whether it is certain that a dataset is contiguous and has storage. HDF5 creates nothing for the answer.
    pub fn is_stored_in_one_piece(&self, questions: Questions) -> bool {
        // Other datasets have no address. That is undefined, or in a file with a user block, whose size is a power of 2, one
        // less than that.
        let is_doubtful = |offset: u64| offset.checked_add(1).is_none_or(u64::is_power_of_two);
        self.contiguous_offset(questions).is_some_and(|offset| !is_doubtful(offset))
    }

    /// Bytes of a dataset's storage; `None` if HDF5 fails. For a dataset in chunks it walks over the index.
    pub fn storage_bytes(&self, questions: Questions) -> Option<u64> {
        let mut size = 0;
        let question = H5VL_dataset_get_storage_size_t { storage_size: &raw mut size };
        let mut args = H5VL_dataset_get_args_t {
            op_type: H5VL_DATASET_GET_STORAGE_SIZE,
            args: H5VL_dataset_get_args_u { get_storage_size: question },
        };
        // SAFETY: complete arguments; the answer goes to a number that outlives the call.
        let status = unsafe { self.dataset_get(questions, &mut args) };
        (status >= 0).then_some(size)
    }

    /// Whether space is allocated for a dataset that has no chunks. HDF5 says so of every virtual one. `None` if HDF5 fails.
    pub fn is_allocated(&self, questions: Questions) -> Option<bool> {
        let mut allocated = H5D_SPACE_STATUS_NOT_ALLOCATED;
        let question = H5VL_dataset_get_space_status_t { status: &raw mut allocated };
        let mut args = H5VL_dataset_get_args_t {
            op_type: H5VL_DATASET_GET_SPACE_STATUS,
            args: H5VL_dataset_get_args_u { get_space_status: question },
        };
        // SAFETY: complete arguments; the answer goes to a number that outlives the call.
        let status = unsafe { self.dataset_get(questions, &mut args) };
        (status >= 0).then_some(allocated != H5D_SPACE_STATUS_NOT_ALLOCATED)
    }

    /// The kind of index of a dataset's chunks; `None` if HDF5 fails.
    pub fn chunk_index_kind(&self, questions: Questions) -> Option<ChunkIndexKind> {
        let mut index = H5D_chunk_index_t(-1);
        let mut args = H5VL_native_dataset_optional_args_t {
            get_chunk_idx_type: H5VL_native_dataset_get_chunk_idx_type_t { idx_type: &raw mut index },
        };
        self.dataset_optional(questions, H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE, &mut args)?;
        Some(match index {
            H5D_CHUNK_IDX_BTREE => ChunkIndexKind::BTree1,
            H5D_CHUNK_IDX_EARRAY => ChunkIndexKind::ExtensibleArray,
            _ => ChunkIndexKind::Other,
        })
    }

    /// Calls `each` with every allocated chunk. `rank` is that of the dataset. `None` if HDF5 fails.
    ///
    /// The cost grows with the number of chunks: HDF5 walks its index.
    pub fn each_chunk<F: FnMut(ChunkEntry<'_>)>(
        &self,
        questions: Questions,
        rank: usize,
        each: F,
    ) -> Option<()> {
        struct Visit<F> {
            rank: usize,
            tells_behind: bool,
            each: F,
        }
        unsafe extern "C" fn visit<F: FnMut(ChunkEntry<'_>)>(
            origin: *const u64,
            filter_mask: c_uint,
            address: u64,
            size: u64,
            data: *mut c_void,
        ) -> c_int {
            // SAFETY: the data is the `Visit` below, used by nobody else; HDF5 passes `rank` coordinates, and in the versions
            // that are known to one more.
            let (visit, origin, behind) = unsafe {
                let visit = &mut *data.cast::<Visit<F>>();
                let behind = visit.tells_behind.then(|| origin.add(visit.rank).read());
                (core::ptr::from_mut(visit), core::slice::from_raw_parts(origin, visit.rank), behind)
            };
            let outcome = crate::funnel::catch(|| {
                // SAFETY: as above.
                (unsafe { &mut *visit }.each)(ChunkEntry { origin, filter_mask, address, size, behind });
            });
            // A panic must not unwind through HDF5: it becomes a failed iteration.
            if outcome.is_some() { 0 } else { -1 }
        }

        let version = questions.host().version();
        let tells_behind = (version.major, version.minor) <= TELLS_BEHIND;
        let mut data = Visit { rank, tells_behind, each };
        let mut args = H5VL_native_dataset_optional_args_t {
            chunk_iter: H5VL_native_dataset_chunk_iter_t {
                op: Some(visit::<F>),
                op_data: (&raw mut data).cast(),
            },
        };
        // First it writes what it has changed of chunks in its own cache, through the filters.
        apart(questions.host(), || {
            self.dataset_optional(questions, H5VL_NATIVE_DATASET_CHUNK_ITER, &mut args)
        })
    }

    pub(crate) fn dataset_optional(
        &self,
        questions: Questions,
        operation: c_int,
        args: &mut H5VL_native_dataset_optional_args_t,
    ) -> Option<()> {
        let mut args = H5VL_optional_args_t { op_type: operation, args: core::ptr::from_mut(args).cast() };
        let optional = self.direct()?.dataset_cls.optional?;
        let transfer = questions.host().default_transfer().0;
        // SAFETY: our own dataset of the native connector, and the arguments of that operation.
        let status = unsafe { optional(self.as_ptr(), &raw mut args, transfer, core::ptr::null_mut()) };
        (status >= 0).then_some(())
    }

    /// The identity of an object within its host; `None` if the connector below is not native.
    pub fn identity(&self, questions: Questions, kind: ObjectKind) -> Option<Identity> {
        if !self.connector().is_native() {
            return None;
        }
        let info = self.basic_info(questions, kind)?;
        Some(Identity { file: info.fileno, token: info.token.__data })
    }

    /// This object as a file, if it is one of the native connector.
    pub fn as_native_file(&self, kind: ObjectKind) -> Option<NativeFile> {
        (kind == ObjectKind::File && self.connector().is_native()).then(|| NativeFile {
            pointer: self.as_ptr(),
            connector: Arc::clone(self.connector()),
            borrowed: false,
        })
    }

    /// The file that an object really lives in. Ask only *if that file has no identifier*: it was opened by following a
    /// link, or the application has closed it and this object keeps it open. Asking makes native HDF5 believe that an
    /// identifier exists, and that is undone afterwards; if there were one, the file would be closed. `None` if the
    /// connector below is not native.
    pub fn file_without_identifier(&self, questions: Questions, kind: ObjectKind) -> Option<NativeFile> {
        if !self.connector().is_native() {
            return None;
        }
        let location = location_of_self(kind);
        let mut file = core::ptr::null_mut();
        let mut args = H5VL_object_get_args_t {
            op_type: H5VL_OBJECT_GET_FILE,
            args: H5VL_object_get_args_u { get_file: H5VL_object_get_file_t { file: &raw mut file } },
        };
        // SAFETY: a complete location and arguments.
        let status = unsafe { self.object_get(questions, &location, &mut args) };
        (status >= 0 && !file.is_null()).then(|| NativeFile {
            pointer: file,
            connector: Arc::clone(self.connector()),
            borrowed: true,
        })
    }
}

/// How a file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Intent {
    /// For writing too.
    pub writable: bool,
    /// For reading while another process writes.
    pub swmr_reader: bool,
    /// For writing while other processes read.
    pub swmr_writer: bool,
}

impl NativeFile {
    /// A number that is the same for all handles of one open file and differs between files of a host.
    pub fn number(&self, questions: Questions) -> Option<u64> {
        let mut number = 0;
        let mut args = H5VL_file_get_args_t {
            op_type: H5VL_FILE_GET_FILENO,
            args: H5VL_file_get_args_u { get_fileno: H5VL_file_get_fileno_t { fileno: &raw mut number } },
        };
        self.question(questions, &mut args)?;
        Some(number)
    }

    /// How it was opened.
    pub fn intent(&self, questions: Questions) -> Option<Intent> {
        let mut flags = 0;
        let mut args = H5VL_file_get_args_t {
            op_type: H5VL_FILE_GET_INTENT,
            args: H5VL_file_get_args_u { get_intent: H5VL_file_get_intent_t { flags: &raw mut flags } },
        };
        self.question(questions, &mut args)?;
        Some(Intent {
            writable: flags & H5F_ACC_RDWR != 0,
            swmr_reader: flags & H5F_ACC_SWMR_READ != 0,
            swmr_writer: flags & H5F_ACC_SWMR_WRITE != 0,
        })
    }

    /// Its access property list.
    pub fn access_list(&self, questions: Questions) -> Option<OwnedId> {
        let mut args = H5VL_file_get_args_t {
            op_type: H5VL_FILE_GET_FAPL,
            args: H5VL_file_get_args_u { get_fapl: H5VL_file_get_fapl_t { fapl_id: Id::INVALID.0 } },
        };
        self.question(questions, &mut args)?;
        // SAFETY: the member that belongs to the question.
        OwnedId::take(questions.host(), unsafe { args.args.get_fapl.fapl_id })
    }

    /// Its creation property list.
    pub fn creation_list(&self, questions: Questions) -> Option<OwnedId> {
        let mut args = H5VL_file_get_args_t {
            op_type: H5VL_FILE_GET_FCPL,
            args: H5VL_file_get_args_u { get_fcpl: H5VL_file_get_fcpl_t { fcpl_id: Id::INVALID.0 } },
        };
        self.question(questions, &mut args)?;
        // SAFETY: the member that belongs to the question.
        OwnedId::take(questions.host(), unsafe { args.args.get_fcpl.fcpl_id })
    }

    /// End of the space allocated in it, counted from the beginning of the file.
    pub fn allocated_end(&self, questions: Questions) -> Option<u64> {
        let mut end = HADDR_UNDEF;
        let mut args =
            H5VL_native_file_optional_args_t { get_eoa: H5VL_native_file_get_eoa_t { eoa: &raw mut end } };
        self.optional(questions, H5VL_NATIVE_FILE_GET_EOA, &mut args)?;
        (end != HADDR_UNDEF).then_some(end)
    }

    /// Its size, as its driver knows it, counted from the beginning of the file. Also told of files that processes share through
    /// MPI, without asking the others.
    pub fn size(&self, questions: Questions) -> Option<u64> {
        let mut size = 0;
        let mut args = H5VL_native_file_optional_args_t {
            get_size: H5VL_native_file_get_size_t { size: &raw mut size },
        };
        self.optional(questions, H5VL_NATIVE_FILE_GET_SIZE, &mut args)?;
        Some(size)
    }

    /// Whether metadata of the file may be in an image of HDF5's metadata cache, and not where its addresses say.
    pub fn has_cache_image(&self, questions: Questions) -> Option<bool> {
        let (mut address, mut length) = (HADDR_UNDEF, 0);
        let mut args = H5VL_native_file_optional_args_t {
            get_mdc_image_info: H5VL_native_file_get_mdc_image_info_t {
                addr: &raw mut address,
                len: &raw mut length,
            },
        };
        self.optional(questions, H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO, &mut args)?;
        Some(address != HADDR_UNDEF)
    }

    /// The driver of the file, if it was not known when the file was opened. Do not ask in a host that was built for MPI:
    /// HDF5 would copy the access list.
    pub fn driver(&self, questions: Questions) -> Driver {
        debug_assert!(!questions.host().is_built_for_mpi(), "all processes would have to ask");
        self.access_list(questions).map_or(Driver::Other, |access| questions.driver(access.id()))
    }

    /// Our own descriptor of the same open file: same inode after a rename, same locks. `None` if it is not a plain file.
    /// The driver is that of the access list with which the file was opened.
    pub fn descriptor(&self, questions: Questions, driver: PosixDriver) -> Option<OwnedFd> {
        let descriptor = self.raw_descriptor(questions, driver)?;
        // SAFETY: open as long as the file is, which outlives this call.
        let ours = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned().ok()?;
        let file = File::from(ours);
        file.metadata().ok()?.is_file().then(|| OwnedFd::from(file))
    }

    /// The host that it is open in.
    pub fn host(&self) -> Host {
        self.connector.host()
    }

    pub(crate) fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    pub(crate) fn connector(&self) -> &Arc<BelowConnector> {
        &self.connector
    }

    /// The callbacks of its connector.
    pub(crate) fn class(&self) -> Option<&'static H5VL_class_t> {
        self.connector.class(NonNull::new(self.pointer)?)
    }

    fn question(&self, questions: Questions, args: &mut H5VL_file_get_args_t) -> Option<()> {
        let get = self.class()?.file_cls.get?;
        let transfer = questions.host().default_transfer().0;
        // SAFETY: a file of the native connector and complete arguments.
        let status = unsafe { get(self.pointer, args, transfer, core::ptr::null_mut()) };
        (status >= 0).then_some(())
    }

    pub(crate) fn optional(
        &self,
        questions: Questions,
        operation: c_int,
        args: &mut H5VL_native_file_optional_args_t,
    ) -> Option<()> {
        let mut args = H5VL_optional_args_t { op_type: operation, args: core::ptr::from_mut(args).cast() };
        let optional = self.class()?.file_cls.optional?;
        let transfer = questions.host().default_transfer().0;
        // SAFETY: a file of the native connector, and the arguments of that operation.
        let status = unsafe { optional(self.pointer, &raw mut args, transfer, core::ptr::null_mut()) };
        (status >= 0).then_some(())
    }
}
