//! Elements of any datatype, also those with pointers: HDF5 fills them, and frees what they point to.

use core::ffi::{CStr, c_char, c_void};
use std::ffi::CString;

use h5_abi::{H5P_DEFAULT, H5S_ALL};

use crate::attribute::Attribute;
use crate::dataset::Dataset;
use crate::dataspace::Dataspace;
use crate::datatype::{Class, Datatype, Description, Member};
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
    pointees: Pointees,
    is_plain: bool,
}

/// What the elements point to.
enum Pointees {
    /// HDF5 frees it.
    OfHdf5,
    /// It is kept here.
    Strings(#[expect(dead_code, reason = "kept for those who follow pointers")] Vec<CString>),
    Sequences(#[expect(dead_code, reason = "kept for those who follow pointers")] Vec<Vec<u8>>),
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
        Ok(Self { datatype, space, words, length, pointees: Pointees::OfHdf5, is_plain })
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
        elements.pointees = Pointees::Strings(strings);
        Ok(elements)
    }

    /// Pairs of a number of eight bytes and a string of any length, to be written. The datatype is a compound of these two, without
    /// gaps.
    pub fn of_pairs(datatype: &Datatype, pairs: Vec<(u64, CString)>) -> Result<Self> {
        check_pairs(datatype)?;
        let mut elements = Self::new(datatype.session(), datatype, pairs.len())?;
        for (words, (number, string)) in elements.words.chunks_exact_mut(2).zip(&pairs) {
            words.copy_from_slice(&[*number, string.as_ptr().expose_provenance() as u64]);
        }
        elements.pointees = Pointees::Strings(pairs.into_iter().map(|(_, string)| string).collect());
        Ok(elements)
    }

    /// Sequences of any length, to be written, as the bytes of their elements. The datatype is one of such sequences, whose elements
    /// have no pointers.
    pub fn of_sequences(datatype: &Datatype, sequences: Vec<Vec<u8>>) -> Result<Self> {
        let size = size_in_sequences(datatype)?;
        if let Some(odd) = sequences.iter().find(|sequence| sequence.len() % size != 0) {
            return Err(Failure::refused(format!("{} bytes are not elements of {size}", odd.len())));
        }
        let mut elements = Self::new(datatype.session(), datatype, sequences.len())?;
        for (words, sequence) in elements.words.chunks_exact_mut(2).zip(&sequences) {
            let count = (sequence.len() / size) as u64;
            words.copy_from_slice(&[count, sequence.as_ptr().expose_provenance() as u64]);
        }
        elements.pointees = Pointees::Sequences(sequences);
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
        // SAFETY: HDF5 has stored a pointer to a C string, or `of_strings` has.
        Ok(self.words.iter().map(|word| unsafe { string_at(*word) }).collect())
    }

    /// The pairs, if they are pairs of a number and a string, as in [`Self::of_pairs`].
    pub fn pairs(&self) -> Result<Vec<(u64, CString)>> {
        check_pairs(&self.datatype)?;
        // SAFETY: HDF5 has stored a pointer to a C string behind each number, or `of_pairs` has.
        let pair = |words: &[u64]| (words[0], unsafe { string_at(words[1]) });
        Ok(self.words.chunks_exact(2).map(pair).collect())
    }

    /// The sequences, if they are of any length, as the bytes of their elements.
    pub fn sequences(&self) -> Result<Vec<Vec<u8>>> {
        let size = size_in_sequences(&self.datatype)?;
        let sequence = |words: &[u64]| {
            let count = usize::try_from(words[0]).unwrap_or(0);
            let start: *const u8 = core::ptr::with_exposed_provenance(usize::try_from(words[1]).unwrap_or(0));
            if start.is_null() || count == 0 {
                return Vec::new();
            }
            // SAFETY: HDF5 has stored how many elements there are, and where, or `of_sequences` has.
            unsafe { core::slice::from_raw_parts(start, count.saturating_mul(size)) }.to_vec()
        };
        Ok(self.words.chunks_exact(2).map(sequence).collect())
    }

    /// The datatype of the elements in memory.
    pub fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// The bytes of all elements, with the pointers in them.
    pub(crate) fn raw(&mut self) -> &mut [u8] {
        // SAFETY: any words are bytes, and there are at least as many.
        unsafe { core::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.length) }
    }

    /// Whether HDF5 has filled it, so that what is pointed to is as its datatype says.
    pub(crate) fn is_of_hdf5(&self) -> bool {
        matches!(self.pointees, Pointees::OfHdf5)
    }

    fn as_mut_ptr(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    fn as_ptr(&self) -> *const c_void {
        self.words.as_ptr().cast()
    }
}

/// The string that a pointer in an element leads to; empty if it is null.
///
/// # Safety
/// The pointer leads to a C string, or is null.
unsafe fn string_at(word: u64) -> CString {
    let text: *const c_char = core::ptr::with_exposed_provenance(usize::try_from(word).unwrap_or(0));
    if text.is_null() {
        return CString::default();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_owned()
}

/// Fails if a datatype is not a compound of a number of eight bytes and a string of any length.
fn check_pairs(datatype: &Datatype) -> Result<()> {
    const WORD: usize = size_of::<u64>();
    let is_pair = match datatype.describe()? {
        Description { size, class: Class::Compound(members) } if size == 2 * WORD => matches!(
            members.as_slice(),
            [
                Member { offset: 0, datatype: Description { size: WORD, class: Class::Integer { .. } }, .. },
                Member {
                    offset: WORD,
                    datatype: Description { class: Class::VariableString { .. }, .. },
                    ..
                },
            ]
        ),
        _ => false,
    };
    if is_pair { Ok(()) } else { Err(Failure::refused("the datatype is not one of a number and a string")) }
}

/// Bytes of an element in sequences of any length.
fn size_in_sequences(datatype: &Datatype) -> Result<usize> {
    match datatype.describe()?.class {
        Class::VariableLength(element)
            if matches!(element.class, Class::Integer { .. } | Class::Float(_)) && element.size > 0 =>
        {
            Ok(element.size)
        }
        _ => Err(Failure::refused("the datatype is not one of sequences of numbers")),
    }
}

impl Drop for Elements {
    fn drop(&mut self) {
        if self.is_plain || !matches!(self.pointees, Pointees::OfHdf5) || self.words.is_empty() {
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
