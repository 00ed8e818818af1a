//! Reads and writes that are checked once and made many times.

use core::cell::Cell;
use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::rc::Rc;

use h5_abi::{H5P_DEFAULT, H5S_ALL, herr_t, hid_t};

use crate::dataset::{Dataset, Growth};
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// `H5Dread`
type Read = unsafe extern "C" fn(hid_t, hid_t, hid_t, hid_t, hid_t, *mut c_void) -> herr_t;
/// `H5Dwrite`
type Write = unsafe extern "C" fn(hid_t, hid_t, hid_t, hid_t, hid_t, *const c_void) -> herr_t;

/// A read or write whose arguments are checked, so that making it costs no more than the call itself.
///
/// The dataset is its owner's to close. A transfer of a dataset that is closed fails: HDF5 does not use an identifier
/// again.
pub struct Transfer {
    session: Session,
    read: Read,
    write: Write,
    dataset: hid_t,
    datatype: hid_t,
    memory: hid_t,
    file: hid_t,
    /// Bytes of memory that a call may touch.
    room: usize,
    /// Number of dimensions of the dataset, once it is known.
    rank: Cell<Option<usize>>,
    /// If the room follows from an extent that can change: how often one had changed when this was checked.
    checked_at: Option<Cell<u64>>,
    /// Whether it names neither the memory's nor the file's dataspace, so that the room follows from the dataset.
    is_of_all: bool,
    /// The memory's extent, if HDF5 must compare it with the dataset's.
    compared_memory: Option<Dataspace>,
    /// What the identifiers are of, so that it stays open.
    kept_datatype: Rc<Datatype>,
    _kept_spaces: [Option<Rc<Dataspace>>; 2],
}

impl Transfer {
    /// Elements that are selected in `file` (all, if absent), and their places that are selected in `memory` (the same, if
    /// absent). In memory they are of the type. The memory has the extent of `memory`, or else of `file`, or else of the
    /// dataset.
    pub fn new(
        dataset: &Dataset,
        datatype: &Rc<Datatype>,
        memory: Option<&Rc<Dataspace>>,
        file: Option<&Rc<Dataspace>>,
    ) -> Result<Self> {
        let session = dataset.session().clone();
        let functions = session.functions();
        let space =
            |space: Option<&Rc<Dataspace>>| space.map_or(Ok(H5S_ALL), |space| space.handle().id_in(&session));
        let extent = memory.or(file);
        let mut transfer = Self {
            read: functions.H5Dread()?,
            write: functions.H5Dwrite()?,
            dataset: dataset.id(),
            datatype: datatype.handle().id_in(&session)?,
            memory: space(memory)?,
            file: space(file)?,
            room: dataset.room(datatype, extent.map(Rc::as_ref))?,
            rank: Cell::new(None),
            checked_at: None,
            is_of_all: extent.is_none(),
            compared_memory: None,
            kept_datatype: Rc::clone(datatype),
            _kept_spaces: [memory.cloned(), file.cloned()],
            session,
        };
        transfer.follow_growth(dataset)?;
        Ok(transfer)
    }

    /// Bytes of memory that a call may touch.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Makes it a transfer of another dataset of the same library.
    pub fn set_dataset(&mut self, dataset: &Dataset) -> Result<()> {
        let id = dataset.handle().id_in(&self.session)?;
        self.follow_growth(dataset)?;
        self.dataset = id;
        self.rank.set(None);
        Ok(())
    }

    /// If the room follows from the dataset's extent: computes it, and sees to it that it stays enough.
    fn follow_growth(&mut self, dataset: &Dataset) -> Result<()> {
        if !self.is_of_all {
            return Ok(());
        }
        let changes = self.session.library().extents_changed.load(Ordering::Relaxed);
        let growth = dataset.growth()?;
        let compared_memory = if growth == Growth::Unseen { Some(dataset.space()?) } else { None };
        self.room = dataset.room(&self.kept_datatype, compared_memory.as_ref())?;
        self.memory = compared_memory.as_ref().map_or(H5S_ALL, Dataspace::id);
        self.compared_memory = compared_memory;
        self.checked_at = (growth == Growth::Seen).then(|| Cell::new(changes));
        Ok(())
    }

    /// Changes the dimensions of its dataset.
    pub fn set_extent(&self, dimensions: &[u64]) -> Result<()> {
        let rank = if let Some(rank) = self.rank.get() {
            rank
        } else {
            // SAFETY: HDF5 verifies the identifier.
            let space = unsafe { call!(&self.session, H5Dget_space(self.dataset)) }?;
            Dataspace::of_id(&self.session, space)?.rank()?
        };
        self.rank.set(Some(rank));
        if rank != dimensions.len() {
            return Err(Failure::refused(format!("{dimensions:?} are not the dimensions of the dataset")));
        }
        self.session.library().extents_changed.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as many lengths as dimensions; HDF5 verifies the identifier.
        unsafe { call!(&self.session, H5Dset_extent(self.dataset, dimensions.as_ptr())) }.map(|_| ())
    }

    /// Whether the memory is large enough.
    #[inline]
    fn fits(&self, length: usize) -> Result<()> {
        if length < self.room {
            return Err(too_small(length, self.room));
        }
        match &self.checked_at {
            None => Ok(()),
            Some(checked_at) => self.still_fits(checked_at),
        }
    }

    /// Looks at the extent again if one has changed since.
    fn still_fits(&self, checked_at: &Cell<u64>) -> Result<()> {
        let changes = self.session.library().extents_changed.load(Ordering::Relaxed);
        if checked_at.get() == changes {
            return Ok(());
        }
        // SAFETY: HDF5 verifies the identifier.
        let space = unsafe { call!(&self.session, H5Dget_space(self.dataset)) }?;
        let elements = Dataspace::of_id(&self.session, space)?.elements()?;
        let room = elements.checked_mul(self.kept_datatype.size()?);
        match room {
            Some(room) if room <= self.room => {
                checked_at.set(changes);
                Ok(())
            }
            _ => Err(Failure::refused("the dataset has grown since the transfer was prepared")),
        }
    }

    /// Reads to the beginning of the memory.
    #[inline]
    pub fn read(&self, memory: &mut [u8]) -> Result<()> {
        self.fits(memory.len())?;
        let (&Self { read, dataset, datatype, memory: space, file, .. }, buffer) =
            (self, memory.as_mut_ptr());
        // SAFETY: as many bytes as the call may write.
        let status = unsafe { read(dataset, datatype, space, file, H5P_DEFAULT, buffer.cast()) };
        self.session.check("H5Dread", status).map(|_| ())
    }

    /// Writes from the beginning of the memory.
    #[inline]
    pub fn write(&self, memory: &[u8]) -> Result<()> {
        self.fits(memory.len())?;
        let (&Self { write, dataset, datatype, memory: space, file, .. }, buffer) = (self, memory.as_ptr());
        // SAFETY: as many bytes as the call may read.
        let status = unsafe { write(dataset, datatype, space, file, H5P_DEFAULT, buffer.cast()) };
        self.session.check("H5Dwrite", status).map(|_| ())
    }

    /// The same for other threads, if the library is thread-safe and the dataset cannot grow meanwhile.
    pub fn shared(&self) -> Result<SharedTransfer<'_>> {
        if self.session.is_thread_safe()? != Some(true) {
            return Err(Failure::refused("several threads need a thread-safe libhdf5"));
        }
        if self.checked_at.is_some() {
            return Err(Failure::refused("several threads need a dataset that cannot grow, or a selection"));
        }
        Ok(SharedTransfer(self))
    }
}

/// A transfer that several threads may make at once.
#[derive(Clone, Copy)]
pub struct SharedTransfer<'t>(&'t Transfer);

// SAFETY: the library is thread-safe. Of the transfer only functions and numbers are used, and its session to look at the
// error stack, which each thread has of its own; no counter of references changes, and nothing that is checked later.
unsafe impl Send for SharedTransfer<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for SharedTransfer<'_> {}

impl SharedTransfer<'_> {
    /// Keeps HDF5 from printing errors in this thread.
    pub fn silence(self) -> Result<()> {
        self.0.session.silence()
    }

    /// Reads to the beginning of the memory.
    #[inline]
    pub fn read(self, memory: &mut [u8]) -> Result<()> {
        self.0.read(memory)
    }

    /// Writes from the beginning of the memory.
    #[inline]
    pub fn write(self, memory: &[u8]) -> Result<()> {
        self.0.write(memory)
    }
}

/// Transfers that are made by one call (`H5Dread_multi`, `H5Dwrite_multi`).
pub struct MultiTransfer {
    session: Session,
    datasets: Vec<hid_t>,
    datatypes: Vec<hid_t>,
    memories: Vec<hid_t>,
    files: Vec<hid_t>,
    /// Where in the memory each begins.
    places: Vec<usize>,
    transfers: Vec<Transfer>,
}

impl MultiTransfer {
    /// These transfers, each with the place in the memory where it begins.
    pub fn new(session: &Session, parts: Vec<(Transfer, usize)>) -> Result<Self> {
        if parts.iter().any(|(transfer, _)| !session.is_of(transfer.session.library())) {
            return Err(Failure::refused("identifiers of two libraries in one call"));
        }
        let (transfers, places): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let ids = |id: fn(&Transfer) -> hid_t| transfers.iter().map(id).collect();
        Ok(Self {
            session: session.clone(),
            datasets: ids(|transfer| transfer.dataset),
            datatypes: ids(|transfer| transfer.datatype),
            memories: ids(|transfer| transfer.memory),
            files: ids(|transfer| transfer.file),
            places,
            transfers,
        })
    }

    fn fits(&self, length: usize) -> Result<()> {
        for (transfer, place) in self.transfers.iter().zip(&self.places) {
            transfer.fits(length.saturating_sub(*place))?;
            if *place > length {
                return Err(too_small(length, *place));
            }
        }
        Ok(())
    }

    /// Reads to the memory, as many times.
    pub fn read(&self, memory: &mut [u8], times: u32) -> Result<()> {
        self.fits(memory.len())?;
        let read = self.session.functions().H5Dread_multi()?;
        let start = memory.as_mut_ptr();
        // SAFETY: inside the memory, as was just checked.
        let mut buffers: Vec<*mut c_void> =
            self.places.iter().map(|place| unsafe { start.add(*place) }.cast()).collect();
        for _ in 0..times {
            // SAFETY: as many of each as are said, which HDF5 does not change, and enough memory for each.
            let status = unsafe {
                read(
                    self.transfers.len(),
                    self.datasets.as_ptr().cast_mut(),
                    self.datatypes.as_ptr().cast_mut(),
                    self.memories.as_ptr().cast_mut(),
                    self.files.as_ptr().cast_mut(),
                    H5P_DEFAULT,
                    buffers.as_mut_ptr(),
                )
            };
            self.session.check("H5Dread_multi", status)?;
        }
        Ok(())
    }

    /// Writes from the memory.
    pub fn write(&self, memory: &[u8]) -> Result<()> {
        self.fits(memory.len())?;
        let start = memory.as_ptr();
        // SAFETY: inside the memory, as was just checked.
        let mut buffers: Vec<*const c_void> =
            self.places.iter().map(|place| unsafe { start.add(*place) }.cast()).collect();
        // SAFETY: as of `read`.
        unsafe {
            call!(
                &self.session,
                H5Dwrite_multi(
                    self.transfers.len(),
                    self.datasets.as_ptr().cast_mut(),
                    self.datatypes.as_ptr().cast_mut(),
                    self.memories.as_ptr().cast_mut(),
                    self.files.as_ptr().cast_mut(),
                    H5P_DEFAULT,
                    buffers.as_mut_ptr(),
                )
            )
        }
        .map(|_| ())
    }
}

#[cold]
fn too_small(length: usize, room: usize) -> Failure {
    Failure::refused(format!("the memory has {length} bytes, and {room} are needed"))
}
