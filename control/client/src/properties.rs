//! Property lists.

use core::cell::RefCell;
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use h5_abi::{
    H5D_CHUNKED, H5D_layout_t, H5F_CLOSE_STRONG, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110,
    H5F_LIBVER_V114, H5F_LIBVER_V200, H5P_DEFAULT, H5S_MAX_RANK, H5Z_FLAG_OPTIONAL, hid_t,
};

use crate::connector::{Connector, ConnectorInfo};
use crate::dataspace::Dataspace;
use crate::failure::{Failure, Result};
use crate::handle::{Handle, closer, handles};
use crate::name::Name;
use crate::session::{Session, c_count};

handles! {
    /// How files are opened.
    FileAccess;
    /// How a group is made.
    GroupCreation;
    /// How a dataset is stored.
    DatasetCreation;
    /// How a dataset is opened.
    DatasetAccess;
}

/// Options of a filter that are read.
const MAX_OPTIONS: usize = 256;

pub(crate) fn list(session: &Session, class: &str) -> Result<Handle> {
    let class = session.library().identifier(class)?;
    // SAFETY: a class of property lists.
    let id = unsafe { call!(session, H5Pcreate(class)) }?;
    Ok(Handle::new(session, id, closer!(session, H5Pclose)))
}

impl FileAccess {
    /// HDF5's defaults (`H5P_DEFAULT`): the connector that the environment names, or native.
    pub fn default_of(session: &Session) -> Self {
        Self { handle: Handle::of_library(session, H5P_DEFAULT) }
    }

    /// HDF5's own connector, whatever the environment says.
    pub fn native(session: &Session) -> Result<Self> {
        Self::through(&Connector::native(session)?, None)
    }

    /// A connector, with its info if it takes one.
    pub fn through(connector: &Connector, info: Option<&ConnectorInfo>) -> Result<Self> {
        let session = connector.session();
        let list = Self { handle: list(session, "H5P_CLS_FILE_ACCESS_ID_g")? };
        let info = info.map_or(Ok(core::ptr::null()), |info| info.raw_for(connector))?;
        // SAFETY: an info of that connector, which is copied, or none.
        unsafe { call!(session, H5Pset_vol(list.id(), connector.id(), info)) }?;
        Ok(list)
    }

    /// Closing such a file closes everything that is open in it.
    pub fn close_everything(&mut self) -> Result<()> {
        // SAFETY: our own list.
        unsafe { call!(self.session(), H5Pset_fclose_degree(self.id(), H5F_CLOSE_STRONG)) }.map(|_| ())
    }

    /// New files get the format of HDF5 1.14, the latest that all supported versions read.
    pub fn use_latest_common_format(&mut self) -> Result<()> {
        let session = self.session();
        // SAFETY: our own list.
        unsafe { call!(session, H5Pset_libver_bounds(self.id(), H5F_LIBVER_V114, H5F_LIBVER_V114)) }
            .map(|_| ())
    }

    /// New files get a format at least as new as that of a file with this version of the superblock.
    pub fn use_format_of(&mut self, superblock: u8) -> Result<()> {
        let low = match superblock {
            0 | 1 => H5F_LIBVER_EARLIEST,
            2 => H5F_LIBVER_V18,
            _ => H5F_LIBVER_V110,
        };
        let session = self.session();
        let high = if session.version()?.major >= 2 { H5F_LIBVER_V200 } else { H5F_LIBVER_V114 };
        // SAFETY: our own list.
        unsafe { call!(session, H5Pset_libver_bounds(self.id(), low, high)) }.map(|_| ())
    }

    /// The info in it, of the connector in it.
    pub fn connector_info(&self) -> Result<ConnectorInfo> {
        let session = self.session();
        let (mut connector, mut raw) = (0, core::ptr::null_mut());
        // SAFETY: our own list, and a place for the connector.
        unsafe { call!(session, H5Pget_vol_id(self.id(), &raw mut connector)) }?;
        let connector = Connector::of_id(session, connector)?;
        // SAFETY: our own list, and a place for the info.
        unsafe { call!(session, H5Pget_vol_info(self.id(), &raw mut raw)) }?;
        ConnectorInfo::keeping(connector, raw)
    }

    pub(crate) fn id_in(&self, session: &Session) -> Result<hid_t> {
        self.handle.id_in(session)
    }
}

impl GroupCreation {
    /// Keeps the order in which links are created, to be asked for and searched by.
    pub fn with_creation_order(session: &Session) -> Result<Self> {
        /// `H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED`
        const TRACKED_AND_INDEXED: c_uint = 3;
        let list = Self { handle: list(session, "H5P_CLS_GROUP_CREATE_ID_g")? };
        // SAFETY: our own list.
        unsafe { call!(session, H5Pset_link_creation_order(list.id(), TRACKED_AND_INDEXED)) }?;
        Ok(list)
    }
}

/// A filter of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The number by which HDF5 knows it.
    pub number: i32,
    /// Its options.
    pub options: Vec<u32>,
    /// Its name, if the file has one.
    pub name: String,
}

impl Filter {
    /// A filter with options.
    pub fn new(number: i32, options: &[u32]) -> Self {
        Self { number, options: options.to_vec(), name: String::new() }
    }
}

impl DatasetCreation {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Pclose)) })
    }

    /// Chunked, if there is a chunk, with filters in the order of writing; contiguous otherwise. A filter may leave a
    /// chunk as it is (`H5Z_FLAG_OPTIONAL`).
    pub fn new(session: &Session, chunk: Option<&[u64]>, filters: &[Filter]) -> Result<Self> {
        let list = Self { handle: list(session, "H5P_CLS_DATASET_CREATE_ID_g")? };
        if let Some(chunk) = chunk {
            let rank = c_count(chunk.len())?;
            // SAFETY: as many lengths as dimensions.
            unsafe { call!(session, H5Pset_chunk(list.id(), rank, chunk.as_ptr())) }?;
        }
        for filter in filters {
            list.add_filter(filter)?;
        }
        Ok(list)
    }

    /// Appends a filter, which may leave a chunk as it is.
    pub(crate) fn add_filter(&self, filter: &Filter) -> Result<()> {
        let Filter { number, options, .. } = filter;
        let (count, options) = (options.len(), options.as_ptr());
        // SAFETY: as many options as are said.
        unsafe { call!(self.session(), H5Pset_filter(self.id(), *number, H5Z_FLAG_OPTIONAL, count, options)) }
            .map(|_| ())
    }

    /// How the dataset is stored.
    pub fn layout(&self) -> Result<H5D_layout_t> {
        // SAFETY: our own list.
        unsafe { call!(self.session(), H5Pget_layout(self.id())) }
    }

    /// The shape of a chunk, if it is chunked.
    pub fn chunk(&self) -> Result<Option<Vec<u64>>> {
        if self.layout()? != H5D_CHUNKED {
            return Ok(None);
        }
        let mut chunk = vec![0; H5S_MAX_RANK + 1];
        let most = c_count(chunk.len())?;
        // SAFETY: room for as many lengths as are said.
        let rank = unsafe { call!(self.session(), H5Pget_chunk(self.id(), most, chunk.as_mut_ptr())) }?;
        chunk.truncate(usize::try_from(rank).unwrap_or(0));
        Ok(Some(chunk))
    }

    /// Number of files outside the HDF5 file that hold the data.
    pub fn external_files(&self) -> Result<u32> {
        // SAFETY: our own list.
        Ok(unsafe { call!(self.session(), H5Pget_external_count(self.id())) }?.unsigned_abs())
    }

    /// Makes the dataset virtual, or adds a mapping to a virtual one: what is selected in `space` is what is selected in
    /// `source_space` of another dataset. The file `.` is the dataset's own.
    pub fn map(
        &mut self,
        space: &Dataspace,
        file: &(impl Name + ?Sized),
        source: &(impl Name + ?Sized),
        source_space: &Dataspace,
    ) -> Result<()> {
        let (session, file, source) = (self.session(), file.to_c()?, source.to_c()?);
        let (space, source_space) = (space.handle().id_in(session)?, source_space.handle().id_in(session)?);
        // SAFETY: our own list, and C strings; HDF5 copies everything.
        unsafe {
            call!(session, H5Pset_virtual(self.id(), space, file.as_ptr(), source.as_ptr(), source_space))
        }
        .map(|_| ())
    }

    /// Number of mappings of a virtual dataset.
    pub fn mappings(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: our own list, and a place for the number.
        unsafe { call!(self.session(), H5Pget_virtual_count(self.id(), &raw mut count)) }?;
        Ok(count)
    }

    /// The filters, in the order of writing.
    pub fn filters(&self) -> Result<Vec<Filter>> {
        // SAFETY: our own list.
        let count = unsafe { call!(self.session(), H5Pget_nfilters(self.id())) }?.unsigned_abs();
        (0..count).map(|index| self.filter(index)).collect()
    }

    fn filter(&self, index: c_uint) -> Result<Filter> {
        let (mut flags, mut config, mut count) = (0, 0, MAX_OPTIONS);
        let (mut options, mut name) = (vec![0; MAX_OPTIONS], [0_u8; 256]);
        // SAFETY: room for as many options as are said, and for the name one byte more, so that it always ends.
        let number = unsafe {
            call!(
                self.session(),
                H5Pget_filter2(
                    self.id(),
                    index,
                    &raw mut flags,
                    &raw mut count,
                    options.as_mut_ptr(),
                    name.len() - 1,
                    name.as_mut_ptr().cast(),
                    &raw mut config,
                )
            )
        }?;
        if count > MAX_OPTIONS {
            return Err(Failure::refused(format!("filter {number} has {count} options")));
        }
        options.truncate(count);
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
        Ok(Filter { number, options, name })
    }
}

thread_local! {
    /// The file that an external link led to when one was last refused: the callback has no other way to tell that
    /// outlives the list.
    static REFUSED: RefCell<Option<String>> = const { RefCell::new(None) };
}

impl DatasetAccess {
    /// Follows no external link: opening a dataset in another file fails.
    pub fn within_the_file(session: &Session) -> Result<Self> {
        let list = Self { handle: list(session, "H5P_CLS_DATASET_ACCESS_ID_g")? };
        // SAFETY: the callback is good for any call and needs no data.
        unsafe { call!(session, H5Pset_elink_cb(list.id(), Some(refuse), core::ptr::null_mut())) }?;
        Ok(list)
    }

    /// The file that an external link would have led to, if one was refused in this thread since the last question.
    pub fn take_refused_file() -> Option<String> {
        REFUSED.with(RefCell::take)
    }
}

/// Keeps HDF5 from following an external link.
///
/// # Safety
/// `file` is null or a C string.
unsafe extern "C" fn refuse(
    _: *const c_char,
    _: *const c_char,
    file: *const c_char,
    _: *const c_char,
    _: *mut c_uint,
    _: hid_t,
    _: *mut c_void,
) -> c_int {
    if !file.is_null() {
        // SAFETY: by the contract.
        let file = unsafe { CStr::from_ptr(file) }.to_string_lossy().into_owned();
        REFUSED.with(|refused| *refused.borrow_mut() = Some(file));
    }
    -1
}
