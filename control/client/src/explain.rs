//! The bypass connector's own operation on datasets: whether it bypasses one, and why not.

use core::ffi::{CStr, c_char, c_int};

use h5_abi::{H5P_DEFAULT, H5VL_SUBCLS_DATASET, H5VL_optional_args_t};

use crate::dataset::Dataset;
use crate::failure::Result;
use crate::session::Session;

/// The operation's name, as the connector registers it.
const NAME: &CStr = c"h5bypass.explain";
/// No explanation is longer than this.
const MAX_LENGTH: usize = 1 << 20;
/// No requests.
const NO_EVENT_SET: h5_abi::hid_t = 0;

/// What the operation takes: a buffer, its size, and a place for the length of the whole text.
#[repr(C)]
struct Arguments {
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
}

/// The number that HDF5 has given to the operation.
#[derive(Debug, Clone, Copy)]
pub struct ExplainOperation(c_int);

impl ExplainOperation {
    /// Finds it; nothing if no connector in this process has it.
    pub fn find(session: &Session) -> Option<Self> {
        let find = session.functions().H5VLfind_opt_operation().ok()?;
        let mut operation = 0;
        // SAFETY: a C string and a place for the number.
        let status = unsafe { find(H5VL_SUBCLS_DATASET, NAME.as_ptr(), &raw mut operation) };
        if status < 0 {
            session.take_failure();
            return None;
        }
        Some(Self(operation))
    }
}

impl Dataset {
    /// What the connector says about the dataset.
    pub fn explain(&self, operation: ExplainOperation) -> Result<String> {
        let mut buffer = vec![0_u8; 1024];
        let length = self.explain_into(operation, &mut buffer)?;
        if length >= buffer.len() {
            buffer = vec![0; length.min(MAX_LENGTH) + 1];
            self.explain_into(operation, &mut buffer)?;
        }
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// Asks once; the length is that of the whole text, whether or not there was room for it.
    fn explain_into(&self, operation: ExplainOperation, buffer: &mut [u8]) -> Result<usize> {
        let mut length = 0;
        let mut arguments =
            Arguments { buffer: buffer.as_mut_ptr().cast(), size: buffer.len(), length: &raw mut length };
        let mut arguments = H5VL_optional_args_t { op_type: operation.0, args: (&raw mut arguments).cast() };
        let place = c"explain".as_ptr();
        // SAFETY: C strings that live on. The operation takes these arguments, whose pointers are valid for writes of
        // the sizes given until it returns: without an event set it does not return early.
        unsafe {
            call!(
                self.session(),
                H5VLdataset_optional_op(
                    place,
                    place,
                    0,
                    self.id(),
                    &raw mut arguments,
                    H5P_DEFAULT,
                    NO_EVENT_SET,
                )
            )
        }?;
        Ok(length)
    }
}
