//! Attributes: what `attr_get` asks and `attr_specific` does.

use core::ffi::CStr;

use h5_abi::{
    H5VL_ATTR_DELETE, H5VL_ATTR_DELETE_BY_IDX, H5VL_ATTR_EXISTS, H5VL_ATTR_GET_ACPL, H5VL_ATTR_GET_INFO,
    H5VL_ATTR_GET_NAME, H5VL_ATTR_GET_SPACE, H5VL_ATTR_GET_STORAGE_SIZE, H5VL_ATTR_GET_TYPE, H5VL_ATTR_ITER,
    H5VL_ATTR_RENAME, H5VL_attr_get_args_t, H5VL_attr_specific_args_t,
};
use h5_host::Id;

use super::information::AttributeInfo;
use super::iteration::{AttributeIteration, Index, Order};
use super::out::{Out, TextOut};
use crate::calls::{Argument, Arguments, Name};
use crate::location::Location;

/// What is asked about an attribute.
#[non_exhaustive]
pub enum AttributeQuestion<'a> {
    /// Its creation property list.
    CreationList(Out<'a, Id>),
    /// Its information.
    Info {
        /// Where the attribute is, relative to the object of the call.
        location: Location<'a>,
        /// Its name, if it is not the object of the call.
        name: Option<&'a CStr>,
        /// The answer.
        info: Out<'a, AttributeInfo>,
    },
    /// Its name.
    Name {
        /// Where the attribute is, relative to the object of the call.
        location: Location<'a>,
        /// The answer.
        name: TextOut<'a>,
    },
    /// Its dataspace.
    Space(Out<'a, Id>),
    /// Bytes it takes in the file.
    StorageSize(Out<'a, u64>),
    /// Its datatype.
    Type(Out<'a, Id>),
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_attr_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> AttributeQuestion<'_> {
        let Some(all) = self.get() else { return AttributeQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_ATTR_GET_ACPL => {
                    AttributeQuestion::CreationList(Out::new(&raw mut args.get_acpl.acpl_id))
                }
                H5VL_ATTR_GET_INFO => AttributeQuestion::Info {
                    location: Location::new(&raw const args.get_info.loc_params),
                    name: Name::safe(args.get_info.attr_name),
                    info: Out::new(args.get_info.ainfo),
                },
                H5VL_ATTR_GET_NAME => AttributeQuestion::Name {
                    location: Location::new(&raw const args.get_name.loc_params),
                    name: TextOut::new(
                        args.get_name.buf,
                        args.get_name.buf_size,
                        args.get_name.attr_name_len,
                    ),
                },
                H5VL_ATTR_GET_SPACE => AttributeQuestion::Space(Out::new(&raw mut args.get_space.space_id)),
                H5VL_ATTR_GET_STORAGE_SIZE => {
                    AttributeQuestion::StorageSize(Out::new(args.get_storage_size.data_size))
                }
                H5VL_ATTR_GET_TYPE => AttributeQuestion::Type(Out::new(&raw mut args.get_type.type_id)),
                other => AttributeQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to the attributes of an object.
#[non_exhaustive]
pub enum AttributeOperation<'a> {
    /// Deletes the attribute of this name.
    Delete(Option<&'a CStr>),
    /// Deletes the `n`th attribute.
    DeleteByIndex {
        /// The index that counts.
        index: Index,
        /// Its direction.
        order: Order,
        /// The position in it.
        n: u64,
    },
    /// Tells whether there is an attribute.
    Exists {
        /// Its name.
        name: Option<&'a CStr>,
        /// The answer.
        exists: Out<'a, bool>,
    },
    /// Calls the application's function for each attribute.
    Iterate(AttributeIteration<'a>),
    /// Renames an attribute.
    Rename {
        /// Its name.
        from: Option<&'a CStr>,
        /// Its new name.
        to: Option<&'a CStr>,
    },
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_attr_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> AttributeOperation<'_> {
        let Some(all) = self.get() else { return AttributeOperation::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_ATTR_DELETE => AttributeOperation::Delete(Name::safe(args.del.name)),
                H5VL_ATTR_DELETE_BY_IDX => AttributeOperation::DeleteByIndex {
                    index: Index::new(args.delete_by_idx.idx_type),
                    order: Order::new(args.delete_by_idx.order),
                    n: args.delete_by_idx.n,
                },
                H5VL_ATTR_EXISTS => AttributeOperation::Exists {
                    name: Name::safe(args.exists.name),
                    exists: Out::new(args.exists.exists.cast()),
                },
                H5VL_ATTR_ITER => AttributeOperation::Iterate(AttributeIteration::new(args.iterate)),
                H5VL_ATTR_RENAME => AttributeOperation::Rename {
                    from: Name::safe(args.rename.old_name),
                    to: Name::safe(args.rename.new_name),
                },
                other => AttributeOperation::Unknown(other.0),
            }
        }
    }
}
