//! Keeps the application's signal handlers off our threads.
//!
//! A thread begins with the signal mask of the thread that starts it. So the mask is set *before* the start and put
//! back after it; set by the new thread itself, it would come too late for a signal that is already on its way.

use std::mem::MaybeUninit;
use std::ptr;

/// Signals that a thread raises by what it does itself. Blocked, they would end the process although the
/// application handles them: Python's faulthandler, memory managers that track writes by page faults.
const OWN_FAULT: [libc::c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGABRT, libc::SIGSYS];

/// While this value lives, no asynchronous signal is delivered to the thread that made it.
pub(crate) struct SignalsBlocked {
    before: Option<libc::sigset_t>,
}

impl SignalsBlocked {
    pub(crate) fn here() -> Self {
        let mut blocked = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: `sigfillset` only writes the set that it is given, and fills it whole.
        let blocked = unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            blocked.assume_init_mut()
        };
        for signal in OWN_FAULT {
            // SAFETY: `blocked` is an initialised set.
            unsafe { libc::sigdelset(blocked, signal) };
        }
        let mut before = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: both pointers are valid for the call, which changes the mask of this thread only.
        let code = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, blocked, before.as_mut_ptr()) };
        // SAFETY: on success the call has written the old mask.
        Self { before: (code == 0).then(|| unsafe { before.assume_init() }) }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: `before` is a mask that the system gave us; no old mask is asked for.
            unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: libc::c_int) -> bool {
        let mut now = MaybeUninit::<libc::sigset_t>::uninit();
        // SAFETY: without a new mask the call only writes the present one, which is then read.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), now.as_mut_ptr());
            libc::sigismember(now.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn blocked_inherited_and_restored() {
        assert!(!is_blocked(libc::SIGUSR1));
        let guard = SignalsBlocked::here();
        let inherited = std::thread::spawn(|| (is_blocked(libc::SIGUSR1), is_blocked(libc::SIGSEGV)));
        drop(guard);
        assert_eq!(inherited.join().unwrap(), (true, false));
        assert!(!is_blocked(libc::SIGUSR1));
    }
}
