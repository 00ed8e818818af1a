//! The C types of HDF5's VOL connector interface and of the part of the public API around it.
//!
//! Types and constants only: there is no function here and nothing to link. Each module mirrors one C header,
//! and everything is re-exported flat, under the names C has.
//!
//! - A C enum is a transparent struct around a `c_int` with constants beside it, never a Rust enum: the
//!   memory is foreign and may hold any value.
//! - A function pointer is an `Option<unsafe extern "C" fn(..)>`.
//! - An anonymous union `args` of `X_args_t` is `X_args_u`. An anonymous struct in it is named after the
//!   class and the field: `get_acpl` of `H5VL_attr_get_args_u` is `H5VL_attr_get_acpl_t`.
//! - The fields `type`, `super`, `move` and `priv` of C have an underscore after them here (`type_`).
//!
//! `tests/layout.rs` compares every size, offset, field type, callback signature and constant with the C
//! headers. The layouts are the same from 1.14 to 2.2 but for two arguments of the native connector, see
//! [`h5vl_native`].

#![no_std]
#![expect(non_camel_case_types, reason = "the names are those of the C headers")]
#![expect(missing_docs, reason = "the C headers document these")]

/// Declares a C enum: a transparent struct around a `c_int`, and its constants.
macro_rules! c_enum {
    ($(#[$meta:meta])* $name:ident { $($constant:ident = $value:expr,)+ }) => {
        $(#[$meta])*
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct $name(pub core::ffi::c_int);

        $(pub const $constant: $name = $name($value);)+
    };
}

/// Declares the arguments of a callback with several operations: `op_type` says which one, and so which member of the
/// union `args` is in use. A member with fields declares their struct, too, which has no name in C.
macro_rules! c_arguments {
    ($(#[$meta:meta])* $name:ident, $operation:ident, $union:ident {
        $($member:ident: $type:ident $({ $($field:ident: $field_type:ty),+ $(,)? })?,)+
    }) => {
        $($(
            #[doc = concat!("`", stringify!($member), "` of [`", stringify!($union), "`].")]
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $type {
                $(pub $field: $field_type,)+
            }
        )?)+

        #[doc = concat!("The union `args` of [`", stringify!($name), "`]: `op_type` says which member is in use.")]
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub union $union {
            $(pub $member: $type,)+
        }

        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            pub op_type: $operation,
            pub args: $union,
        }
    };
}

/// Declares a table of C functions, each of which may be absent.
macro_rules! c_callbacks {
    ($(#[$meta:meta])* $name:ident {
        $(fn $callback:ident($($argument:ident: $type:ty),+ $(,)?) -> $result:ty;)+
    }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug)]
        pub struct $name {
            $(pub $callback: Option<unsafe extern "C" fn($($argument: $type),+) -> $result>,)+
        }

        impl $name {
            /// Nothing implemented: every callback is `None`.
            pub const EMPTY: Self = Self { $($callback: None,)+ };
        }
    };
}

pub mod h5a;
pub mod h5d;
pub mod h5e;
pub mod h5f;
pub mod h5g;
pub mod h5i;
pub mod h5l;
pub mod h5o;
pub mod h5pl;
pub mod h5r;
pub mod h5s;
pub mod h5t;
pub mod h5vl_connector;
pub mod h5vl_native;
pub mod h5vl_public;
pub mod h5z;
pub mod public;

pub use h5a::*;
pub use h5d::*;
pub use h5e::*;
pub use h5f::*;
pub use h5g::*;
pub use h5i::*;
pub use h5l::*;
pub use h5o::*;
pub use h5pl::*;
pub use h5r::*;
pub use h5s::*;
pub use h5t::*;
pub use h5vl_connector::*;
pub use h5vl_native::*;
pub use h5vl_public::*;
pub use h5z::*;
pub use public::*;
