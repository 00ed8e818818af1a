//! Ranks that were taken before: of those that several selections have, one has to be chosen.

use crate::mapping::Lister;
use crate::{Extent, Selection, SelectionError};

/// Ranks that are taken.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// First and end of each run, in order and apart from each other.
    runs: Vec<(u64, u64)>,
}

/// What was free of some ranks.
#[derive(Clone, Debug)]
pub enum Free {
    /// All of them.
    All,
    /// Some: their places among the ranks.
    Some(Selection),
    /// None of them.
    None,
}

impl Taken {
    /// Takes ranks, which must be [rising](Selection::is_rising). Which of them were free.
    ///
    /// # Errors
    /// If there are too many to count.
    pub fn take(&mut self, ranks: &Selection) -> Result<Free, SelectionError> {
        let (mut free, mut found, mut place) = (Lister::default(), Vec::new(), 0_u64);
        let mut before = self.runs.iter().copied().peekable();
        let mut merged: Vec<(u64, u64)> = Vec::with_capacity(self.runs.len());
        for row in ranks.rows(0..u64::MAX) {
            for turn in 0..row.count {
                let start = row.offset + turn * row.stride;
                let end = start + row.block;
                found.push((start, end));
                while before.next_if(|taken| taken.1 <= start).is_some() {}
                let mut at = start;
                for (first, last) in before.clone().take_while(|taken| taken.0 < end) {
                    free.push(place + (at - start), first.saturating_sub(at));
                    at = last;
                }
                free.push(place + (at.min(end) - start), end.saturating_sub(at));
                place += row.block;
            }
        }
        let count = free.count();
        let mut all = found;
        all.extend_from_slice(&self.runs);
        all.sort_unstable();
        for (start, end) in all {
            match merged.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        self.runs = merged;
        if count == place {
            return Ok(Free::All);
        }
        Ok(free.finish(&Extent::new(&[place])?).map_or(Free::None, Free::Some))
    }

    /// The ranks below `len` that are not taken; `None` if there are none.
    ///
    /// # Errors
    /// If there are too many to count.
    pub fn rest(&self, len: u64) -> Result<Option<Selection>, SelectionError> {
        let (mut left, mut free) = (Lister::default(), 0);
        for &(start, end) in &self.runs {
            left.push(free, start.saturating_sub(free));
            free = end;
        }
        left.push(free, len.saturating_sub(free));
        Ok(left.finish(&Extent::new(&[len])?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random ranks, in any order of taking, against a list of booleans.
    #[test]
    fn what_was_free_is_found() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let extent = Extent::new(&[60]).unwrap();
        for _ in 0..500 {
            let (mut taken, mut is_taken) = (Taken::default(), [false; 60]);
            for _ in 0..=random(5) {
                let (start, block) = (random(20), random(4) + 1);
                let stride = block + random(4);
                let count = (random(8) + 1).min((60 - start - block) / stride + 1);
                let ranks = Selection::hyperslab(&extent, &[start], &[stride], &[count], &[block]).unwrap();
                let each = ranks.offsets();
                let free: Vec<u64> = (0..each.len())
                    .filter(|place| !is_taken[usize::try_from(each[*place]).unwrap()])
                    .map(|place| place as u64)
                    .collect();
                match taken.take(&ranks).unwrap() {
                    Free::All => assert_eq!(free.len(), each.len()),
                    Free::Some(found) => assert_eq!(found.offsets(), free),
                    Free::None => assert!(free.is_empty()),
                }
                for rank in each {
                    is_taken[usize::try_from(rank).unwrap()] = true;
                }
            }
            let left: Vec<u64> = (0..60).filter(|rank| !is_taken[usize::try_from(*rank).unwrap()]).collect();
            assert_eq!(taken.rest(60).unwrap().map_or(Vec::new(), |rest| rest.offsets()), left);
        }
    }
}
