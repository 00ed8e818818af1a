//! The request part of `H5VLconnector.h`.

use core::ffi::{c_int, c_void};

use crate::h5vl_connector::H5VL_optional_args_t;
use crate::public::{herr_t, hid_t};

c_enum! {
    /// State of an asynchronous operation.
    H5VL_request_status_t {
        H5VL_REQUEST_STATUS_IN_PROGRESS = 0,
        H5VL_REQUEST_STATUS_SUCCEED = 1,
        H5VL_REQUEST_STATUS_FAIL = 2,
        H5VL_REQUEST_STATUS_CANT_CANCEL = 3,
        H5VL_REQUEST_STATUS_CANCELED = 4,
    }
}

c_enum! {
    /// Which request `specific` operation is asked for.
    H5VL_request_specific_t {
        H5VL_REQUEST_GET_ERR_STACK = 0,
        H5VL_REQUEST_GET_EXEC_TIME = 1,
    }
}

/// `get_err_stack` of [`H5VL_request_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_request_get_err_stack_t {
    pub err_stack_id: hid_t,
}

/// `get_exec_time` of [`H5VL_request_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_request_get_exec_time_t {
    pub exec_ts: *mut u64,
    pub exec_time: *mut u64,
}

/// The union `args` of [`H5VL_request_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_request_specific_args_u {
    pub get_err_stack: H5VL_request_get_err_stack_t,
    pub get_exec_time: H5VL_request_get_exec_time_t,
}

/// Arguments of the request `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_request_specific_args_t {
    pub op_type: H5VL_request_specific_t,
    pub args: H5VL_request_specific_args_u,
}

/// Called when an asynchronous operation ends.
pub type H5VL_request_notify_t =
    Option<unsafe extern "C" fn(ctx: *mut c_void, status: H5VL_request_status_t) -> herr_t>;

/// Number of an optional request operation.
pub type H5VL_request_optional_t = c_int;

/// The request callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_request_class_t {
    pub wait: Option<
        unsafe extern "C" fn(req: *mut c_void, timeout: u64, status: *mut H5VL_request_status_t) -> herr_t,
    >,
    pub notify:
        Option<unsafe extern "C" fn(req: *mut c_void, cb: H5VL_request_notify_t, ctx: *mut c_void) -> herr_t>,
    pub cancel: Option<unsafe extern "C" fn(req: *mut c_void, status: *mut H5VL_request_status_t) -> herr_t>,
    pub specific:
        Option<unsafe extern "C" fn(req: *mut c_void, args: *mut H5VL_request_specific_args_t) -> herr_t>,
    pub optional: Option<unsafe extern "C" fn(req: *mut c_void, args: *mut H5VL_optional_args_t) -> herr_t>,
    pub free: Option<unsafe extern "C" fn(req: *mut c_void) -> herr_t>,
}

impl H5VL_request_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self =
        Self { wait: None, notify: None, cancel: None, specific: None, optional: None, free: None };
}
