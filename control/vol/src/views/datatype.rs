//! Committed datatypes: what `datatype_get` asks and `datatype_specific` does.

use h5_abi::{
    H5VL_DATATYPE_FLUSH, H5VL_DATATYPE_GET_BINARY, H5VL_DATATYPE_GET_BINARY_SIZE, H5VL_DATATYPE_GET_TCPL,
    H5VL_DATATYPE_REFRESH, H5VL_datatype_get_args_t, H5VL_datatype_specific_args_t,
};
use h5_host::Id;

use super::out::{BytesOut, Out};
use crate::calls::Arguments;

/// What is asked about a committed datatype.
#[non_exhaustive]
pub enum DatatypeQuestion<'a> {
    /// Size of its serialized form.
    BinarySize(Out<'a, usize>),
    /// Its serialized form (as `H5Tencode` makes it).
    Binary(BytesOut<'a>),
    /// Its creation property list.
    CreationList(Out<'a, Id>),
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_datatype_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> DatatypeQuestion<'_> {
        let Some(all) = self.get() else { return DatatypeQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_DATATYPE_GET_BINARY_SIZE => {
                    DatatypeQuestion::BinarySize(Out::new(args.get_binary_size.size))
                }
                H5VL_DATATYPE_GET_BINARY => {
                    DatatypeQuestion::Binary(BytesOut::new(args.get_binary.buf, args.get_binary.buf_size))
                }
                H5VL_DATATYPE_GET_TCPL => {
                    DatatypeQuestion::CreationList(Out::new(&raw mut args.get_tcpl.tcpl_id))
                }
                other => DatatypeQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to a committed datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatatypeOperation {
    /// Flushes the datatype with this identifier.
    Flush(Id),
    /// Reloads the metadata of the datatype with this identifier from the file.
    Refresh(Id),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_datatype_specific_args_t> {
    /// What is to be done.
    pub fn view(&self) -> DatatypeOperation {
        let Some(all) = self.peek() else { return DatatypeOperation::Unknown(-1) };
        // SAFETY: the operation says which member of the union is set.
        unsafe {
            match all.op_type {
                H5VL_DATATYPE_FLUSH => DatatypeOperation::Flush(Id(all.args.flush.type_id)),
                H5VL_DATATYPE_REFRESH => DatatypeOperation::Refresh(Id(all.args.refresh.type_id)),
                other => DatatypeOperation::Unknown(other.0),
            }
        }
    }
}
