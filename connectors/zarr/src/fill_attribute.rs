//! The attribute `_FillValue` of arrays.
//!
//! netCDF wants it to be one element of the variable's own type. In Zarr it is as xarray writes it: floats are their eight bytes in
//! base64, because JSON has no NaN.

use convert::{Class, Datatype, Order};
use h5_shadow::spec::{AttributeSpec, SpaceSpec, TypeSpec, Values};
use serde_json::{Value, json};
use zarr::base64;

use crate::attributes::{element_to_json, float_of};
use crate::tree::Key;
use crate::type_words::ieee;

/// Its name.
pub(crate) const NAME: &str = "_FillValue";

/// The attribute as JSON, if it is one element of the array's type.
pub(crate) fn to_json(attribute: &AttributeSpec<Key>, of: &Datatype) -> Option<Value> {
    let Values::Plain(element) = &attribute.values else { return None };
    let is_one = attribute.name == NAME
        && attribute.datatype.structure.as_ref() == Some(of)
        && attribute.space.dims().is_some_and(|dims| dims.iter().all(|size| *size == 1))
        && element.len() == of.size;
    match &of.class {
        _ if !is_one => None,
        Class::Float(float) if ieee(of.size, float.bits.order).as_ref() == Some(float) => {
            Some(json!(base64::encode(&float_of(of.size, float.bits.order, element).to_le_bytes())))
        }
        Class::Integer(_) if of.size <= 8 => Some(element_to_json(of, element)),
        Class::String { .. } => Some(json!(base64::encode(element))),
        _ => None,
    }
}

/// The attribute again, as netCDF writes it: a list of one element.
pub(crate) fn from_json(value: &Value, of: &Datatype) -> Option<AttributeSpec<Key>> {
    let element = match &of.class {
        Class::Float(float) if ieee(of.size, float.bits.order).as_ref() == Some(float) => {
            let bytes: [u8; 8] = base64::decode(value.as_str()?)?.try_into().ok()?;
            float_bytes(of.size, float.bits.order, f64::from_le_bytes(bytes))?
        }
        Class::Integer(number) if of.size <= 8 => {
            let wide = value.as_i64().map(i64::cast_unsigned).or_else(|| value.as_u64())?;
            in_order(&wide.to_le_bytes()[..of.size], number.bits.order)
        }
        Class::String { .. } => {
            let mut bytes = base64::decode(value.as_str()?)?;
            if bytes.len() > of.size {
                return None;
            }
            bytes.resize(of.size, 0);
            bytes
        }
        _ => return None,
    };
    let attribute = AttributeSpec {
        name: NAME.to_owned(),
        datatype: TypeSpec::of_structure(of.clone()),
        space: SpaceSpec::Simple { dims: vec![1], maximum: vec![Some(1)] },
        values: Values::Plain(element),
    };
    // What does not fit into the type stays what it is.
    (to_json(&attribute, of).as_ref() == Some(value)).then_some(attribute)
}

fn in_order(little: &[u8], order: Order) -> Vec<u8> {
    let mut bytes = little.to_vec();
    if order == Order::Big {
        bytes.reverse();
    }
    bytes
}

/// A float of this size that has exactly this value.
fn float_bytes(size: usize, order: Order, number: f64) -> Option<Vec<u8>> {
    match size {
        #[expect(clippy::cast_possible_truncation, reason = "whether it was exact is compared afterwards")]
        4 => Some(in_order(&(number as f32).to_le_bytes(), order)),
        8 => Some(in_order(&number.to_le_bytes(), order)),
        2 if number.is_nan() => Some(in_order(&0x7e00_u16.to_le_bytes(), order)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::type_words::{float_type, integer};

    #[test]
    fn floats_are_as_xarray_writes_them() {
        for (size, order) in [(4, Order::Little), (8, Order::Big), (2, Order::Big)] {
            let of = float_type(size, order).unwrap();
            let attribute = from_json(&json!("AAAAAAAA+H8="), &of).unwrap();
            assert_eq!(attribute.space.dims(), Some(&[1][..]));
            assert_eq!(to_json(&attribute, &of), Some(json!("AAAAAAAA+H8=")));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_changed() {
        assert_eq!(from_json(&json!(300), &integer(1, true, Order::Little)), None);
        assert!(from_json(&json!(-3), &integer(2, true, Order::Big)).is_some());
        assert_eq!(from_json(&json!("NaN"), &float_type(8, Order::Little).unwrap()), None);
        assert_eq!(from_json(&json!(1.5), &float_type(8, Order::Little).unwrap()), None);
    }
}
