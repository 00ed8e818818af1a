//! Datasets.

use core::ffi::CStr;

use h5_vol::calls::{DatasetPart, MemorySource, MemoryTarget};
use h5_vol::{Connector, Id, OwnedId};

use crate::failure::{Failure, Outcome};
use crate::hdf5::Hdf5;
use crate::references::{Home, References};

impl Hdf5 {
    /// `H5Dcreate`; without a name, `H5Dcreate_anon`. The lists are those of link creation, creation and access.
    pub fn create_dataset(
        self,
        at: Id,
        name: Option<&CStr>,
        (datatype, space): (Id, Id),
        (link_creation, creation, access): (Id, Id, Id),
    ) -> Outcome<OwnedId> {
        let there = self.type_there(at, datatype)?;
        let datatype = there.as_ref().map_or(datatype, OwnedId::id);
        // SAFETY: a C string; the host verifies the identifiers.
        let id = unsafe {
            if let Some(name) = name {
                let (name, links) = (name.as_ptr(), link_creation.0);
                call!(self, H5Dcreate2(at.0, name, datatype.0, space.0, links, creation.0, access.0))
            } else {
                call!(self, H5Dcreate_anon(at.0, datatype.0, space.0, creation.0, access.0))
            }
        }?;
        self.own(id)
    }

    /// `H5Dopen`.
    pub fn open_dataset(self, at: Id, name: &CStr, access: Id) -> Outcome<OwnedId> {
        // SAFETY: as above.
        self.own(unsafe { call!(self, H5Dopen2(at.0, name.as_ptr(), access.0)) }?)
    }

    /// `H5Dset_extent`. As many sizes as the dataset has dimensions.
    pub fn set_extent(self, dataset: Id, sizes: &[u64]) -> Outcome<()> {
        let space = self.space_of_dataset(dataset)?;
        let rank = self.host().functions().H5Sget_simple_extent_ndims;
        // SAFETY: the host verifies the identifier.
        let rank = self.checked("H5Sget_simple_extent_ndims", || unsafe { rank(space.id().0) })?;
        if usize::try_from(rank) != Ok(sizes.len()) {
            return Err(Failure::new(format!("the dataset has {rank} dimensions here, not {}", sizes.len())));
        }
        // SAFETY: one size for each dimension.
        unsafe { call!(self, H5Dset_extent(dataset.0, sizes.as_ptr())) }.map(|_| ())
    }

    pub(crate) fn space_of_dataset(self, dataset: Id) -> Outcome<OwnedId> {
        // SAFETY: the host verifies the identifier.
        self.own(unsafe { call!(self, H5Dget_space(dataset.0)) }?)
    }

    /// A transfer list with which HDF5 leaves the application's elements as they are: others must be written from them, too. `None`
    /// if the given one is such a list.
    pub fn unchanging(self, transfer: Id) -> Outcome<Option<OwnedId>> {
        let mut modifies = false;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let asked = unsafe { call!(self, H5Pget_modify_write_buf(transfer.0, &raw mut modifies)) };
        if asked.is_err() || !modifies {
            return Ok(None);
        }
        let copy = self.host().functions().H5Pcopy;
        // SAFETY: the host verifies the list.
        let list = self.own(self.checked("H5Pcopy", || unsafe { copy(transfer.0) })?)?;
        // SAFETY: as above.
        unsafe { call!(self, H5Pset_modify_write_buf(list.id().0, false)) }?;
        Ok(Some(list))
    }

    /// `H5Dwrite`, with the application's elements. Those that refer to other objects are put into the terms of this side.
    pub fn write_dataset<C: Connector>(
        self,
        dataset: Id,
        part: &DatasetPart<C, MemorySource<'_>>,
        transfer: Id,
        home: &Home<'_>,
    ) -> Outcome<()> {
        let Some(references) = References::in_type(self, part.memory_type)? else {
            // SAFETY: the arguments are those of the application's own call.
            return unsafe {
                call!(
                    self,
                    H5Dwrite(
                        dataset.0,
                        part.memory_type.0,
                        part.memory_space.0,
                        part.file_space.0,
                        transfer.0,
                        part.memory.as_ptr().cast()
                    )
                )
            }
            .map(|_| ());
        };
        // All that is selected, one after the other. A block is that already.
        let is_block = part.memory_space == Id::BLOCK;
        let spaces = [part.memory_space, part.file_space];
        let given = spaces.into_iter().find(|space| space.is_valid() && *space != Id::BLOCK);
        if spaces.contains(&Id::IN_TRANSFER_LIST) {
            return Err(Failure::new("references with a selection in the transfer list"));
        }
        let whole;
        let selected = if let Some(space) = given {
            space
        } else {
            whole = self.space_of_dataset(dataset)?;
            whole.id()
        };
        let functions = self.host().functions();
        // SAFETY: the host verifies the identifiers.
        let (count, size) = unsafe {
            let count = (functions.H5Sget_select_npoints)(selected.0);
            (usize::try_from(count).unwrap_or(0), (functions.H5Tget_size)(part.memory_type.0))
        };
        if count == 0 {
            return Ok(());
        }
        let bytes = count.checked_mul(size).ok_or_else(|| Failure::new("more elements than memory"))?;
        let mut packed = vec![0_u64; if is_block { 0 } else { bytes.div_ceil(8) }];
        let mut elements = part.memory.as_ptr();
        // SAFETY: the application's elements, and room for all that are selected: the function for more is never called.
        unsafe {
            if !is_block {
                call!(
                    self,
                    H5Dgather(
                        selected.0,
                        elements.cast(),
                        part.memory_type.0,
                        bytes,
                        packed.as_mut_ptr().cast(),
                        None,
                        core::ptr::null_mut()
                    )
                )?;
                elements = packed.as_ptr().cast();
            }
            let translated = references.translate(elements, count, dataset, home)?;
            let length = u64::try_from(count).map_err(|_| Failure::new("too many elements"))?;
            let line = self.own(call!(self, H5Screate_simple(1, &raw const length, core::ptr::null()))?)?;
            let (memory, file) = (line.id().0, part.file_space.0);
            call!(
                self,
                H5Dwrite(dataset.0, part.memory_type.0, memory, file, transfer.0, translated.as_ptr().cast())
            )?;
        }
        Ok(())
    }

    /// `H5Dread` into the application's memory.
    pub fn read_dataset<C: Connector>(
        self,
        dataset: Id,
        part: &DatasetPart<C, MemoryTarget<'_>>,
        transfer: Id,
    ) -> Outcome<()> {
        // SAFETY: the arguments are those of the application's own call.
        unsafe {
            call!(
                self,
                H5Dread(
                    dataset.0,
                    part.memory_type.0,
                    part.memory_space.0,
                    part.file_space.0,
                    transfer.0,
                    part.memory.as_ptr().cast()
                )
            )
        }
        .map(|_| ())
    }
}
