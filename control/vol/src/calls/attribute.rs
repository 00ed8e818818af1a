//! Attributes (`H5A`).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5VL_attr_get_args_t, H5VL_attr_specific_args_t, H5VL_loc_params_t, hid_t};
use h5_host::Id;

use super::argument::{Argument, Arguments, Identifier, MemorySource, MemoryTarget, Name, OptionalOperation};
use super::{
    RequestSlot, call_below, closing_call, creating_call, method, operations, releasing_object, status,
    status_call, with_object,
};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::location::Location;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

creating_call! {
    /// `H5Acreate`.
    AttributeCreate: AttributeCreate, attr_create, H5VLattr_create / attr_cls.create, Attribute {
        /// Name of the attribute.
        name: Name,
        /// Its datatype.
        datatype: Identifier,
        /// Its dataspace.
        space: Identifier,
        /// Creation property list.
        creation: Identifier,
        /// Access property list.
        access: Identifier,
    }
}

creating_call! {
    /// `H5Aopen`.
    AttributeOpen: AttributeOpen, attr_open, H5VLattr_open / attr_cls.open, Attribute {
        /// Name of the attribute.
        name: Name,
        /// Access property list.
        access: Identifier,
    }
}

status_call! {
    /// `H5Aread`.
    AttributeRead: AttributeRead, attr_read, H5VLattr_read / attr_cls.read {
        /// Datatype of the elements in memory.
        memory_type: Identifier,
        /// Where they go.
        target: MemoryTarget<'static>,
    }
}

status_call! {
    /// `H5Awrite`.
    AttributeWrite: AttributeWrite, attr_write, H5VLattr_write / attr_cls.write {
        /// Datatype of the elements in memory.
        memory_type: Identifier,
        /// Where they come from.
        source: MemorySource<'static>,
    }
}

operations! {
    /// Questions about an attribute.
    AttributeGet: attr_get, H5VLattr_get / attr_cls.get, asks(H5VL_attr_get_args_t);
    /// Operations on the attributes of an object: delete, exists, iterate, rename.
    AttributeSpecific at location: attr_specific, H5VLattr_specific / attr_cls.specific, does(H5VL_attr_specific_args_t);
    /// Operations only some connectors know.
    AttributeOptional: attr_optional, H5VLattr_optional / attr_cls.optional, optional();
}

closing_call! {
    /// `H5Aclose`.
    AttributeClose: AttributeClose, attr_close, H5VLattr_close / attr_cls.close
}
