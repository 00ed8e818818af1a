//! The fuzzer: libFuzzer's command line, for the target that the variable FUZZ_TARGET names.
//!
//! `cargo xtask fuzz` builds it with instrumentation and runs it.

#![no_main]

use std::env;
use std::sync::LazyLock;

use fuzz::Target;
use fuzz::memory::Counting;
use libfuzzer_sys::fuzz_target;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = env::var("FUZZ_TARGET").unwrap_or_default();
    Target::named(&name).unwrap_or_else(|| panic!("FUZZ_TARGET={name} names no target"))
});

fuzz_target!(init: LazyLock::force(&TARGET), |bytes: &[u8]| {
    TARGET.run(bytes);
});
