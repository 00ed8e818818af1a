//! Links: what `link_create` makes, `link_get` asks and `link_specific` does.

use core::ffi::CStr;

use h5_abi::{
    H5VL_LINK_CREATE_HARD, H5VL_LINK_CREATE_SOFT, H5VL_LINK_CREATE_UD, H5VL_LINK_DELETE, H5VL_LINK_EXISTS,
    H5VL_LINK_GET_INFO, H5VL_LINK_GET_NAME, H5VL_LINK_GET_VAL, H5VL_LINK_ITER, H5VL_link_create_args_t,
    H5VL_link_get_args_t, H5VL_link_specific_args_t,
};

use super::information::LinkInfo;
use super::iteration::LinkIteration;
use super::out::{BytesOut, Out, TextOut};
use crate::calls::{Argument, Arguments, Name};
use crate::location::Location;

/// The link to create.
#[non_exhaustive]
pub enum NewLink<'a> {
    /// A hard link to what is at this place, relative to
    /// [`LinkCreate::hard_link_target`](crate::calls::LinkCreate::hard_link_target).
    Hard(Location<'a>),
    /// A soft link to this path.
    Soft(Option<&'a CStr>),
    /// A link of a user-defined class; 64 are external links.
    UserDefined {
        /// Number of the class.
        class: i32,
        /// The link's value.
        value: &'a [u8],
    },
    /// A link of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_link_create_args_t> {
    /// What is to be created.
    pub fn view(&mut self) -> NewLink<'_> {
        let Some(all) = self.get() else { return NewLink::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_LINK_CREATE_HARD => NewLink::Hard(Location::new(&raw const args.hard.curr_loc_params)),
                H5VL_LINK_CREATE_SOFT => NewLink::Soft(Name::safe(args.soft.target)),
                H5VL_LINK_CREATE_UD => NewLink::UserDefined {
                    class: args.ud.type_.0,
                    value: if args.ud.buf.is_null() {
                        &[]
                    } else {
                        core::slice::from_raw_parts(args.ud.buf.cast(), args.ud.buf_size)
                    },
                },
                other => NewLink::Unknown(other.0),
            }
        }
    }
}

/// What is asked about a link.
#[non_exhaustive]
pub enum LinkQuestion<'a> {
    /// Its information.
    Info(Out<'a, LinkInfo>),
    /// Its name (of a link found by its position).
    Name(TextOut<'a>),
    /// Its value: the path of a soft link with its terminating zero, the value of another.
    Value(BytesOut<'a>),
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_link_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> LinkQuestion<'_> {
        let Some(all) = self.get() else { return LinkQuestion::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_LINK_GET_INFO => LinkQuestion::Info(Out::new(args.get_info.linfo)),
                H5VL_LINK_GET_NAME => LinkQuestion::Name(TextOut::new(
                    args.get_name.name,
                    args.get_name.name_size,
                    args.get_name.name_len,
                )),
                H5VL_LINK_GET_VAL => {
                    LinkQuestion::Value(BytesOut::new(args.get_val.buf, args.get_val.buf_size))
                }
                other => LinkQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to links.
#[non_exhaustive]
pub enum LinkOperation<'a> {
    /// Deletes the link at the call's location.
    Delete,
    /// Tells whether there is a link at the call's location.
    Exists(Out<'a, bool>),
    /// Calls the application's function for each link of the group at the call's location.
    Iterate(LinkIteration<'a>),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_link_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> LinkOperation<'_> {
        let Some(all) = self.get() else { return LinkOperation::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_LINK_DELETE => LinkOperation::Delete,
                H5VL_LINK_EXISTS => LinkOperation::Exists(Out::new(args.exists.exists.cast())),
                H5VL_LINK_ITER => LinkOperation::Iterate(LinkIteration::new(args.iterate)),
                other => LinkOperation::Unknown(other.0),
            }
        }
    }
}
