//! Output parameters of the C interface, which a connector's answer is written to.
//!
//! C may leave them uninitialised before the call, so there must not be a Rust reference to them. A null pointer means that
//! the caller does not want the answer.

use core::ffi::{CStr, c_char, c_void};
use core::marker::PhantomData;

use h5_abi::{H5O_token_t, hid_t};
use h5_host::{Id, OwnedId};

use crate::token::Token;

/// A value that can be the answer to a question, and its form in C.
pub trait Answer: Sized {
    /// The C type.
    type Raw: Copy;

    /// The C form.
    fn encode(self) -> Self::Raw;
}

/// An answer that can also be read back after the connector below has given it. Every bit pattern in C is a valid value.
pub trait Readable: Answer {
    /// The value of a C form.
    fn decode(raw: Self::Raw) -> Self;
}

macro_rules! plain_answers {
    ($($ty:ty),*) => { $(
        impl Answer for $ty {
            type Raw = Self;

            fn encode(self) -> Self {
                self
            }
        }

        impl Readable for $ty {
            fn decode(raw: Self) -> Self {
                raw
            }
        }
    )* };
}

plain_answers!(u32, u64, usize);

impl Answer for bool {
    // The C `bool` is one byte, which may hold any value.
    type Raw = u8;

    fn encode(self) -> u8 {
        u8::from(self)
    }
}

impl Readable for bool {
    fn decode(raw: u8) -> Self {
        raw != 0
    }
}

impl Answer for Id {
    type Raw = hid_t;

    fn encode(self) -> hid_t {
        self.0
    }
}

impl Readable for Id {
    fn decode(raw: hid_t) -> Self {
        Self(raw)
    }
}

impl Answer for Token {
    type Raw = H5O_token_t;

    fn encode(self) -> H5O_token_t {
        H5O_token_t { __data: self.0 }
    }
}

impl Readable for Token {
    fn decode(raw: H5O_token_t) -> Self {
        Self(raw.__data)
    }
}

/// Where one value goes.
pub struct Out<'a, T: Answer> {
    raw: *mut T::Raw,
    lifetime: PhantomData<&'a mut T::Raw>,
}

impl<T: Answer> Out<'_, T> {
    /// # Safety
    /// `raw` is null or valid for writes (and, if `T` is [`Readable`], for reads) as long as the value lives.
    pub(crate) unsafe fn new(raw: *mut T::Raw) -> Self {
        Self { raw, lifetime: PhantomData }
    }

    /// Whether the caller wants the answer.
    pub fn is_wanted(&self) -> bool {
        !self.raw.is_null()
    }

    /// Gives the answer. It is dropped if the caller does not want it.
    pub fn set(&mut self, value: T) {
        if self.is_wanted() {
            // SAFETY: not null, so valid for writes by the contract of `new`.
            unsafe { self.raw.write(value.encode()) };
        }
    }
}

impl<T: Readable> Out<'_, T> {
    /// The current value: the answer of the connector below, after it was asked. Before that the value is meaningless.
    pub fn get(&self) -> Option<T> {
        // SAFETY: not null, so valid for reads by the contract of `new`; any bit pattern is a value.
        self.is_wanted().then(|| T::decode(unsafe { self.raw.read() }))
    }
}

impl Out<'_, Id> {
    /// Answers with an identifier, which the caller closes.
    pub fn give(&mut self, id: OwnedId) {
        if self.is_wanted() {
            self.set(id.into_id());
        }
    }
}

/// Where a name goes: a buffer that may be too small or absent, and its full length.
pub struct TextOut<'a> {
    buffer: *mut c_char,
    size: usize,
    length: *mut usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl TextOut<'_> {
    /// # Safety
    /// `buffer` is null or valid for `size` bytes, `length` null or valid, as long as the value lives.
    pub(crate) unsafe fn new(buffer: *mut c_char, size: usize, length: *mut usize) -> Self {
        Self { buffer, size, length, lifetime: PhantomData }
    }

    /// Room for the text and its terminating zero; zero if only the length is wanted.
    pub fn room(&self) -> usize {
        if self.buffer.is_null() { 0 } else { self.size }
    }

    /// Writes as HDF5 does: as much as fits, always terminated. The length is that of the whole text.
    pub fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes());
    }

    /// The same for a name that is a C string.
    pub fn write_c_str(&mut self, text: &CStr) {
        self.write_bytes(text.to_bytes());
    }

    fn write_bytes(&mut self, text: &[u8]) {
        if !self.length.is_null() {
            // SAFETY: not null, so valid by the contract of `new`.
            unsafe { self.length.write(text.len()) };
        }
        if let Some(last) = self.room().checked_sub(1) {
            let copied = text.len().min(last);
            // SAFETY: the buffer has `room` bytes, and `copied` is less than that.
            unsafe {
                core::ptr::copy_nonoverlapping(text.as_ptr(), self.buffer.cast(), copied);
                self.buffer.add(copied).write(0);
            }
        }
    }
}

/// Where bytes go: a buffer that may be too small or absent.
pub struct BytesOut<'a> {
    buffer: *mut c_void,
    size: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl BytesOut<'_> {
    /// # Safety
    /// `buffer` is null or valid for `size` bytes as long as the value lives.
    pub(crate) unsafe fn new(buffer: *mut c_void, size: usize) -> Self {
        Self { buffer, size, lifetime: PhantomData }
    }

    /// Room for bytes.
    pub fn room(&self) -> usize {
        if self.buffer.is_null() { 0 } else { self.size }
    }

    /// Writes as many of the bytes as fit and returns how many.
    pub fn write(&mut self, bytes: &[u8]) -> usize {
        let copied = bytes.len().min(self.room());
        if copied > 0 {
            // SAFETY: the buffer has room for `copied` bytes.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.buffer.cast(), copied) };
        }
        copied
    }
}

/// Where a list of identifiers goes.
pub struct IdsOut<'a> {
    list: *mut hid_t,
    room: usize,
    count: *mut usize,
    lifetime: PhantomData<&'a mut [hid_t]>,
}

impl IdsOut<'_> {
    /// # Safety
    /// `list` is null or valid for `room` identifiers, `count` null or valid, as long as the value lives.
    pub(crate) unsafe fn new(list: *mut hid_t, room: usize, count: *mut usize) -> Self {
        Self { list, room, count, lifetime: PhantomData }
    }

    /// Room for identifiers.
    pub fn room(&self) -> usize {
        if self.list.is_null() { 0 } else { self.room }
    }

    /// Writes as many of the identifiers as fit, and their number.
    pub fn write(&mut self, ids: &[Id]) {
        let written = ids.len().min(self.room());
        for (position, id) in ids.iter().take(written).enumerate() {
            // SAFETY: `position` is below `room`.
            unsafe { self.list.add(position).write(id.0) };
        }
        if !self.count.is_null() {
            // SAFETY: not null, so valid by the contract of `new`.
            unsafe { self.count.write(written) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(size: usize, text: &str) -> (Vec<u8>, usize) {
        let mut buffer = vec![b'#'; size + 1];
        let mut length = usize::MAX;
        // SAFETY: the buffer has one byte more than stated.
        let mut out = unsafe { TextOut::new(buffer.as_mut_ptr().cast(), size, &raw mut length) };
        out.write(text);
        (buffer, length)
    }

    #[test]
    fn text_that_fits_is_terminated() {
        assert_eq!(written(6, "hello"), (b"hello\0#".to_vec(), 5));
    }

    #[test]
    fn text_that_does_not_fit_is_cut_and_its_length_is_the_full_one() {
        assert_eq!(written(5, "hello"), (b"hell\0#".to_vec(), 5));
        assert_eq!(written(1, "hello"), (b"\0#".to_vec(), 5));
        assert_eq!(written(0, "hello"), (b"#".to_vec(), 5));
    }

    #[test]
    fn null_pointers_are_not_written() {
        let null = core::ptr::null_mut();
        // SAFETY: null is allowed everywhere.
        unsafe {
            TextOut::new(null, 100, core::ptr::null_mut()).write("x");
            assert_eq!(BytesOut::new(core::ptr::null_mut(), 100).write(b"x"), 0);
            IdsOut::new(core::ptr::null_mut(), 100, core::ptr::null_mut()).write(&[Id(1)]);
            let mut answer = Out::<u64>::new(core::ptr::null_mut());
            answer.set(1);
            assert!(!answer.is_wanted());
            assert_eq!(answer.get(), None);
        }
    }

    #[test]
    fn a_bool_of_any_byte_can_be_read() {
        let mut byte = 7_u8;
        // SAFETY: one valid byte.
        let mut answer = unsafe { Out::<bool>::new(&raw mut byte) };
        assert_eq!(answer.get(), Some(true));
        answer.set(false);
        assert_eq!(answer.get(), Some(false));
    }

    #[test]
    fn more_identifiers_than_room_are_left_out() {
        let mut list = [0; 2];
        let mut count = 0;
        // SAFETY: the list has room for two.
        unsafe { IdsOut::new(list.as_mut_ptr(), 2, &raw mut count) }.write(&[Id(5), Id(6), Id(7)]);
        assert_eq!((list, count), ([5, 6], 2));
    }
}
