//! Looking ahead: reads that go through a dataset chunk by chunk.

use std::sync::{Mutex, PoisonError};

use selection::{ChunkGrid, Dims, Selection};

/// How many steps a read may be ahead of its turn, or behind it: application threads that share the work do not take turns.
const OUT_OF_TURN: usize = 4;

/// A box of chunks: the first and the last in each dimension.
type ChunkBox = (Dims, Dims);

/// How the reads of a dataset go through its chunks.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    way: Mutex<Option<Way>>,
}

#[derive(Debug)]
struct Way {
    /// The chunks that the read farthest ahead touched.
    last: ChunkBox,
    /// How the reads before it led to it.
    course: Option<Course>,
}

#[derive(Debug, Clone)]
struct Course {
    /// The dimension in which the boxes follow one another.
    dimension: usize,
    /// Chunks of a box in each dimension.
    size: Dims,
    /// How many steps it was followed.
    steps: u32,
}

/// What a read tells about those that will follow.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// Nothing new: it touches what an earlier one did.
    Unchanged,
    /// Nothing.
    Unknown,
    /// Numbers of chunks that will be touched next, if it goes on like this.
    Next(Vec<u64>),
}

impl Steps {
    /// What follows a read. Boxes of chunks that follow one another are of equal size, and go through the dataset as the lines
    /// of a text do: each one right behind the one before, or at the beginning of the next line. `most` is how many chunks are
    /// wanted after so many steps.
    pub(crate) fn next(
        &self,
        grid: &ChunkGrid,
        file: &Selection,
        most: impl FnOnce(u32) -> usize,
    ) -> Outlook {
        let Some((mut low, mut high)) = file.bounds() else { return Outlook::Unknown };
        for ((low, high), &size) in low.iter_mut().zip(high.iter_mut()).zip(grid.chunk_dims().iter()) {
            *low /= size;
            *high /= size;
        }
        let now = (low, high);
        let mut way = self.way.lock().unwrap_or_else(PoisonError::into_inner);
        let course = match &*way {
            None => None,
            Some(way) if way.last == now => return Outlook::Unchanged,
            Some(Way { last, course: Some(course) }) if course.leads(grid, &now, last).is_some() => {
                // It is late, and others have gone on.
                return Outlook::Unchanged;
            }
            Some(Way { last, course }) => {
                match course.as_ref().and_then(|course| course.followed(grid, last, &now)) {
                    Some(course) => Some(course),
                    None => Course::between(last, &now),
                }
            }
        };
        *way = Some(Way { last: now.clone(), course: course.clone() });
        drop(way);
        let Some(course) = course else { return Outlook::Unknown };
        let (most, mut numbers) = (most(course.steps), Vec::new());
        let mut at = now;
        while numbers.len() < most {
            let Some(next) = course.after(grid, &at) else { break };
            add_box(grid, &next, most, &mut numbers);
            at = next;
        }
        Outlook::Next(numbers)
    }
}

impl Course {
    /// The course on which one box lies right behind another of its size, if there is one.
    fn between(before: &ChunkBox, now: &ChunkBox) -> Option<Self> {
        if before.0.len() != now.0.len() {
            return None;
        }
        let mut moved = (0..now.0.len()).filter(|&d| before.0[d] != now.0[d] || before.1[d] != now.1[d]);
        let dimension = moved.next()?;
        if moved.next().is_some() || now.0[dimension] != before.1[dimension] + 1 {
            return None;
        }
        let mut size = before.1.clone();
        for (size, low) in size.iter_mut().zip(before.0.iter()) {
            *size = *size - *low + 1;
        }
        Some(Self { dimension, size, steps: 1 })
    }

    /// The box after another one.
    fn after(&self, grid: &ChunkGrid, (low, _): &ChunkBox) -> Option<ChunkBox> {
        let (shape, mut low) = (grid.shape(), low.clone());
        let mut dimension = self.dimension;
        low[dimension] += self.size[dimension];
        while low[dimension] >= shape[dimension] {
            // The next line begins.
            low[dimension] = 0;
            dimension = dimension.checked_sub(1)?;
            low[dimension] += self.size[dimension];
        }
        let mut high = low.clone();
        for (dimension, high) in high.iter_mut().enumerate() {
            *high = (*high + self.size[dimension] - 1).min(shape[dimension] - 1);
        }
        Some((low, high))
    }

    /// After how many steps this course leads from one box to another, if soon.
    fn leads(&self, grid: &ChunkGrid, from: &ChunkBox, to: &ChunkBox) -> Option<usize> {
        let mut at = from.clone();
        (1..=OUT_OF_TURN).find(|_| match self.after(grid, &at) {
            Some(next) => {
                at = next;
                at == *to
            }
            None => false,
        })
    }

    /// The course if it was followed.
    fn followed(&self, grid: &ChunkGrid, before: &ChunkBox, now: &ChunkBox) -> Option<Self> {
        self.leads(grid, before, now)?;
        Some(Self { steps: self.steps.saturating_add(1), ..self.clone() })
    }
}

/// Adds the numbers of a box of chunks, up to `most` in all.
fn add_box(grid: &ChunkGrid, (low, high): &ChunkBox, most: usize, numbers: &mut Vec<u64>) {
    let mut at = low.clone();
    while numbers.len() < most {
        let Ok(chunk) = grid.chunk(&at) else { return };
        numbers.push(chunk.number);
        let Some(dimension) = (0..at.len()).rev().find(|&d| at[d] < high[d]) else { return };
        at[dimension] += 1;
        for d in dimension + 1..at.len() {
            at[d] = low[d];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selection::Extent;

    /// Reads tiles of a 10 x 10 dataset in chunks of 2 x 2; gives what is looked ahead for the last.
    fn after(reads: &[([u64; 2], [u64; 2])], most: usize) -> Vec<u64> {
        match outlook(reads, most) {
            Outlook::Next(numbers) => numbers,
            Outlook::Unchanged | Outlook::Unknown => Vec::new(),
        }
    }

    fn outlook(reads: &[([u64; 2], [u64; 2])], most: usize) -> Outlook {
        let extent = Extent::new(&[10, 10]).unwrap();
        let grid = ChunkGrid::new(&extent, &[2, 2]).unwrap();
        let steps = Steps::default();
        let tile = |(start, size): &([u64; 2], [u64; 2])| Selection::tile(&extent, start, size).unwrap();
        reads.iter().map(|read| steps.next(&grid, &tile(read), |_| most)).last().unwrap()
    }

    #[test]
    fn rows_one_by_one() {
        let row = |row| ([row, 0], [1, 10]);
        assert_eq!(after(&[row(0)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(0), row(1)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(0), row(1), row(2)], 5), [10, 11, 12, 13, 14]);
        assert_eq!(after(&[row(0), row(1), row(2)], 3), [10, 11, 12]);
        assert_eq!(outlook(&[row(0), row(1), row(2), row(3)], 5), Outlook::Unchanged);
        assert_eq!(after(&[row(5), row(6)], 9), [20, 21, 22, 23, 24]);
        assert_eq!(after(&[row(5), row(9)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(7), row(8)], 9), [0_u64; 0]);
        assert_eq!(outlook(&[row(4), row(2)], 9), Outlook::Unknown);
    }

    #[test]
    fn steps_on_the_same_course_are_counted() {
        let extent = Extent::new(&[10, 10]).unwrap();
        let (grid, steps) = (ChunkGrid::new(&extent, &[2, 2]).unwrap(), Steps::default());
        let mut counts = Vec::new();
        for row in [0, 2, 4, 6] {
            let file = Selection::tile(&extent, &[row, 0], &[2, 10]).unwrap();
            steps.next(&grid, &file, |steps| {
                counts.push((row, steps));
                1
            });
        }
        assert_eq!(counts, [(2, 1), (4, 2), (6, 3)]);
    }

    #[test]
    fn columns_and_tiles() {
        assert_eq!(after(&[([0, 1], [10, 1]), ([0, 2], [10, 1])], 5), [2, 7, 12, 17, 22]);
        assert_eq!(after(&[([2, 2], [2, 2]), ([2, 4], [2, 2])], 2), [8, 9]);
        assert_eq!(after(&[([2, 2], [2, 2]), ([4, 4], [2, 2])], 9), [0_u64; 0]);
    }

    #[test]
    fn the_next_line_follows_the_end_of_one() {
        let tile = |row: u64, column: u64| ([2 * row, 2 * column], [2, 2]);
        assert_eq!(after(&[tile(1, 2), tile(1, 3)], 4), [9, 10, 11, 12]);
        let along = [tile(1, 3), tile(1, 4), tile(2, 0)];
        assert_eq!(outlook(&along, 3), Outlook::Next(vec![11, 12, 13]));
        assert_eq!(after(&[tile(4, 3), tile(4, 4)], 4), [0_u64; 0]);
    }

    #[test]
    fn threads_need_not_take_turns() {
        let row = |row: u64| ([2 * row, 0], [2, 10]);
        let out_of_turn = [row(0), row(1), row(3)];
        assert_eq!(outlook(&out_of_turn, 5), Outlook::Next(vec![20, 21, 22, 23, 24]));
        assert_eq!(outlook(&[row(0), row(1), row(3), row(2)], 5), Outlook::Unchanged);
        let goes_on = [row(0), row(1), row(3), row(2), row(4)];
        assert_eq!(outlook(&goes_on, 5), Outlook::Next(vec![]));
    }
}
