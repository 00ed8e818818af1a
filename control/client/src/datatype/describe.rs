//! Reads a datatype into a [`Description`].

use core::ffi::c_uint;
use core::ptr;
use std::ffi::CString;

use h5_abi::{
    H5S_MAX_RANK, H5T_ARRAY, H5T_BITFIELD, H5T_COMPLEX, H5T_COMPOUND, H5T_ENUM, H5T_FLOAT, H5T_INTEGER,
    H5T_OPAQUE, H5T_PAD_ERROR, H5T_REFERENCE, H5T_SGN_NONE, H5T_STRING, H5T_TIME, H5T_VLEN, hid_t,
};

use super::Datatype;
use super::description::{Bits, Class, Description, Float, Member};
use crate::failure::{Failure, Result};

/// Datatypes in datatypes, at most. HDF5's own files hold far fewer; a damaged one must not exhaust the stack.
const MAX_DEPTH: usize = 64;

impl Datatype {
    /// What it is.
    pub fn describe(&self) -> Result<Description> {
        self.describe_at(0)
    }

    fn describe_at(&self, depth: usize) -> Result<Description> {
        if depth > MAX_DEPTH {
            return Err(Failure::refused("a datatype is nested too deeply"));
        }
        let (session, id, size) = (self.session(), self.id(), self.size()?);
        let base = || -> Result<_> {
            // SAFETY: our own identifier.
            let base = Self::of_id(session, unsafe { call!(session, H5Tget_super(id)) }?)?;
            base.describe_at(depth + 1).map(Box::new)
        };
        let class = match self.class()? {
            H5T_INTEGER => Class::Integer {
                bits: self.bits()?,
                // SAFETY: our own identifier.
                signed: unsafe { call!(session, H5Tget_sign(id)) }? != H5T_SGN_NONE,
            },
            H5T_FLOAT => Class::Float(self.float()?),
            H5T_TIME => Class::Time(self.bits()?),
            H5T_STRING => self.string()?,
            H5T_BITFIELD => Class::Bitfield(self.bits()?),
            H5T_OPAQUE => Class::Opaque { tag: self.tag()? },
            H5T_COMPOUND => Class::Compound(self.members(depth)?),
            H5T_REFERENCE => self.reference()?,
            H5T_ENUM => Class::Enum { base: base()?, members: self.values(size)? },
            H5T_VLEN => Class::VariableLength(base()?),
            H5T_ARRAY => Class::Array { dimensions: self.array_dimensions()?, element: base()? },
            H5T_COMPLEX => Class::Complex(base()?),
            class => Class::Unknown(class.0),
        };
        Ok(Description { size, class })
    }

    fn bits(&self) -> Result<Bits> {
        let (session, id) = (self.session(), self.id());
        let (mut low_pad, mut high_pad) = (H5T_PAD_ERROR, H5T_PAD_ERROR);
        // SAFETY: our own identifier, and places for two values.
        let (order, offset) = unsafe {
            call!(session, H5Tget_pad(id, &raw mut low_pad, &raw mut high_pad))?;
            (call!(session, H5Tget_order(id))?, call!(session, H5Tget_offset(id))?)
        };
        // SAFETY: our own identifier.
        let precision = match unsafe { (session.functions().H5Tget_precision()?)(id) } {
            0 => return Err(session.failure("H5Tget_precision")),
            precision => precision,
        };
        Ok(Bits { order, precision, offset: usize::try_from(offset).unwrap_or(0), low_pad, high_pad })
    }

    fn float(&self) -> Result<Float> {
        let (session, id) = (self.session(), self.id());
        let (mut sign, mut exponent, mut mantissa) = (0, (0, 0), (0, 0));
        // SAFETY: our own identifier, and places for five numbers.
        let (normalization, inner_pad) = unsafe {
            call!(
                session,
                H5Tget_fields(
                    id,
                    &raw mut sign,
                    &raw mut exponent.0,
                    &raw mut exponent.1,
                    &raw mut mantissa.0,
                    &raw mut mantissa.1,
                )
            )?;
            (call!(session, H5Tget_norm(id))?, call!(session, H5Tget_inpad(id))?)
        };
        // SAFETY: our own identifier. A bias of 0 is possible, and so is no failure.
        let bias = unsafe { (session.functions().H5Tget_ebias()?)(id) };
        Ok(Float { bits: self.bits()?, sign, exponent, bias, mantissa, normalization, inner_pad })
    }

    fn string(&self) -> Result<Class> {
        let (session, id) = (self.session(), self.id());
        // SAFETY: our own identifier.
        let (padding, character_set) =
            unsafe { (call!(session, H5Tget_strpad(id))?, call!(session, H5Tget_cset(id))?) };
        Ok(if self.is_variable_string()? {
            Class::VariableString { padding, character_set }
        } else {
            Class::String { padding, character_set }
        })
    }

    fn tag(&self) -> Result<CString> {
        let session = self.session();
        // SAFETY: our own identifier.
        let tag = unsafe { (session.functions().H5Tget_tag()?)(self.id()) };
        // SAFETY: a text that HDF5 has allocated for us, or null.
        unsafe { session.take_text(tag) }?.ok_or_else(|| session.failure("H5Tget_tag"))
    }

    fn reference(&self) -> Result<Class> {
        let is = |name| Self::predefined(self.session(), name).and_then(|kind| self.equals(&kind));
        Ok(if is("STD_REF_OBJ")? {
            Class::ObjectReference
        } else if is("STD_REF_DSETREG")? {
            Class::RegionReference
        } else {
            Class::Reference
        })
    }

    fn member_count(&self) -> Result<c_uint> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Tget_nmembers(self.id())) }?.unsigned_abs())
    }

    fn member_name(&self, number: c_uint) -> Result<CString> {
        let session = self.session();
        // SAFETY: our own identifier; HDF5 verifies the number.
        let name = unsafe { (session.functions().H5Tget_member_name()?)(self.id(), number) };
        // SAFETY: a text that HDF5 has allocated for us, or null.
        unsafe { session.take_text(name) }?.ok_or_else(|| session.failure("H5Tget_member_name"))
    }

    fn members(&self, depth: usize) -> Result<Vec<Member>> {
        let (session, id): (_, hid_t) = (self.session(), self.id());
        let member = |number| {
            // SAFETY: our own identifier; HDF5 verifies the number.
            let datatype = unsafe { call!(session, H5Tget_member_type(id, number)) }?;
            // SAFETY: as above; a number that has a type has an offset.
            let offset = unsafe { (session.functions().H5Tget_member_offset()?)(id, number) };
            let datatype = Self::of_id(session, datatype)?.describe_at(depth + 1)?;
            Ok(Member { name: self.member_name(number)?, offset, datatype })
        };
        (0..self.member_count()?).map(member).collect()
    }

    fn values(&self, size: usize) -> Result<Vec<(CString, Vec<u8>)>> {
        let member = |number| {
            let mut value = vec![0_u8; size];
            // SAFETY: our own identifier, and room for a value; HDF5 verifies the number.
            unsafe {
                call!(self.session(), H5Tget_member_value(self.id(), number, value.as_mut_ptr().cast()))
            }?;
            Ok((self.member_name(number)?, value))
        };
        (0..self.member_count()?).map(member).collect()
    }

    fn array_dimensions(&self) -> Result<Vec<u64>> {
        let (session, mut dimensions) = (self.session(), [0; H5S_MAX_RANK]);
        // SAFETY: our own identifier.
        let rank = unsafe { call!(session, H5Tget_array_ndims(self.id())) }?;
        let rank = usize::try_from(rank).unwrap_or(0);
        let room = if rank <= H5S_MAX_RANK { dimensions.as_mut_ptr() } else { ptr::null_mut() };
        // SAFETY: room for as many lengths as there are dimensions; HDF5 refuses none.
        unsafe { call!(session, H5Tget_array_dims2(self.id(), room)) }?;
        Ok(dimensions[..rank.min(H5S_MAX_RANK)].to_vec())
    }
}
