//! Names of nodes in a container.

use core::fmt;

use crate::error::ZarrError;

/// Where a node is in its container: names with slashes between them, and nothing for the root.
///
/// A path is checked when it is made, so that no name leads out of the container.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NodePath(String);

/// Bytes that a name may have in common file systems.
const LONGEST_NAME: usize = 255;

impl NodePath {
    /// The root of a container.
    pub const ROOT: Self = Self(String::new());

    /// The path with these names. A slash at the beginning is allowed and means nothing.
    pub fn new(path: &str) -> Result<Self, ZarrError> {
        let path = path.strip_prefix('/').unwrap_or(path);
        if !path.is_empty() {
            path.split('/').try_for_each(check_name)?;
        }
        Ok(Self(path.to_owned()))
    }

    /// The path of a node in this group.
    pub fn child(&self, name: &str) -> Result<Self, ZarrError> {
        check_name(name)?;
        Ok(if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) })
    }

    /// The group that it is in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(self.0.rsplit_once('/').map_or(Self::ROOT, |(parent, _)| Self(parent.to_owned())))
    }

    /// Its last name; nothing for the root.
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Whether it is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is this group, or somewhere in it.
    pub fn is_in(&self, group: &Self) -> bool {
        group.is_root()
            || self.0.strip_prefix(&group.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The names with slashes between them.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}", self.0)
    }
}

/// Fails if no node can have this name. Names that only Zarr's specification forbids (those that begin with two underscores)
/// are allowed: others read them.
pub fn check_name(name: &str) -> Result<(), ZarrError> {
    let reason = if name.is_empty() {
        "it is empty"
    } else if name.bytes().all(|byte| byte == b'.') {
        "it consists of periods"
    } else if name.contains('/') {
        "it contains a slash"
    } else if name.contains('\0') {
        "it contains a null character"
    } else if name.len() > LONGEST_NAME {
        "it is longer than 255 bytes"
    } else if matches!(name, "zarr.json" | ".zgroup" | ".zarray" | ".zattrs" | ".zmetadata") {
        "a metadata document has this name"
    } else {
        return Ok(());
    };
    Err(ZarrError::Name { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for wrong in
            ["..", ".", "a/../b", "a//b", "a/", "//a", "a\0b", "zarr.json", "a/...", &"x".repeat(256)]
        {
            assert!(NodePath::new(wrong).is_err(), "{wrong:?}");
        }
        for right in ["", "/", "a", "/a/b", "..a", "a..", "c/0", "Größe", ".x", "__h5__"] {
            assert!(NodePath::new(right).is_ok(), "{right:?}");
        }
    }

    #[test]
    fn paths_know_their_parts() {
        let path = NodePath::new("/a/b").unwrap();
        assert_eq!((path.as_str(), path.name()), ("a/b", "b"));
        assert_eq!(path.parent(), Some(NodePath::new("a").unwrap()));
        assert_eq!(path.parent().unwrap().parent(), Some(NodePath::ROOT));
        assert!(path.is_in(&NodePath::new("a").unwrap()) && path.is_in(&NodePath::ROOT) && path.is_in(&path));
        assert!(!path.is_in(&NodePath::new("a/bc").unwrap()));
        assert!(!NodePath::new("ab").unwrap().is_in(&NodePath::new("a").unwrap()));
        assert_eq!(NodePath::ROOT.child("x").unwrap().to_string(), "/x");
    }
}
