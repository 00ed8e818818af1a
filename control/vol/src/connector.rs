//! What a connector's author writes.

use core::ffi::{CStr, c_int};

use h5_abi::H5VL_class_value_t;
use h5_host::Host;

use crate::below::BelowObject;
use crate::callback::Callback;
use crate::calls::{
    AttributeClose, AttributeCreate, AttributeGet, AttributeOpen, AttributeOptional, AttributeRead,
    AttributeSpecific, AttributeWrite, BlobGet, BlobOptional, BlobPut, BlobSpecific, DatasetClose,
    DatasetCreate, DatasetGet, DatasetOpen, DatasetOptional, DatasetRead, DatasetSpecific, DatasetWrite,
    DatatypeClose, DatatypeCommit, DatatypeGet, DatatypeOpen, DatatypeOptional, DatatypeSpecific, FileClose,
    FileCreate, FileGet, FileOpen, FileOptional, FileSpecific, GroupClose, GroupCreate, GroupGet, GroupOpen,
    GroupOptional, GroupSpecific, LinkCreate, LinkGet, LinkOptional, LinkSpecific, LinkTransfer, ObjectCopy,
    ObjectGet, ObjectOpen, ObjectOptional, ObjectSpecific, Optional, OptionalQuery, RequestCancel,
    RequestFree, RequestNotify, RequestOptional, RequestSpecific, RequestWait, TokenCompare, TokenFromText,
    TokenToText,
};
use crate::error::{Error, Result};
use crate::info::Settings;
use crate::object::{NewObject, Object, ObjectKind, Origin};
use crate::slots::Slots;
use crate::token::Token;

/// Whether a connector stands on another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Calls it does not answer go to the connector below.
    PassThrough,
    /// There is nothing below: calls it does not answer are errors.
    Terminal,
}

macro_rules! callbacks {
    ($( $(#[$doc:meta])* $method:ident($call:ty) -> $result:ty; )*) => {
        /// A VOL connector.
        ///
        /// Every method beyond [`attach`](Connector::attach) has a default that forwards the call to the
        /// connector below (and, for a [terminal](Role::Terminal) connector, fails as not implemented). A
        /// connector overrides what it wants to see or do itself.
        ///
        /// # Threads
        /// A value of this type lives once per host. HDF5 holds its global lock while it calls, so in one
        /// host calls come one at a time; different hosts call at the same time from different threads, each
        /// its own value. Data shared between hosts needs locks of its own.
        pub trait Connector: Sized + Send + Sync + 'static {
            /// Name under which HDF5 finds the connector (`HDF5_VOL_CONNECTOR`).
            const NAME: &'static CStr;
            /// Number under which HDF5 finds the connector; registered with The HDF Group or above 255.
            const VALUE: H5VL_class_value_t;
            /// Version of the connector, for HDF5's own records.
            const VERSION: u32;
            /// The same as text, for the error class.
            const VERSION_TEXT: &'static CStr;
            /// Whether it stands on another connector.
            const ROLE: Role = Role::PassThrough;
            /// Capability flags (`H5VL_CAP_FLAG_...`) it adds to those of the connector below.
            const CAPABILITIES: u64 = 0;

            /// Name of the optional operation by which applications ask the connector about a dataset: see
            /// [`describe_dataset`](Connector::describe_dataset). `None` if it has nothing to tell.
            const DATASET_DESCRIPTION: Option<&'static CStr> = None;

            /// The connector's own keys in its info string.
            type Settings: Settings;
            /// What the connector keeps with each open object.
            type Data: Send + Sync + 'static;

            /// Where the connector's instances live: write [`slots!`](crate::slots)`(TheType);`.
            fn slots() -> &'static Slots<Self>;

            /// Begins in a host. Whatever can go wrong (a bad environment variable) is better reported when a
            /// file is opened: failing here can disable the whole library.
            fn new(host: Host) -> Self;

            /// Ends in a host. Objects may still exist if HDF5 is being torn down with files open.
            fn terminate(&self) {}

            /// The process is about to end; all hosts have terminated or never will. Called once, outside of
            /// HDF5, if the plugin was declared with [`export!`](crate::export).
            fn process_exit() {}

            /// This process is a child that was just forked, with open files and all: whatever belongs to the
            /// parent alone (its threads, its numbers) is to be given up here without waiting for a lock.
            fn process_forked() {}

            /// Runs around every callback that comes with an instance: the place to count and time. `run`
            /// must be called.
            fn observe<R>(&self, callback: Callback, run: impl FnOnce() -> Result<R>) -> Result<R> {
                let _ = callback;
                run()
            }

            /// Makes the data of an object that was just obtained from the connector below.
            fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Self::Data;

            /// Answers the operation named by [`DATASET_DESCRIPTION`](Connector::DATASET_DESCRIPTION) with a
            /// text. In C: `H5VLdataset_optional_op` with the number that `H5VLfind_opt_operation` gives for the
            /// name, and arguments `struct { char *buf; size_t buf_size; size_t *length; }`.
            fn describe_dataset(&self, dataset: &Object<Self>) -> Result<String> {
                let _ = dataset;
                Err(Error::unsupported("this connector has nothing to tell about its datasets"))
            }

            $(
                $(#[$doc])*
                fn $method(&self, #[allow(unused_mut, reason = "some calls forward by value")] mut call: $call)
                    -> Result<$result>
                {
                    call.forward()
                }
            )*
        }
    };
}

callbacks! {
    /// Creates an attribute.
    attr_create(AttributeCreate<'_, Self>) -> NewObject<Self>;
    /// Opens an attribute.
    attr_open(AttributeOpen<'_, Self>) -> NewObject<Self>;
    /// Reads an attribute.
    attr_read(AttributeRead<'_, Self>) -> c_int;
    /// Writes an attribute.
    attr_write(AttributeWrite<'_, Self>) -> c_int;
    /// Answers questions about an attribute.
    attr_get(AttributeGet<'_, Self>) -> c_int;
    /// Works on the attributes of an object.
    attr_specific(AttributeSpecific<'_, Self>) -> c_int;
    /// Optional operation on an attribute.
    attr_optional(AttributeOptional<'_, Self>) -> c_int;
    /// Closes an attribute.
    attr_close(AttributeClose<'_, Self>) -> ();

    /// Creates a dataset.
    dataset_create(DatasetCreate<'_, Self>) -> NewObject<Self>;
    /// Opens a dataset.
    dataset_open(DatasetOpen<'_, Self>) -> NewObject<Self>;
    /// Reads one or many datasets.
    dataset_read(DatasetRead<'_, Self>) -> c_int;
    /// Writes one or many datasets.
    dataset_write(DatasetWrite<'_, Self>) -> c_int;
    /// Answers questions about a dataset.
    dataset_get(DatasetGet<'_, Self>) -> c_int;
    /// Resizes, flushes, refreshes a dataset.
    dataset_specific(DatasetSpecific<'_, Self>) -> c_int;
    /// Optional operation on a dataset.
    dataset_optional(DatasetOptional<'_, Self>) -> c_int;
    /// Closes a dataset.
    dataset_close(DatasetClose<'_, Self>) -> ();

    /// Commits a datatype.
    datatype_commit(DatatypeCommit<'_, Self>) -> NewObject<Self>;
    /// Opens a committed datatype.
    datatype_open(DatatypeOpen<'_, Self>) -> NewObject<Self>;
    /// Answers questions about a committed datatype.
    datatype_get(DatatypeGet<'_, Self>) -> c_int;
    /// Flushes, refreshes a committed datatype.
    datatype_specific(DatatypeSpecific<'_, Self>) -> c_int;
    /// Optional operation on a committed datatype.
    datatype_optional(DatatypeOptional<'_, Self>) -> c_int;
    /// Closes a committed datatype.
    datatype_close(DatatypeClose<'_, Self>) -> ();

    /// Creates a file.
    file_create(FileCreate<'_, Self>) -> NewObject<Self>;
    /// Opens a file.
    file_open(FileOpen<'_, Self>) -> NewObject<Self>;
    /// Answers questions about a file.
    file_get(FileGet<'_, Self>) -> c_int;
    /// Flushes, reopens, compares, deletes a file, tells whether it is accessible.
    file_specific(FileSpecific<'_, Self>) -> c_int;
    /// Optional operation on a file.
    file_optional(FileOptional<'_, Self>) -> c_int;
    /// Closes a file.
    file_close(FileClose<'_, Self>) -> ();

    /// Creates a group.
    group_create(GroupCreate<'_, Self>) -> NewObject<Self>;
    /// Opens a group.
    group_open(GroupOpen<'_, Self>) -> NewObject<Self>;
    /// Answers questions about a group.
    group_get(GroupGet<'_, Self>) -> c_int;
    /// Mounts, unmounts, flushes, refreshes a group.
    group_specific(GroupSpecific<'_, Self>) -> c_int;
    /// Optional operation on a group.
    group_optional(GroupOptional<'_, Self>) -> c_int;
    /// Closes a group.
    group_close(GroupClose<'_, Self>) -> ();

    /// Creates a link.
    link_create(LinkCreate<'_, Self>) -> c_int;
    /// Copies a link.
    link_copy(LinkTransfer<'_, Self>) -> c_int;
    /// Moves a link.
    link_move(LinkTransfer<'_, Self>) -> c_int;
    /// Answers questions about a link.
    link_get(LinkGet<'_, Self>) -> c_int;
    /// Deletes, iterates over links, tells whether one exists.
    link_specific(LinkSpecific<'_, Self>) -> c_int;
    /// Optional operation on a link.
    link_optional(LinkOptional<'_, Self>) -> c_int;

    /// Opens an object of any kind.
    object_open(ObjectOpen<'_, Self>) -> NewObject<Self>;
    /// Copies an object.
    object_copy(ObjectCopy<'_, Self>) -> c_int;
    /// Answers questions about an object.
    object_get(ObjectGet<'_, Self>) -> c_int;
    /// Visits, looks up, flushes, refreshes objects.
    object_specific(ObjectSpecific<'_, Self>) -> c_int;
    /// Optional operation on an object.
    object_optional(ObjectOptional<'_, Self>) -> c_int;

    /// Tells whether an optional operation is supported.
    opt_query(OptionalQuery<'_, Self>) -> c_int;

    /// Waits for an asynchronous operation.
    request_wait(RequestWait<'_, Self>) -> c_int;
    /// Registers a function to be called at its end.
    request_notify(RequestNotify<Self>) -> c_int;
    /// Cancels an asynchronous operation.
    request_cancel(RequestCancel<'_, Self>) -> c_int;
    /// Answers questions about an asynchronous operation.
    request_specific(RequestSpecific<'_, Self>) -> c_int;
    /// Optional operation on a request.
    request_optional(RequestOptional<'_, Self>) -> c_int;
    /// Gives up a request.
    request_free(RequestFree<Self>) -> ();

    /// Stores a blob.
    blob_put(BlobPut<'_, Self>) -> c_int;
    /// Fetches a blob.
    blob_get(BlobGet<'_, Self>) -> c_int;
    /// Deletes a blob, asks for or sets the null blob.
    blob_specific(BlobSpecific<'_, Self>) -> c_int;
    /// Optional operation on a blob.
    blob_optional(BlobOptional<'_, Self>) -> c_int;

    /// Orders two tokens: negative, zero or positive.
    token_cmp(TokenCompare<'_, Self>) -> c_int;
    /// Writes a token as text.
    token_to_str(TokenToText<'_, Self>) -> String;
    /// Reads a token from text.
    token_from_str(TokenFromText<'_, Self>) -> Token;

    /// Optional operation that belongs to nothing in particular.
    optional(Optional<'_, Self>) -> c_int;
}
