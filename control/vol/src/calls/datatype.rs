//! Committed datatypes (`H5T`).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5VL_datatype_get_args_t, H5VL_datatype_specific_args_t, H5VL_loc_params_t, hid_t};
use h5_host::Id;

use super::argument::{Argument, Arguments, Identifier, Name, OptionalOperation};
use super::{
    RequestSlot, call_below, closing_call, creating_call, method, operations, releasing_object, status,
    with_object,
};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::location::Location;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

creating_call! {
    /// `H5Tcommit`.
    DatatypeCommit: DatatypeCommit, datatype_commit, H5VLdatatype_commit / datatype_cls.commit, Datatype {
        /// Name, absent for an anonymous datatype.
        name: Name,
        /// The datatype to commit.
        datatype: Identifier,
        /// Link creation property list.
        link_creation: Identifier,
        /// Creation property list.
        creation: Identifier,
        /// Access property list.
        access: Identifier,
    }
}

creating_call! {
    /// `H5Topen`.
    DatatypeOpen: DatatypeOpen, datatype_open, H5VLdatatype_open / datatype_cls.open, Datatype {
        /// Name of the datatype.
        name: Name,
        /// Access property list.
        access: Identifier,
    }
}

operations! {
    /// Questions about a committed datatype.
    DatatypeGet: datatype_get, H5VLdatatype_get / datatype_cls.get, asks(H5VL_datatype_get_args_t);
    /// Flush and refresh.
    DatatypeSpecific: datatype_specific, H5VLdatatype_specific / datatype_cls.specific, does(H5VL_datatype_specific_args_t);
    /// Operations only some connectors know.
    DatatypeOptional: datatype_optional, H5VLdatatype_optional / datatype_cls.optional, optional();
}

closing_call! {
    /// `H5Tclose` of a committed datatype.
    DatatypeClose: DatatypeClose, datatype_close, H5VLdatatype_close / datatype_cls.close
}
