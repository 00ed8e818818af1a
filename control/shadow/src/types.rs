//! Datatypes: from HDF5 to a description, and back.

use std::ffi::c_uint;

use convert::{
    Bits, Class, Datatype, Float, Integer, Normalization, Order, Pad, StringPadding, VariableForm,
};
use h5_abi::{
    H5T_COMPOUND, H5T_NORM_IMPLIED, H5T_NORM_MSBSET, H5T_NORM_NONE, H5T_OPAQUE, H5T_ORDER_BE, H5T_ORDER_LE,
    H5T_ORDER_VAX, H5T_PAD_BACKGROUND, H5T_PAD_ONE, H5T_PAD_ZERO, H5T_SGN_2, H5T_SGN_NONE, H5T_STR_NULLPAD,
    H5T_STR_NULLTERM, H5T_STR_SPACEPAD, H5T_VARIABLE, H5T_cset_t, H5T_pad_t,
};
use h5_host::{Id, OwnedId};
use h5_translate::{TIME_BIG, TIME_LITTLE};
use h5_vol::{Error, Result};

use crate::hdf5::{Hdf5, c_string, good};

/// Bytes of references of the kinds of HDF5 1.8, and of the kind of HDF5 1.12.
pub(crate) const OBJECT_REFERENCE: usize = 8;
pub(crate) const REGION_REFERENCE: usize = 12;
pub(crate) const REFERENCE: usize = 64;

/// `H5T_REFERENCE`, as descriptions have it.
const REFERENCE_CLASS: i32 = 7;

impl Hdf5 {
    /// What the bytes of a datatype mean, if that can be told.
    pub(crate) fn structure(self, datatype: Id) -> Option<Datatype> {
        self.host().ask(|questions| h5_translate::describe_variable(questions, datatype))
    }

    /// Makes a datatype of which only its structure is known.
    pub(crate) fn build_type(self, datatype: &Datatype) -> Result<OwnedId> {
        let (functions, size) = (self.functions(), datatype.size);
        match &datatype.class {
            Class::Integer(Integer { bits, signed }) => {
                let made = self.copy_of("H5T_STD_I64LE_g")?;
                self.set_bits(made.id(), size, *bits)?;
                let sign = if *signed { H5T_SGN_2 } else { H5T_SGN_NONE };
                // SAFETY: our own identifier.
                good(unsafe { functions.H5Tset_sign()?(made.id().0, sign) }, "set the sign of a datatype")?;
                Ok(made)
            }
            Class::Bitfield(bits) => {
                let made = self.copy_of("H5T_STD_B64LE_g")?;
                self.set_bits(made.id(), size, *bits)?;
                Ok(made)
            }
            Class::Float(float) => {
                let made = self.copy_of("H5T_IEEE_F64LE_g")?;
                self.set_float(made.id(), size, float)?;
                Ok(made)
            }
            Class::Complex(base) => {
                let base = self.build_type(base)?;
                // SAFETY: our own identifier.
                self.own(unsafe { functions.H5Tcomplex_create()?(base.id().0) }, "make a complex datatype")
            }
            Class::Enum { base, members } => {
                let base = self.build_type(base)?;
                // SAFETY: our own identifier.
                let made =
                    self.own(unsafe { functions.H5Tenum_create()?(base.id().0) }, "make an enumeration")?;
                for (name, value) in members {
                    if value.len() != size {
                        return Err(Error::failed(
                            "a value of an enumeration does not have the size of its type",
                        ));
                    }
                    let name = c_string(name.as_bytes())?;
                    // SAFETY: our own identifier, a C string, and a value of the base type.
                    let status = unsafe {
                        functions.H5Tenum_insert()?(made.id().0, name.as_ptr(), value.as_ptr().cast())
                    };
                    good(status, "add a value to an enumeration")?;
                }
                Ok(made)
            }
            Class::String { padding, character_set } => self.string(size, *padding, *character_set),
            Class::Opaque(tag) if matches!(tag.as_str(), TIME_LITTLE | TIME_BIG) => {
                match (size, tag.as_str()) {
                    (4, TIME_LITTLE) => self.copy_of("H5T_UNIX_D32LE_g"),
                    (4, _) => self.copy_of("H5T_UNIX_D32BE_g"),
                    (8, TIME_LITTLE) => self.copy_of("H5T_UNIX_D64LE_g"),
                    (8, _) => self.copy_of("H5T_UNIX_D64BE_g"),
                    _ => Err(Error::unsupported(format_args!("points in time of {size} bytes"))),
                }
            }
            Class::Opaque(tag) => {
                // SAFETY: a class and a size.
                let made =
                    self.own(unsafe { functions.H5Tcreate()?(H5T_OPAQUE, size) }, "make an opaque datatype")?;
                let tag = c_string(tag.as_bytes())?;
                // SAFETY: our own identifier and a C string.
                let status = unsafe { functions.H5Tset_tag()?(made.id().0, tag.as_ptr()) };
                good(status, "set the tag of a datatype")?;
                Ok(made)
            }
            Class::Array { dims, element } => {
                let base = self.build_type(element)?;
                let rank = c_uint::try_from(dims.len())
                    .map_err(|_| Error::failed("an array type of too many dimensions"))?;
                // SAFETY: our own identifier and that many numbers.
                let id = unsafe { functions.H5Tarray_create2()?(base.id().0, rank, dims.as_ptr()) };
                self.own(id, "make an array datatype")
            }
            Class::Compound(members) => {
                // SAFETY: a class and a size.
                let made = self
                    .own(unsafe { functions.H5Tcreate()?(H5T_COMPOUND, size) }, "make a compound datatype")?;
                for member in members {
                    let part = self.build_type(&member.datatype)?;
                    let name = c_string(member.name.as_bytes())?;
                    // SAFETY: our own identifiers and a C string; HDF5 verifies the offset.
                    let status = unsafe {
                        functions.H5Tinsert()?(made.id().0, name.as_ptr(), member.offset, part.id().0)
                    };
                    good(status, "add a member to a datatype")?;
                }
                Ok(made)
            }
            Class::Variable(variable) => match variable.form {
                VariableForm::Text { character_set } => {
                    self.string(H5T_VARIABLE, StringPadding::NullTerminated, character_set)
                }
                VariableForm::Sequence => {
                    let base = self.build_type(&variable.element)?;
                    // SAFETY: our own identifier.
                    let id = unsafe { functions.H5Tvlen_create()?(base.id().0) };
                    self.own(id, "make a variable-length datatype")
                }
            },
            Class::Other(REFERENCE_CLASS) if size == OBJECT_REFERENCE => self.copy_of("H5T_STD_REF_OBJ_g"),
            Class::Other(REFERENCE_CLASS) if size == REGION_REFERENCE => {
                self.copy_of("H5T_STD_REF_DSETREG_g")
            }
            Class::Other(REFERENCE_CLASS) if size == REFERENCE => self.copy_of("H5T_STD_REF_g"),
            _ => Err(Error::unsupported(format_args!("a datatype that cannot be made again: {datatype:?}"))),
        }
    }

    fn copy_of(self, name: &str) -> Result<OwnedId> {
        let known = self.identifier(name)?;
        // SAFETY: the host verifies the identifier.
        self.own(unsafe { (self.host().functions().H5Tcopy)(known.0) }, "copy a datatype")
    }

    fn string(self, size: usize, padding: StringPadding, character_set: i32) -> Result<OwnedId> {
        let (functions, made) = (self.functions(), self.copy_of("H5T_C_S1_g")?);
        let padding = match padding {
            StringPadding::NullTerminated => H5T_STR_NULLTERM,
            StringPadding::NullPadded => H5T_STR_NULLPAD,
            StringPadding::SpacePadded => H5T_STR_SPACEPAD,
        };
        // SAFETY: our own identifier; HDF5 verifies the rest.
        unsafe {
            good(functions.H5Tset_size()?(made.id().0, size), "set the size of a string")?;
            good(functions.H5Tset_strpad()?(made.id().0, padding), "set the padding of a string")?;
            good(
                functions.H5Tset_cset()?(made.id().0, H5T_cset_t(character_set)),
                "set the characters of a string",
            )?;
        }
        Ok(made)
    }

    fn set_bits(self, datatype: Id, size: usize, bits: Bits) -> Result<()> {
        let order = match bits.order {
            Order::Little => H5T_ORDER_LE,
            Order::Big => H5T_ORDER_BE,
            Order::Vax => H5T_ORDER_VAX,
        };
        let (functions, id) = (self.functions(), datatype.0);
        // SAFETY: our own identifier; HDF5 verifies the numbers.
        unsafe {
            // Fewer bits fit into fewer bytes: the precision comes before the size if it shrinks.
            good(functions.H5Tset_offset()?(id, 0), "move the bits of a datatype")?;
            good(
                functions.H5Tset_precision()?(id, bits.precision.min(8 * size)),
                "set the bits of a datatype",
            )?;
            good(functions.H5Tset_size()?(id, size), "set the size of a datatype")?;
            good(functions.H5Tset_precision()?(id, bits.precision), "set the bits of a datatype")?;
            good(functions.H5Tset_offset()?(id, bits.offset), "move the bits of a datatype")?;
            good(
                functions.H5Tset_pad()?(id, pad(bits.low_pad), pad(bits.high_pad)),
                "set the padding of a datatype",
            )?;
            if size > 1 {
                good(functions.H5Tset_order()?(id, order), "set the byte order of a datatype")?;
            }
        }
        Ok(())
    }

    fn set_float(self, datatype: Id, size: usize, float: &Float) -> Result<()> {
        let (functions, id) = (self.functions(), datatype.0);
        let norm = match float.normalization {
            Normalization::Implied => H5T_NORM_IMPLIED,
            Normalization::MsbSet => H5T_NORM_MSBSET,
            Normalization::None => H5T_NORM_NONE,
        };
        let bias = usize::try_from(float.bias).map_err(|_| Error::failed("a float with too large a bias"))?;
        let fields = |sign, exponent: (usize, usize), mantissa: (usize, usize)| {
            // SAFETY: our own identifier; HDF5 verifies the numbers.
            let status = unsafe {
                functions.H5Tset_fields()?(id, sign, exponent.0, exponent.1, mantissa.0, mantissa.1)
            };
            good(status, "set the fields of a float")
        };
        // The fields must lie within the bits at each step. What is larger than a double gets its size first.
        if size <= 8 {
            fields(float.sign, float.exponent, float.mantissa)?;
            self.set_bits(datatype, size, float.bits)?;
        } else {
            self.set_bits(datatype, size, float.bits)?;
            fields(float.sign, float.exponent, float.mantissa)?;
        }
        // SAFETY: as above.
        unsafe {
            good(functions.H5Tset_ebias()?(id, bias), "set the bias of a float")?;
            good(functions.H5Tset_norm()?(id, norm), "set the norm of a float")?;
            good(functions.H5Tset_inpad()?(id, pad(float.inner_pad)), "set the padding of a float")?;
        }
        Ok(())
    }
}

fn pad(pad: Pad) -> H5T_pad_t {
    match pad {
        Pad::Zero => H5T_PAD_ZERO,
        Pad::One => H5T_PAD_ONE,
        Pad::Background => H5T_PAD_BACKGROUND,
    }
}

/// How elements of a datatype lead to something outside of themselves.
pub(crate) fn leads_outside(hdf5: Hdf5, datatype: Id) -> bool {
    use h5_host::questions::CreationFacts;
    let facts = CreationFacts { user_block: 0, address_size: 8, length_size: 8 };
    hdf5.host().ask(|questions| {
        questions.indirect_part(datatype, facts).is_some() || questions.has_references(datatype)
    })
}
