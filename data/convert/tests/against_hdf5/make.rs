//! Makes HDF5 datatypes from descriptions.

use core::ffi::c_int;
use std::ffi::CString;

use convert::{Bits, Class, Datatype, Float, Normalization, Order, Pad, StringPadding};

use crate::hdf5::{Hid, Session, Type};

/// Class numbers of HDF5's.
const OPAQUE: c_int = 5;
const COMPOUND: c_int = 6;

/// Makes a datatype; `None` if this version of HDF5 has none of this kind.
pub(crate) fn make<'s>(session: &'s Session<'_>, datatype: &Datatype) -> Option<Type<'s>> {
    let api = &session.api;
    let copy = |id: Hid| {
        // SAFETY: the library verifies the identifier.
        Type::take(session, unsafe { (api.H5Tcopy)(id) })
    };
    let done = |status: c_int| assert!(status >= 0, "{}: cannot make {datatype:?}", session.host);
    let made = match &datatype.class {
        Class::Integer(integer) => {
            let made = copy(api.H5T_STD_I64LE_g());
            bits(session, made.id, datatype.size, integer.bits);
            // SAFETY: the library verifies the identifier.
            done(unsafe { (api.H5Tset_sign)(made.id, c_int::from(integer.signed)) });
            made
        }
        Class::Bitfield(all) => {
            let made = copy(api.H5T_STD_B64LE_g());
            bits(session, made.id, datatype.size, *all);
            made
        }
        Class::Float(fields) => {
            let made = copy(api.H5T_IEEE_F64LE_g());
            float(session, made.id, datatype.size, *fields);
            made
        }
        Class::Complex(base) => {
            let base = make(session, base)?;
            let create = api.H5Tcomplex_create?;
            // SAFETY: the library verifies the identifier.
            Type::take(session, unsafe { create(base.id) })
        }
        Class::Enum { base, members } => {
            let base = make(session, base)?;
            // SAFETY: the library verifies the identifier.
            let made = Type::take(session, unsafe { (api.H5Tenum_create)(base.id) });
            for (name, value) in members {
                assert_eq!(value.len(), datatype.size, "a value of the base type");
                let name = c_string(name);
                // SAFETY: the value has the size of the base type.
                done(unsafe { (api.H5Tenum_insert)(made.id, name.as_ptr(), value.as_ptr().cast()) });
            }
            made
        }
        Class::String { padding, character_set } => {
            let made = copy(api.H5T_C_S1_g());
            let padding = match padding {
                StringPadding::NullTerminated => 0,
                StringPadding::NullPadded => 1,
                StringPadding::SpacePadded => 2,
            };
            // SAFETY: the library verifies the identifier.
            unsafe {
                done((api.H5Tset_size)(made.id, datatype.size));
                done((api.H5Tset_strpad)(made.id, padding));
                done((api.H5Tset_cset)(made.id, *character_set));
            }
            made
        }
        Class::Opaque(tag) => {
            // SAFETY: no pointers; then a text that ends with NUL.
            unsafe {
                let made = Type::take(session, (api.H5Tcreate)(OPAQUE, datatype.size));
                done((api.H5Tset_tag)(made.id, c_string(tag).as_ptr()));
                made
            }
        }
        Class::Array { dims, element } => {
            let element = make(session, element)?;
            let rank = u32::try_from(dims.len()).expect("few dimensions");
            // SAFETY: as many dimensions as the rank says.
            Type::take(session, unsafe { (api.H5Tarray_create2)(element.id, rank, dims.as_ptr()) })
        }
        Class::Compound(members) => {
            // SAFETY: no pointers.
            let made = Type::take(session, unsafe { (api.H5Tcreate)(COMPOUND, datatype.size) });
            for member in members {
                let part = make(session, &member.datatype)?;
                let name = c_string(&member.name);
                // SAFETY: the library verifies the identifiers.
                done(unsafe { (api.H5Tinsert)(made.id, name.as_ptr(), member.offset, part.id) });
            }
            made
        }
        Class::Other(_) if datatype.size == 8 => copy(api.H5T_STD_REF_OBJ_g()),
        Class::Other(_) if datatype.size == 12 => copy(api.H5T_STD_REF_DSETREG_g()),
        other => panic!("no way to make {other:?}"),
    };
    // SAFETY: the library verifies the identifier.
    assert_eq!(unsafe { (api.H5Tget_size)(made.id) }, datatype.size, "{datatype:?}");
    Some(made)
}

/// Gives an atomic type its size and the place of its bits.
fn bits(session: &Session<'_>, id: Hid, size: usize, bits: Bits) {
    let api = &session.api;
    // SAFETY: the library verifies the identifier.
    let failed = unsafe {
        (api.H5Tset_size)(id, size) < 0
            || (api.H5Tset_precision)(id, bits.precision) < 0
            || (api.H5Tset_offset)(id, bits.offset) < 0
            || (api.H5Tset_pad)(id, pad(bits.low_pad), pad(bits.high_pad)) < 0
            || (api.H5Tset_order)(id, order(bits.order)) < 0
            || (api.H5Tget_precision)(id) != bits.precision
    };
    assert!(!failed, "{}: cannot make {bits:?}", session.host);
}

/// Gives a floating-point type its fields: the type is made large enough for any first.
fn float(session: &Session<'_>, id: Hid, size: usize, float: Float) {
    let api = &session.api;
    let (exponent, exponent_size) = float.exponent;
    let (mantissa, mantissa_size) = float.mantissa;
    let norm = match float.normalization {
        Normalization::Implied => 0,
        Normalization::MsbSet => 1,
        Normalization::None => 2,
    };
    let bias = usize::try_from(float.bias).expect("a small bias");
    // SAFETY: the library verifies the identifier.
    let failed = unsafe {
        (api.H5Tset_size)(id, 32) < 0
            || (api.H5Tset_precision)(id, 256) < 0
            || (api.H5Tset_fields)(id, float.sign, exponent, exponent_size, mantissa, mantissa_size) < 0
            || (api.H5Tset_ebias)(id, bias) < 0
            || (api.H5Tset_norm)(id, norm) < 0
            || (api.H5Tset_inpad)(id, pad(float.inner_pad)) < 0
            || (api.H5Tset_precision)(id, float.bits.precision) < 0
    };
    assert!(!failed, "{}: cannot make {float:?}", session.host);
    bits(session, id, size, float.bits);
}

fn order(order: Order) -> c_int {
    match order {
        Order::Little => 0,
        Order::Big => 1,
        Order::Vax => 2,
    }
}

fn pad(pad: Pad) -> c_int {
    match pad {
        Pad::Zero => 0,
        Pad::One => 1,
        Pad::Background => 2,
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text).expect("names in tests have no NUL")
}
