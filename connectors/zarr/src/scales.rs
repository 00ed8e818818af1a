//! `dimension_names` that another tool has written, as HDF5's dimension scales.
//!
//! An array of one dimension that is called like this dimension is a scale, as xarray and netCDF have it. Arrays whose dimensions all
//! have scales, in their own group or in one around it, are attached to them. Other arrays get labels. The attributes by which HDF5
//! knows all this are in no document: they are told when a container is read, and written only if somebody changes one of them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use convert::{Class, Datatype, Member, Order, StringPadding, Variable, VariableForm};
use h5_shadow::spec::{AttributeSpec, Cell, SpaceSpec, TypeSpec, Values};
use zarr::{ArrayMetadata, Node};

use crate::store::ZarrStore;
use crate::tree::{Key, ROOT};
use crate::type_words::{integer, text_class};

/// HDF5's number of the class of references, and the bytes of one to an object.
const REFERENCE: i32 = 7;
const REFERENCE_BYTES: usize = 8;

/// The attributes of dimension scales.
pub(crate) const CLASS: &str = "CLASS";
const NAME: &str = "NAME";
const SCALES: &str = "DIMENSION_LIST";
const LABELS: &str = "DIMENSION_LABELS";
const USERS: &str = "REFERENCE_LIST";

/// What the arrays of a group say about dimensions.
#[derive(Debug, Default)]
pub(crate) struct GroupDimensions {
    /// Scales by their names, with their lengths.
    scales: HashMap<String, (Key, u64)>,
    /// Arrays with names that another tool has written.
    named: HashMap<Key, Named>,
    /// Arrays that are attached to the scales of the group, with the number of the dimension.
    users: OnceLock<HashMap<Key, Vec<(Key, usize)>>>,
}

/// An array whose dimensions have names.
#[derive(Debug)]
struct Named {
    name: String,
    shape: Vec<u64>,
    names: Vec<Option<String>>,
}

impl Named {
    /// Whether it is a scale: the name of its only dimension is its own.
    fn is_scale(&self) -> bool {
        matches!(&self.names[..], [Some(only)] if *only == self.name)
    }
}

/// Whether HDF5's own attributes say what the dimensions of an array are.
fn is_told(array: &ArrayMetadata) -> bool {
    [CLASS, SCALES, LABELS, USERS].iter().any(|name| array.attributes.contains_key(*name))
}

/// Whether HDF5's functions for scales can use an attribute of a dataset with so many dimensions. They believe what the names of these
/// attributes say, and would take anything else for references and lists.
pub(crate) fn is_sound(attribute: &AttributeSpec<Key>, rank: usize) -> bool {
    let class = attribute.datatype.structure.as_ref().map(|structure| &structure.class);
    let lines = match &attribute.space {
        SpaceSpec::Simple { dims, .. } if dims.len() == 1 => usize::try_from(dims[0]).ok(),
        _ => None,
    };
    match (attribute.name.as_str(), class) {
        (SCALES, Some(Class::Variable(list))) => {
            list.form == VariableForm::Sequence && list.element == reference() && lines == Some(rank)
        }
        (LABELS, Some(Class::Variable(text))) => {
            matches!(text.form, VariableForm::Text { .. }) && lines == Some(rank)
        }
        (USERS, Some(Class::Compound(members))) => {
            let is_member = |at: usize, name: &str| members.get(at).is_some_and(|member| member.name == name);
            let is_reference = members.first().is_some_and(|member| member.datatype == reference());
            lines.is_some()
                && members.len() == 2
                && is_reference
                && is_member(0, "dataset")
                && is_member(1, "dimension")
        }
        (SCALES | LABELS | USERS, _) => false,
        _ => true,
    }
}

impl GroupDimensions {
    /// Takes note of an array of the group.
    pub(crate) fn add(&mut self, key: Key, name: &str, node: &Node) {
        let Node::Array(array) = node else { return };
        let Some(names) = &array.dimension_names else { return };
        let new = Named { name: name.to_owned(), shape: array.shape.clone(), names: names.clone() };
        if new.is_scale() && new.shape.len() == 1 && (!is_told(array) || array.attributes.contains_key(CLASS))
        {
            self.scales.insert(new.name.clone(), (key, new.shape[0]));
        }
        if !is_told(array) && names.iter().any(Option::is_some) {
            self.named.insert(key, new);
        }
    }
}

impl ZarrStore {
    /// What the arrays of a group say about dimensions. Its links were read before.
    fn dimensions_of(&self, group: Key) -> Option<Arc<GroupDimensions>> {
        let known = self.state().dimensions.get(&group).cloned();
        known.or_else(|| {
            self.load_links(group).ok()?;
            self.state().dimensions.get(&group).cloned()
        })
    }

    fn group_of(&self, key: Key) -> Option<Key> {
        let state = self.state();
        state.tree.entries.get(&key)?.home.as_ref().map(|(group, _)| *group)
    }

    /// The scale of this name and length that an array in a group can be attached to.
    fn scale(&self, mut group: Key, name: &str, length: u64) -> Option<Key> {
        loop {
            let found = self.dimensions_of(group)?.scales.get(name).copied();
            if let Some((key, own)) = found {
                return (own == length).then_some(key);
            }
            if group == ROOT {
                return None;
            }
            group = self.group_of(group)?;
        }
    }

    /// The scales of all dimensions of an array that is none itself.
    fn scales_of(&self, group: Key, named: &Named) -> Option<Vec<Key>> {
        if named.is_scale() {
            return None;
        }
        let scale = |(name, length): (&Option<String>, &u64)| self.scale(group, name.as_deref()?, *length);
        named.names.iter().zip(&named.shape).map(scale).collect()
    }

    /// Which arrays of a group are attached to its scales.
    fn users(&self, group: Key, dimensions: &GroupDimensions) -> HashMap<Key, Vec<(Key, usize)>> {
        let mut users: HashMap<Key, Vec<(Key, usize)>> = HashMap::new();
        for (user, named) in &dimensions.named {
            for (dimension, scale) in self.scales_of(group, named).unwrap_or_default().into_iter().enumerate()
            {
                users.entry(scale).or_default().push((*user, dimension));
            }
        }
        for users in users.values_mut() {
            users.sort_unstable();
        }
        users
    }

    /// The attributes that the names of an array's dimensions are to HDF5; none if it has its own.
    pub(crate) fn scale_attributes(&self, key: Key) -> Vec<AttributeSpec<Key>> {
        let Some(group) = self.group_of(key) else { return Vec::new() };
        let known = self.state().dimensions.get(&group).cloned();
        let Some((dimensions, named)) = known.as_ref().and_then(|all| Some((all, all.named.get(&key)?)))
        else {
            return Vec::new();
        };
        if named.is_scale() && named.shape.len() == 1 {
            let mut attributes = vec![fixed_text(CLASS, "DIMENSION_SCALE"), fixed_text(NAME, &named.name)];
            let users = dimensions.users.get_or_init(|| self.users(group, dimensions));
            attributes.extend(users.get(&key).map(|users| user_list(users)));
            return attributes;
        }
        match self.scales_of(group, named) {
            Some(scales) => vec![scale_list(&scales)],
            None => vec![labels(&named.names)],
        }
    }
}

fn attribute(name: &str, datatype: Datatype, space: SpaceSpec, values: Values<Key>) -> AttributeSpec<Key> {
    AttributeSpec { name: name.to_owned(), datatype: TypeSpec::of_structure(datatype), space, values }
}

fn line(length: usize) -> SpaceSpec {
    SpaceSpec::Simple { dims: vec![length as u64], maximum: vec![Some(length as u64)] }
}

/// A text of fixed length with a zero at its end, as HDF5's own functions write it.
fn fixed_text(name: &str, text: &str) -> AttributeSpec<Key> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    let class = Class::String { padding: StringPadding::NullTerminated, character_set: 0 };
    attribute(name, Datatype { size: bytes.len(), class }, SpaceSpec::Scalar, Values::Plain(bytes))
}

fn reference() -> Datatype {
    Datatype { size: REFERENCE_BYTES, class: Class::Other(REFERENCE) }
}

/// One scale for each dimension.
fn scale_list(scales: &[Key]) -> AttributeSpec<Key> {
    let sequence = Variable { form: VariableForm::Sequence, element: reference() };
    let cells = scales.iter().map(|scale| Cell::List(vec![Cell::Object(Some(*scale))])).collect();
    let datatype = Datatype { size: 16, class: Class::Variable(Box::new(sequence)) };
    attribute(SCALES, datatype, line(scales.len()), Values::Cells(cells))
}

/// The arrays that are attached to a scale, with the number of the dimension.
fn user_list(users: &[(Key, usize)]) -> AttributeSpec<Key> {
    let member = |name: &str, offset, datatype| Member { name: name.to_owned(), offset, datatype };
    let members = vec![
        member("dataset", 0, reference()),
        member("dimension", REFERENCE_BYTES, integer(4, false, Order::Little)),
    ];
    let cell = |(user, dimension): &(Key, usize)| {
        let number = u32::try_from(*dimension).unwrap_or(0).to_le_bytes().to_vec();
        Cell::List(vec![Cell::Object(Some(*user)), Cell::Bytes(number)])
    };
    let datatype = Datatype { size: 16, class: Class::Compound(members) };
    attribute(USERS, datatype, line(users.len()), Values::Cells(users.iter().map(cell).collect()))
}

fn labels(names: &[Option<String>]) -> AttributeSpec<Key> {
    let text = |name: &Option<String>| Cell::Text(name.as_ref().map(|name| name.as_bytes().to_vec()));
    let datatype = Datatype { size: 8, class: text_class(0) };
    attribute(LABELS, datatype, line(names.len()), Values::Cells(names.iter().map(text).collect()))
}
