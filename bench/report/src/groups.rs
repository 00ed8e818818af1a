//! What rows have in common.

use std::collections::HashMap;

use crate::Results;

/// Groups in the order in which they first appear.
pub(crate) fn groups(results: &Results) -> Vec<&str> {
    let mut groups: Vec<&str> = Vec::new();
    for row in &results.rows {
        if !groups.contains(&row.group.as_str()) {
            groups.push(&row.group);
        }
    }
    groups
}

/// The library that most rows outside of the matrix were measured with; the others say theirs.
pub(crate) fn usual_library(results: &Results) -> &str {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in results.rows.iter().filter(|row| row.cell.is_none()) {
        *counts.entry(&row.library).or_default() += 1;
    }
    // Of equally many the first by name, so that it is always the same.
    counts.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map_or("", |(library, _)| library)
}
