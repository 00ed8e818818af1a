//! Stock copies of libhdf5 and the few functions of theirs that are needed here.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use convert::HostTraits;
use libloading::Library;

/// An identifier of HDF5's.
pub(crate) type Hid = i64;

macro_rules! api {
    (
        $( fn $name:ident($($arg:ty),*) -> $ret:ty; )*
        optional { $( fn $oname:ident($($oarg:ty),*) -> $oret:ty; )* }
        $( static $variable:ident; )*
    ) => {
        /// Functions and predefined datatypes of one libhdf5, under their C names.
        pub(crate) struct Api {
            $( pub(crate) $name: unsafe extern "C" fn($($arg),*) -> $ret, )*
            $( pub(crate) $oname: Option<unsafe extern "C" fn($($oarg),*) -> $oret>, )*
            $( $variable: *const Hid, )*
        }

        impl Api {
            /// # Safety
            /// `library` is an HDF5 from 1.14 on.
            unsafe fn resolve(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: by the contract, the functions have the prototypes written here.
                    $( $name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? }, )*
                    // SAFETY: as above.
                    $( $oname: unsafe {
                        library.get(concat!(stringify!($oname), "\0").as_bytes()).ok().map(|symbol| *symbol)
                    }, )*
                    // SAFETY: by the contract, the variables are identifiers.
                    $( $variable: unsafe { *library.get(concat!(stringify!($variable), "\0").as_bytes())? }, )*
                })
            }

            $(
                pub(crate) fn $variable(&self) -> Hid {
                    // SAFETY: a variable of the loaded library, set by `H5open`.
                    unsafe { *self.$variable }
                }
            )*
        }
    };
}

api! {
    fn H5open() -> c_int;
    fn H5get_libversion(*mut c_uint, *mut c_uint, *mut c_uint) -> c_int;
    fn H5Eset_auto2(Hid, *const c_void, *mut c_void) -> c_int;
    fn H5Tcopy(Hid) -> Hid;
    fn H5Tclose(Hid) -> c_int;
    fn H5Tcreate(c_int, usize) -> Hid;
    fn H5Tget_size(Hid) -> usize;
    fn H5Tget_precision(Hid) -> usize;
    fn H5Tset_size(Hid, usize) -> c_int;
    fn H5Tset_order(Hid, c_int) -> c_int;
    fn H5Tset_precision(Hid, usize) -> c_int;
    fn H5Tset_offset(Hid, usize) -> c_int;
    fn H5Tset_pad(Hid, c_int, c_int) -> c_int;
    fn H5Tset_sign(Hid, c_int) -> c_int;
    fn H5Tset_fields(Hid, usize, usize, usize, usize, usize) -> c_int;
    fn H5Tset_ebias(Hid, usize) -> c_int;
    fn H5Tset_norm(Hid, c_int) -> c_int;
    fn H5Tset_inpad(Hid, c_int) -> c_int;
    fn H5Tset_strpad(Hid, c_int) -> c_int;
    fn H5Tset_cset(Hid, c_int) -> c_int;
    fn H5Tset_tag(Hid, *const c_char) -> c_int;
    fn H5Tinsert(Hid, *const c_char, usize, Hid) -> c_int;
    fn H5Tenum_create(Hid) -> Hid;
    fn H5Tenum_insert(Hid, *const c_char, *const c_void) -> c_int;
    fn H5Tarray_create2(Hid, c_uint, *const u64) -> Hid;
    fn H5Tconvert(Hid, Hid, usize, *mut c_void, *mut c_void, Hid) -> c_int;
    optional { fn H5Tcomplex_create(Hid) -> Hid; }
    static H5T_STD_I64LE_g;
    static H5T_STD_B64LE_g;
    static H5T_IEEE_F64LE_g;
    static H5T_NATIVE_FLOAT16_g;
    static H5T_C_S1_g;
    static H5T_STD_REF_OBJ_g;
    static H5T_STD_REF_DSETREG_g;
}

// SAFETY: addresses in a library that stays loaded; the library is used by one thread at a time (`Host::enter`).
unsafe impl Send for Api {}

impl Api {
    /// What conversions depend on in this library, which is not in use yet.
    fn traits(&self) -> HostTraits {
        let (mut major, mut minor, mut release) = (0, 0, 0);
        // SAFETY: no arguments; three valid out-pointers.
        let failed = unsafe {
            (self.H5open)() < 0
                || (self.H5get_libversion)(&raw mut major, &raw mut minor, &raw mut release) < 0
        };
        assert!(!failed, "HDF5 does not start");
        // Every version from 1.14.4 on has the variable, but not every build the type.
        HostTraits { native_half: self.H5T_NATIVE_FLOAT16_g() > 0, keeps_denormal_flag: major == 1 }
    }
}

/// A libhdf5 as users have it, loaded until the process ends.
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) traits: HostTraits,
    api: Mutex<Api>,
}

impl Host {
    /// All of them. Without any, the test must not pass.
    pub(crate) fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Host>> = OnceLock::new();
        ALL.get_or_init(|| {
            let file = std::env::var_os("H5_HOSTS_FILE").expect("H5_HOSTS_FILE is set by `cargo xtask test`");
            let list =
                std::fs::read_to_string(file).expect("the list of hosts is made by `cargo xtask setup`");
            let lines = list.lines().filter_map(|line| line.split_once('\t'));
            let hosts: Vec<_> = lines.map(|(name, path)| Self::load(name, Path::new(path.trim()))).collect();
            assert!(!hosts.is_empty(), "H5_HOSTS_FILE lists no host: run `cargo xtask setup`");
            hosts
        })
    }

    fn load(name: &str, path: &Path) -> Self {
        // SAFETY: libhdf5's initialisers have no demands.
        let library = unsafe { Library::new(path) };
        let library = library.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // It stays loaded: its exit handler runs when the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the list is one of HDF5 libraries.
        let api = unsafe { Api::resolve(library) };
        let api = api.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let traits = api.traits();
        Self { name: name.to_owned(), traits, api: Mutex::new(api) }
    }

    /// Takes this thread's turn with the library. It prints no errors.
    pub(crate) fn enter(&self) -> Session<'_> {
        let api = self.api.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: no arguments that matter; a null function switches printing off for this thread.
        unsafe {
            assert!((api.H5open)() >= 0, "{}: H5open", self.name);
            (api.H5Eset_auto2)(0, core::ptr::null(), core::ptr::null_mut());
        }
        Session { host: &self.name, traits: self.traits, api }
    }
}

/// A library, for one thread alone.
pub(crate) struct Session<'h> {
    pub(crate) host: &'h str,
    pub(crate) traits: HostTraits,
    pub(crate) api: MutexGuard<'h, Api>,
}

/// A datatype in a library.
pub(crate) struct Type<'s> {
    session: &'s Session<'s>,
    pub(crate) id: Hid,
}

impl<'s> Type<'s> {
    pub(crate) fn take(session: &'s Session<'_>, id: Hid) -> Self {
        assert!(id > 0, "{}: no datatype", session.host);
        Self { session, id }
    }
}

impl Drop for Type<'_> {
    fn drop(&mut self) {
        // SAFETY: the library verifies the identifier.
        unsafe { (self.session.api.H5Tclose)(self.id) };
    }
}

impl Session<'_> {
    /// Converts elements, in place of a copy of them; `None` if HDF5 refuses. `background` is what the destination
    /// held before.
    pub(crate) fn convert(
        &self,
        from: (&Type<'_>, usize),
        to: (&Type<'_>, usize),
        source: &[u8],
        background: &[u8],
    ) -> Option<Vec<u8>> {
        let count = source.len() / from.1;
        let mut buffer = source.to_vec();
        buffer.resize(count * from.1.max(to.1), 0);
        let mut background = background.to_vec();
        assert_eq!(background.len(), count * to.1, "a background for each element");
        // SAFETY: the buffer has room for the larger of both, the background for the destination.
        let status = unsafe {
            (self.api.H5Tconvert)(
                from.0.id,
                to.0.id,
                count,
                buffer.as_mut_ptr().cast(),
                background.as_mut_ptr().cast(),
                0,
            )
        };
        buffer.truncate(count * to.1);
        (status >= 0).then_some(buffer)
    }
}
