//! The `H5VL_class_t` of a connector, one for each slot.

use h5_abi::{
    H5VL_VERSION, H5VL_attr_class_t, H5VL_blob_class_t, H5VL_class_t, H5VL_dataset_class_t,
    H5VL_datatype_class_t, H5VL_file_class_t, H5VL_group_class_t, H5VL_info_class_t, H5VL_introspect_class_t,
    H5VL_link_class_t, H5VL_object_class_t, H5VL_request_class_t, H5VL_token_class_t, H5VL_wrap_class_t,
};

use crate::calls;
use crate::connector::{Connector, Role};
use crate::info::Info;
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
        // A connector with nothing below must not have these: HDF5 takes their absence as the sign that the
        // object is the real one.
        wrap_cls: match C::ROLE {
            Role::Terminal => H5VL_wrap_class_t::EMPTY,
            Role::PassThrough => H5VL_wrap_class_t {
                get_object: Some(calls::get_object::<C>),
                get_wrap_ctx: Some(calls::get_wrap_context::<C>),
                wrap_object: Some(calls::wrap_object::<C>),
                unwrap_object: Some(calls::unwrap_object::<C>),
                free_wrap_ctx: Some(calls::free_wrap_context::<C>),
            },
        },
        attr_cls: H5VL_attr_class_t {
            create: Some(calls::attr_create::<C>),
            open: Some(calls::attr_open::<C>),
            read: Some(calls::attr_read::<C>),
            write: Some(calls::attr_write::<C>),
            get: Some(calls::attr_get::<C>),
            specific: Some(calls::attr_specific::<C>),
            optional: Some(calls::attr_optional::<C>),
            close: Some(calls::attr_close::<C>),
        },
        dataset_cls: H5VL_dataset_class_t {
            create: Some(calls::dataset_create::<C>),
            open: Some(calls::dataset_open::<C>),
            read: Some(calls::dataset_read::<C>),
            write: Some(calls::dataset_write::<C>),
            get: Some(calls::dataset_get::<C>),
            specific: Some(calls::dataset_specific::<C>),
            optional: Some(calls::dataset_optional_or_description::<C>),
            close: Some(calls::dataset_close::<C>),
        },
        datatype_cls: H5VL_datatype_class_t {
            commit: Some(calls::datatype_commit::<C>),
            open: Some(calls::datatype_open::<C>),
            get: Some(calls::datatype_get::<C>),
            specific: Some(calls::datatype_specific::<C>),
            optional: Some(calls::datatype_optional::<C>),
            close: Some(calls::datatype_close::<C>),
        },
        file_cls: H5VL_file_class_t {
            create: Some(calls::file_create::<C, SLOT>),
            open: Some(calls::file_open::<C, SLOT>),
            get: Some(calls::file_get::<C>),
            specific: Some(calls::file_specific::<C, SLOT>),
            optional: Some(calls::file_optional::<C>),
            close: Some(calls::file_close::<C>),
        },
        group_cls: H5VL_group_class_t {
            create: Some(calls::group_create::<C>),
            open: Some(calls::group_open::<C>),
            get: Some(calls::group_get::<C>),
            specific: Some(calls::group_specific::<C>),
            optional: Some(calls::group_optional::<C>),
            close: Some(calls::group_close::<C>),
        },
        link_cls: H5VL_link_class_t {
            create: Some(calls::link_create::<C>),
            copy: Some(calls::link_copy::<C>),
            move_: Some(calls::link_move::<C>),
            get: Some(calls::link_get::<C>),
            specific: Some(calls::link_specific::<C>),
            optional: Some(calls::link_optional::<C>),
        },
        object_cls: H5VL_object_class_t {
            open: Some(calls::object_open::<C>),
            copy: Some(calls::object_copy::<C>),
            get: Some(calls::object_get::<C>),
            specific: Some(calls::object_specific::<C>),
            optional: Some(calls::object_optional::<C>),
        },
        introspect_cls: H5VL_introspect_class_t {
            get_conn_cls: Some(calls::get_conn_cls::<C>),
            get_cap_flags: Some(calls::get_cap_flags::<C, SLOT>),
            opt_query: Some(calls::opt_query::<C>),
        },
        request_cls: H5VL_request_class_t {
            wait: Some(calls::request_wait::<C>),
            notify: Some(calls::request_notify::<C>),
            cancel: Some(calls::request_cancel::<C>),
            specific: Some(calls::request_specific::<C>),
            optional: Some(calls::request_optional::<C>),
            free: Some(calls::request_free::<C>),
        },
        blob_cls: H5VL_blob_class_t {
            put: Some(calls::blob_put::<C>),
            get: Some(calls::blob_get::<C>),
            specific: Some(calls::blob_specific::<C>),
            optional: Some(calls::blob_optional::<C>),
        },
        token_cls: H5VL_token_class_t {
            cmp: Some(calls::token_cmp::<C>),
            to_str: Some(calls::token_to_str::<C>),
            from_str: Some(calls::token_from_str::<C>),
        },
        optional: Some(calls::optional::<C>),
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
