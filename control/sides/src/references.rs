//! References of one file in the terms of another.
//!
//! A reference names an object by its token, for native HDF5 its address. The same object has another one in another file. Files that
//! were made by the same calls have the same addresses, but only as long as HDF5 has flushed and evicted at the same times, and
//! `H5Rcreate` stores regions in the first file only. So every reference is translated: which path has the object in the file
//! that the reference is from, and which token has this path in the other one.

use core::ffi::c_char;
use core::mem::MaybeUninit;
use std::collections::HashMap;
use std::ffi::CString;

use h5_abi::{H5R_ref_t, H5T_REFERENCE, hvl_t};
use h5_vol::{Id, OwnedId, Token};

use crate::elements::{ReferenceKind, Shape};
use crate::failure::{Failure, Outcome};
use crate::hdf5::{DEFAULT, Hdf5};
use crate::objects::text;

/// `H5R_OBJECT` and `H5R_DATASET_REGION` of the old functions.
pub(crate) const OLD_REGION: i32 = 1;
/// `H5R_OBJECT2`, `H5R_DATASET_REGION2` and `H5R_ATTR`.
pub(crate) const NEW_OBJECT: i32 = 2;
pub(crate) const NEW_REGION: i32 = 3;
pub(crate) const NEW_ATTRIBUTE: i32 = 4;

/// The file that references are from.
pub struct Home<'a> {
    /// The path of an object in it.
    pub path_of: &'a dyn Fn(&Token) -> Option<CString>,
    /// An object in it.
    pub file: &'a dyn Fn() -> Outcome<OwnedId>,
}

/// Where the references are in elements of a type.
pub struct References {
    hdf5: Hdf5,
    size: usize,
    shape: Shape,
}

/// Elements in the terms of another file.
pub(crate) struct Translated {
    bytes: Vec<u64>,
    /// What elements of variable length point to.
    inner: Vec<Vec<u64>>,
    /// References that HDF5 has made, and must give up again.
    made: Vec<H5R_ref_t>,
    /// Tokens that were looked up already.
    known: HashMap<[u8; 8], [u8; 8]>,
    hdf5: Hdf5,
}

impl Translated {
    /// The address of the first byte.
    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.bytes.as_ptr().cast()
    }
}

impl Drop for Translated {
    fn drop(&mut self) {
        for mut reference in self.made.drain(..) {
            // SAFETY: made by HDF5 and not given up yet. There is nobody to tell about a failure.
            let _ = unsafe { destroy(self.hdf5, &mut reference) };
        }
    }
}

/// # Safety
/// HDF5 has made the reference, and nobody uses it again.
unsafe fn destroy(hdf5: Hdf5, reference: &mut H5R_ref_t) -> Outcome<()> {
    // SAFETY: by the contract.
    unsafe { call!(hdf5, H5Rdestroy(reference)) }.map(|_| ())
}

impl References {
    /// Those in a type; `None` if there are none.
    pub fn in_type(hdf5: Hdf5, datatype: Id) -> Outcome<Option<Self>> {
        if !hdf5.contains_class(datatype, H5T_REFERENCE) {
            return Ok(None);
        }
        Ok(Some(Self { hdf5, size: hdf5.size_of(datatype), shape: hdf5.shape_of(datatype)? }))
    }

    /// A copy of elements, one after the other, in the terms of the file that `there` is in.
    ///
    /// # Safety
    /// `elements` has that many elements of the type, and what they point to is valid.
    pub(crate) unsafe fn translate(
        &self,
        elements: *const u8,
        count: usize,
        there: Id,
        home: &Home<'_>,
    ) -> Outcome<Translated> {
        let size = count.checked_mul(self.size).ok_or_else(|| Failure::new("more elements than memory"))?;
        // SAFETY: by the contract.
        let bytes = unsafe { copied(elements, size) };
        let (inner, made, known) = (Vec::new(), Vec::new(), HashMap::new());
        let mut translated = Translated { bytes, inner, made, known, hdf5: self.hdf5 };
        let first = translated.bytes.as_mut_ptr().cast::<u8>();
        for number in 0..count {
            // SAFETY: inside the copy, of which nobody else has a reference.
            unsafe { translated.element(first.add(number * self.size), &self.shape, there, home) }?;
        }
        Ok(translated)
    }
}

/// # Safety
/// There are that many bytes.
unsafe fn copied(bytes: *const u8, size: usize) -> Vec<u64> {
    let mut copy = vec![0_u64; size.div_ceil(8)];
    // SAFETY: by the contract, and the copy is at least as large.
    unsafe { core::ptr::copy_nonoverlapping(bytes, copy.as_mut_ptr().cast::<u8>(), size) };
    copy
}

impl Translated {
    /// # Safety
    /// An element of this shape is there, in memory that is ours, and what it points to is valid.
    unsafe fn element(&mut self, at: *mut u8, shape: &Shape, there: Id, home: &Home<'_>) -> Outcome<()> {
        match shape {
            Shape::Compound(members) => members.iter().try_for_each(|(offset, member)| {
                // SAFETY: HDF5 says that a member is there.
                unsafe { self.element(at.add(*offset), member, there, home) }
            }),
            Shape::Array { count, size, item } => (0..*count).try_for_each(|number| {
                // SAFETY: as above.
                unsafe { self.element(at.add(number * size), item, there, home) }
            }),
            Shape::Sequence { size, item } if item.leads_out() => {
                // SAFETY: an `hvl_t` is there, perhaps not aligned; the application says what it points to.
                let mut sequence = unsafe { at.cast::<hvl_t>().read_unaligned() };
                let bytes = sequence.len.checked_mul(*size);
                let bytes = bytes.ok_or_else(|| Failure::new("a sequence that is too long"))?;
                if bytes == 0 {
                    return Ok(());
                }
                // SAFETY: as above.
                let mut copy = unsafe { copied(sequence.p.cast(), bytes) };
                let first = copy.as_mut_ptr().cast::<u8>();
                for number in 0..sequence.len {
                    // SAFETY: inside the copy.
                    unsafe { self.element(first.add(number * size), item, there, home) }?;
                }
                sequence.p = first.cast();
                self.inner.push(copy);
                // SAFETY: the place that was read from.
                unsafe { at.cast::<hvl_t>().write_unaligned(sequence) };
                Ok(())
            }
            Shape::Plain(_) | Shape::Text | Shape::Sequence { .. } => Ok(()),
            // SAFETY: a reference of this kind is there.
            Shape::Reference(kind) => unsafe { self.reference(at, *kind, there, home) },
        }
    }

    /// # Safety
    /// A reference of this kind is there.
    unsafe fn reference(
        &mut self,
        at: *mut u8,
        kind: ReferenceKind,
        there: Id,
        home: &Home<'_>,
    ) -> Outcome<()> {
        let size = match kind {
            ReferenceKind::Object => 8,
            ReferenceKind::Region => 12,
            ReferenceKind::Standard => size_of::<H5R_ref_t>(),
        };
        // SAFETY: by the contract.
        let bytes = unsafe { core::slice::from_raw_parts_mut(at, size) };
        if bytes.iter().all(|byte| *byte == 0) || bytes.iter().all(|byte| *byte == 0xff) {
            return Ok(());
        }
        match kind {
            ReferenceKind::Object => self.object(bytes, there, home),
            // SAFETY: the bytes are such a reference.
            ReferenceKind::Region => unsafe { self.region(bytes, there, home) },
            // SAFETY: as above.
            ReferenceKind::Standard => unsafe { self.standard(bytes, there) },
        }
    }

    fn object(&mut self, bytes: &mut [u8], there: Id, home: &Home<'_>) -> Outcome<()> {
        let mut token = Token::default();
        token.0[..8].copy_from_slice(bytes);
        let mut key = [0; 8];
        key.copy_from_slice(bytes);
        let found = if let Some(known) = self.known.get(&key) {
            *known
        } else {
            let path = (home.path_of)(&token)
                .ok_or_else(|| Failure::new("a reference to an object that has no name"))?;
            let token = self.hdf5.token_of(there, &path)?;
            let mut found = [0; 8];
            found.copy_from_slice(&token.0[..8]);
            self.known.insert(key, found);
            found
        };
        bytes.copy_from_slice(&found);
        Ok(())
    }

    /// # Safety
    /// The bytes are an old region reference.
    unsafe fn region(&mut self, bytes: &mut [u8], there: Id, home: &Home<'_>) -> Outcome<()> {
        let hdf5 = self.hdf5;
        let file = (home.file)()?;
        let from = bytes.as_ptr().cast();
        // SAFETY: by the contract; the host verifies identifiers; the answer has the size of the question.
        unsafe {
            let object = hdf5.own(call!(hdf5, H5Rdereference2(file.id().0, DEFAULT, OLD_REGION, from))?)?;
            let space = hdf5.own(call!(hdf5, H5Rget_region(file.id().0, OLD_REGION, from))?)?;
            let path = hdf5.name_of(object.id())?;
            let to = bytes.as_mut_ptr().cast();
            call!(hdf5, H5Rcreate(to, there.0, path.as_ptr(), OLD_REGION, space.id().0))?;
        }
        Ok(())
    }

    /// # Safety
    /// The bytes are an `H5R_ref_t`.
    unsafe fn standard(&mut self, bytes: &mut [u8], there: Id) -> Outcome<()> {
        let hdf5 = self.hdf5;
        // HDF5 keeps identifiers and memory behind it, but does not give them up if nobody destroys the copy.
        let mut old = MaybeUninit::<H5R_ref_t>::uninit();
        let mut new = MaybeUninit::<H5R_ref_t>::zeroed();
        // SAFETY: by the contract, a reference of which this is an aligned copy; room for the new one; C strings.
        unsafe {
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), old.as_mut_ptr().cast(), bytes.len());
            let old = old.as_mut_ptr();
            let kind = call!(hdf5, H5Rget_type(old))?;
            let object = hdf5.own(call!(hdf5, H5Ropen_object(old, DEFAULT, DEFAULT))?)?;
            let path = hdf5.name_of(object.id())?;
            let (path, made) = (path.as_ptr(), new.as_mut_ptr());
            match kind {
                NEW_OBJECT => call!(hdf5, H5Rcreate_object(there.0, path, DEFAULT, made))?,
                NEW_REGION => {
                    let space = hdf5.own(call!(hdf5, H5Ropen_region(old, DEFAULT, DEFAULT))?)?;
                    call!(hdf5, H5Rcreate_region(there.0, path, space.id().0, DEFAULT, made))?
                }
                NEW_ATTRIBUTE => {
                    let name = text("H5Rget_attr_name", |buffer: *mut c_char, size| {
                        call!(hdf5, H5Rget_attr_name(old, buffer, size))
                    })?;
                    call!(hdf5, H5Rcreate_attr(there.0, path, name.as_ptr(), DEFAULT, made))?
                }
                other => return Err(Failure::new(format!("a reference of kind {other}"))),
            };
            let new = new.assume_init();
            core::ptr::copy_nonoverlapping((&raw const new).cast(), bytes.as_mut_ptr(), bytes.len());
            self.made.push(new);
        }
        Ok(())
    }
}
