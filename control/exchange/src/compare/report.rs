//! What a comparison found.

use serde::{Deserialize, Serialize};

/// The kind of a difference. The names in JSON are codes that stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Only the first side has it.
    OnlyInA,
    /// Only the second side has it.
    OnlyInB,
    /// A group on one side, a dataset on the other.
    ObjectKind,
    /// A soft link on one side, a hard link on the other.
    LinkKind,
    /// The links are of the same kind, and lead elsewhere.
    LinkTarget,
    /// On one side two names are of the same object, on the other of two.
    HardLink,
    /// The datatypes.
    Type,
    /// One of the datatypes is committed, or both are under different names.
    CommittedType,
    /// The dimensions.
    Shape,
    /// How far the dimensions may grow.
    MaximumShape,
    /// The elements.
    Value,
    /// How it is stored.
    Property,
    /// The order of creation.
    Order,
    /// It could not be compared.
    NotComparable,
}

/// An element that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElementDifference {
    /// Its index along each dimension.
    pub index: Vec<u64>,
    /// The first side's.
    pub a: String,
    /// The second side's.
    pub b: String,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The object, below those that are compared.
    pub path: String,
    /// The attribute, if it is about one.
    pub attribute: Option<String>,
    /// What differs.
    pub kind: Kind,
    /// What the first side has.
    pub a: Option<String>,
    /// What the second side has.
    pub b: Option<String>,
    /// How many elements differ, if it is about elements.
    pub count: Option<u64>,
    /// The first of them.
    #[serde(default)]
    pub elements: Vec<ElementDifference>,
}

impl Difference {
    pub(super) fn new(kind: Kind, a: impl Into<Option<String>>, b: impl Into<Option<String>>) -> Self {
        Self {
            path: String::new(),
            attribute: None,
            kind,
            a: a.into(),
            b: b.into(),
            count: None,
            elements: Vec::new(),
        }
    }
}

/// How much was compared, and how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Pairs of objects.
    pub objects: u64,
    /// Pairs of datasets among them.
    pub datasets: u64,
    /// Pairs of attributes.
    pub attributes: u64,
    /// Bytes of elements of one side, read or not.
    pub bytes: u64,
    /// Bytes of elements of one side that were read.
    pub bytes_read: u64,
    /// Pairs of chunks that are equal as they are stored, so that they were not decoded.
    pub chunks_equal_as_stored: u64,
}

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// All differences, in the order of names.
    pub differences: Vec<Difference>,
    /// How much was compared.
    pub statistics: Statistics,
}

impl Report {
    /// Whether there is no difference.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}
