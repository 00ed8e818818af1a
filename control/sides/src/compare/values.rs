//! Elements: of two datasets or of two attributes.

use core::ffi::{CStr, c_char};
use std::ffi::CString;

use h5_abi::{H5D_VIRTUAL, H5R_ref_t, H5S_SELECT_SET, hvl_t};
use h5_vol::{Id, OwnedId};

use crate::elements::{ReferenceKind, Shape};
use crate::failure::{Failure, Outcome};
use crate::hdf5::{DEFAULT, Hdf5};
use crate::references::OLD_REGION;

/// About so many bytes are read from each side at a time.
const AT_ONCE: usize = 4 << 20;

/// Elements as HDF5 has read them, with what they point to.
struct Read {
    hdf5: Hdf5,
    bytes: Vec<u64>,
    datatype: Id,
    space: Id,
    leads_out: bool,
}

impl Drop for Read {
    fn drop(&mut self) {
        if self.leads_out {
            let (hdf5, buffer) = (self.hdf5, self.bytes.as_mut_ptr().cast());
            // SAFETY: HDF5 has filled the buffer by this type and space. There is nobody to tell about a failure.
            let _ = unsafe { reclaim(hdf5, self.datatype, self.space, buffer) };
        }
    }
}

/// # Safety
/// HDF5 has filled the buffer by this type and space, and nobody uses it again.
unsafe fn reclaim(hdf5: Hdf5, datatype: Id, space: Id, buffer: *mut core::ffi::c_void) -> Outcome<()> {
    // SAFETY: by the contract.
    unsafe { call!(hdf5, H5Treclaim(datatype.0, space.0, DEFAULT, buffer)) }.map(|_| ())
}

impl Hdf5 {
    fn new_read(self, count: usize, datatype: Id, space: Id, leads_out: bool) -> Outcome<Read> {
        let size = count.checked_mul(self.size_of(datatype));
        let size = size.ok_or_else(|| Failure::new("more elements than memory"))?;
        Ok(Read { hdf5: self, bytes: vec![0; size.div_ceil(8)], datatype, space, leads_out })
    }

    fn same_space(self, a: Id, b: Id) -> Outcome<()> {
        // SAFETY: the host verifies the identifiers.
        if unsafe { call!(self, H5Sextent_equal(a.0, b.0)) }? > 0 {
            return Ok(());
        }
        Err(Failure::new("not the same extent"))
    }

    /// Fails with the first difference between two attributes.
    pub(crate) fn same_attribute(self, a: Id, b: Id) -> Outcome<()> {
        // SAFETY: the host verifies the identifiers.
        let (space, other, datatype, others) = unsafe {
            (
                self.own(call!(self, H5Aget_space(a.0))?)?,
                self.own(call!(self, H5Aget_space(b.0))?)?,
                self.own(call!(self, H5Aget_type(a.0))?)?,
                self.own(call!(self, H5Aget_type(b.0))?)?,
            )
        };
        self.same_space(space.id(), other.id())?;
        if !self.same_type(datatype.id(), others.id())? {
            return Err(Failure::new("not the same datatype"));
        }
        let (shape, count) = (self.shape_of(datatype.id())?, self.elements_of(space.id())?);
        if count == 0 {
            return Ok(());
        }
        let read = |attribute: Id| -> Outcome<Read> {
            let mut read = self.new_read(count, datatype.id(), space.id(), false)?;
            let (datatype, buffer) = (datatype.id().0, read.bytes.as_mut_ptr().cast());
            // SAFETY: room for all elements.
            unsafe { call!(self, H5Aread(attribute.0, datatype, buffer)) }?;
            read.leads_out = shape.leads_out();
            Ok(read)
        };
        let (ours, theirs) = (read(a)?, read(b)?);
        self.same_elements(&ours, &theirs, count, &shape, (a, b))
    }

    /// Fails with the first difference between two datasets.
    pub(crate) fn same_dataset(self, a: Id, b: Id) -> Outcome<()> {
        let (space, other) = (self.space_of_dataset(a)?, self.space_of_dataset(b)?);
        // SAFETY: the host verifies the identifiers.
        let (datatype, others) =
            unsafe { (self.own(call!(self, H5Dget_type(a.0))?)?, self.own(call!(self, H5Dget_type(b.0))?)?) };
        self.same_space(space.id(), other.id())?;
        if !self.same_type(datatype.id(), others.id())? {
            return Err(Failure::new("not the same datatype"));
        }
        let shape = self.shape_of(datatype.id())?;
        if self.elements_of(space.id())? == 0 || self.same_by_lists(a, b)? {
            return Ok(());
        }
        let (dims, size) = (self.dims_of(space.id())?, self.size_of(datatype.id()).max(1));
        let Some((&rows, rest)) = dims.split_first() else {
            return self.same_block((a, b), None, 1, datatype.id(), &shape);
        };
        let row: usize = rest
            .iter()
            .try_fold(1_usize, |all, &side| usize::try_from(side).ok().and_then(|side| all.checked_mul(side)))
            .ok_or_else(|| Failure::new("more elements than memory"))?;
        let step = u64::try_from((AT_ONCE / size / row.max(1)).max(1)).unwrap_or(1);
        let mut first = 0;
        while first < rows {
            let count = step.min(rows - first);
            let (mut start, mut block) = (vec![0; dims.len()], dims.clone());
            (start[0], block[0]) = (first, count);
            // SAFETY: one number for each dimension.
            unsafe {
                let (one, none) = (vec![1_u64; dims.len()], core::ptr::null());
                let (space, start) = (space.id().0, start.as_ptr());
                let blocks = (one.as_ptr(), block.as_ptr());
                call!(self, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, none, blocks.0, blocks.1))?;
            }
            let elements = usize::try_from(count).ok().and_then(|count| count.checked_mul(row));
            let elements = elements.ok_or_else(|| Failure::new("more elements than memory"))?;
            self.same_block((a, b), Some(space.id()), elements, datatype.id(), &shape)
                .map_err(|what| Failure::new(format!("rows from {first}: {what}")))?;
            first += count;
        }
        Ok(())
    }

    /// Whether the creation lists say that the elements are the same: nothing is stored of either dataset, so that both consist of the
    /// same fill value (and may be huge), or both take their elements from the same other files.
    fn same_by_lists(self, a: Id, b: Id) -> Outcome<bool> {
        let functions = self.host().functions();
        // SAFETY: the host verifies the identifiers.
        unsafe {
            let (size, list) =
                (self.functions().H5Dget_storage_size()?, self.functions().H5Dget_create_plist()?);
            let ours = self.own(self.checked("H5Dget_create_plist", || list(a.0))?)?;
            let theirs = self.own(self.checked("H5Dget_create_plist", || list(b.0))?)?;
            let is_elsewhere = (functions.H5Pget_layout)(ours.id().0) == H5D_VIRTUAL
                || (functions.H5Pget_external_count)(ours.id().0) > 0;
            let is_unwritten = size(a.0) == 0 && size(b.0) == 0;
            Ok((is_elsewhere || is_unwritten) && call!(self, H5Pequal(ours.id().0, theirs.id().0))? > 0)
        }
    }

    fn dims_of(self, space: Id) -> Outcome<Vec<u64>> {
        let functions = self.host().functions();
        // SAFETY: the host verifies the identifier; room for as many sizes as there are.
        unsafe {
            let rank = self
                .checked("H5Sget_simple_extent_ndims", || (functions.H5Sget_simple_extent_ndims)(space.0))?;
            let mut dims = vec![0_u64; usize::try_from(rank).unwrap_or(0)];
            self.checked("H5Sget_simple_extent_dims", || {
                (functions.H5Sget_simple_extent_dims)(space.0, dims.as_mut_ptr(), core::ptr::null_mut())
            })?;
            Ok(dims)
        }
    }

    /// The selected elements of two datasets, or all.
    fn same_block(
        self,
        (a, b): (Id, Id),
        selected: Option<Id>,
        count: usize,
        datatype: Id,
        shape: &Shape,
    ) -> Outcome<()> {
        let length = u64::try_from(count).map_err(|_| Failure::new("too many elements"))?;
        // SAFETY: one size.
        let line: OwnedId =
            self.own(unsafe { call!(self, H5Screate_simple(1, &raw const length, core::ptr::null())) }?)?;
        let read = |dataset: Id| -> Outcome<Read> {
            let mut read = self.new_read(count, datatype, line.id(), false)?;
            let (file, buffer) = (selected.unwrap_or(Id::DEFAULT).0, read.bytes.as_mut_ptr().cast());
            let memory = if selected.is_some() { line.id().0 } else { DEFAULT };
            // SAFETY: room for as many elements as are selected.
            unsafe { call!(self, H5Dread(dataset.0, datatype.0, memory, file, DEFAULT, buffer)) }?;
            read.leads_out = shape.leads_out();
            Ok(read)
        };
        let (ours, theirs) = (read(a)?, read(b)?);
        self.same_elements(&ours, &theirs, count, shape, (a, b))
    }

    fn same_elements(
        self,
        ours: &Read,
        theirs: &Read,
        count: usize,
        shape: &Shape,
        ids: (Id, Id),
    ) -> Outcome<()> {
        if let Shape::Plain(_) = shape
            && ours.bytes == theirs.bytes
        {
            return Ok(());
        }
        let size = self.size_of(ours.datatype);
        let (a, b) = (ours.bytes.as_ptr().cast::<u8>(), theirs.bytes.as_ptr().cast::<u8>());
        for number in 0..count {
            // SAFETY: both have so many elements of this shape.
            let same = unsafe { self.same(a.add(number * size), b.add(number * size), shape, ids) }?;
            if !same {
                return Err(Failure::new(format!("element {number} differs")));
            }
        }
        Ok(())
    }

    /// # Safety
    /// Elements of this shape are there, as HDF5 has read them.
    unsafe fn same(self, a: *const u8, b: *const u8, shape: &Shape, ids: (Id, Id)) -> Outcome<bool> {
        // SAFETY: by the contract; HDF5 says how large items are and where members are.
        unsafe {
            match shape {
                Shape::Plain(size) => {
                    Ok(core::slice::from_raw_parts(a, *size) == core::slice::from_raw_parts(b, *size))
                }
                Shape::Text => {
                    let text = |at: *const u8| {
                        let text = at.cast::<*const c_char>().read_unaligned();
                        if text.is_null() { None } else { Some(CStr::from_ptr(text)) }
                    };
                    Ok(text(a) == text(b))
                }
                Shape::Sequence { size, item } => {
                    let (a, b) = (a.cast::<hvl_t>().read_unaligned(), b.cast::<hvl_t>().read_unaligned());
                    if a.len != b.len {
                        return Ok(false);
                    }
                    self.all((a.p.cast(), b.p.cast()), (a.len, *size), item, ids)
                }
                Shape::Array { count, size, item } => self.all((a, b), (*count, *size), item, ids),
                Shape::Compound(members) => {
                    for (offset, member) in members {
                        if !self.same(a.add(*offset), b.add(*offset), member, ids)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                Shape::Reference(kind) => Ok(self.meant(a, *kind, ids.0)? == self.meant(b, *kind, ids.1)?),
            }
        }
    }

    /// # Safety
    /// As above, for so many items of this size.
    unsafe fn all(
        self,
        (a, b): (*const u8, *const u8),
        (count, size): (usize, usize),
        item: &Shape,
        ids: (Id, Id),
    ) -> Outcome<bool> {
        for number in 0..count {
            // SAFETY: by the contract.
            if !unsafe { self.same(a.add(number * size), b.add(number * size), item, ids) }? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What a reference means, in words that are the same in both files.
    ///
    /// # Safety
    /// A reference of this kind is there.
    unsafe fn meant(self, at: *const u8, kind: ReferenceKind, file: Id) -> Outcome<Option<Vec<u8>>> {
        let size = match kind {
            ReferenceKind::Object => 8,
            ReferenceKind::Region => 12,
            ReferenceKind::Standard => size_of::<H5R_ref_t>(),
        };
        // SAFETY: by the contract; HDF5 verifies the rest.
        unsafe {
            if core::slice::from_raw_parts(at, size).iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            let mut reference = core::mem::MaybeUninit::<H5R_ref_t>::zeroed();
            core::ptr::copy_nonoverlapping(at, reference.as_mut_ptr().cast(), size);
            let reference = reference.as_mut_ptr();
            let object = match kind {
                ReferenceKind::Object => call!(self, H5Rdereference2(file.0, DEFAULT, 0, reference.cast())),
                ReferenceKind::Region => {
                    call!(self, H5Rdereference2(file.0, DEFAULT, OLD_REGION, reference.cast()))
                }
                ReferenceKind::Standard => call!(self, H5Ropen_object(reference, DEFAULT, DEFAULT)),
            };
            let Ok(object) = object else { return Ok(Some(b"nothing any more".to_vec())) };
            let object = self.own(object)?;
            let mut meaning = self.name_of(object.id()).map(CString::into_bytes).unwrap_or_default();
            let region = match kind {
                ReferenceKind::Object => None,
                ReferenceKind::Region => {
                    Some(call!(self, H5Rget_region(file.0, OLD_REGION, reference.cast()))?)
                }
                ReferenceKind::Standard => call!(self, H5Ropen_region(reference, DEFAULT, DEFAULT)).ok(),
            };
            if let Some(region) = region {
                let region = self.own(region)?;
                let functions = self.host().functions();
                let selected = (functions.H5Sget_select_npoints)(region.id().0);
                let rank =
                    usize::try_from((functions.H5Sget_simple_extent_ndims)(region.id().0)).unwrap_or(0);
                let (mut low, mut high) = (vec![0_u64; rank], vec![0_u64; rank]);
                (functions.H5Sget_select_bounds)(region.id().0, low.as_mut_ptr(), high.as_mut_ptr());
                meaning.extend_from_slice(format!("[{low:?}..{high:?}, {selected}]").as_bytes());
            }
            Ok(Some(meaning))
        }
    }
}
