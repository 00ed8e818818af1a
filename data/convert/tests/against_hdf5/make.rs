//! Makes HDF5 datatypes from descriptions.

use std::ffi::CString;

use convert::{Bits, Class, Datatype, Normalization, Order, Pad, StringPadding};
use h5_abi::{
    H5T_NORM_IMPLIED, H5T_NORM_MSBSET, H5T_NORM_NONE, H5T_ORDER_BE, H5T_ORDER_LE, H5T_ORDER_VAX,
    H5T_PAD_BACKGROUND, H5T_PAD_ONE, H5T_PAD_ZERO, H5T_STR_NULLPAD, H5T_STR_NULLTERM, H5T_STR_SPACEPAD,
    H5T_cset_t, H5T_pad_t,
};
use h5_client::{self as client, Description, Failure};

use crate::hdf5::Session;

/// Makes a datatype; `None` if this version of HDF5 has none of this kind.
pub(crate) fn make(session: &Session, datatype: &Datatype) -> Option<client::Datatype> {
    match client::Datatype::build(&session.h5, &describe(datatype)) {
        Ok(made) => Some(made),
        Err(failure) if failure.message.starts_with(Failure::LACKS) => None,
        Err(failure) => panic!("{}: cannot make {datatype:?}: {failure}", session.host),
    }
}

/// The same in the words of the client.
fn describe(datatype: &Datatype) -> Description {
    let boxed = |datatype: &Datatype| Box::new(describe(datatype));
    let class = match &datatype.class {
        Class::Integer(integer) => {
            client::Class::Integer { bits: bits(integer.bits), signed: integer.signed }
        }
        Class::Bitfield(all) => client::Class::Bitfield(bits(*all)),
        Class::Float(float) => client::Class::Float(client::Float {
            bits: bits(float.bits),
            sign: float.sign,
            exponent: float.exponent,
            bias: usize::try_from(float.bias).expect("a small bias"),
            mantissa: float.mantissa,
            normalization: match float.normalization {
                Normalization::Implied => H5T_NORM_IMPLIED,
                Normalization::MsbSet => H5T_NORM_MSBSET,
                Normalization::None => H5T_NORM_NONE,
            },
            inner_pad: pad(float.inner_pad),
        }),
        Class::Complex(base) => client::Class::Complex(boxed(base)),
        Class::Enum { base, members } => client::Class::Enum {
            base: boxed(base),
            members: members.iter().map(|(name, value)| (c_string(name), value.clone())).collect(),
        },
        Class::String { padding, character_set } => client::Class::String {
            padding: match padding {
                StringPadding::NullTerminated => H5T_STR_NULLTERM,
                StringPadding::NullPadded => H5T_STR_NULLPAD,
                StringPadding::SpacePadded => H5T_STR_SPACEPAD,
            },
            character_set: H5T_cset_t(*character_set),
        },
        Class::Opaque(tag) => client::Class::Opaque { tag: c_string(tag) },
        Class::Array { dims, element } => {
            client::Class::Array { dimensions: dims.clone(), element: boxed(element) }
        }
        Class::Compound(members) => client::Class::Compound(
            members
                .iter()
                .map(|member| client::Member {
                    name: c_string(&member.name),
                    offset: member.offset,
                    datatype: describe(&member.datatype),
                })
                .collect(),
        ),
        Class::Other(_) if datatype.size == 8 => client::Class::ObjectReference,
        Class::Other(_) if datatype.size == 12 => client::Class::RegionReference,
        other => panic!("no way to make {other:?}"),
    };
    Description { size: datatype.size, class }
}

fn bits(bits: Bits) -> client::Bits {
    let Bits { order, precision, offset, low_pad, high_pad } = bits;
    let order = match order {
        Order::Little => H5T_ORDER_LE,
        Order::Big => H5T_ORDER_BE,
        Order::Vax => H5T_ORDER_VAX,
    };
    client::Bits { order, precision, offset, low_pad: pad(low_pad), high_pad: pad(high_pad) }
}

fn pad(pad: Pad) -> H5T_pad_t {
    match pad {
        Pad::Zero => H5T_PAD_ZERO,
        Pad::One => H5T_PAD_ONE,
        Pad::Background => H5T_PAD_BACKGROUND,
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("names in tests have no NUL")
}
