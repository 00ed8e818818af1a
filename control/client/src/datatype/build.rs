//! Makes a datatype from a [`Description`].

use core::ffi::c_uint;

use h5_abi::{H5T_COMPOUND, H5T_OPAQUE, H5T_SGN_2, H5T_SGN_NONE, H5T_VARIABLE, H5T_cset_t, H5T_str_t};

use super::Datatype;
use super::description::{Bits, Class, Description, Float};
use crate::failure::{Failure, Result};
use crate::session::Session;

impl Datatype {
    /// Makes a datatype.
    pub fn build(session: &Session, description: &Description) -> Result<Self> {
        let size = description.size;
        let copy = |name| Self::predefined(session, name).and_then(|datatype| datatype.copy());
        let made = match &description.class {
            Class::Integer { bits, signed } => {
                let made = copy("STD_I64LE")?;
                made.set_bits(size, *bits)?;
                let sign = if *signed { H5T_SGN_2 } else { H5T_SGN_NONE };
                // SAFETY: our own identifier.
                unsafe { call!(session, H5Tset_sign(made.id(), sign)) }?;
                made
            }
            Class::Bitfield(bits) => {
                let made = copy("STD_B64LE")?;
                made.set_bits(size, *bits)?;
                made
            }
            Class::Float(float) => {
                let made = copy("IEEE_F64LE")?;
                made.set_float(size, *float)?;
                made
            }
            Class::String { padding, character_set } => {
                let made = copy("C_S1")?;
                made.set_string(size, *padding, *character_set)?;
                made
            }
            Class::VariableString { padding, character_set } => {
                let made = copy("C_S1")?;
                made.set_string(H5T_VARIABLE, *padding, *character_set)?;
                made
            }
            Class::Opaque { tag } => {
                // SAFETY: a class and a size.
                let made = Self::of_id(session, unsafe { call!(session, H5Tcreate(H5T_OPAQUE, size)) }?)?;
                // SAFETY: our own identifier and a C string.
                unsafe { call!(session, H5Tset_tag(made.id(), tag.as_ptr())) }?;
                made
            }
            Class::Compound(members) => {
                // SAFETY: a class and a size.
                let made = Self::of_id(session, unsafe { call!(session, H5Tcreate(H5T_COMPOUND, size)) }?)?;
                for member in members {
                    let part = Self::build(session, &member.datatype)?;
                    // SAFETY: our own identifiers and a C string; HDF5 verifies the offset.
                    unsafe {
                        call!(session, H5Tinsert(made.id(), member.name.as_ptr(), member.offset, part.id()))
                    }?;
                }
                made
            }
            Class::ObjectReference => copy("STD_REF_OBJ")?,
            Class::RegionReference => copy("STD_REF_DSETREG")?,
            Class::Reference => copy("STD_REF")?,
            Class::Enum { base, members } => {
                let base = Self::build(session, base)?;
                // SAFETY: our own identifier.
                let made = Self::of_id(session, unsafe { call!(session, H5Tenum_create(base.id())) }?)?;
                for (name, value) in members {
                    if value.len() != size || size != base.size()? {
                        return Err(Failure::refused("a value that does not have the size of its type"));
                    }
                    // SAFETY: our own identifier, a C string, and a value of the base type.
                    unsafe {
                        call!(session, H5Tenum_insert(made.id(), name.as_ptr(), value.as_ptr().cast()))
                    }?;
                }
                made
            }
            Class::VariableLength(base) => {
                let base = Self::build(session, base)?;
                // SAFETY: our own identifier.
                Self::of_id(session, unsafe { call!(session, H5Tvlen_create(base.id())) }?)?
            }
            Class::Array { dimensions, element } => {
                let element = Self::build(session, element)?;
                let rank = c_uint::try_from(dimensions.len())
                    .map_err(|_| Failure::refused("too many dimensions"))?;
                // SAFETY: our own identifier, and as many lengths as dimensions.
                let id =
                    unsafe { call!(session, H5Tarray_create2(element.id(), rank, dimensions.as_ptr())) }?;
                Self::of_id(session, id)?
            }
            Class::Complex(base) => {
                let base = Self::build(session, base)?;
                // SAFETY: our own identifier.
                Self::of_id(session, unsafe { call!(session, H5Tcomplex_create(base.id())) }?)?
            }
            class @ (Class::Time(_) | Class::Unknown(_)) => {
                return Err(Failure::refused(format!("a datatype {class:?} cannot be made")));
            }
        };
        match made.size()? {
            found if found == size => Ok(made),
            found => Err(Failure::refused(format!("{description:?} has {found} bytes, not {size}"))),
        }
    }

    /// Gives a number its size and the place of its bits.
    fn set_bits(&self, size: usize, bits: Bits) -> Result<()> {
        let (session, id) = (self.session(), self.id());
        // SAFETY: our own identifier.
        unsafe {
            call!(session, H5Tset_size(id, size))?;
            call!(session, H5Tset_precision(id, bits.precision))?;
            call!(session, H5Tset_offset(id, bits.offset))?;
            call!(session, H5Tset_pad(id, bits.low_pad, bits.high_pad))?;
            call!(session, H5Tset_order(id, bits.order))?;
        }
        Ok(())
    }

    /// Gives a floating-point type its fields. It is made large enough for any first, and small in the end.
    fn set_float(&self, size: usize, float: Float) -> Result<()> {
        let (session, id) = (self.session(), self.id());
        let Float { bits, sign, exponent, bias, mantissa, normalization, inner_pad } = float;
        // SAFETY: our own identifier.
        unsafe {
            call!(session, H5Tset_size(id, 32))?;
            call!(session, H5Tset_precision(id, 256))?;
            call!(session, H5Tset_fields(id, sign, exponent.0, exponent.1, mantissa.0, mantissa.1))?;
            call!(session, H5Tset_ebias(id, bias))?;
            call!(session, H5Tset_norm(id, normalization))?;
            call!(session, H5Tset_inpad(id, inner_pad))?;
            call!(session, H5Tset_precision(id, bits.precision))?;
        }
        self.set_bits(size, bits)
    }

    fn set_string(&self, size: usize, padding: H5T_str_t, character_set: H5T_cset_t) -> Result<()> {
        let (session, id) = (self.session(), self.id());
        // SAFETY: our own identifier.
        unsafe {
            call!(session, H5Tset_size(id, size))?;
            call!(session, H5Tset_strpad(id, padding))?;
            call!(session, H5Tset_cset(id, character_set))?;
        }
        Ok(())
    }
}
