//! Between HDF5's datatypes and Zarr's.

use convert::{Class, Datatype, Member, Order as Bytes, StringPadding};
use zarr::{DataType, Field, Order, StructSpelling};

use crate::type_words::{float_type, ieee, integer, text_class};

/// Zarr's name for a datatype, and the order of its bytes. Elements are the same bytes in both. What Zarr has no name for is
/// bytes without meaning there.
pub(crate) fn to_zarr(datatype: &Datatype, structs: StructSpelling) -> (DataType, Order) {
    let mut order = None;
    match named(datatype, structs, &mut order) {
        Some(named) => (named, order.unwrap_or(Order::Little)),
        None => (raw(datatype.size, structs), Order::Little),
    }
}

/// Bytes without meaning.
fn raw(size: usize, structs: StructSpelling) -> DataType {
    match structs {
        StructSpelling::Struct => DataType::Raw(size as u64),
        // Who wants names that zarr-python 3.1 reads wants this one, too.
        StructSpelling::Structured => DataType::RawBytes(size as u64),
    }
}

/// Zarr's name, if it has one for all parts and they have one order.
fn named(datatype: &Datatype, structs: StructSpelling, order: &mut Option<Order>) -> Option<DataType> {
    let size = u8::try_from(datatype.size).ok();
    let mut agree = |bytes: Bytes| {
        if datatype.size == 1 {
            return Some(());
        }
        let this = match bytes {
            Bytes::Little => Order::Little,
            Bytes::Big => Order::Big,
            Bytes::Vax => return None,
        };
        (*order.get_or_insert(this) == this).then_some(())
    };
    match &datatype.class {
        Class::Integer(number) if *datatype == integer(datatype.size, number.signed, number.bits.order) => {
            agree(number.bits.order)?;
            let size = size.filter(|size| [1, 2, 4, 8].contains(size))?;
            Some(if number.signed { DataType::Int(size) } else { DataType::UInt(size) })
        }
        Class::Float(float) if ieee(datatype.size, float.bits.order).as_ref() == Some(float) => {
            agree(float.bits.order)?;
            size.map(DataType::Float)
        }
        Class::Bitfield(bits) if bits.precision == 8 * datatype.size => {
            agree(bits.order)?;
            size.filter(|size| [1, 2, 4, 8].contains(size)).map(DataType::UInt)
        }
        Class::Enum { .. } if is_bool(datatype) => Some(DataType::Bool),
        Class::Enum { base, .. } => named(base, structs, order),
        Class::Complex(base) => match named(base, structs, order)? {
            DataType::Float(size @ (4 | 8)) => Some(DataType::Complex(2 * size)),
            _ => None,
        },
        Class::String { .. } => Some(DataType::NullTerminatedBytes(datatype.size as u64)),
        Class::Compound(members) => {
            if let Some(part) = complex_part(datatype) {
                return match named(&part, structs, order)? {
                    DataType::Float(size @ (4 | 8)) => Some(DataType::Complex(2 * size)),
                    _ => None,
                };
            }
            let mut end = 0;
            let mut fields = Vec::new();
            for member in members {
                if member.offset != end {
                    return None;
                }
                end += member.datatype.size;
                let mut own = None;
                // What has no name is bytes, inside a structure, too.
                let part = match named(&member.datatype, structs, &mut own) {
                    Some(named) => named,
                    None => raw(member.datatype.size, structs),
                };
                if let Some(own) = own
                    && *order.get_or_insert(own) != own
                {
                    return None;
                }
                fields.push(Field { name: member.name.clone(), data_type: part });
            }
            (end == datatype.size).then_some(DataType::Struct { fields, spelling: structs })
        }
        _ => None,
    }
}

/// Whether it is h5py's kind of truth.
fn is_bool(datatype: &Datatype) -> bool {
    let Class::Enum { members, .. } = &datatype.class else { return false };
    let mut members = members.clone();
    members.sort();
    datatype.size == 1 && members == [("FALSE".to_owned(), vec![0]), ("TRUE".to_owned(), vec![1])]
}

/// The part of a complex number as h5py stores it.
fn complex_part(datatype: &Datatype) -> Option<Datatype> {
    let Class::Compound(members) = &datatype.class else { return None };
    let [real, imaginary] = members.as_slice() else { return None };
    let is_complex = real.name == "r"
        && imaginary.name == "i"
        && real.offset == 0
        && imaginary.offset == real.datatype.size
        && real.datatype == imaginary.datatype
        && 2 * real.datatype.size == datatype.size;
    is_complex.then(|| real.datatype.clone())
}

/// The datatype of an array that knows nothing of HDF5; `None` if HDF5 has none whose elements are the same bytes.
pub(crate) fn from_zarr(data_type: &DataType, order: Order) -> Option<Datatype> {
    let bytes = match order {
        Order::Little => Bytes::Little,
        Order::Big => Bytes::Big,
    };
    let of_size = |size: &u64| usize::try_from(*size).ok().filter(|size| *size > 0);
    Some(match data_type {
        DataType::Bool => Datatype {
            size: 1,
            class: Class::Enum {
                base: Box::new(integer(1, true, Bytes::Little)),
                members: vec![("FALSE".to_owned(), vec![0]), ("TRUE".to_owned(), vec![1])],
            },
        },
        DataType::Int(size) => integer(usize::from(*size), true, bytes),
        DataType::UInt(size) => integer(usize::from(*size), false, bytes),
        DataType::Float(size) => float_type(usize::from(*size), bytes)?,
        DataType::Complex(size) => {
            let part = float_type(usize::from(*size) / 2, bytes)?;
            let member =
                |name: &str, offset| Member { name: name.to_owned(), offset, datatype: part.clone() };
            let members = vec![member("r", 0), member("i", part.size)];
            Datatype { size: 2 * part.size, class: Class::Compound(members) }
        }
        DataType::Time { .. } => integer(8, true, bytes),
        DataType::NullTerminatedBytes(size) => Datatype {
            size: of_size(size)?,
            class: Class::String { padding: StringPadding::NullPadded, character_set: 0 },
        },
        DataType::Raw(size) | DataType::RawBytes(size) => {
            Datatype { size: of_size(size)?, class: Class::Opaque(String::new()) }
        }
        DataType::FixedLengthUtf32(size) => {
            Datatype { size: of_size(size)?, class: Class::Opaque("UTF-32".to_owned()) }
        }
        DataType::BFloat16 => Datatype { size: 2, class: Class::Opaque("bfloat16".to_owned()) },
        DataType::Struct { fields, .. } => {
            let (mut members, mut offset) = (Vec::new(), 0);
            for field in fields {
                let part = from_zarr(&field.data_type, order)?;
                let size = part.size;
                members.push(Member { name: field.name.clone(), offset, datatype: part });
                offset += size;
            }
            Datatype { size: offset, class: Class::Compound(members) }
        }
        DataType::String => Datatype { size: 8, class: text_class(1) },
        DataType::Bytes(_) => Datatype {
            size: 16,
            class: Class::Variable(Box::new(convert::Variable {
                form: convert::VariableForm::Sequence,
                element: integer(1, false, Bytes::Little),
            })),
        },
        _ => return None,
    })
}
