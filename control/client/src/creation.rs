//! How things were made: the properties that a file keeps of files, groups, datasets, attributes and links.

use core::ffi::{CStr, c_uint};
use std::ffi::CString;

use h5_abi::{
    H5D_ALLOC_TIME_ERROR, H5D_FILL_TIME_ERROR, H5D_FILL_VALUE_DEFAULT, H5D_FILL_VALUE_ERROR,
    H5D_FILL_VALUE_UNDEFINED, H5D_alloc_time_t, H5D_fill_time_t, H5D_layout_t, H5T_CSET_ERROR, H5T_cset_t,
    hid_t,
};

use crate::attribute::Attribute;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::file::File;
use crate::group::Group;
use crate::handle::{Handle, closer, handles};
use crate::properties::{DatasetCreation, Filter, GroupCreation, list};
use crate::session::Session;

handles! {
    /// How a file was made.
    FileCreation;
    /// How a link is made.
    LinkCreation;
    /// How an attribute was made.
    AttributeCreation;
    /// How a committed datatype was made.
    TypeCreation;
}

/// Up to how many are stored in the object itself, and down to how many are stored densely.
pub type Thresholds = (u32, u32);

/// The fill value of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillValue {
    /// None: storage that was not written holds anything.
    Undefined,
    /// Zeros.
    Default,
    /// These bytes.
    Bytes(Vec<u8>),
    /// A value with pointers, which cannot be bytes.
    Other,
}

/// A mapping of a virtual dataset.
pub struct Mapping {
    /// What is mapped of the virtual dataset.
    pub space: Dataspace,
    /// The file of the source.
    pub file: CString,
    /// The source.
    pub dataset: CString,
    /// What is mapped of the source.
    pub source_space: Dataspace,
}

/// Asks for two numbers.
macro_rules! two_numbers {
    ($list:expr, $name:ident) => {{
        let (mut first, mut second): (c_uint, c_uint) = (0, 0);
        // SAFETY: our own list, and places for two numbers.
        unsafe { call!($list.session(), $name($list.id(), &raw mut first, &raw mut second)) }?;
        (first, second)
    }};
}

/// Asks for one value.
macro_rules! one_value {
    ($list:expr, $name:ident, $first:expr) => {{
        let mut value = $first;
        // SAFETY: our own list, and a place for the value.
        unsafe { call!($list.session(), $name($list.id(), &raw mut value)) }?;
        value
    }};
}

/// The same questions to each kind of list that is about an object.
macro_rules! of_objects {
    ($($list:ident)*) => {
        $(impl $list {
            /// Whether the order of attributes is tracked (bit 0) and indexed (bit 1).
            pub fn attribute_order(&self) -> Result<u32> {
                Ok(one_value!(self, H5Pget_attr_creation_order, 0))
            }

            /// When attributes are stored densely.
            pub fn attribute_thresholds(&self) -> Result<Thresholds> {
                Ok(two_numbers!(self, H5Pget_attr_phase_change))
            }

            /// Whether times are kept.
            pub fn tracks_times(&self) -> Result<bool> {
                Ok(one_value!(self, H5Pget_obj_track_times, false))
            }
        })*
    };
}

of_objects! { GroupCreation DatasetCreation TypeCreation }

impl GroupCreation {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Pclose)) })
    }

    /// A list to make another group like this one. The list of a group that exists will not do: HDF5 keeps in it where the group's links
    /// are, and a group that is made with it looks for its own there.
    pub fn like(&self) -> Result<Self> {
        let session = self.session();
        let list = Self { handle: list(session, "H5P_CLS_GROUP_CREATE_ID_g")? };
        set_group(session, list.id(), self)?;
        // SAFETY: our own list.
        unsafe { call!(session, H5Pset_obj_track_times(list.id(), self.tracks_times()?)) }?;
        Ok(list)
    }

    /// Whether the order of links is tracked (bit 0) and indexed (bit 1).
    pub fn link_order(&self) -> Result<u32> {
        Ok(one_value!(self, H5Pget_link_creation_order, 0))
    }

    /// When links are stored densely.
    pub fn link_thresholds(&self) -> Result<Thresholds> {
        Ok(two_numbers!(self, H5Pget_link_phase_change))
    }

    /// How many links there will be, and how long their names.
    pub fn expected_links(&self) -> Result<(u32, u32)> {
        Ok(two_numbers!(self, H5Pget_est_link_info))
    }
}

impl Group {
    /// How it was made.
    pub fn creation(&self) -> Result<GroupCreation> {
        let session = self.session();
        // SAFETY: our own identifier.
        GroupCreation::of_id(session, unsafe { call!(session, H5Gget_create_plist(self.id())) }?)
    }
}

impl Datatype {
    /// How it was made, if it is committed.
    pub fn creation(&self) -> Result<TypeCreation> {
        let session = self.session();
        // SAFETY: our own identifier.
        let id = unsafe { call!(session, H5Tget_create_plist(self.id())) }?;
        Ok(TypeCreation { handle: Handle::new(session, id, closer!(session, H5Pclose)) })
    }
}

impl File {
    /// How it was made.
    pub fn creation(&self) -> Result<FileCreation> {
        let session = self.session();
        // SAFETY: our own identifier.
        let id = unsafe { call!(session, H5Fget_create_plist(self.id())) }?;
        Ok(FileCreation { handle: Handle::new(session, id, closer!(session, H5Pclose)) })
    }
}

impl FileCreation {
    /// Bytes before the HDF5 file proper.
    pub fn user_block(&self) -> Result<u64> {
        Ok(one_value!(self, H5Pget_userblock, 0))
    }

    /// The root group of the new file is made as this group was: HDF5 does not keep that with the file.
    pub fn set_root(&mut self, root: &GroupCreation) -> Result<()> {
        set_group(self.session(), self.id(), root)
    }
}

/// Gives a list the properties of a group.
fn set_group(session: &Session, id: hid_t, group: &GroupCreation) -> Result<()> {
    let (links, attributes) = (group.link_thresholds()?, group.attribute_thresholds()?);
    let expected = group.expected_links()?;
    // SAFETY: a list of ours.
    unsafe {
        call!(session, H5Pset_link_creation_order(id, group.link_order()?))?;
        call!(session, H5Pset_attr_creation_order(id, group.attribute_order()?))?;
        call!(session, H5Pset_link_phase_change(id, links.0, links.1))?;
        call!(session, H5Pset_attr_phase_change(id, attributes.0, attributes.1))?;
        call!(session, H5Pset_est_link_info(id, expected.0, expected.1))?;
    }
    Ok(())
}

impl LinkCreation {
    /// A name of these characters. Groups on the way to it are made, if that is wanted.
    pub fn new(session: &Session, set: H5T_cset_t, with_groups: bool) -> Result<Self> {
        let list = Self { handle: list(session, "H5P_CLS_LINK_CREATE_ID_g")? };
        // SAFETY: our own list.
        unsafe {
            call!(session, H5Pset_char_encoding(list.id(), set))?;
            call!(session, H5Pset_create_intermediate_group(list.id(), c_uint::from(with_groups)))?;
        }
        Ok(list)
    }

    /// The list of an application in whose call this is, which closes it.
    pub fn of_application(session: &Session, id: hid_t) -> Self {
        Self { handle: Handle::of_library(session, id) }
    }
}

impl Attribute {
    /// How it was made.
    pub fn creation(&self) -> Result<AttributeCreation> {
        let session = self.session();
        // SAFETY: our own identifier.
        let id = unsafe { call!(session, H5Aget_create_plist(self.id())) }?;
        Ok(AttributeCreation { handle: Handle::new(session, id, closer!(session, H5Pclose)) })
    }
}

impl AttributeCreation {
    /// The characters of its name.
    pub fn character_set(&self) -> Result<H5T_cset_t> {
        Ok(one_value!(self, H5Pget_char_encoding, H5T_CSET_ERROR))
    }
}

impl DatasetCreation {
    /// A copy, to be changed.
    pub fn copy(&self) -> Result<Self> {
        // SAFETY: our own list.
        Self::of_id(self.session(), unsafe { call!(self.session(), H5Pcopy(self.id())) }?)
    }

    /// The fill value, as elements of this type.
    pub fn fill_value(&self, datatype: &Datatype) -> Result<FillValue> {
        match one_value!(self, H5Pfill_value_defined, H5D_FILL_VALUE_ERROR) {
            H5D_FILL_VALUE_UNDEFINED => return Ok(FillValue::Undefined),
            H5D_FILL_VALUE_DEFAULT => return Ok(FillValue::Default),
            _ if !datatype.is_plain()? => return Ok(FillValue::Other),
            _ => {}
        }
        let (session, mut value) = (self.session(), vec![0_u8; datatype.size()?]);
        let datatype = datatype.handle().id_in(session)?;
        // SAFETY: room for an element of the type, which has no pointers.
        unsafe { call!(session, H5Pget_fill_value(self.id(), datatype, value.as_mut_ptr().cast())) }?;
        Ok(FillValue::Bytes(value))
    }

    /// Sets the fill value, an element of this type.
    pub fn set_fill_value(&mut self, datatype: &Datatype, value: &[u8]) -> Result<()> {
        if datatype.plain_size()? != value.len() {
            return Err(Failure::refused("a fill value that is not one element"));
        }
        let (session, datatype) = (self.session(), datatype.handle().id_in(self.session())?);
        // SAFETY: one element of the type, which has no pointers.
        unsafe { call!(session, H5Pset_fill_value(self.id(), datatype, value.as_ptr().cast())) }.map(|_| ())
    }

    /// When fill values are written.
    pub fn fill_time(&self) -> Result<H5D_fill_time_t> {
        Ok(one_value!(self, H5Pget_fill_time, H5D_FILL_TIME_ERROR))
    }

    /// Sets when fill values are written.
    pub fn set_fill_time(&mut self, time: H5D_fill_time_t) -> Result<()> {
        // SAFETY: our own list.
        unsafe { call!(self.session(), H5Pset_fill_time(self.id(), time)) }.map(|_| ())
    }

    /// When storage is taken.
    pub fn allocation_time(&self) -> Result<H5D_alloc_time_t> {
        Ok(one_value!(self, H5Pget_alloc_time, H5D_ALLOC_TIME_ERROR))
    }

    /// Options of chunks: whether those at the edge are not filtered.
    pub fn chunk_options(&self) -> Result<u32> {
        Ok(one_value!(self, H5Pget_chunk_opts, 0))
    }

    /// Sets the layout; with chunks, [`Self::set_chunk`] does.
    pub fn set_layout(&mut self, layout: H5D_layout_t) -> Result<()> {
        // SAFETY: our own list.
        unsafe { call!(self.session(), H5Pset_layout(self.id(), layout)) }.map(|_| ())
    }

    /// Makes it chunked.
    pub fn set_chunk(&mut self, chunk: &[u64]) -> Result<()> {
        let rank = crate::session::c_count(chunk.len())?;
        // SAFETY: as many lengths as dimensions.
        unsafe { call!(self.session(), H5Pset_chunk(self.id(), rank, chunk.as_ptr())) }.map(|_| ())
    }

    /// Replaces the filters. A filter may leave a chunk as it is.
    pub fn set_filters(&mut self, filters: &[Filter]) -> Result<()> {
        let session = self.session();
        if !self.filters()?.is_empty() {
            // SAFETY: our own list; 0 stands for all filters.
            unsafe { call!(session, H5Premove_filter(self.id(), 0)) }?;
        }
        for filter in filters {
            self.add_filter(filter)?;
        }
        Ok(())
    }

    /// A file outside the HDF5 file: its name, where the data begins in it, and how many bytes there are.
    pub fn external_file(&self, index: u32) -> Result<(CString, i64, u64)> {
        let (mut name, mut offset, mut size) = (vec![0_u8; 4097], 0, 0);
        // SAFETY: room for the name with one byte more, so that it always ends, and for two numbers.
        unsafe {
            call!(
                self.session(),
                H5Pget_external(
                    self.id(),
                    index,
                    name.len() - 1,
                    name.as_mut_ptr().cast(),
                    &raw mut offset,
                    &raw mut size,
                )
            )
        }?;
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_owned();
        Ok((name, offset, size))
    }

    /// A mapping of a virtual dataset.
    pub fn mapping(&self, index: usize) -> Result<Mapping> {
        let (session, id) = (self.session(), self.id());
        let (file, dataset) =
            (session.functions().H5Pget_virtual_filename()?, session.functions().H5Pget_virtual_dsetname()?);
        // SAFETY: buffers of the stated size or none; HDF5 verifies the number.
        let (file, dataset) = (
            session
                .ask_text("H5Pget_virtual_filename", |name, size| unsafe { file(id, index, name, size) })?,
            session.ask_text("H5Pget_virtual_dsetname", |name, size| unsafe {
                dataset(id, index, name, size)
            })?,
        );
        // SAFETY: HDF5 verifies the number.
        let (space, source) = unsafe {
            (
                call!(session, H5Pget_virtual_vspace(id, index))?,
                call!(session, H5Pget_virtual_srcspace(id, index))?,
            )
        };
        let (space, source_space) = (Dataspace::of_id(session, space)?, Dataspace::of_id(session, source)?);
        Ok(Mapping { space, file, dataset, source_space })
    }
}
