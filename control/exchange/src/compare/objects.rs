//! Walks both sides at once: pairs of objects, and their links.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use h5_abi::H5O_token_t;
use h5_client::{AnyObject, Group, Link, LinkTarget, Links as _, Object as _};

use super::Comparison;
use super::report::{Difference, Kind};
use crate::error::{At as _, Result};
use crate::walk::{Identity, join};

impl Comparison<'_> {
    pub(super) fn run(&mut self) -> Result<()> {
        let token = |side: &crate::Side| side.root.info().map(|info| info.token).at(|| side.place.shown());
        self.pair(token(self.a)?.into(), token(self.b)?.into(), c"/");
        let mut open = vec![c"/".to_owned()];
        while let Some(path) = open.pop() {
            if self.is_done() {
                break;
            }
            self.check_stopped()?;
            self.progress.begins(&path.to_string_lossy());
            match self.objects(&path) {
                Ok(below) => open.extend(below.into_iter().rev()),
                Err(error) => {
                    self.check_stopped()?;
                    self.found(&path, None, Difference::new(Kind::NotComparable, error.to_string(), None));
                }
            }
        }
        Ok(())
    }

    fn pair(&mut self, a: Identity, b: Identity, path: &CStr) {
        self.partners.insert(a, (b, path.to_owned()));
        self.partners_of_b.insert(b, path.to_owned());
    }

    /// Compares two objects of the same name, and returns what is below them.
    fn objects(&mut self, path: &CStr) -> Result<Vec<CString>> {
        let (a, b) = (self.a.open(path)?, self.b.open(path)?);
        self.report.statistics.objects += 1;
        let kind = |object: &AnyObject| {
            match object {
                AnyObject::Group(_) => "a group",
                AnyObject::Dataset(_) => "a dataset",
                AnyObject::Datatype(_) => "a datatype",
            }
            .to_owned()
        };
        if kind(&a) != kind(&b) {
            self.found(path, None, Difference::new(Kind::ObjectKind, kind(&a), kind(&b)));
            return Ok(Vec::new());
        }
        self.attributes(path, &a, &b)?;
        match (&a, &b) {
            (AnyObject::Group(a), AnyObject::Group(b)) => {
                if self.options.properties {
                    self.group_properties(path, a, b)?;
                }
                return self.links(path, a, b);
            }
            (AnyObject::Dataset(a), AnyObject::Dataset(b)) => self.datasets(path, a, b)?,
            (AnyObject::Datatype(a), AnyObject::Datatype(b)) => {
                let describe = |datatype: &h5_client::Datatype| datatype.describe();
                let types = (describe(a).at(|| self.a.shown(path))?, describe(b).at(|| self.b.shown(path))?);
                self.types(path, None, &types.0, &types.1);
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    /// Compares the links of two groups, and returns the objects that are still to be compared.
    fn links(&mut self, path: &CStr, a: &Group, b: &Group) -> Result<Vec<CString>> {
        let of = |group: &Group| -> h5_client::Result<BTreeMap<CString, Link>> {
            Ok(group.links()?.into_iter().map(|link| (link.name.clone(), link)).collect())
        };
        let (mut first, mut second) = (of(a).at(|| self.a.shown(path))?, of(b).at(|| self.b.shown(path))?);
        let mut open = Vec::new();
        for (name, link) in std::mem::take(&mut first) {
            let below = join(path, &name);
            let other = second.remove(&name);
            if self.options.excludes(&below) {
                continue;
            }
            match other {
                None => self.found(&below, None, Difference::new(Kind::OnlyInA, kind_of(&link), None)),
                Some(other) => {
                    if self.link(&below, &link, &other) {
                        open.push(below);
                    }
                }
            }
        }
        for (name, link) in second {
            let below = join(path, &name);
            if !self.options.excludes(&below) {
                self.found(&below, None, Difference::new(Kind::OnlyInB, None, kind_of(&link)));
            }
        }
        if self.options.order {
            self.link_order(path, a, b)?;
        }
        Ok(open)
    }

    /// Compares two links, and tells whether their objects are still to be compared.
    fn link(&mut self, path: &CStr, a: &Link, b: &Link) -> bool {
        if let (LinkTarget::Hard(a), LinkTarget::Hard(b)) = (&a.target, &b.target) {
            return self.hard_links(path, *a, *b);
        }
        if std::mem::discriminant(&a.target) != std::mem::discriminant(&b.target) {
            self.found(path, None, Difference::new(Kind::LinkKind, kind_of(a), kind_of(b)));
        } else if a.target != b.target {
            self.found(path, None, Difference::new(Kind::LinkTarget, target_of(a), target_of(b)));
        }
        false
    }

    fn hard_links(&mut self, path: &CStr, a: H5O_token_t, b: H5O_token_t) -> bool {
        let (a, b): (Identity, Identity) = (a.into(), b.into());
        let known = |name: Option<&CString>| {
            Some(match name {
                Some(name) => format!("the same object as {}", name.to_string_lossy()),
                None => "an object of its own".to_owned(),
            })
        };
        match self.partners.get(&a) {
            Some((partner, _)) if *partner == b => false,
            None if !self.partners_of_b.contains_key(&b) => {
                self.pair(a, b, path);
                true
            }
            partner => {
                let first = known(partner.map(|(_, name)| name));
                let second = known(self.partners_of_b.get(&b));
                self.found(path, None, Difference::new(Kind::HardLink, first, second));
                false
            }
        }
    }

    fn link_order(&mut self, path: &CStr, a: &Group, b: &Group) -> Result<()> {
        let order = |group: &Group| -> h5_client::Result<Option<Vec<CString>>> {
            if group.creation()?.link_order()? == 0 {
                return Ok(None);
            }
            Ok(Some(group.links_by_creation()?.into_iter().map(|link| link.name).collect()))
        };
        let (a, b) = (order(a).at(|| self.a.shown(path))?, order(b).at(|| self.b.shown(path))?);
        self.orders(path, "order of links", a.as_deref(), b.as_deref());
        Ok(())
    }

    /// Compares two orders, of names that both sides have.
    pub(super) fn orders(&mut self, path: &CStr, what: &str, a: Option<&[CString]>, b: Option<&[CString]>) {
        let shown = |names: Option<&[CString]>| match names {
            None => format!("{what}: not kept"),
            Some(names) => {
                let names: Vec<_> = names.iter().take(16).map(|name| name.to_string_lossy()).collect();
                format!("{what}: {}", names.join(", "))
            }
        };
        let is_same = match (a, b) {
            (Some(first), Some(second)) => {
                let both = |names: &[CString], others: &[CString]| -> Vec<CString> {
                    names.iter().filter(|name| others.contains(name)).cloned().collect()
                };
                both(first, second) == both(second, first)
            }
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.found(path, None, Difference::new(Kind::Order, shown(a), shown(b)));
        }
    }
}

fn kind_of(link: &Link) -> Option<String> {
    Some(match &link.target {
        LinkTarget::Hard(_) => "a hard link".to_owned(),
        LinkTarget::Soft(_) => format!("a soft link to {}", target_of(link)?),
        LinkTarget::External { .. } => format!("an external link to {}", target_of(link)?),
        LinkTarget::UserDefined { class, .. } => format!("a link of class {class}"),
    })
}

fn target_of(link: &Link) -> Option<String> {
    match &link.target {
        LinkTarget::Hard(_) => None,
        LinkTarget::Soft(path) => Some(path.to_string_lossy().into_owned()),
        LinkTarget::External { file, object } => {
            Some(format!("{}:{}", file.to_string_lossy(), object.to_string_lossy()))
        }
        LinkTarget::UserDefined { class, value } => Some(format!("class {class}, {value:02x?}")),
    }
}
