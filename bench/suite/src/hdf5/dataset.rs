//! Datasets.

use core::ffi::{c_int, c_uint, c_void};
use core::slice;
use std::ffi::OsStr;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use h5_abi::{H5P_DEFAULT, HADDR_UNDEF, haddr_t, hid_t, hsize_t};

use super::handle::Handle;
use super::library::c_name;
use super::{Creation, Datatype, File, Space};

/// A chunk in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoredChunk {
    /// Its first element in the dataset.
    pub(crate) place: Vec<u64>,
    /// A bit for each filter that was left out.
    pub(crate) mask: u32,
    /// Where in the file it begins.
    pub(crate) offset: u64,
    /// Its bytes there.
    pub(crate) stored: u64,
}

/// An open dataset, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Dataset {
    pub(super) handle: Rc<Handle>,
}

impl Dataset {
    /// Opens one.
    pub(crate) fn open(file: &File, name: &str) -> Result<Self> {
        let (api, named) = (&file.library().api, c_name(OsStr::new(name))?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (api.H5Dopen2)(file.handle.id, named.as_ptr(), H5P_DEFAULT) };
        Self::new(file, "H5Dopen2", id, name)
    }

    /// Creates one.
    pub(crate) fn create(
        file: &File,
        name: &str,
        datatype: &Datatype,
        space: &Space,
        creation: &Creation,
    ) -> Result<Self> {
        let (api, named) = (&file.library().api, c_name(OsStr::new(name))?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            (api.H5Dcreate2)(
                file.handle.id,
                named.as_ptr(),
                datatype.id(),
                space.id(),
                H5P_DEFAULT,
                creation.id(),
                H5P_DEFAULT,
            )
        };
        Self::new(file, "H5Dcreate2", id, name)
    }

    fn new(file: &File, call: &str, id: hid_t, name: &str) -> Result<Self> {
        let library = file.library();
        let handle = Handle::new(library, call, id, ("H5Dclose", library.api.H5Dclose))
            .with_context(|| format!("dataset '{name}' of {}", file.path().display()))?;
        Ok(Self { handle: Rc::new(handle) })
    }

    pub(super) fn id(&self) -> hid_t {
        self.handle.id
    }

    /// Its extent.
    pub(crate) fn space(&self) -> Result<Space> {
        let library = self.handle.library;
        // SAFETY: our own identifier.
        Space::of_id(library, "H5Dget_space", unsafe { (library.api.H5Dget_space)(self.id()) })
    }

    /// What it is stored as.
    pub(crate) fn datatype(&self) -> Result<Datatype> {
        let library = self.handle.library;
        // SAFETY: our own identifier.
        Datatype::of_id(library, "H5Dget_type", unsafe { (library.api.H5Dget_type)(self.id()) })
    }

    /// How it is stored.
    pub(crate) fn creation(&self) -> Result<Creation> {
        let library = self.handle.library;
        // SAFETY: our own identifier.
        let id = unsafe { (library.api.H5Dget_create_plist)(self.id()) };
        Creation::of_id(library, "H5Dget_create_plist", id)
    }

    /// Where in the file it begins, if it is contiguous and has been written.
    pub(crate) fn offset(&self) -> Option<u64> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let offset = unsafe { (api.H5Dget_offset)(self.id()) };
        // SAFETY: the current stack, on which HDF5 says why there is no such place.
        unsafe { (api.H5Eclear2)(h5_abi::H5E_DEFAULT) };
        (offset != HADDR_UNDEF).then_some(offset)
    }

    /// The chunks that are in the file.
    pub(crate) fn chunks(&self) -> Result<Vec<StoredChunk>> {
        let api = &self.handle.library.api;
        let rank = self.space()?.extents()?.0.len();
        let mut found = Found { rank, chunks: Vec::new() };
        // SAFETY: `visit` gets what it expects.
        let status = unsafe { (api.H5Dchunk_iter)(self.id(), H5P_DEFAULT, visit, (&raw mut found).cast()) };
        api.check("H5Dchunk_iter", status)?;
        Ok(found.chunks)
    }

    /// Stores a chunk as it is, with the filters already done that are not in the mask.
    pub(crate) fn write_chunk(&self, place: &[u64], mask: u32, stored: &[u8]) -> Result<()> {
        let rank = self.space()?.extents()?.0.len();
        ensure!(place.len() == rank, "{place:?} is no place in {rank} dimensions");
        let api = &self.handle.library.api;
        // SAFETY: as many numbers as there are dimensions, and as many bytes as are said.
        let status = unsafe {
            (api.H5Dwrite_chunk)(
                self.id(),
                H5P_DEFAULT,
                mask,
                place.as_ptr(),
                stored.len(),
                stored.as_ptr().cast(),
            )
        };
        api.check("H5Dwrite_chunk", status).map(|_| ())
    }

    /// Closes it, and says whether that went well, as dropping it does not. Nobody else may have it.
    pub(crate) fn close(self) -> Result<()> {
        let Some(handle) = Rc::into_inner(self.handle) else { bail!("a dataset is still in use") };
        handle.close()
    }
}

struct Found {
    rank: usize,
    chunks: Vec<StoredChunk>,
}

unsafe extern "C" fn visit(
    place: *const hsize_t,
    mask: c_uint,
    offset: haddr_t,
    stored: hsize_t,
    found: *mut c_void,
) -> c_int {
    // SAFETY: what was given to the iteration.
    let found = unsafe { &mut *found.cast::<Found>() };
    // SAFETY: a number for each dimension.
    let place = unsafe { slice::from_raw_parts(place, found.rank) }.to_vec();
    found.chunks.push(StoredChunk { place, mask, offset, stored });
    0
}
