//! Elements of any datatype, also those with pointers: HDF5 fills them, and frees what they point to.

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;

use h5_abi::{H5P_DEFAULT, H5S_ALL};

use crate::attribute::Attribute;
use crate::dataset::Dataset;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::session::Session;

/// Elements in memory, of a datatype of one library.
pub struct Elements {
    datatype: Datatype,
    /// One dimension, all of it selected.
    space: Dataspace,
    /// The bytes, aligned for pointers.
    words: Vec<u64>,
    length: usize,
    /// What the elements point to is HDF5's to free, or belongs to these.
    strings: Option<Vec<CString>>,
    is_plain: bool,
}

impl Elements {
    /// Room for as many elements, all bytes zero.
    fn new(session: &Session, datatype: &Datatype, count: usize) -> Result<Self> {
        datatype.handle().id_in(session)?;
        let datatype = datatype.copy()?;
        let length = count
            .checked_mul(datatype.size()?)
            .ok_or_else(|| Failure::refused(format!("{count} elements are too many")))?;
        let space = Dataspace::simple(session, &[count as u64])?;
        let (words, is_plain) = (vec![0; length.div_ceil(8)], datatype.is_plain()?);
        Ok(Self { datatype, space, words, length, strings: None, is_plain })
    }

    /// Strings of any length, to be written. The datatype is one of such strings.
    pub fn of_strings(datatype: &Datatype, strings: Vec<CString>) -> Result<Self> {
        if !datatype.is_variable_string()? {
            return Err(Failure::refused("the datatype is not one of strings of any length"));
        }
        let mut elements = Self::new(datatype.session(), datatype, strings.len())?;
        for (word, string) in elements.words.iter_mut().zip(&strings) {
            *word = string.as_ptr().expose_provenance() as u64;
        }
        elements.strings = Some(strings);
        Ok(elements)
    }

    /// Number of elements.
    pub fn count(&self) -> Result<usize> {
        self.space.elements()
    }

    /// Their bytes, if they are nothing else.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.is_plain.then(|| {
            // SAFETY: any words are bytes, and there are at least as many.
            unsafe { core::slice::from_raw_parts(self.words.as_ptr().cast(), self.length) }
        })
    }

    /// The strings, if they are of any length. A null pointer is an empty string.
    pub fn strings(&self) -> Result<Vec<CString>> {
        if !self.datatype.is_variable_string()? {
            return Err(Failure::refused("the elements are not strings of any length"));
        }
        let string = |word: &u64| {
            let text: *const c_char = core::ptr::with_exposed_provenance(usize::try_from(*word).unwrap_or(0));
            if text.is_null() {
                return CString::default();
            }
            // SAFETY: HDF5 has stored a pointer to a C string, or `of_strings` has.
            unsafe { CStr::from_ptr(text) }.to_owned()
        };
        Ok(self.words.iter().map(string).collect())
    }

    fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    fn as_ptr(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        if self.is_plain || self.strings.is_some() || self.words.is_empty() {
            return;
        }
        let Ok(reclaim) = self.datatype.session().functions().H5Treclaim() else { return };
        let (datatype, space, buffer) = (self.datatype.id(), self.space.id(), self.as_mut_ptr());
        // SAFETY: elements that HDF5 has filled, or zero bytes, which point to nothing.
        unsafe { reclaim(datatype, space, H5P_DEFAULT, buffer) };
    }
}

impl Dataset {
    /// Reads elements of any type: those that are selected, or all.
    pub fn read_elements(&self, datatype: &Datatype, selection: Option<&Dataspace>) -> Result<Elements> {
        let session = self.session();
        let count = match selection {
            Some(selection) => selection.selected()?,
            None => self.space()?.elements()?,
        };
        let mut elements = Elements::new(session, datatype, count)?;
        if count > 0 {
            let file = selection.map_or(Ok(H5S_ALL), |space| space.handle().id_in(session))?;
            let (datatype, memory) = (elements.datatype.id(), elements.space.id());
            let buffer = elements.as_mut_ptr();
            // SAFETY: as many elements of the type as the memory's extent has.
            unsafe { call!(session, H5Dread(self.id(), datatype, memory, file, H5P_DEFAULT, buffer)) }?;
        }
        Ok(elements)
    }

    /// Writes elements of any type to what is selected, or to all.
    pub fn write_elements(&self, elements: &Elements, selection: Option<&Dataspace>) -> Result<()> {
        let session = self.session();
        if elements.count()? == 0 {
            return Ok(());
        }
        let file = selection.map_or(Ok(H5S_ALL), |space| space.handle().id_in(session))?;
        let datatype = elements.datatype.handle().id_in(session)?;
        let (memory, buffer) = (elements.space.id(), elements.as_ptr());
        // SAFETY: as many elements of the type as the memory's extent has.
        unsafe { call!(session, H5Dwrite(self.id(), datatype, memory, file, H5P_DEFAULT, buffer)) }
            .map(|_| ())
    }
}

impl Attribute {
    /// Reads elements of any type.
    pub fn read_elements(&self, datatype: &Datatype) -> Result<Elements> {
        let session = self.session();
        let count = self.space()?.elements()?;
        let mut elements = Elements::new(session, datatype, count)?;
        if count > 0 {
            let (datatype, buffer) = (elements.datatype.id(), elements.as_mut_ptr());
            // SAFETY: as many elements of the type as the attribute has.
            unsafe { call!(session, H5Aread(self.id(), datatype, buffer)) }?;
        }
        Ok(elements)
    }

    /// Writes elements of any type, as many as the attribute has.
    pub fn write_elements(&self, elements: &Elements) -> Result<()> {
        let session = self.session();
        if elements.count()? != self.space()?.elements()? {
            return Err(Failure::refused("an attribute is written as a whole"));
        }
        if elements.count()? == 0 {
            return Ok(());
        }
        let datatype = elements.datatype.handle().id_in(session)?;
        // SAFETY: as many elements of the type as the attribute has.
        unsafe { call!(session, H5Awrite(self.id(), datatype, elements.as_ptr())) }.map(|_| ())
    }
}
