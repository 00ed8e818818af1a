//! Link flags of the example, which is a plugin.

fn main() {
    // HDF5 unloads its plugins when it shuts down, but the exit hook still has to run after that.
    println!("cargo::rustc-link-arg-examples=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
