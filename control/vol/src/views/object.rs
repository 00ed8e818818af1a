//! Objects of any kind: what `object_get` asks and `object_specific` does.

use h5_abi::{
    H5VL_OBJECT_CHANGE_REF_COUNT, H5VL_OBJECT_EXISTS, H5VL_OBJECT_FLUSH, H5VL_OBJECT_GET_FILE,
    H5VL_OBJECT_GET_INFO, H5VL_OBJECT_GET_NAME, H5VL_OBJECT_GET_TYPE, H5VL_OBJECT_LOOKUP,
    H5VL_OBJECT_REFRESH, H5VL_OBJECT_VISIT, H5VL_object_get_args_t, H5VL_object_specific_args_t,
};
use h5_host::Id;

use super::information::ObjectInfo;
use super::iteration::ObjectVisit;
use super::out::{Out, TextOut};
use crate::calls::Arguments;
use crate::object::ObjectKind;
use crate::token::Token;

/// What is asked about an object.
#[non_exhaustive]
pub enum ObjectQuestion<'a> {
    /// The file it is in: see [`ObjectGet::answer_file`](crate::calls::ObjectGet::answer_file).
    File,
    /// Its absolute name.
    Name(TextOut<'a>),
    /// What it is.
    Type(Out<'a, ObjectKind>),
    /// Its information.
    Info {
        /// Which fields are wanted (`H5O_INFO_...`).
        fields: u32,
        /// The answer.
        info: Out<'a, ObjectInfo>,
    },
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_object_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> ObjectQuestion<'_> {
        let Some(all) = self.get() else { return ObjectQuestion::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_OBJECT_GET_FILE => ObjectQuestion::File,
                H5VL_OBJECT_GET_NAME => ObjectQuestion::Name(TextOut::new(
                    args.get_name.buf,
                    args.get_name.buf_size,
                    args.get_name.name_len,
                )),
                H5VL_OBJECT_GET_TYPE => ObjectQuestion::Type(Out::new(args.get_type.obj_type)),
                H5VL_OBJECT_GET_INFO => {
                    ObjectQuestion::Info { fields: args.get_info.fields, info: Out::new(args.get_info.oinfo) }
                }
                other => ObjectQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to an object.
#[non_exhaustive]
pub enum ObjectOperation<'a> {
    /// Adds this to the number of its hard links.
    ChangeReferences(i32),
    /// Tells whether there is an object at the call's location.
    Exists(Out<'a, bool>),
    /// Finds the token of what is at the call's location.
    LookUp(Out<'a, Token>),
    /// Calls the application's function for this object and every object below it.
    Visit(ObjectVisit<'a>),
    /// Flushes the object with this identifier.
    Flush(Id),
    /// Reloads the metadata of the object with this identifier from the file.
    Refresh(Id),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_object_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> ObjectOperation<'_> {
        let Some(all) = self.get() else { return ObjectOperation::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_OBJECT_CHANGE_REF_COUNT => ObjectOperation::ChangeReferences(args.change_rc.delta),
                H5VL_OBJECT_EXISTS => ObjectOperation::Exists(Out::new(args.exists.exists.cast())),
                H5VL_OBJECT_LOOKUP => ObjectOperation::LookUp(Out::new(args.lookup.token_ptr)),
                H5VL_OBJECT_VISIT => ObjectOperation::Visit(ObjectVisit::new(args.visit)),
                H5VL_OBJECT_FLUSH => ObjectOperation::Flush(Id(args.flush.obj_id)),
                H5VL_OBJECT_REFRESH => ObjectOperation::Refresh(Id(args.refresh.obj_id)),
                other => ObjectOperation::Unknown(other.0),
            }
        }
    }
}
