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

c_arguments! {
    /// Arguments of the request `specific` callback.
    H5VL_request_specific_args_t, H5VL_request_specific_t, H5VL_request_specific_args_u {
        get_err_stack: H5VL_request_get_err_stack_t { err_stack_id: hid_t },
        get_exec_time: H5VL_request_get_exec_time_t { exec_ts: *mut u64, exec_time: *mut u64 },
    }
}

/// Called when an asynchronous operation ends.
pub type H5VL_request_notify_t =
    Option<unsafe extern "C" fn(ctx: *mut c_void, status: H5VL_request_status_t) -> herr_t>;

/// Number of an optional request operation.
pub type H5VL_request_optional_t = c_int;

c_callbacks! {
    /// The request callbacks of a connector.
    H5VL_request_class_t {
        fn wait(req: *mut c_void, timeout: u64, status: *mut H5VL_request_status_t) -> herr_t;
        fn notify(req: *mut c_void, cb: H5VL_request_notify_t, ctx: *mut c_void) -> herr_t;
        fn cancel(req: *mut c_void, status: *mut H5VL_request_status_t) -> herr_t;
        fn specific(req: *mut c_void, args: *mut H5VL_request_specific_args_t) -> herr_t;
        fn optional(req: *mut c_void, args: *mut H5VL_optional_args_t) -> herr_t;
        fn free(req: *mut c_void) -> herr_t;
    }
}
