//! From HDF5's datatypes to descriptions that conversions are made from.

use convert::{
    Bits, Class, Datatype, Float, Integer, LATER_REFERENCE, Member, Normalization, Order, Pad, StringPadding,
    Variable, VariableForm,
};
use h5_host::{
    BitLayout, BitPadding, ByteOrder, Id, MantissaNorm, OwnedId, Questions, TextPadding, TypeClass,
};

/// How deep types may be nested. Files can nest them as deep as they like; beyond this, native HDF5 does it.
const DEEPEST: usize = 32;

/// All about a datatype; `None` if its elements cannot be converted by their bytes alone, or HDF5 cannot tell.
pub fn describe(questions: Questions, datatype: Id) -> Option<Datatype> {
    Describing { questions, with_variable: false, with_references: false }.datatype(datatype, DEEPEST)
}

/// The same for types that may have variable-length parts, as they are in memory.
pub fn describe_variable(questions: Questions, datatype: Id) -> Option<Datatype> {
    Describing { questions, with_variable: true, with_references: false }.datatype(datatype, DEEPEST)
}

/// The same for types that may also have references of HDF5 1.12, which are stored in another form than in memory.
pub fn describe_indirect(questions: Questions, datatype: Id) -> Option<Datatype> {
    Describing { questions, with_variable: true, with_references: true }.datatype(datatype, DEEPEST)
}

/// `H5T_REFERENCE`, the class number that stands for references.
const REFERENCE: i32 = 7;

/// `H5T_TIME`.
const TIME: i32 = 2;

/// `H5T_VLEN`.
const SEQUENCE: i32 = 9;

/// Bytes of a pointer, and of a number with a pointer, as the application has them.
const POINTER: usize = 8;

/// Tags of the points in time that HDF5 has types for (`H5T_UNIX_D32LE` and others).
pub const TIME_LITTLE: &str = "\0time little";
/// The same, with the highest byte first.
pub const TIME_BIG: &str = "\0time big";

#[derive(Clone, Copy)]
struct Describing {
    questions: Questions,
    /// Whether variable-length parts are described, too.
    with_variable: bool,
    /// Whether references of HDF5 1.12 are.
    with_references: bool,
}

impl Describing {
    /// The type of an identifier, `depth` levels deep at most.
    fn datatype(self, id: Id, depth: usize) -> Option<Datatype> {
        let size = self.questions.element_size(id)?;
        let class = match self.questions.type_class(id)? {
            TypeClass::Integer => {
                Class::Integer(Integer { bits: self.bits(id)?, signed: self.questions.is_signed(id)? })
            }
            TypeClass::Float => Class::Float(self.float(id)?),
            TypeClass::Bitfield => Class::Bitfield(self.bits(id)?),
            TypeClass::Complex => Class::Complex(self.base(id, depth)?),
            TypeClass::Enum => Class::Enum { base: self.base(id, depth)?, members: self.values(id)? },
            TypeClass::FixedString => self.string(id, size)?,
            TypeClass::Opaque => Class::Opaque(text(self.questions.opaque_tag(id)?)?),
            TypeClass::Array => {
                Class::Array { dims: self.questions.array_dimensions(id)?, element: self.base(id, depth)? }
            }
            TypeClass::Compound => Class::Compound(self.members(id, depth)?),
            // The kinds of HDF5 1.8, which their sizes tell apart.
            TypeClass::Reference if matches!(size, 8 | 12) => Class::Other(REFERENCE),
            TypeClass::Reference if self.with_references && size == LATER_REFERENCE => {
                Class::Other(REFERENCE)
            }
            TypeClass::VariableString if self.with_variable && size == POINTER => self.variable_string(id)?,
            TypeClass::Other(SEQUENCE) if self.with_variable && size == 2 * POINTER => {
                let element = *self.base(id, depth)?;
                Class::Variable(Box::new(Variable { form: VariableForm::Sequence, element }))
            }
            TypeClass::Other(TIME) => Class::Opaque(self.time(id, size)?),
            _ => return None,
        };
        Some(Datatype { size, class })
    }

    /// A tag for points in time. Nobody converts them, but they can be copied. No tag of an opaque type has a zero in it.
    fn time(self, id: Id, size: usize) -> Option<String> {
        let layout = self.questions.bit_layout(id)?;
        let usual = BitLayout { order: layout.order, ..plain(size)? };
        Some(match layout.order {
            ByteOrder::Little if layout == usual => TIME_LITTLE.to_owned(),
            ByteOrder::Big if layout == usual => TIME_BIG.to_owned(),
            _ => format!("\0time {layout:?}"),
        })
    }

    /// A type inside another.
    fn part(self, id: &OwnedId, depth: usize) -> Option<Datatype> {
        self.datatype(id.id(), depth.checked_sub(1)?)
    }

    fn base(self, id: Id, depth: usize) -> Option<Box<Datatype>> {
        self.part(&self.questions.base_type(id)?, depth).map(Box::new)
    }

    fn bits(self, id: Id) -> Option<Bits> {
        let BitLayout { order, precision, offset, low_padding, high_padding } =
            self.questions.bit_layout(id)?;
        let order = match order {
            ByteOrder::Little => Order::Little,
            ByteOrder::Big => Order::Big,
            ByteOrder::Vax => Order::Vax,
            ByteOrder::None => return None,
        };
        Some(Bits { order, precision, offset, low_pad: pad(low_padding), high_pad: pad(high_padding) })
    }

    fn float(self, id: Id) -> Option<Float> {
        let fields = self.questions.float_fields(id)?;
        Some(Float {
            bits: self.bits(id)?,
            sign: fields.sign,
            exponent: fields.exponent,
            bias: u64::try_from(fields.bias).ok()?,
            mantissa: fields.mantissa,
            normalization: match fields.norm {
                MantissaNorm::Implied => Normalization::Implied,
                MantissaNorm::MsbSet => Normalization::MsbSet,
                MantissaNorm::None => Normalization::None,
            },
            inner_pad: pad(fields.inner_padding),
        })
    }

    fn string(self, id: Id, size: usize) -> Option<Class> {
        let (padding, character_set) = self.questions.text_form(id)?;
        let padding = match padding {
            TextPadding::NullTerminated => StringPadding::NullTerminated,
            TextPadding::NullPadded => StringPadding::NullPadded,
            TextPadding::SpacePadded => StringPadding::SpacePadded,
        };
        // An application can give a string the attributes of a number, and HDF5 compares them.
        (self.questions.bit_layout(id)? == plain(size)?).then_some(Class::String { padding, character_set })
    }

    /// Its elements are bytes, whatever the characters are.
    fn variable_string(self, id: Id) -> Option<Class> {
        let (_, character_set) = self.questions.text_form(id)?;
        let element = Datatype { size: 1, class: Class::Opaque(String::new()) };
        Some(Class::Variable(Box::new(Variable { form: VariableForm::Text { character_set }, element })))
    }

    fn values(self, id: Id) -> Option<Vec<(String, Vec<u8>)>> {
        let questions = self.questions;
        (0..questions.member_count(id)?)
            .map(|index| Some((text(questions.member_name(id, index)?)?, questions.member_value(id, index)?)))
            .collect()
    }

    fn members(self, id: Id, depth: usize) -> Option<Vec<Member>> {
        let questions = self.questions;
        (0..questions.member_count(id)?)
            .map(|index| {
                Some(Member {
                    name: text(questions.member_name(id, index)?)?,
                    offset: questions.member_offset(id, index),
                    datatype: self.part(&questions.member_type(id, index)?, depth)?,
                })
            })
            .collect()
    }
}

/// All bits, in no order.
fn plain(size: usize) -> Option<BitLayout> {
    Some(BitLayout {
        order: ByteOrder::None,
        precision: size.checked_mul(8)?,
        offset: 0,
        low_padding: BitPadding::Zero,
        high_padding: BitPadding::Zero,
    })
}

fn pad(padding: BitPadding) -> Pad {
    match padding {
        BitPadding::Zero => Pad::Zero,
        BitPadding::One => Pad::One,
        BitPadding::Background => Pad::Background,
    }
}

/// A name as text. Names are compared byte by byte, so there is no making do with something similar.
fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}
