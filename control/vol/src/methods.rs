//! The callbacks of a connector: all of them if it passes through, the ones that it names if it is terminal.
//!
//! There is one list of callbacks, in this file. It makes the [`PassThrough`] trait, the tables of a [`Terminal`] connector,
//! and [`Methods`], from which the C class is filled.

use core::ffi::{CStr, c_int};

use h5_abi::H5VL_wrap_class_t;

use crate::below::BelowObject;
use crate::calls::{
    self, AttributeClose, AttributeCreate, AttributeGet, AttributeOpen, AttributeOptional, AttributeRead,
    AttributeSpecific, AttributeWrite, BlobGet, BlobOptional, BlobPut, BlobSpecific, DatasetClose,
    DatasetCreate, DatasetGet, DatasetOpen, DatasetOptional, DatasetRead, DatasetSpecific, DatasetWrite,
    DatatypeClose, DatatypeCommit, DatatypeGet, DatatypeOpen, DatatypeOptional, DatatypeSpecific, FileClose,
    FileCreate, FileGet, FileOpen, FileOptional, FileSpecific, GroupClose, GroupCreate, GroupGet, GroupOpen,
    GroupOptional, GroupSpecific, LinkCreate, LinkGet, LinkOptional, LinkSpecific, LinkTransfer, ObjectCopy,
    ObjectGet, ObjectOpen, ObjectOptional, ObjectSpecific, Optional, OptionalQuery, RequestCancel,
    RequestFree, RequestNotify, RequestOptional, RequestSpecific, RequestWait, TokenCompare, TokenFromText,
    TokenToText,
};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::object::{NewObject, Object, ObjectKind, Origin};
use crate::token::Token;

/// The type that a callback answers with.
macro_rules! answer {
    (object, $connector:ty) => { NewObject<$connector> };
    (status, $connector:ty) => { c_int };
    (nothing, $connector:ty) => { () };
    (text, $connector:ty) => { String };
    (token, $connector:ty) => { Token };
}

macro_rules! callbacks {
    ($(
        $(#[$table_doc:meta])*
        $table:ident $constant:ident = $class:ident {
            $( $(#[$doc:meta])* $member:ident = $method:ident($call:ident<$($life:lifetime)?>) -> $answer:ident; )*
        }
    )*) => {
        $(
            $(#[$table_doc])*
            ///
            /// A callback that is `None` is absent from the class, and HDF5 itself says that it is not supported.
            pub struct $table<C: Connector> {
                $( $(#[$doc])* pub $member: Option<fn(&C, $call<$($life,)? C>) -> Result<answer!($answer, C)>>, )*
            }

            impl<C: Connector> $table<C> {
                /// No callbacks.
                pub const NONE: Self = Self { $( $member: None, )* };
            }
        )*

        /// A connector that stands on another one.
        ///
        /// Every callback has a default that forwards the call to the connector below. A connector overrides the ones
        /// that it wants to see, change or answer itself.
        pub trait PassThrough: Connector {
            /// Name of the optional operation with which applications ask the connector about a dataset: see
            /// [`describe_dataset`](Self::describe_dataset). `None` if there is no such operation.
            const DATASET_DESCRIPTION: Option<&'static CStr> = None;

            /// Makes the data of an object that was just obtained from the connector below.
            fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Self::Data;

            /// Answers the operation named by [`DATASET_DESCRIPTION`](Self::DATASET_DESCRIPTION) with a
            /// text. In C: `H5VLdataset_optional_op` with the number that `H5VLfind_opt_operation` gives for the
            /// name, and arguments `struct { char *buf; size_t buf_size; size_t *length; }`.
            fn describe_dataset(&self, dataset: &Object<Self>) -> Result<String> {
                let _ = dataset;
                Err(Error::unsupported("this connector has nothing to tell about its datasets"))
            }

            $( $(
                $(#[$doc])*
                fn $method(
                    &self,
                    #[allow(unused_mut, reason = "some calls forward by value")] mut call: $call<$($life,)? Self>,
                ) -> Result<answer!($answer, Self)> {
                    call.forward()
                }
            )* )*

            /// Optional operation that belongs to nothing in particular.
            fn optional(&self, mut call: Optional<'_, Self>) -> Result<c_int> {
                call.forward()
            }
        }

        /// A connector with nothing below it.
        ///
        /// It names the callbacks that it has. The others are absent from its class.
        ///
        /// ```ignore
        /// impl Terminal for Memory {
        ///     const FILES: Files<Self> = Files { open: Some(Self::open_file), ..Files::NONE };
        /// }
        /// ```
        pub trait Terminal: Connector {
            $( $(#[$table_doc])* const $constant: $table<Self> = $table::NONE; )*

            /// Optional operation that belongs to nothing in particular.
            const OPTIONAL: Option<fn(&Self, Optional<'_, Self>) -> Result<c_int>> = None;
        }

        /// How HDF5's calls reach a connector: [`pass_through`](Self::pass_through) or [`terminal`](Self::terminal).
        pub struct Methods<C: Connector> {
            /// Present if there is a connector below.
            pub(crate) stacking: Option<Stacking<C>>,
            $( pub(crate) $class: $table<C>, )*
            pub(crate) optional: Option<fn(&C, Optional<'_, C>) -> Result<c_int>>,
        }

        impl<C: Connector> Methods<C> {
            /// The connector stands on another one, and implements [`PassThrough`].
            pub const fn pass_through() -> Self
            where
                C: PassThrough,
            {
                Self {
                    stacking: Some(Stacking::of()),
                    $( $class: $table { $( $member: Some(<C as PassThrough>::$method), )* }, )*
                    optional: Some(<C as PassThrough>::optional),
                }
            }

            /// The connector has nothing below it, and implements [`Terminal`].
            pub const fn terminal() -> Self
            where
                C: Terminal,
            {
                Self { stacking: None, $( $class: C::$constant, )* optional: C::OPTIONAL }
            }
        }
    };
}

/// The parts that only a connector with another one below it has.
pub(crate) struct Stacking<C: Connector> {
    /// The callbacks that wrap objects. A connector with nothing below must not have them: HDF5 takes their absence
    /// as the sign that the object is the real one.
    pub(crate) wrap: H5VL_wrap_class_t,
    /// The operation that describes a dataset, if there is one.
    pub(crate) description: Option<Description<C>>,
}

/// An optional operation that describes a dataset.
pub(crate) struct Description<C: Connector> {
    pub(crate) name: &'static CStr,
    pub(crate) describe: fn(&C, &Object<C>) -> Result<String>,
}

impl<C: PassThrough> Stacking<C> {
    const fn of() -> Self {
        Self {
            wrap: H5VL_wrap_class_t {
                get_object: Some(calls::get_object::<C>),
                get_wrap_ctx: Some(calls::get_wrap_context::<C>),
                wrap_object: Some(calls::wrap_object::<C>),
                unwrap_object: Some(calls::unwrap_object::<C>),
                free_wrap_ctx: Some(calls::free_wrap_context::<C>),
            },
            description: match C::DATASET_DESCRIPTION {
                Some(name) => Some(Description { name, describe: C::describe_dataset }),
                None => None,
            },
        }
    }
}

callbacks! {
    /// Callbacks of attributes (`H5A`).
    Attributes ATTRIBUTES = attr_cls {
        /// Creates an attribute.
        create = attr_create(AttributeCreate<'_>) -> object;
        /// Opens an attribute.
        open = attr_open(AttributeOpen<'_>) -> object;
        /// Reads an attribute.
        read = attr_read(AttributeRead<'_>) -> status;
        /// Writes an attribute.
        write = attr_write(AttributeWrite<'_>) -> status;
        /// Answers questions about an attribute.
        get = attr_get(AttributeGet<'_>) -> status;
        /// Works on the attributes of an object.
        specific = attr_specific(AttributeSpecific<'_>) -> status;
        /// Optional operation on an attribute.
        optional = attr_optional(AttributeOptional<'_>) -> status;
        /// Closes an attribute.
        close = attr_close(AttributeClose<'_>) -> nothing;
    }

    /// Callbacks of datasets (`H5D`).
    Datasets DATASETS = dataset_cls {
        /// Creates a dataset.
        create = dataset_create(DatasetCreate<'_>) -> object;
        /// Opens a dataset.
        open = dataset_open(DatasetOpen<'_>) -> object;
        /// Reads one or many datasets.
        read = dataset_read(DatasetRead<'_>) -> status;
        /// Writes one or many datasets.
        write = dataset_write(DatasetWrite<'_>) -> status;
        /// Answers questions about a dataset.
        get = dataset_get(DatasetGet<'_>) -> status;
        /// Resizes, flushes, refreshes a dataset.
        specific = dataset_specific(DatasetSpecific<'_>) -> status;
        /// Optional operation on a dataset.
        optional = dataset_optional(DatasetOptional<'_>) -> status;
        /// Closes a dataset.
        close = dataset_close(DatasetClose<'_>) -> nothing;
    }

    /// Callbacks of committed datatypes (`H5T`).
    Datatypes DATATYPES = datatype_cls {
        /// Commits a datatype.
        commit = datatype_commit(DatatypeCommit<'_>) -> object;
        /// Opens a committed datatype.
        open = datatype_open(DatatypeOpen<'_>) -> object;
        /// Answers questions about a committed datatype.
        get = datatype_get(DatatypeGet<'_>) -> status;
        /// Flushes, refreshes a committed datatype.
        specific = datatype_specific(DatatypeSpecific<'_>) -> status;
        /// Optional operation on a committed datatype.
        optional = datatype_optional(DatatypeOptional<'_>) -> status;
        /// Closes a committed datatype.
        close = datatype_close(DatatypeClose<'_>) -> nothing;
    }

    /// Callbacks of files (`H5F`).
    Files FILES = file_cls {
        /// Creates a file.
        create = file_create(FileCreate<'_>) -> object;
        /// Opens a file.
        open = file_open(FileOpen<'_>) -> object;
        /// Answers questions about a file.
        get = file_get(FileGet<'_>) -> status;
        /// Flushes, reopens, compares, deletes a file, tells whether it is accessible.
        specific = file_specific(FileSpecific<'_>) -> status;
        /// Optional operation on a file.
        optional = file_optional(FileOptional<'_>) -> status;
        /// Closes a file.
        close = file_close(FileClose<'_>) -> nothing;
    }

    /// Callbacks of groups (`H5G`).
    Groups GROUPS = group_cls {
        /// Creates a group.
        create = group_create(GroupCreate<'_>) -> object;
        /// Opens a group.
        open = group_open(GroupOpen<'_>) -> object;
        /// Answers questions about a group.
        get = group_get(GroupGet<'_>) -> status;
        /// Mounts, unmounts, flushes, refreshes a group.
        specific = group_specific(GroupSpecific<'_>) -> status;
        /// Optional operation on a group.
        optional = group_optional(GroupOptional<'_>) -> status;
        /// Closes a group.
        close = group_close(GroupClose<'_>) -> nothing;
    }

    /// Callbacks of links (`H5L`).
    Links LINKS = link_cls {
        /// Creates a link.
        create = link_create(LinkCreate<'_>) -> status;
        /// Copies a link.
        copy = link_copy(LinkTransfer<'_>) -> status;
        /// Moves a link.
        move_ = link_move(LinkTransfer<'_>) -> status;
        /// Answers questions about a link.
        get = link_get(LinkGet<'_>) -> status;
        /// Deletes, iterates over links, tells whether one exists.
        specific = link_specific(LinkSpecific<'_>) -> status;
        /// Optional operation on a link.
        optional = link_optional(LinkOptional<'_>) -> status;
    }

    /// Callbacks of objects of any kind (`H5O`).
    Objects OBJECTS = object_cls {
        /// Opens an object of any kind.
        open = object_open(ObjectOpen<'_>) -> object;
        /// Copies an object.
        copy = object_copy(ObjectCopy<'_>) -> status;
        /// Answers questions about an object.
        get = object_get(ObjectGet<'_>) -> status;
        /// Visits, looks up, flushes, refreshes objects.
        specific = object_specific(ObjectSpecific<'_>) -> status;
        /// Optional operation on an object.
        optional = object_optional(ObjectOptional<'_>) -> status;
    }

    /// Questions about the connector that it answers itself; the framework answers the others.
    Introspection INTROSPECTION = introspect_cls {
        /// Tells whether an optional operation is supported. If absent, none is.
        opt_query = opt_query(OptionalQuery<'_>) -> status;
    }

    /// Callbacks of the requests of asynchronous operations. HDF5 may still use a request that has completed; only `free`
    /// releases it.
    Requests REQUESTS = request_cls {
        /// Waits for an asynchronous operation.
        wait = request_wait(RequestWait<'_>) -> status;
        /// Registers a function that is called when the operation ends.
        notify = request_notify(RequestNotify<>) -> status;
        /// Cancels an asynchronous operation.
        cancel = request_cancel(RequestCancel<'_>) -> status;
        /// Answers questions about an asynchronous operation.
        specific = request_specific(RequestSpecific<'_>) -> status;
        /// Optional operation on a request.
        optional = request_optional(RequestOptional<'_>) -> status;
        /// Releases a request.
        free = request_free(RequestFree<>) -> nothing;
    }

    /// Callbacks of blobs.
    Blobs BLOBS = blob_cls {
        /// Stores a blob.
        put = blob_put(BlobPut<'_>) -> status;
        /// Fetches a blob.
        get = blob_get(BlobGet<'_>) -> status;
        /// Deletes a blob, asks for or sets the null blob.
        specific = blob_specific(BlobSpecific<'_>) -> status;
        /// Optional operation on a blob.
        optional = blob_optional(BlobOptional<'_>) -> status;
    }

    /// Callbacks of tokens. If `cmp` is absent, HDF5 compares their bytes.
    Tokens TOKENS = token_cls {
        /// Orders two tokens: negative, zero or positive.
        cmp = token_cmp(TokenCompare<'_>) -> status;
        /// Writes a token as text.
        to_str = token_to_str(TokenToText<'_>) -> text;
        /// Reads a token from text.
        from_str = token_from_str(TokenFromText<'_>) -> token;
    }
}
