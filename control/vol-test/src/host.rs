//! Stock libraries, and sessions that drive one.

use core::ffi::c_void;
use std::path::Path;
use std::sync::OnceLock;

use h5_abi::{H5I_type_t, hid_t};
use h5_client::{Failure, Functions, Library, Result, stock};

/// A libhdf5 as users have it, loaded into this process until it ends.
pub struct StockHost {
    name: String,
    library: &'static Library,
}

impl StockHost {
    /// All hosts listed in the file that `H5_HOSTS_FILE` names, one `name<TAB>/path/to/libhdf5.so` a line.
    ///
    /// # Panics
    /// If there are none, or one cannot be loaded: a test without a host must not pass.
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<StockHost>> = OnceLock::new();
        ALL.get_or_init(|| {
            let host = |stock: &stock::Stock| Self { name: stock.name.clone(), library: stock.library };
            stock::all().iter().map(host).collect()
        })
    }

    /// Loads a libhdf5.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn load(name: &str, path: &Path) -> Self {
        let library = Library::load(path).unwrap_or_else(|failure| panic!("{}: {failure}", path.display()));
        Self { name: name.to_owned(), library }
    }

    /// Name of the host in the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        self.library.path()
    }

    /// An address inside it, by which the framework finds it.
    ///
    /// # Panics
    /// If it is not an HDF5.
    pub fn address(&self) -> *const c_void {
        self.library.address().expect("an HDF5 has H5open")
    }

    /// Takes this thread's turn with the host. Errors are not printed, but returned with their stack.
    ///
    /// # Panics
    /// If the library does not start.
    pub fn enter(&self) -> Session<'_> {
        let h5 = self.library.enter().unwrap_or_else(|failure| panic!("{}: {failure}", self.name));
        Session { host: self, h5 }
    }
}

/// A host, for one thread alone.
pub struct Session<'h> {
    host: &'h StockHost,
    pub(crate) h5: h5_client::Session,
}

impl Session<'_> {
    /// The host.
    pub fn host(&self) -> &StockHost {
        self.host
    }

    /// The client's session.
    pub fn client(&self) -> &h5_client::Session {
        &self.h5
    }

    /// The C API. What a test calls there is its own responsibility.
    pub fn api(&self) -> &Functions {
        self.h5.functions()
    }

    /// `H5close` and `H5open`: the library terminates and starts again. No handle may exist.
    pub fn restart_library(&self) -> Result<()> {
        self.h5.restart()
    }

    /// Takes the error stack, leaving an empty one.
    pub fn take_failure(&self) -> Failure {
        self.h5.take_failure()
    }

    /// Number of entries on the error stack now.
    ///
    /// # Panics
    /// If HDF5 cannot tell.
    pub fn failure_depth(&self) -> usize {
        self.h5.failure_depth().expect("a number")
    }

    /// Number of open identifiers of a kind in the whole library. HDF5 fails if there never was one.
    pub fn id_count(&self, kind: H5I_type_t) -> u64 {
        self.h5.id_count(kind).unwrap_or(0)
    }

    /// `H5Iget_type`.
    ///
    /// # Panics
    /// If the identifier is not valid.
    pub fn id_type(&self, id: hid_t) -> H5I_type_t {
        self.h5.id_kind(id).expect("a valid identifier")
    }

    /// Whether an identifier is valid.
    ///
    /// # Panics
    /// If HDF5 cannot tell.
    pub fn is_valid(&self, id: hid_t) -> bool {
        self.h5.is_valid(id).expect("an answer")
    }

    /// `H5Iget_name`.
    pub fn name_of(&self, id: hid_t) -> Result<String> {
        self.h5.id_name(id)
    }
}
