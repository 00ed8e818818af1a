//! Many reads or writes without an interpreter between them.

use core::ffi::{c_int, c_void};
use std::num::NonZero;
use std::{io, slice};

use crate::parallel::in_parallel;

/// The type of `H5Dread` and, but for what it does to the memory, of `H5Dwrite`.
pub type Transfer = unsafe extern "C" fn(i64, i64, i64, i64, i64, *mut c_void) -> c_int;

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
    /// Where the data goes, or comes from.
    pub buffer: *mut c_void,
}

impl Step {
    /// Makes the call.
    ///
    /// # Safety
    /// `transfer` may be called with these arguments.
    unsafe fn make(&self, transfer: Transfer) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { transfer(self.dataset, self.datatype, self.memory, self.file, 0, self.buffer) }
    }
}

/// Calls that several threads make.
struct Shared<'steps>(&'steps [Step]);

// SAFETY: whoever makes one promises that the calls may be made by any thread, and at the same time.
unsafe impl Sync for Shared<'_> {}

impl Shared<'_> {
    fn get(&self, number: usize) -> &Step {
        &self.0[number]
    }
}

/// Makes all the calls, `times` times over: 0, or the first result that is negative.
///
/// # Safety
/// `steps` are `count` calls, each of which `transfer` may be called with.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_repeat(
    transfer: Transfer,
    steps: *const Step,
    count: usize,
    times: usize,
) -> c_int {
    // SAFETY: the caller's promise.
    let steps = unsafe { slice::from_raw_parts(steps, count) };
    for _ in 0..times {
        for step in steps {
            // SAFETY: the caller's promise.
            let result = unsafe { step.make(transfer) };
            if result < 0 {
                return result;
            }
        }
    }
    0
}

/// Makes all the calls with `threads` threads, the caller among them, each taking the next one when it is done with its
/// last: 0, or -1 when one fails.
///
/// # Safety
/// As of [`limit_repeat`], in any thread and at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_share(
    transfer: Transfer,
    steps: *const Step,
    count: usize,
    threads: usize,
) -> c_int {
    let Some(threads) = NonZero::new(threads) else { return -1 };
    // SAFETY: the caller's promise.
    let steps = &Shared(unsafe { slice::from_raw_parts(steps, count) });
    let done = in_parallel(threads, 0..count, || {
        move |number| {
            // SAFETY: the caller's promise.
            let result = unsafe { steps.get(number).make(transfer) };
            if result < 0 { Err(io::Error::other("a call failed")) } else { Ok(()) }
        }
    });
    if done.is_ok() { 0 } else { -1 }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

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
    unsafe extern "C" fn count(dataset: i64, _: i64, _: i64, _: i64, _: i64, sum: *mut c_void) -> c_int {
        // SAFETY: the test gives the address of a sum, which lives as long as the calls.
        unsafe { &*sum.cast::<AtomicI64>() }.fetch_add(dataset, Ordering::Relaxed);
        if dataset > 100 { -1 } else { 0 }
    }

    #[test]
    fn every_call_is_made_by_one_thread() {
        let sum = AtomicI64::new(0);
        let buffer = (&raw const sum).cast_mut().cast();
        let step = |dataset| Step { dataset, datatype: 0, memory: 0, file: 0, buffer };
        let steps: Vec<Step> = (1..=100).map(step).collect();
        // SAFETY: `count` may be called with these, by any thread.
        assert_eq!(unsafe { limit_share(count, steps.as_ptr(), steps.len(), 4) }, 0);
        assert_eq!(sum.load(Ordering::Relaxed), 5050);
        // SAFETY: likewise.
        assert_eq!(unsafe { limit_share(count, [step(101)].as_ptr(), 1, 4) }, -1);
    }
}
