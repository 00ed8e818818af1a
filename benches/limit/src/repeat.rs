//! Many reads without an interpreter between them.

use core::ffi::{c_int, c_void};
use std::slice;

/// The type of `H5Dread`.
pub type Read = unsafe extern "C" fn(i64, i64, i64, i64, i64, *mut c_void) -> c_int;

/// The arguments of one call.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Step {
    /// The dataset.
    pub dataset: i64,
    /// The datatype in memory.
    pub datatype: i64,
    /// The selection in memory.
    pub memory: i64,
    /// The selection in the dataset.
    pub file: i64,
    /// Where the data goes.
    pub buffer: *mut c_void,
}

/// Makes all the calls, `times` times over: 0, or the first result that is negative.
///
/// # Safety
/// `steps` are `count` calls, each of which `read` may be called with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_repeat(read: Read, steps: *const Step, count: usize, times: usize) -> c_int {
    // SAFETY: the caller's promise.
    let steps = unsafe { slice::from_raw_parts(steps, count) };
    for _ in 0..times {
        for step in steps {
            // SAFETY: the caller's promise.
            let result = unsafe { read(step.dataset, step.datatype, step.memory, step.file, 0, step.buffer) };
            if result < 0 {
                return result;
            }
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn add(dataset: i64, _: i64, _: i64, _: i64, _: i64, sum: *mut c_void) -> c_int {
        // SAFETY: the test gives the address of a sum.
        unsafe { *sum.cast::<i64>() += dataset };
        if dataset > 100 { -7 } else { 0 }
    }

    #[test]
    fn calls_all_of_them_until_one_fails() {
        let mut sum = 0_i64;
        let buffer = (&raw mut sum).cast();
        let step = |dataset| Step { dataset, datatype: 0, memory: 0, file: 0, buffer };
        let steps = [step(1), step(2)];
        // SAFETY: `add` may be called with these.
        assert_eq!(unsafe { limit_repeat(add, steps.as_ptr(), 2, 3) }, 0);
        assert_eq!(sum, 9);
        let steps = [step(101), step(1)];
        // SAFETY: likewise.
        assert_eq!(unsafe { limit_repeat(add, steps.as_ptr(), 2, 3) }, -7);
        assert_eq!(sum, 110);
    }
}
