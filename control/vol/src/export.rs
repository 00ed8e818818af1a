//! The plugin's entry points.

use core::ffi::{CStr, c_char, c_int, c_void};

use h5_abi::H5VL_class_t;
use h5_host::locate::{self, LocateError};

use std::sync::Once;

use crate::class;
use crate::connector::Connector;
use crate::funnel;
use crate::slots::SLOTS;

/// Makes a `cdylib` crate the plugin of the named connector: exports what HDF5 looks for.
///
/// `H5PLget_plugin_info` is a naked function that passes its own return address on: it lies in the host.
#[macro_export]
macro_rules! export {
    ($connector:ty) => {
        /// Tells HDF5 that this library is a VOL connector.
        #[unsafe(no_mangle)]
        pub extern "C" fn H5PLget_plugin_type() -> ::core::ffi::c_int {
            $crate::plugin_type()
        }

        /// Gives the connector's class to the libhdf5 that asks.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn H5PLget_plugin_info() -> *const ::core::ffi::c_void {
            ::core::arch::naked_asm!("mov rdi, [rsp]", "jmp {answer}", answer = sym plugin_info_for)
        }

        /// Gives the connector's class to the libhdf5 that asks.
        #[cfg(target_arch = "aarch64")]
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn H5PLget_plugin_info() -> *const ::core::ffi::c_void {
            ::core::arch::naked_asm!("mov x0, x30", "b {answer}", answer = sym plugin_info_for)
        }

        extern "C" fn plugin_info_for(caller: *const ::core::ffi::c_void) -> *const ::core::ffi::c_void {
            static FORK_HOOK: ::std::sync::Once = ::std::sync::Once::new();
            // SAFETY: the caller is the libhdf5 that loads this plugin.
            unsafe { $crate::plugin_info::<$connector>(caller, &FORK_HOOK) }
        }

        /// Answers a question about the connector in this process; see [`$crate::Connector::answer`]. Not for HDF5, but for
        /// those who load this file themselves.
        ///
        /// # Safety
        /// `question` is a C string, and `take` may be called once with `context`.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn h5bypass_ask(
            question: *const ::core::ffi::c_char,
            take: $crate::TakeAnswer,
            context: *mut ::core::ffi::c_void,
        ) {
            // SAFETY: by the contract.
            unsafe { $crate::ask::<$connector>(question, take, context) };
        }

        /// Runs when the process ends, after every library's exit handlers. The plugin is linked so that it
        /// is never unloaded before.
        #[used]
        #[unsafe(link_section = ".fini_array")]
        static PROCESS_EXIT: extern "C" fn() = {
            extern "C" fn process_exit() {
                $crate::process_exit::<$connector>();
            }
            process_exit
        };
    };
}

/// The version of the crate that this is written in, for [`Connector::VERSION_TEXT`](crate::Connector::VERSION_TEXT).
#[macro_export]
macro_rules! version_text {
    () => {
        const {
            match ::core::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes())
            {
                Ok(text) => text,
                Err(_) => panic!("a version has no NUL in it"),
            }
        }
    };
}

/// What `H5PLget_plugin_type` answers.
#[doc(hidden)]
pub fn plugin_type() -> c_int {
    h5_abi::H5PL_TYPE_VOL.0
}

/// What `H5PLget_plugin_info` answers to the caller at this address.
///
/// # Safety
/// `caller` lies in a libhdf5.
#[doc(hidden)]
pub unsafe fn plugin_info<C: Connector>(caller: *const c_void, fork_hook: &Once) -> *const c_void {
    extern "C" fn forked<C: Connector>() {
        let _ = funnel::catch(C::process_forked);
    }
    fork_hook.call_once(|| h5_host::process::on_fork_in_child(forked::<C>));

    let class: &'static H5VL_class_t = funnel::catch(|| {
        // SAFETY: by the contract.
        match unsafe { class_for::<C>(caller) } {
            Ok(class) => class,
            Err(refusal) => {
                // SAFETY: by the contract.
                unsafe { explain(caller, C::NAME, &refusal.to_string()) };
                const { &class::refusing::<C>() }
            }
        }
    })
    .unwrap_or(const { &class::refusing::<C>() });
    core::ptr::from_ref(class).cast()
}

/// Takes an answer: the context that it was given, whether it is one (1) or says what is wrong (0), its bytes and their number.
#[doc(hidden)]
pub type TakeAnswer = unsafe extern "C" fn(*mut c_void, c_int, *const u8, usize);

/// Asks the connector, and hands its answer over.
///
/// # Safety
/// `question` is a C string, and `take` may be called once with `context`.
#[doc(hidden)]
pub unsafe fn ask<C: Connector>(question: *const c_char, take: TakeAnswer, context: *mut c_void) {
    // SAFETY: by the contract.
    let question = unsafe { CStr::from_ptr(question) }.to_string_lossy();
    let answer = funnel::catch(|| match &*question {
        "version" => Ok(C::VERSION_TEXT.to_string_lossy().into_owned()),
        other => C::answer(other),
    });
    let answer = answer.unwrap_or_else(|| Err("the connector failed to answer".to_owned()));
    let (is_answer, text) = match &answer {
        Ok(text) => (1, text),
        Err(text) => (0, text),
    };
    // SAFETY: by the contract.
    unsafe { take(context, is_answer, text.as_ptr(), text.len()) };
}

/// Calls the connector at the end of the process.
#[doc(hidden)]
pub fn process_exit<C: Connector>() {
    let _ = funnel::catch(C::process_exit);
}

/// The reason why a host gets no class.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It is not a libhdf5 that we support.
    #[error(transparent)]
    Host(#[from] LocateError),
    /// The process holds too many hosts.
    #[error("more than {SLOTS} HDF5 libraries are loaded in this process")]
    NoSlot,
}

/// The class of `C` for the libhdf5 whose image contains `address`.
///
/// # Safety
/// If that image exports HDF5's functions, they must be HDF5's.
pub unsafe fn class_for<C: Connector>(address: *const c_void) -> Result<&'static H5VL_class_t, Refusal> {
    // SAFETY: by the contract.
    let host = unsafe { locate::host_containing(address) }?;
    let slot = C::slots().assign(host).ok_or(Refusal::NoSlot)?;
    Ok(class::of_slot::<C>(slot))
}

/// Puts the reason of a refusal on the error stack of a host that we otherwise do not touch.
///
/// # Safety
/// `caller` lies in a libhdf5.
unsafe fn explain(caller: *const c_void, connector: &CStr, reason: &str) {
    let message = format!("VOL connector '{}' cannot be used: {reason}", connector.to_string_lossy());
    // SAFETY: by the contract.
    unsafe { h5_host::errors::push_to_unsupported(caller, &message) };
}
