//! What a datatype is made of, in numbers and names.

use core::ffi::{CStr, c_char, c_int, c_uint};

use h5_abi::{
    H5S_MAX_RANK, H5T_ARRAY, H5T_BITFIELD, H5T_COMPLEX, H5T_COMPOUND, H5T_ENUM, H5T_FLOAT, H5T_INTEGER,
    H5T_NO_CLASS, H5T_NORM_IMPLIED, H5T_NORM_MSBSET, H5T_NORM_NONE, H5T_OPAQUE, H5T_ORDER_BE, H5T_ORDER_LE,
    H5T_ORDER_NONE, H5T_ORDER_VAX, H5T_PAD_BACKGROUND, H5T_PAD_ERROR, H5T_PAD_ONE, H5T_PAD_ZERO,
    H5T_REFERENCE, H5T_SGN_2, H5T_SGN_NONE, H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD, H5T_STRING,
    H5T_pad_t,
};

use crate::id::{Id, OwnedId};
use crate::questions::Questions;

/// Kinds of datatypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeClass {
    /// A whole number.
    Integer,
    /// A floating-point number.
    Float,
    /// Bits.
    Bitfield,
    /// A complex number (HDF5 2.x).
    Complex,
    /// Names for values of an integer type.
    Enum,
    /// Text of a fixed length.
    FixedString,
    /// Text of any length, stored elsewhere.
    VariableString,
    /// Bytes with a tag.
    Opaque,
    /// A fixed number of elements of another type.
    Array,
    /// Named members.
    Compound,
    /// A reference of any kind.
    Reference,
    /// Another one, by its number.
    Other(i32),
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
    /// As on a VAX.
    Vax,
    /// No order.
    None,
}

/// The value of unused bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BitPadding {
    /// Zeros.
    Zero,
    /// Ones.
    One,
    /// Left as they were.
    Background,
}

impl BitPadding {
    fn of(pad: H5T_pad_t) -> Option<Self> {
        match pad {
            H5T_PAD_ZERO => Some(Self::Zero),
            H5T_PAD_ONE => Some(Self::One),
            H5T_PAD_BACKGROUND => Some(Self::Background),
            _ => None,
        }
    }
}

/// Where the significant bits of an atomic datatype are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BitLayout {
    /// Order of the bytes.
    pub order: ByteOrder,
    /// Number of significant bits.
    pub precision: usize,
    /// The lowest of them.
    pub offset: usize,
    /// Bits below.
    pub low_padding: BitPadding,
    /// Bits above.
    pub high_padding: BitPadding,
}

/// How the mantissa of a float is normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MantissaNorm {
    /// The first bit is not stored.
    Implied,
    /// The first bit is stored, and set.
    MsbSet,
    /// Not normalised.
    None,
}

/// The fields of a floating-point number, in bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatFields {
    /// Position of the sign.
    pub sign: usize,
    /// Position and size of the exponent.
    pub exponent: (usize, usize),
    /// Bias of the exponent.
    pub bias: usize,
    /// Position and size of the mantissa.
    pub mantissa: (usize, usize),
    /// How the mantissa is normalised.
    pub norm: MantissaNorm,
    /// Bits between the fields.
    pub inner_padding: BitPadding,
}

/// The padding after the text in a string of fixed length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPadding {
    /// At least one zero byte.
    NullTerminated,
    /// Zero bytes.
    NullPadded,
    /// Spaces.
    SpacePadded,
}

impl Questions {
    /// The kind of a datatype.
    pub fn type_class(self, datatype: Id) -> Option<TypeClass> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        Some(match unsafe { (functions.H5Tget_class)(datatype.0) } {
            H5T_NO_CLASS => return None,
            H5T_INTEGER => TypeClass::Integer,
            H5T_FLOAT => TypeClass::Float,
            H5T_BITFIELD => TypeClass::Bitfield,
            H5T_COMPLEX => TypeClass::Complex,
            H5T_ENUM => TypeClass::Enum,
            // SAFETY: the host verifies the identifier.
            H5T_STRING => match unsafe { (functions.H5Tis_variable_str)(datatype.0) } {
                0 => TypeClass::FixedString,
                1.. => TypeClass::VariableString,
                _ => return None,
            },
            H5T_OPAQUE => TypeClass::Opaque,
            H5T_ARRAY => TypeClass::Array,
            H5T_COMPOUND => TypeClass::Compound,
            H5T_REFERENCE => TypeClass::Reference,
            other => TypeClass::Other(other.0),
        })
    }

    /// Where the significant bits of an atomic datatype are.
    pub fn bit_layout(self, datatype: Id) -> Option<BitLayout> {
        let functions = self.0.functions();
        let (mut low, mut high) = (H5T_PAD_ERROR, H5T_PAD_ERROR);
        // SAFETY: the host verifies the identifier.
        let order = match unsafe { (functions.H5Tget_order)(datatype.0) } {
            H5T_ORDER_LE => ByteOrder::Little,
            H5T_ORDER_BE => ByteOrder::Big,
            H5T_ORDER_VAX => ByteOrder::Vax,
            H5T_ORDER_NONE => ByteOrder::None,
            _ => return None,
        };
        // SAFETY: the host verifies the identifier; two valid out-pointers.
        let (precision, offset, status) = unsafe {
            (
                (functions.H5Tget_precision)(datatype.0),
                (functions.H5Tget_offset)(datatype.0),
                (functions.H5Tget_pad)(datatype.0, &raw mut low, &raw mut high),
            )
        };
        let known = precision > 0 && status >= 0;
        known.then_some(BitLayout {
            order,
            precision,
            offset: usize::try_from(offset).ok()?,
            low_padding: BitPadding::of(low)?,
            high_padding: BitPadding::of(high)?,
        })
    }

    /// Whether an integer type has a sign.
    pub fn is_signed(self, datatype: Id) -> Option<bool> {
        // SAFETY: the host verifies the identifier.
        match unsafe { (self.0.functions().H5Tget_sign)(datatype.0) } {
            H5T_SGN_NONE => Some(false),
            H5T_SGN_2 => Some(true),
            _ => None,
        }
    }

    /// The fields of a floating-point type.
    pub fn float_fields(self, datatype: Id) -> Option<FloatFields> {
        let functions = self.0.functions();
        let mut numbers = [0_usize; 5];
        let [sign, exponent, exponent_size, mantissa, mantissa_size] = &mut numbers;
        // SAFETY: the host verifies the identifier; five valid out-pointers.
        let status = unsafe {
            (functions.H5Tget_fields)(datatype.0, sign, exponent, exponent_size, mantissa, mantissa_size)
        };
        let [sign, exponent, exponent_size, mantissa, mantissa_size] = numbers;
        if status < 0 {
            return None;
        }
        // SAFETY: the host verifies the identifier.
        let (bias, norm, padding) = unsafe {
            (
                (functions.H5Tget_ebias)(datatype.0),
                (functions.H5Tget_norm)(datatype.0),
                (functions.H5Tget_inpad)(datatype.0),
            )
        };
        let norm = match norm {
            H5T_NORM_IMPLIED => MantissaNorm::Implied,
            H5T_NORM_MSBSET => MantissaNorm::MsbSet,
            H5T_NORM_NONE => MantissaNorm::None,
            _ => return None,
        };
        Some(FloatFields {
            sign,
            exponent: (exponent, exponent_size),
            bias,
            mantissa: (mantissa, mantissa_size),
            norm,
            inner_padding: BitPadding::of(padding)?,
        })
    }

    /// Padding and character set (by its number) of a string type of fixed length.
    pub fn text_form(self, datatype: Id) -> Option<(TextPadding, i32)> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        let (padding, set) =
            unsafe { ((functions.H5Tget_strpad)(datatype.0), (functions.H5Tget_cset)(datatype.0)) };
        let padding = match padding {
            H5T_STR_NULLTERM => TextPadding::NullTerminated,
            H5T_STR_NULLPAD => TextPadding::NullPadded,
            H5T_STR_SPACEPAD => TextPadding::SpacePadded,
            _ => return None,
        };
        (set.0 >= 0).then_some((padding, set.0))
    }

    /// The tag of an opaque type.
    pub fn opaque_tag(self, datatype: Id) -> Option<Vec<u8>> {
        // SAFETY: the host verifies the identifier; the text is ours.
        unsafe { self.take_text((self.0.functions().H5Tget_tag)(datatype.0)) }
    }

    /// The type of an array's or complex number's parts, or the integer type of an enumeration.
    pub fn base_type(self, datatype: Id) -> Option<OwnedId> {
        // SAFETY: the host verifies the identifier; the answer is ours.
        OwnedId::take(self.0, unsafe { (self.0.functions().H5Tget_super)(datatype.0) })
    }

    /// The dimensions of an array type.
    pub fn array_dimensions(self, datatype: Id) -> Option<Vec<u64>> {
        let functions = self.0.functions();
        let mut dims = [0_u64; H5S_MAX_RANK];
        // SAFETY: the host verifies the identifier.
        let rank = usize::try_from(unsafe { (functions.H5Tget_array_ndims)(datatype.0) }).ok()?;
        if rank > dims.len() {
            return None;
        }
        // SAFETY: there is room for that many numbers.
        let told = unsafe { (functions.H5Tget_array_dims2)(datatype.0, dims.as_mut_ptr()) };
        (usize::try_from(told) == Ok(rank)).then(|| dims[..rank].to_vec())
    }

    /// Number of members of a compound type or an enumeration.
    pub fn member_count(self, datatype: Id) -> Option<u32> {
        // SAFETY: the host verifies the identifier.
        let count: c_int = unsafe { (self.0.functions().H5Tget_nmembers)(datatype.0) };
        u32::try_from(count).ok()
    }

    /// Name of a member.
    pub fn member_name(self, datatype: Id, index: c_uint) -> Option<Vec<u8>> {
        // SAFETY: the host verifies identifier and index; the text is ours.
        unsafe { self.take_text((self.0.functions().H5Tget_member_name)(datatype.0, index)) }
    }

    /// Where a member of a compound type begins; 0 also if HDF5 cannot tell.
    pub fn member_offset(self, datatype: Id, index: c_uint) -> usize {
        // SAFETY: the host verifies identifier and index.
        unsafe { (self.0.functions().H5Tget_member_offset)(datatype.0, index) }
    }

    /// Type of a member of a compound type.
    pub fn member_type(self, datatype: Id, index: c_uint) -> Option<OwnedId> {
        // SAFETY: the host verifies identifier and index; the answer is ours.
        OwnedId::take(self.0, unsafe { (self.0.functions().H5Tget_member_type)(datatype.0, index) })
    }

    /// Value of a member of an enumeration, as its bytes.
    pub fn member_value(self, datatype: Id, index: c_uint) -> Option<Vec<u8>> {
        let mut value = vec![0_u8; self.element_size(datatype)?];
        // SAFETY: the host verifies identifier and index and writes one element of the type.
        let status =
            unsafe { (self.0.functions().H5Tget_member_value)(datatype.0, index, value.as_mut_ptr().cast()) };
        (status >= 0).then_some(value)
    }

    /// Takes over a text that HDF5 has allocated.
    ///
    /// # Safety
    /// `text` is null or a text that the host gave to us.
    unsafe fn take_text(self, text: *mut c_char) -> Option<Vec<u8>> {
        if text.is_null() {
            return None;
        }
        // SAFETY: by the contract, a text that ends with NUL; the host allocated it and frees it.
        unsafe {
            let bytes = CStr::from_ptr(text).to_bytes().to_vec();
            (self.0.functions().H5free_memory)(text.cast());
            Some(bytes)
        }
    }
}
