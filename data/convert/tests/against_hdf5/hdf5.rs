//! Stock copies of libhdf5, and what conversions depend on in them.

use std::sync::OnceLock;

use convert::HostTraits;
use h5_client::{Datatype, Library, stock};

/// A libhdf5 as users have it.
pub(crate) struct Host {
    pub(crate) name: &'static str,
    pub(crate) traits: HostTraits,
    library: &'static Library,
}

impl Host {
    /// All of them. Without any, the test must not pass.
    pub(crate) fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Host>> = OnceLock::new();
        ALL.get_or_init(|| {
            let host = |stock: &'static stock::Stock| {
                let h5 = stock.library.enter().expect("HDF5 starts");
                let traits = HostTraits {
                    // Every version from 1.14.4 on has the variable, but not every build the type.
                    native_half: Datatype::predefined(&h5, "NATIVE_FLOAT16").is_ok_and(|half| half.id() > 0),
                    keeps_denormal_flag: h5.version().expect("a version").major == 1,
                };
                Self { name: &stock.name, traits, library: stock.library }
            };
            stock::all().iter().map(host).collect()
        })
    }

    /// Takes this thread's turn with the library.
    pub(crate) fn enter(&self) -> Session {
        let h5 = self.library.enter().expect("HDF5 starts");
        Session { host: self.name, traits: self.traits, h5 }
    }
}

/// A library, for one thread alone.
pub(crate) struct Session {
    pub(crate) host: &'static str,
    pub(crate) traits: HostTraits,
    pub(crate) h5: h5_client::Session,
}
