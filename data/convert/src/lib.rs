//! Converting elements between datatypes, bit for bit as HDF5 does, at memory speed.
//!
//! A [`Conversion`] is made once from two descriptions of datatypes and then used on any number of elements. Where
//! HDF5 would do something that is not written down here, there is no conversion, and HDF5 does it. Some results differ
//! from one HDF5 to another: [`HostTraits`].

mod array;
mod compound;
mod conversion;
mod datatype;
mod encoding;
mod enumeration;
mod host;
mod number;
mod strided;
mod string;
mod variable;

pub use conversion::Conversion;
pub use datatype::{
    Bits, Class, Datatype, Float, Integer, Member, Normalization, Order, Pad, StringPadding, Variable,
    VariableForm,
};
pub use encoding::{EncodedBase, EncodedValue, VariableEncoding};
pub use host::HostTraits;
pub use variable::{Base, LATER_REFERENCE, Value, VariableConversion, has_later_references, stored_form};
