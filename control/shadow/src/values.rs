//! Elements that lead to something outside of themselves: to a description without pointers and addresses, and back.
//!
//! HDF5 gives such elements as structures in memory with pointers, which are followed here as the datatype says. Objects that are
//! referred to become keys.

#![expect(unsafe_code, reason = "elements of variable length are structures with pointers")]

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use h5_abi::{H5R_ref_t, H5T_ARRAY, H5T_COMPOUND, H5T_REFERENCE, H5T_STRING, H5T_VLEN};
use h5_host::{Id, OwnedId};
use h5_vol::{Error, Result, Token};

use crate::hdf5::{DEFAULT, Hdf5, failed, good};
use crate::spec::{Cell, Values};
use crate::types::{OBJECT_REFERENCE, REFERENCE, REGION_REFERENCE, leads_outside};

/// `H5R_DATASET_REGION1`.
const REGION: c_int = 1;
/// `H5R_OBJECT2` and `H5R_DATASET_REGION2`.
const OBJECT2: c_int = 2;
const REGION2: c_int = 3;

/// Bytes of a number and a pointer (`hvl_t`).
const SEQUENCE: usize = 16;

/// Who knows which object is where.
pub(crate) trait Objects<K> {
    /// The key of the object at this place in the shadow.
    fn key(&self, token: Token) -> Option<K>;
    /// The place of an object in the shadow, and its path there.
    fn place(&self, key: &K) -> Option<(Token, String)>;
}

/// Reads and makes elements of one file.
pub(crate) struct Elements<'e, K> {
    pub(crate) hdf5: Hdf5,
    pub(crate) file: Id,
    pub(crate) objects: &'e dyn Objects<K>,
}

impl<K> Elements<'_, K> {
    /// Elements of a datatype, which `read` puts into a buffer.
    pub(crate) fn take(
        &self,
        datatype: Id,
        space: Id,
        read: impl FnOnce(*mut c_void) -> c_int,
    ) -> Result<Values<K>> {
        let (count, size) = self.measure(datatype, space)?;
        let length = count.checked_mul(size).ok_or_else(|| failed("hold that many elements"))?;
        let mut buffer = vec![0_u8; length];
        if count > 0 {
            good(read(buffer.as_mut_ptr().cast()), "read elements")?;
        }
        if !leads_outside(self.hdf5, datatype) {
            return Ok(Values::Plain(buffer));
        }
        // SAFETY: HDF5 has made elements of the datatype there.
        let cells: Result<Vec<_>> =
            (0..count).map(|i| unsafe { self.cell(datatype, buffer.as_ptr().add(i * size)) }).collect();
        // SAFETY: these very elements, once.
        unsafe {
            self.hdf5.functions().H5Treclaim()?(datatype.0, space.0, DEFAULT, buffer.as_mut_ptr().cast())
        };
        cells.map(Values::Cells)
    }

    /// Makes elements of a datatype, which `write` takes from a buffer.
    pub(crate) fn give(
        &self,
        datatype: Id,
        space: Id,
        values: &Values<K>,
        write: impl FnOnce(*const c_void) -> c_int,
    ) -> Result<()> {
        let (count, size) = self.measure(datatype, space)?;
        let does_not_fit = || Error::failed("a container has more or fewer elements than their extent says");
        let length = count.checked_mul(size).ok_or_else(does_not_fit)?;
        if count == 0 {
            return Ok(());
        }
        match values {
            Values::Plain(bytes) => {
                if bytes.len() != length || leads_outside(self.hdf5, datatype) {
                    return Err(does_not_fit());
                }
                good(write(bytes.as_ptr().cast()), "write elements")
            }
            Values::Cells(cells) => {
                if cells.len() != count {
                    return Err(does_not_fit());
                }
                let mut made = Made::default();
                let mut buffer = vec![0_u8; length];
                let outcome = cells.iter().enumerate().try_for_each(|(i, cell)| {
                    // SAFETY: room for an element of the datatype.
                    unsafe { self.put(datatype, cell, buffer.as_mut_ptr().add(i * size), &mut made) }
                });
                let outcome = outcome.and_then(|()| good(write(buffer.as_ptr().cast()), "write elements"));
                for mut reference in made.references {
                    // SAFETY: a reference that HDF5 has made.
                    unsafe { self.hdf5.functions().H5Rdestroy()?(&raw mut reference) };
                }
                outcome
            }
        }
    }

    fn measure(&self, datatype: Id, space: Id) -> Result<(usize, usize)> {
        let measured = self.hdf5.host().ask(|questions| {
            Some((
                usize::try_from(questions.extent_elements(space)?).ok()?,
                questions.element_size(datatype)?,
            ))
        });
        measured.ok_or_else(|| failed("count elements"))
    }

    fn base(&self, datatype: Id) -> Result<OwnedId> {
        // SAFETY: the host verifies the identifier.
        self.hdf5.own(
            unsafe { (self.hdf5.host().functions().H5Tget_super)(datatype.0) },
            "ask for a base datatype",
        )
    }

    fn member(&self, datatype: Id, index: c_uint) -> Result<(OwnedId, usize)> {
        let functions = self.hdf5.host().functions();
        // SAFETY: the host verifies both.
        unsafe {
            let member =
                self.hdf5.own((functions.H5Tget_member_type)(datatype.0, index), "ask for a member")?;
            Ok((member, (functions.H5Tget_member_offset)(datatype.0, index)))
        }
    }

    /// The element at a place in memory.
    ///
    /// # Safety
    /// An element of the datatype is there, as HDF5 makes it.
    unsafe fn cell(&self, datatype: Id, at: *const u8) -> Result<Cell<K>> {
        let functions = self.hdf5.host().functions();
        // SAFETY: the host verifies the identifier.
        let (class, size) =
            unsafe { ((functions.H5Tget_class)(datatype.0), (functions.H5Tget_size)(datatype.0)) };
        match class {
            H5T_VLEN => {
                let base = self.base(datatype)?;
                // SAFETY: a number and a pointer to that many elements of the base type.
                unsafe {
                    let (length, first) =
                        (at.cast::<usize>().read_unaligned(), at.add(8).cast::<*const u8>().read_unaligned());
                    self.list(base.id(), first, if first.is_null() { 0 } else { length })
                }
            }
            // SAFETY: the host verifies the identifier.
            H5T_STRING if unsafe { (functions.H5Tis_variable_str)(datatype.0) } > 0 => {
                // SAFETY: null, or a pointer to a C string.
                unsafe {
                    let text = at.cast::<*const c_char>().read_unaligned();
                    Ok(Cell::Text((!text.is_null()).then(|| CStr::from_ptr(text).to_bytes().to_vec())))
                }
            }
            H5T_REFERENCE => {
                // SAFETY: a reference is there.
                unsafe { self.reference(at, size) }
            }
            H5T_COMPOUND if leads_outside(self.hdf5, datatype) => {
                // SAFETY: the host verifies the identifier.
                let count = unsafe { (functions.H5Tget_nmembers)(datatype.0) };
                let members = (0..c_uint::try_from(count).unwrap_or(0)).map(|index| {
                    let (member, offset) = self.member(datatype, index)?;
                    // SAFETY: the member lies within the element.
                    unsafe { self.cell(member.id(), at.add(offset)) }
                });
                members.collect::<Result<_>>().map(Cell::List)
            }
            H5T_ARRAY if leads_outside(self.hdf5, datatype) => {
                let base = self.base(datatype)?;
                // SAFETY: the host verifies the identifier; the elements lie within the array.
                unsafe {
                    let count = size / (functions.H5Tget_size)(base.id().0).max(1);
                    self.list(base.id(), at, count)
                }
            }
            // SAFETY: the element has that many bytes.
            _ => Ok(Cell::Bytes(unsafe { core::slice::from_raw_parts(at, size) }.to_vec())),
        }
    }

    /// # Safety
    /// `count` elements of the type are there.
    unsafe fn list(&self, base: Id, first: *const u8, count: usize) -> Result<Cell<K>> {
        // SAFETY: the host verifies the identifier.
        let step = unsafe { (self.hdf5.host().functions().H5Tget_size)(base.0) };
        // SAFETY: by the contract.
        (0..count)
            .map(|i| unsafe { self.cell(base, first.add(i * step)) })
            .collect::<Result<_>>()
            .map(Cell::List)
    }

    /// # Safety
    /// A reference of that many bytes is there.
    unsafe fn reference(&self, at: *const u8, size: usize) -> Result<Cell<K>> {
        let functions = self.hdf5.functions();
        let key = |object: &OwnedId| {
            self.hdf5.info(object.id()).ok().and_then(|(token, _, _)| self.objects.key(token))
        };
        match size {
            OBJECT_REFERENCE => {
                let mut token = Token::default();
                // SAFETY: by the contract. It is the object's address, as its token is.
                unsafe { core::ptr::copy_nonoverlapping(at, token.0.as_mut_ptr(), size) };
                Ok(Cell::Object(if token == Token::default() { None } else { self.objects.key(token) }))
            }
            REGION_REFERENCE => {
                // SAFETY: by the contract; HDF5 verifies what it says. A null one fails.
                let (object, space) = unsafe {
                    let object = functions.H5Rdereference2()?(self.file.0, DEFAULT, REGION, at.cast());
                    let space = functions.H5Rget_region()?(self.file.0, REGION, at.cast());
                    (self.hdf5.own(object, "follow a reference"), self.hdf5.own(space, "follow a reference"))
                };
                self.region(object.ok().as_ref().and_then(key), space.ok())
            }
            REFERENCE => {
                // SAFETY: by the contract. HDF5 gets a copy whose place fits.
                let mut copy = unsafe { at.cast::<c_void>().cast::<H5R_ref_t>().read_unaligned() };
                let reference = &raw mut copy;
                // SAFETY: by the contract; HDF5 verifies what it says. A null one has no kind.
                unsafe {
                    let kind = functions.H5Rget_type()?(reference);
                    let object =
                        self.hdf5.own(functions.H5Ropen_object()?(reference, DEFAULT, DEFAULT), "follow");
                    let object = object.ok().as_ref().and_then(key);
                    if kind == REGION2 {
                        let space =
                            self.hdf5.own(functions.H5Ropen_region()?(reference, DEFAULT, DEFAULT), "follow");
                        return self.region(object, space.ok());
                    }
                    Ok(Cell::Object(object.filter(|_| kind == OBJECT2)))
                }
            }
            _ => Err(Error::unsupported(format_args!("references of {size} bytes"))),
        }
    }

    fn region(&self, object: Option<K>, space: Option<OwnedId>) -> Result<Cell<K>> {
        Ok(Cell::Region(match (object, space) {
            (Some(object), Some(space)) => Some((object, self.hdf5.region_spec(space.id())?)),
            _ => None,
        }))
    }

    /// Makes an element.
    ///
    /// # Safety
    /// There is room for an element of the datatype, which is used before what was made is given up.
    unsafe fn put(&self, datatype: Id, cell: &Cell<K>, at: *mut u8, made: &mut Made) -> Result<()> {
        let functions = self.hdf5.host().functions();
        // SAFETY: the host verifies the identifier.
        let (class, size) =
            unsafe { ((functions.H5Tget_class)(datatype.0), (functions.H5Tget_size)(datatype.0)) };
        // SAFETY: as above.
        let is_text = class == H5T_STRING && unsafe { (functions.H5Tis_variable_str)(datatype.0) } > 0;
        match (class, cell) {
            (H5T_VLEN, Cell::List(cells)) if size == SEQUENCE => {
                let base = self.base(datatype)?;
                // SAFETY: the host verifies the identifier.
                let step = unsafe { (functions.H5Tget_size)(base.id().0) };
                let length =
                    cells.len().checked_mul(step).ok_or_else(|| failed("hold that many elements"))?;
                let mut items = vec![0_u8; length.max(1)];
                for (i, cell) in cells.iter().enumerate() {
                    // SAFETY: room for that element.
                    unsafe { self.put(base.id(), cell, items.as_mut_ptr().add(i * step), made)? };
                }
                // SAFETY: room for a number and a pointer. The bytes do not move when the list of them grows.
                unsafe {
                    at.cast::<usize>().write_unaligned(cells.len());
                    at.add(8).cast::<*const u8>().write_unaligned(items.as_ptr());
                }
                made.bytes.push(items);
            }
            (_, Cell::Text(text)) if is_text => {
                let Some(text) = text else { return Ok(()) };
                let mut bytes = text.clone();
                bytes.push(0);
                // SAFETY: room for a pointer; as above.
                unsafe { at.cast::<*const u8>().write_unaligned(bytes.as_ptr()) };
                made.bytes.push(bytes);
            }
            (H5T_COMPOUND, Cell::List(cells)) => {
                // SAFETY: the host verifies the identifier.
                let count = unsafe { (functions.H5Tget_nmembers)(datatype.0) };
                if usize::try_from(count) != Ok(cells.len()) {
                    return Err(unfit());
                }
                for (index, cell) in (0..).zip(cells) {
                    let (member, offset) = self.member(datatype, index)?;
                    // SAFETY: the member lies within the element.
                    unsafe { self.put(member.id(), cell, at.add(offset), made)? };
                }
            }
            (H5T_ARRAY, Cell::List(cells)) => {
                let base = self.base(datatype)?;
                // SAFETY: the host verifies the identifier.
                let step = unsafe { (functions.H5Tget_size)(base.id().0) };
                if step.checked_mul(cells.len()) != Some(size) {
                    return Err(unfit());
                }
                for (i, cell) in cells.iter().enumerate() {
                    // SAFETY: the element lies within the array.
                    unsafe { self.put(base.id(), cell, at.add(i * step), made)? };
                }
            }
            (H5T_REFERENCE, Cell::Object(key)) => {
                let place = key.as_ref().and_then(|key| self.objects.place(key));
                // SAFETY: room for a reference of that size.
                unsafe { self.put_reference(place, None, at, size, made)? };
            }
            (H5T_REFERENCE, Cell::Region(region)) => {
                let Some((key, part)) = region else { return Ok(()) };
                let space = self.hdf5.make_region(part)?;
                // SAFETY: room for a reference of that size.
                unsafe { self.put_reference(self.objects.place(key), Some(space), at, size, made)? };
            }
            (_, Cell::Bytes(bytes))
                if bytes.len() == size && !is_text && class != H5T_VLEN && class != H5T_REFERENCE =>
            {
                if matches!(class, H5T_COMPOUND | H5T_ARRAY) && leads_outside(self.hdf5, datatype) {
                    return Err(unfit());
                }
                // SAFETY: room for that many bytes.
                unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), at, size) };
            }
            _ => return Err(unfit()),
        }
        Ok(())
    }

    /// # Safety
    /// There is room for a reference of that size, which was zeros.
    unsafe fn put_reference(
        &self,
        place: Option<(Token, String)>,
        space: Option<OwnedId>,
        at: *mut u8,
        size: usize,
        made: &mut Made,
    ) -> Result<()> {
        let functions = self.hdf5.functions();
        let Some((token, path)) = place else { return Ok(()) };
        let path = crate::hdf5::c_string(path.as_bytes())?;
        match (size, space) {
            (OBJECT_REFERENCE, None) => {
                // SAFETY: by the contract.
                unsafe { core::ptr::copy_nonoverlapping(token.0.as_ptr(), at, size) };
                Ok(())
            }
            (REGION_REFERENCE, Some(space)) => {
                // SAFETY: by the contract; a C string and our own dataspace.
                let status = unsafe {
                    functions.H5Rcreate()?(at.cast(), self.file.0, path.as_ptr(), REGION, space.id().0)
                };
                good(status, "refer to a region")
            }
            (REFERENCE, space) => {
                let reference = at.cast::<c_void>().cast::<H5R_ref_t>();
                let mut new = core::mem::MaybeUninit::<H5R_ref_t>::zeroed();
                // SAFETY: by the contract; a C string and our own dataspace.
                let new = unsafe {
                    let status = match space {
                        None => functions.H5Rcreate_object()?(
                            self.file.0,
                            path.as_ptr(),
                            DEFAULT,
                            new.as_mut_ptr(),
                        ),
                        Some(space) => functions.H5Rcreate_region()?(
                            self.file.0,
                            path.as_ptr(),
                            space.id().0,
                            DEFAULT,
                            new.as_mut_ptr(),
                        ),
                    };
                    good(status, "refer to an object")?;
                    new.assume_init()
                };
                // SAFETY: by the contract.
                unsafe { reference.write_unaligned(new) };
                made.references.push(new);
                Ok(())
            }
            _ => Err(unfit()),
        }
    }
}

/// What elements in memory point to.
#[derive(Default)]
struct Made {
    bytes: Vec<Vec<u8>>,
    references: Vec<H5R_ref_t>,
}

#[track_caller]
fn unfit() -> Error {
    Error::failed("a value in the container does not fit its datatype")
}
