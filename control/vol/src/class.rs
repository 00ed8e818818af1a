//! The `H5VL_class_t` of a connector, one for each slot.

use h5_abi::{
    H5VL_VERSION, H5VL_attr_class_t, H5VL_blob_class_t, H5VL_class_t, H5VL_dataset_class_t,
    H5VL_datatype_class_t, H5VL_file_class_t, H5VL_group_class_t, H5VL_info_class_t, H5VL_introspect_class_t,
    H5VL_link_class_t, H5VL_object_class_t, H5VL_request_class_t, H5VL_token_class_t, H5VL_wrap_class_t,
};

use crate::calls;
use crate::connector::Connector;
use crate::info::Info;
use crate::methods::Stacking;
use crate::slots::SLOTS;

/// The classes of `C`, computed at compile time.
struct Classes<C>(core::marker::PhantomData<C>);

impl<C: Connector> Classes<C> {
    const ALL: [H5VL_class_t; SLOTS] = [
        class::<C, 0>(),
        class::<C, 1>(),
        class::<C, 2>(),
        class::<C, 3>(),
        class::<C, 4>(),
        class::<C, 5>(),
        class::<C, 6>(),
        class::<C, 7>(),
    ];
}

/// The class that the host in this slot was given.
pub(crate) fn of_slot<C: Connector>(slot: usize) -> &'static H5VL_class_t {
    let all: &'static [H5VL_class_t; SLOTS] = &Classes::<C>::ALL;
    &all[slot]
}

const fn class<C: Connector, const SLOT: usize>() -> H5VL_class_t {
    /// The C function, if the connector has the method that it calls.
    macro_rules! given {
        ($($path:ident).+, $function:expr) => {
            match C::METHODS.$($path).+ {
                Some(_) => Some($function),
                None => None,
            }
        };
    }

    H5VL_class_t {
        version: H5VL_VERSION,
        value: C::VALUE,
        name: C::NAME.as_ptr(),
        conn_version: C::VERSION,
        cap_flags: C::CAPABILITIES,
        initialize: Some(calls::initialize::<C, SLOT>),
        terminate: Some(calls::terminate::<C, SLOT>),
        info_cls: H5VL_info_class_t {
            size: size_of::<Info<C>>(),
            copy: Some(calls::info_copy::<C, SLOT>),
            cmp: Some(calls::info_compare::<C, SLOT>),
            free: Some(calls::info_free::<C, SLOT>),
            to_str: Some(calls::info_to_string::<C, SLOT>),
            from_str: Some(calls::info_from_string::<C, SLOT>),
        },
        wrap_cls: match C::METHODS.stacking {
            Some(stacking) => stacking.wrap,
            None => H5VL_wrap_class_t::EMPTY,
        },
        attr_cls: H5VL_attr_class_t {
            create: given!(attr_cls.create, calls::attr_create::<C>),
            open: given!(attr_cls.open, calls::attr_open::<C>),
            read: given!(attr_cls.read, calls::attr_read::<C>),
            write: given!(attr_cls.write, calls::attr_write::<C>),
            get: given!(attr_cls.get, calls::attr_get::<C>),
            specific: given!(attr_cls.specific, calls::attr_specific::<C>),
            optional: given!(attr_cls.optional, calls::attr_optional::<C>),
            close: given!(attr_cls.close, calls::attr_close::<C>),
        },
        dataset_cls: H5VL_dataset_class_t {
            create: given!(dataset_cls.create, calls::dataset_create::<C>),
            open: given!(dataset_cls.open, calls::dataset_open::<C>),
            read: given!(dataset_cls.read, calls::dataset_read::<C>),
            write: given!(dataset_cls.write, calls::dataset_write::<C>),
            get: given!(dataset_cls.get, calls::dataset_get::<C>),
            specific: given!(dataset_cls.specific, calls::dataset_specific::<C>),
            optional: match C::METHODS.stacking {
                Some(Stacking { description: Some(_), .. }) => {
                    Some(calls::dataset_optional_or_description::<C>)
                }
                _ => given!(dataset_cls.optional, calls::dataset_optional::<C>),
            },
            close: given!(dataset_cls.close, calls::dataset_close::<C>),
        },
        datatype_cls: H5VL_datatype_class_t {
            commit: given!(datatype_cls.commit, calls::datatype_commit::<C>),
            open: given!(datatype_cls.open, calls::datatype_open::<C>),
            get: given!(datatype_cls.get, calls::datatype_get::<C>),
            specific: given!(datatype_cls.specific, calls::datatype_specific::<C>),
            optional: given!(datatype_cls.optional, calls::datatype_optional::<C>),
            close: given!(datatype_cls.close, calls::datatype_close::<C>),
        },
        file_cls: H5VL_file_class_t {
            create: given!(file_cls.create, calls::file_create::<C, SLOT>),
            open: given!(file_cls.open, calls::file_open::<C, SLOT>),
            get: given!(file_cls.get, calls::file_get::<C>),
            specific: given!(file_cls.specific, calls::file_specific::<C, SLOT>),
            optional: given!(file_cls.optional, calls::file_optional::<C>),
            close: given!(file_cls.close, calls::file_close::<C>),
        },
        group_cls: H5VL_group_class_t {
            create: given!(group_cls.create, calls::group_create::<C>),
            open: given!(group_cls.open, calls::group_open::<C>),
            get: given!(group_cls.get, calls::group_get::<C>),
            specific: given!(group_cls.specific, calls::group_specific::<C>),
            optional: given!(group_cls.optional, calls::group_optional::<C>),
            close: given!(group_cls.close, calls::group_close::<C>),
        },
        link_cls: H5VL_link_class_t {
            create: given!(link_cls.create, calls::link_create::<C>),
            copy: given!(link_cls.copy, calls::link_copy::<C>),
            move_: given!(link_cls.move_, calls::link_move::<C>),
            get: given!(link_cls.get, calls::link_get::<C>),
            specific: given!(link_cls.specific, calls::link_specific::<C>),
            optional: given!(link_cls.optional, calls::link_optional::<C>),
        },
        object_cls: H5VL_object_class_t {
            open: given!(object_cls.open, calls::object_open::<C>),
            copy: given!(object_cls.copy, calls::object_copy::<C>),
            get: given!(object_cls.get, calls::object_get::<C>),
            specific: given!(object_cls.specific, calls::object_specific::<C>),
            optional: given!(object_cls.optional, calls::object_optional::<C>),
        },
        introspect_cls: H5VL_introspect_class_t {
            get_conn_cls: Some(calls::get_conn_cls::<C>),
            get_cap_flags: Some(calls::get_cap_flags::<C, SLOT>),
            opt_query: Some(calls::opt_query::<C>),
        },
        request_cls: H5VL_request_class_t {
            wait: given!(request_cls.wait, calls::request_wait::<C>),
            notify: given!(request_cls.notify, calls::request_notify::<C>),
            cancel: given!(request_cls.cancel, calls::request_cancel::<C>),
            specific: given!(request_cls.specific, calls::request_specific::<C>),
            optional: given!(request_cls.optional, calls::request_optional::<C>),
            free: given!(request_cls.free, calls::request_free::<C>),
        },
        blob_cls: H5VL_blob_class_t {
            put: given!(blob_cls.put, calls::blob_put::<C>),
            get: given!(blob_cls.get, calls::blob_get::<C>),
            specific: given!(blob_cls.specific, calls::blob_specific::<C>),
            optional: given!(blob_cls.optional, calls::blob_optional::<C>),
        },
        token_cls: H5VL_token_class_t {
            cmp: given!(token_cls.cmp, calls::token_cmp::<C>),
            to_str: given!(token_cls.to_str, calls::token_to_str::<C>),
            from_str: given!(token_cls.from_str, calls::token_from_str::<C>),
        },
        optional: given!(optional, calls::optional::<C>),
    }
}

/// The class handed to a host that cannot use the connector: complete enough to be recognised and refused,
/// with nothing that could be called except an `initialize` that says no.
pub(crate) const fn refusing<C: Connector>() -> H5VL_class_t {
    H5VL_class_t {
        value: C::VALUE,
        name: C::NAME.as_ptr(),
        conn_version: C::VERSION,
        initialize: Some(refuse),
        ..H5VL_class_t::EMPTY
    }
}

unsafe extern "C" fn refuse(_vipl: h5_abi::hid_t) -> core::ffi::c_int {
    -1
}
