//! Compares the functions that the shadow declares with the C headers of HDF5, as the C compiler sees them.
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

/// Whether the headers of this major version declare the function. 2.0 tells `H5Tdecode` how many bytes there are, under another
/// name, and made the old name a macro; complex numbers came with it.
fn is_declared(function: &str, major: u32) -> bool {
    match function {
        "H5Tdecode" => major < 2,
        "H5Tdecode2" | "H5Tcomplex_create" => major >= 2,
        _ => true,
    }
}

#[test]
fn prototypes_are_those_of_the_headers() {
    prototypes::compare(is_declared, (70, 10));
}
