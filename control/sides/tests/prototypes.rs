//! Compares the functions that this crate declares with the C headers of HDF5, as the C compiler sees them.
//!
//! Files of `h5-abi`'s own test do that: it compares the types that the prototypes are made of.

#![expect(unreachable_pub, reason = "the modules of a test have no other user")]

#[path = "../../h5-abi/tests/support/compiler.rs"]
mod compiler;
#[path = "../../h5-abi/tests/support/prototypes.rs"]
mod prototypes;
#[path = "../../h5-abi/tests/support/source.rs"]
#[expect(dead_code, reason = "the test of `h5-abi` uses the rest")]
mod source;

#[test]
fn prototypes_are_those_of_the_headers() {
    prototypes::compare(|_, _| true, (70, 2));
}
