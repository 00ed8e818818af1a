//! Files that remember what something was made from.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The recipe something was made from: the whole text, which is small, so no hash is needed.
#[derive(Debug)]
pub(crate) struct Stamp {
    path: PathBuf,
    recipe: String,
}

impl Stamp {
    /// The stamp of something that is to be made from `recipe`.
    pub(crate) fn new(path: impl Into<PathBuf>, recipe: impl Into<String>) -> Self {
        Self { path: path.into(), recipe: recipe.into() }
    }

    /// Whether `product` is there and was made from this recipe.
    pub(crate) fn covers(&self, product: &Path) -> bool {
        product.exists() && fs::read_to_string(&self.path).is_ok_and(|found| found == self.recipe)
    }

    /// Marks the product as incomplete. To be called before work on it begins.
    pub(crate) fn revoke(&self) -> Result<()> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot remove {}", self.path.display()))
            }
            _ => Ok(()),
        }
    }

    /// Marks the product as complete.
    pub(crate) fn grant(&self) -> Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&self.path, &self.recipe).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_recipe_or_a_missing_product_is_noticed() {
        let folder = tempfile::tempdir().expect("a folder");
        let product = folder.path().join("product");
        let stamp = Stamp::new(folder.path().join("stamp"), "numpy==1");
        assert!(!stamp.covers(&product));

        stamp.grant().expect("stamp written");
        assert!(!stamp.covers(&product), "the product is missing");
        fs::write(&product, "").expect("product written");
        assert!(stamp.covers(&product));
        assert!(!Stamp::new(folder.path().join("stamp"), "numpy==2").covers(&product));

        stamp.revoke().expect("stamp removed");
        assert!(!stamp.covers(&product));
        stamp.revoke().expect("revoking twice is harmless");
    }
}
