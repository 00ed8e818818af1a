//! Link flags of the plugin.

fn main() {
    // HDF5 unloads its plugins when it shuts down, but our exit hook still has to run after that.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
