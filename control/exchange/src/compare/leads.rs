//! Where references lead: the names of what they lead to.

use std::cell::OnceCell;

use h5_abi::H5O_token_t;
use h5_client::ReferenceTarget;

use crate::place::{Place, Side};
use crate::shown;
use crate::values::Leads;
use crate::walk::Tree;

/// The names of all objects of a side. They are looked for when the first is asked for.
pub(super) struct Names<'s> {
    side: &'s Side,
    below: OnceCell<Tree>,
    everywhere: OnceCell<Tree>,
}

impl<'s> Names<'s> {
    pub(super) fn new(side: &'s Side) -> Self {
        Self { side, below: OnceCell::new(), everywhere: OnceCell::new() }
    }

    /// The name of an object below the root of the side, which begins with `/`.
    pub(super) fn below(&self, token: H5O_token_t) -> Option<String> {
        // A tree that cannot be walked has no names; the walk itself reports why.
        let tree = self.below.get_or_init(|| Tree::of(self.side).unwrap_or_default());
        Some(tree.name(token.into())?.to_string_lossy().into_owned())
    }

    /// The name of an object: below the root of the side if it is there, and of the whole file otherwise.
    pub(super) fn of(&self, token: H5O_token_t) -> String {
        if let Some(name) = self.below(token) {
            return name;
        }
        let everywhere = || {
            let place = Place { object: None, ..self.side.place.clone() };
            let file = self.side.file.as_ref()?.reopen().ok()?;
            Tree::of(&Side::new(place, file).ok()?).ok()
        };
        let tree = self.everywhere.get_or_init(|| everywhere().unwrap_or_default());
        match tree.name(token.into()) {
            Some(name) => format!("file:{}", name.to_string_lossy()),
            None => "an object without a name".into(),
        }
    }

    /// A reference in words.
    pub(super) fn shown(&self, target: &ReferenceTarget) -> String {
        shown::reference(target, &|token| self.of(token))
    }
}

/// The names of both sides.
pub(super) struct Both<'c, 's>(pub(super) &'c Names<'s>, pub(super) &'c Names<'s>);

impl Leads for Both<'_, '_> {
    fn are_same(&self, a: &ReferenceTarget, b: &ReferenceTarget) -> bool {
        use ReferenceTarget::{Attribute, Broken, Elsewhere, Null, Object, Region};
        match (a, b) {
            // What does not lead anywhere cannot be told apart.
            (Null | Broken(_), Null | Broken(_)) => true,
            (Object(a), Object(b)) => self.0.of(*a) == self.1.of(*b),
            (Region(a, first), Region(b, second)) => first == second && self.0.of(*a) == self.1.of(*b),
            (Attribute(a, first), Attribute(b, second)) => first == second && self.0.of(*a) == self.1.of(*b),
            (Elsewhere(..), Elsewhere(..)) => a == b,
            _ => false,
        }
    }
}
