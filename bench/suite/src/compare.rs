//! Checks that native HDF5, the connector and the limit give the same bytes.
//!
//! Checksums of blocks are compared, so that two results need not be in memory at the same time: a user's dataset may be as
//! large as half of the memory.

use core::hash::Hasher;
use std::hash::DefaultHasher;

use anyhow::{Context, Result, bail, ensure};

use crate::registry::Subject;

/// Bytes of a block.
const BLOCK: usize = 64 << 10;

/// The checksums of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    length: usize,
    /// Of each block.
    sums: Vec<u64>,
}

impl Part {
    fn of(bytes: &[u8]) -> Self {
        let sum = |block: &[u8]| {
            let mut hasher = DefaultHasher::new();
            hasher.write(block);
            hasher.finish()
        };
        Self { length: bytes.len(), sums: bytes.chunks(BLOCK).map(sum).collect() }
    }
}

/// Does everything once in every way, and compares the results.
///
/// # Errors
/// What differs, and where.
pub(crate) fn compare(
    native: &mut dyn Subject,
    bypass: &mut dyn Subject,
    limit: Option<&mut dyn Subject>,
) -> Result<()> {
    let expected = parts_of(native).context("native HDF5")?;
    ensure!(!expected.is_empty(), "native HDF5 returned nothing to compare");
    let found = parts_of(bypass).context("through bypass")?;
    same(&expected, &found).context("wrong data through bypass")?;
    if let Some(limit) = limit {
        let found = parts_of(limit).context("the limit")?;
        let Some(first) = expected.len().checked_sub(found.len()) else {
            bail!("the limit returned {} parts instead of {}", found.len(), expected.len())
        };
        same(&expected[first..], &found).context("the limit does not do the same as native HDF5")?;
    }
    Ok(())
}

fn parts_of(subject: &mut dyn Subject) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    subject.show(&mut |bytes| {
        parts.push(Part::of(bytes));
        Ok(())
    })?;
    Ok(parts)
}

fn same(expected: &[Part], found: &[Part]) -> Result<()> {
    ensure!(expected.len() == found.len(), "{} parts instead of {}", found.len(), expected.len());
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        let (length, wanted) = (found.length, expected.length);
        ensure!(length == wanted, "part {number} has {length} bytes instead of {wanted}");
        if let Some(block) = expected.sums.iter().zip(&found.sums).position(|(a, b)| a != b) {
            let (start, end) = (block * BLOCK, ((block + 1) * BLOCK).min(length));
            bail!("bytes {start} to {end} of part {number} differ");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spent;

    struct Shown(Vec<Vec<u8>>);

    impl Subject for Shown {
        fn run(&mut self, _: u32) -> Result<Spent> {
            Ok(Spent::default())
        }

        fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
            self.0.iter().try_for_each(|bytes| part(bytes))
        }
    }

    fn said(native: &[Vec<u8>], bypass: &[Vec<u8>], limit: Option<&[Vec<u8>]>) -> String {
        let shown = |parts: &[Vec<u8>]| Shown(parts.to_vec());
        let mut limit = limit.map(shown);
        let limit = limit.as_mut().map(|limit| -> &mut dyn Subject { limit });
        let compared = compare(&mut shown(native), &mut shown(bypass), limit);
        compared.err().map(|failure| format!("{failure:#}")).unwrap_or_default()
    }

    #[test]
    fn every_difference_is_found() {
        let parts = [vec![1; 100], vec![2; 3 * BLOCK + 5]];
        assert_eq!(said(&parts, &parts, None), "");
        let mut other = parts.clone();
        other[1][3 * BLOCK + 4] = 0;
        let wrong = "wrong data through bypass: bytes 196608 to 196613 of part 1 differ";
        assert_eq!(said(&parts, &other, None), wrong);
        other[1].pop();
        assert!(said(&parts, &other, None).ends_with("part 1 has 196612 bytes instead of 196613"));
        assert!(said(&parts, &parts[..1], None).ends_with("1 parts instead of 2"));
        assert!(said(&[], &[], None).contains("nothing to compare"));
    }

    #[test]
    fn a_limit_is_compared_with_the_last_parts() {
        let parts = [vec![1; 100], vec![2; 100], vec![3; 100]];
        assert_eq!(said(&parts, &parts, Some(&parts)), "");
        assert_eq!(said(&parts, &parts, Some(&parts[2..])), "");
        assert_eq!(said(&parts, &parts, Some(&[])), "");
        assert!(said(&parts, &parts, Some(&parts[..1])).contains("the limit does not do the same"));
        assert!(
            said(&parts[..1], &parts[..1], Some(&parts)).contains("the limit returned 3 parts instead of 1")
        );
    }
}
