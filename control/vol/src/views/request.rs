//! Requests: what `request_specific` asks.

use h5_abi::{H5VL_REQUEST_GET_ERR_STACK, H5VL_REQUEST_GET_EXEC_TIME, H5VL_request_specific_args_t};
use h5_host::Id;

use super::out::Out;
use crate::calls::Arguments;

/// What is asked about an asynchronous operation.
#[non_exhaustive]
pub enum RequestQuestion<'a> {
    /// The error stack it ended with.
    ErrorStack(Out<'a, Id>),
    /// When it ran.
    ExecutionTime {
        /// Beginning, in nanoseconds since 1970.
        started: Out<'a, u64>,
        /// Duration in nanoseconds.
        lasted: Out<'a, u64>,
    },
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_request_specific_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> RequestQuestion<'_> {
        let Some(all) = self.get() else { return RequestQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_REQUEST_GET_ERR_STACK => {
                    RequestQuestion::ErrorStack(Out::new(&raw mut args.get_err_stack.err_stack_id))
                }
                H5VL_REQUEST_GET_EXEC_TIME => RequestQuestion::ExecutionTime {
                    started: Out::new(args.get_exec_time.exec_ts),
                    lasted: Out::new(args.get_exec_time.exec_time),
                },
                other => RequestQuestion::Unknown(other.0),
            }
        }
    }
}
