//! Link flags of the example, which is a plugin.

fn main() {
    // HDF5 unloads its plugins when it shuts down, but the exit hook still has to run after that, and threads of the pool exist. (The
    // flag for examples alone is not used for one that is a library.)
    println!("cargo::rustc-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
