//! Makes the groups, links and objects of the target.

use std::ffi::{CStr, CString};

use h5_abi::H5T_CSET_UTF8;
use h5_client::{AnyObject, Group, Link, LinkCreation, LinkTarget, Links as _, Making as _, Object as _};

use super::attributes::Owner;
use super::{Copying, Known, known};
use crate::error::{At as _, Error, Result};
use crate::walk::join;

impl Copying<'_> {
    /// Copies everything but references.
    pub(super) fn tree(&mut self) -> Result<()> {
        let top = self.top()?;
        if top.as_c_str() != c"/" {
            if let Some(wanted) = self.wanted {
                return self.below(c"/", &top, &wanted.link);
            }
            let link = self.link_creation(true)?;
            return self.below(c"/", &top, &link);
        }
        let root = self.source.root.info().at(|| self.source.place.shown())?;
        let AnyObject::Group(source) = self.source.open(c"/")? else { return Ok(()) };
        self.done.insert(known(&root), top.clone());
        self.summary.objects += 1;
        let target = AnyObject::open(self.target, c"/").at(|| self.target_shown(c"/"))?;
        self.attributes(&AnyObject::Group(source), c"/", &target, &Owner::Path(top.clone()))?;
        self.contents(c"/", &top)
    }

    /// Copies an object that is not there yet, with everything below it.
    pub(super) fn below(&mut self, source: &CStr, target: &CStr, link: &LinkCreation) -> Result<()> {
        let object = self.open_source(source)?;
        let identity = known(&object.info().at(|| self.source.shown(source))?);
        if self.object(source, &object, identity, target, link)? {
            self.contents(source, target)?;
        }
        Ok(())
    }

    /// Makes what is in a group, and in the groups in it, unless only the first is wanted.
    fn contents(&mut self, source: &CStr, target: &CStr) -> Result<()> {
        let mut open = vec![(source.to_owned(), target.to_owned())];
        while let Some((source, target)) = open.pop() {
            self.group(&source, &target, &mut open)?;
            if self.flags().is_shallow() {
                break;
            }
        }
        Ok(())
    }

    /// The path of the target that the source's root gets.
    fn top(&self) -> Result<CString> {
        if let Some(object) = &self.destination.object {
            return Ok(object.clone());
        }
        if matches!(self.source.root, AnyObject::Group(_)) {
            return Ok(c"/".to_owned());
        }
        let name = self.source.absolute(c"/");
        let last = name.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        CString::new([b"/", last].concat())
            .map_err(|_| Error::new(self.source.place.shown(), "its name has a NUL byte"))
    }

    pub(super) fn link_creation(&self, with_groups: bool) -> Result<LinkCreation> {
        LinkCreation::new(self.target.handle().session(), H5T_CSET_UTF8, with_groups)
            .at(|| self.destination.shown())
    }

    /// Makes what is in a group. Groups in it that are new are added to those that are open.
    fn group(&mut self, source: &CStr, target: &CStr, open: &mut Vec<(CString, CString)>) -> Result<()> {
        let AnyObject::Group(group) = self.open_source(source)? else { return Ok(()) };
        let from = || self.source.shown(source);
        let file = group.info().at(from)?.fileno;
        let is_ordered = group.creation().and_then(|list| list.link_order()).at(from)? != 0;
        let links = if is_ordered { group.links_by_creation() } else { group.links() }.at(from)?;
        for link in links {
            self.check_stopped()?;
            let (below, new) = (join(source, &link.name), join(target, &link.name));
            if self.link(&link, file, &below, &new)? {
                open.push((below, new));
            }
        }
        Ok(())
    }

    /// Makes a link of a group in this file, and what it leads to. Tells whether that is a group whose links are still to be made.
    fn link(&mut self, link: &Link, file: u64, source: &CStr, target: &CStr) -> Result<bool> {
        let creation = LinkCreation::new(self.target.handle().session(), link.character_set, false)
            .at(|| self.destination.shown())?;
        let is_expanded = match &link.target {
            LinkTarget::Soft(_) => self.flags().expands_soft_links(),
            LinkTarget::External { .. } => self.flags().expands_external_links(),
            LinkTarget::Hard(_) | LinkTarget::UserDefined { .. } => false,
        };
        if is_expanded && let LinkTarget::External { .. } = &link.target {
            return Err(Error::new(
                self.source.shown(source),
                "H5O_COPY_EXPAND_EXT_LINK_FLAG: what external links lead to cannot be copied from one connector to another",
            ));
        }
        // A link that leads nowhere stays a link, as natively.
        let expanded = if is_expanded { self.open_source(source).ok() } else { None };
        let identity: Known = match (&link.target, &expanded) {
            (LinkTarget::Hard(token), _) => (file, (*token).into()),
            (_, Some(object)) => known(&object.info().at(|| self.source.shown(source))?),
            (other, None) => {
                let made = self.target.make_link(target, other, &creation);
                made.at(|| self.target_shown(target))?;
                return Ok(false);
            }
        };
        match self.done.get(&identity) {
            None => {
                let object = match expanded {
                    Some(object) => object,
                    None => self.open_source(source)?,
                };
                self.object(source, &object, identity, target, &creation)
            }
            Some(path) => {
                let object = AnyObject::open(self.target, path).at(|| self.target_shown(path))?;
                let made = self.target.link_object(&object, target, &creation);
                made.at(|| self.target_shown(target)).map(|()| false)
            }
        }
    }

    /// Makes an object that is not there yet. Tells whether it is a group.
    fn object(
        &mut self,
        source: &CStr,
        object: &AnyObject,
        identity: Known,
        target: &CStr,
        link: &LinkCreation,
    ) -> Result<bool> {
        self.progress.begins(&source.to_string_lossy());
        self.summary.objects += 1;
        self.done.insert(identity, target.to_owned());
        let owner = Owner::Path(target.to_owned());
        match object {
            AnyObject::Group(group) => {
                let made = self.make_group(source, group, target, link)?;
                self.attributes(object, source, &made, &owner)?;
                return Ok(true);
            }
            AnyObject::Dataset(dataset) => {
                let made = AnyObject::Dataset(self.dataset(source, dataset, target, link)?);
                self.attributes(object, source, &made, &owner)?;
                if let AnyObject::Dataset(dataset) = made {
                    dataset.close().at(|| self.target_shown(target))?;
                }
            }
            AnyObject::Datatype(datatype) => {
                let made = self.committed(datatype, source)?;
                self.target.link_object(&*made, target, link).at(|| self.target_shown(target))?;
            }
        }
        Ok(false)
    }

    fn make_group(
        &self,
        source: &CStr,
        group: &Group,
        target: &CStr,
        link: &LinkCreation,
    ) -> Result<AnyObject> {
        let creation = group.creation().and_then(|list| list.like()).at(|| self.source.shown(source))?;
        let made = self.target.make_group(target, link, Some(&creation));
        Ok(AnyObject::Group(made.at(|| self.target_shown(target))?))
    }
}
