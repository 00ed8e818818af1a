//! Whether two elements are equal.

use h5_abi::{H5T_STR_NULLTERM, H5T_STR_SPACEPAD, H5T_str_t};
use h5_client::{Class, Description, ReferenceTarget, Value};

use crate::numbers::{Parts, integer, significant};

/// How far numbers may be apart and still be equal.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// As a part of the larger one.
    pub relative: f64,
    /// As a difference.
    pub absolute: f64,
    /// Floating-point numbers of the same type: as the number of others between them, plus one.
    pub steps: u64,
}

impl Tolerance {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn allows(&self, a: f64, b: f64) -> bool {
        // Two infinities of the same sign are equal; any other has no distance.
        #[expect(clippy::float_cmp, reason = "the same number")]
        if a == b {
            return true;
        }
        let distance = (a - b).abs();
        distance.is_finite()
            && (distance <= self.absolute || distance <= self.relative * a.abs().max(b.abs()))
    }
}

/// What leads both sides to the same place.
pub(crate) trait Leads {
    /// Whether two references of the two sides lead to the same.
    fn are_same(&self, a: &ReferenceTarget, b: &ReferenceTarget) -> bool;
}

/// Compares elements of two types, which [`crate::types::are_comparable`] says can be compared.
pub(crate) struct Comparer<'c> {
    pub(crate) bytes: BytesComparer<'c>,
    pub(crate) leads: &'c dyn Leads,
}

/// Compares elements that are nothing but their bytes.
#[derive(Clone, Copy)]
pub(crate) struct BytesComparer<'c> {
    pub(crate) tolerance: &'c Tolerance,
}

/// A number of any kind.
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    #[expect(clippy::cast_precision_loss, reason = "a distance is compared with a tolerance")]
    fn rounded(&self) -> f64 {
        match self {
            Self::Integer(value) => *value as f64,
            Self::Float(value) => *value,
        }
    }

    #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether they are the same number")]
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            // Equal as floating-point numbers, and the integer survives the way there and back.
            (Self::Integer(whole), Self::Float(float)) | (Self::Float(float), Self::Integer(whole)) => {
                #[expect(clippy::cast_possible_truncation, reason = "it saturates, and is compared")]
                let back = *float as i128;
                *whole as f64 == *float && back == *whole
            }
        }
    }
}

fn number(description: &Description, bytes: &[u8]) -> Option<Number> {
    match &description.class {
        Class::Integer { bits, signed } => integer(bits, *signed, bytes).map(Number::Integer),
        Class::Float(float) => Parts::of(float, bytes).map(|parts| Number::Float(parts.value(float))),
        Class::Enum { base, .. } => number(base, bytes),
        _ => None,
    }
}

/// The characters of a fixed string that count.
pub(crate) fn text(padding: H5T_str_t, bytes: &[u8]) -> &[u8] {
    let end = |byte: u8| bytes.iter().rposition(|each| *each != byte).map_or(0, |last| last + 1);
    match padding {
        H5T_STR_NULLTERM => bytes.split(|byte| *byte == 0).next().unwrap_or_default(),
        H5T_STR_SPACEPAD => &bytes[..end(b' ')],
        _ => &bytes[..end(0)],
    }
}

impl BytesComparer<'_> {
    /// Whether two elements are equal that are nothing but their bytes.
    pub(crate) fn plain(self, (first, a): (&Description, &[u8]), (second, b): (&Description, &[u8])) -> bool {
        if a == b && first == second {
            return true;
        }
        match (&first.class, &second.class) {
            (Class::Float(form), Class::Float(other)) if form == other => {
                match (Parts::of(form, a), Parts::of(other, b)) {
                    (Some(a), Some(b)) => self.floats(form, a, b),
                    _ => a == b,
                }
            }
            (
                Class::Integer { .. } | Class::Float(_) | Class::Enum { .. },
                Class::Integer { .. } | Class::Float(_) | Class::Enum { .. },
            ) => self.numbers((first, a), (second, b)),
            (Class::String { padding: one, .. }, Class::String { padding: other, .. }) => {
                text(*one, a) == text(*other, b)
            }
            (Class::Bitfield(one), Class::Bitfield(other)) | (Class::Time(one), Class::Time(other)) => {
                match (significant(one, a), significant(other, b)) {
                    (Some(a), Some(b)) => a == b,
                    _ => a == b,
                }
            }
            (Class::Compound(members), Class::Compound(others)) => members.iter().all(|member| {
                let Some(other) = others.iter().find(|other| other.name == member.name) else { return false };
                let part = |whole, offset: usize, size: usize| <[u8]>::get(whole, offset..offset + size);
                match (
                    part(a, member.offset, member.datatype.size),
                    part(b, other.offset, other.datatype.size),
                ) {
                    (Some(a), Some(b)) => self.plain((&member.datatype, a), (&other.datatype, b)),
                    _ => false,
                }
            }),
            (Class::Array { element: one, .. }, Class::Array { element: other, .. })
            | (Class::Complex(one), Class::Complex(other)) => {
                let (a, b) = (a.chunks_exact(one.size.max(1)), b.chunks_exact(other.size.max(1)));
                a.len() == b.len() && a.zip(b).all(|(a, b)| self.plain((one, a), (other, b)))
            }
            _ => a == b,
        }
    }

    fn floats(self, form: &h5_client::Float, a: Parts, b: Parts) -> bool {
        if a.is_same(b) {
            return true;
        }
        if a.is_nan() || b.is_nan() || self.tolerance.is_none() {
            return false;
        }
        let (first, second) = (a.value(form), b.value(form));
        (first.is_finite() && second.is_finite() && a.steps(b) <= u128::from(self.tolerance.steps))
            || self.tolerance.allows(first, second)
    }

    fn numbers(self, (first, a): (&Description, &[u8]), (second, b): (&Description, &[u8])) -> bool {
        match (number(first, a), number(second, b)) {
            (Some(a), Some(b)) => {
                a.is_same(&b)
                    || (!self.tolerance.is_none() && self.tolerance.allows(a.rounded(), b.rounded()))
            }
            _ => a == b,
        }
    }
}

impl Comparer<'_> {
    /// Whether two elements of any type are equal.
    pub(crate) fn values(
        &self,
        (first, a): (&Description, &Value),
        (second, b): (&Description, &Value),
    ) -> bool {
        match (a, b) {
            (Value::Plain(a), Value::Plain(b)) => self.bytes.plain((first, a), (second, b)),
            (Value::Text(_) | Value::Plain(_), Value::Text(_) | Value::Plain(_)) => {
                match (string(first, a), string(second, b)) {
                    (Some(a), Some(b)) => a == b,
                    _ => false,
                }
            }
            (Value::Reference(a), Value::Reference(b)) => self.leads.are_same(a, b),
            (Value::PlainSequence(a), Value::PlainSequence(b)) => {
                let (Class::VariableLength(one), Class::VariableLength(other)) =
                    (&first.class, &second.class)
                else {
                    return false;
                };
                let (a, b) = (a.chunks_exact(one.size.max(1)), b.chunks_exact(other.size.max(1)));
                a.len() == b.len() && a.zip(b).all(|(a, b)| self.bytes.plain((one, a), (other, b)))
            }
            _ => self.parts((first, a), (second, b)),
        }
    }

    fn parts(&self, (first, a): (&Description, &Value), (second, b): (&Description, &Value)) -> bool {
        let (a, b) = (split(first, a), split(second, b));
        match (&first.class, &second.class) {
            (Class::Compound(members), Class::Compound(others)) => {
                members.len() == a.len()
                    && others.len() == b.len()
                    && members.iter().zip(&a).all(|(member, a)| {
                        let place = others.iter().position(|other| other.name == member.name);
                        place.is_some_and(|place| {
                            self.values((&member.datatype, a), (&others[place].datatype, &b[place]))
                        })
                    })
            }
            (Class::Array { element: one, .. }, Class::Array { element: other, .. })
            | (Class::VariableLength(one), Class::VariableLength(other)) => {
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.values((one, a), (other, b)))
            }
            _ => false,
        }
    }
}

/// The characters of a string of any kind. One that is not there is empty: not every client can tell.
fn string<'v>(description: &Description, value: &'v Value) -> Option<&'v [u8]> {
    match (&description.class, value) {
        (_, Value::Text(text)) => Some(text.as_ref().map_or(&[], |text| text.to_bytes())),
        (Class::String { padding, .. }, Value::Plain(bytes)) => Some(text(*padding, bytes)),
        _ => None,
    }
}

/// The parts of an element, also of one that is nothing but its bytes.
fn split(description: &Description, value: &Value) -> Vec<Value> {
    let plain = |bytes: &[u8], size: usize| {
        bytes.chunks_exact(size.max(1)).map(|part| Value::Plain(part.to_vec())).collect()
    };
    match (&description.class, value) {
        (_, Value::Parts(parts) | Value::Sequence(parts)) => parts.clone(),
        (Class::Compound(members), Value::Plain(bytes)) => members
            .iter()
            .map(|member| {
                let part = bytes.get(member.offset..member.offset + member.datatype.size);
                Value::Plain(part.unwrap_or_default().to_vec())
            })
            .collect(),
        (Class::Array { element: base, .. }, Value::Plain(bytes))
        | (Class::VariableLength(base), Value::PlainSequence(bytes)) => plain(bytes, base.size),
        _ => Vec::new(),
    }
}
