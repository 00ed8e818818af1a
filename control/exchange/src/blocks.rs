//! Cuts an extent into boxes that fit in memory, along the borders of chunks where that is possible.

/// A part of an extent: its first element, and how many there are along each dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The first element.
    pub start: Vec<u64>,
    /// Elements along each dimension.
    pub count: Vec<u64>,
}

impl Block {
    /// Elements of it.
    pub fn elements(&self) -> u64 {
        self.count.iter().product()
    }
}

/// How an extent is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    extent: Vec<u64>,
    size: Vec<u64>,
}

impl Blocks {
    /// Boxes of at most so many elements. Each is made of whole chunks, unless a chunk has more elements.
    pub fn new(extent: &[u64], chunk: Option<&[u64]>, most: u64) -> Self {
        let most = most.max(1);
        let mut size: Vec<u64> = match chunk {
            Some(chunk) if chunk.len() == extent.len() => {
                chunk.iter().zip(extent).map(|(chunk, extent)| (*chunk).min(*extent).max(1)).collect()
            }
            _ => vec![1; extent.len()],
        };
        let product = |size: &[u64]| size.iter().fold(1_u64, |all, each| all.saturating_mul(*each));
        // A chunk that is too large is cut along its first dimensions: its rows stay whole.
        for place in 0..size.len() {
            let all = product(&size);
            if all > most {
                size[place] = (size[place] / all.div_ceil(most)).max(1);
            }
        }
        for place in (0..size.len()).rev() {
            let times = (most / product(&size).max(1)).max(1);
            let wanted = size[place].saturating_mul(times);
            // Only a dimension that is whole leaves room for the one before it.
            if wanted < extent[place] {
                size[place] = wanted;
                break;
            }
            size[place] = extent[place].max(1);
        }
        Self { extent: extent.to_vec(), size }
    }

    /// Boxes along each dimension.
    fn grid(&self) -> Vec<u64> {
        self.extent.iter().zip(&self.size).map(|(extent, size)| extent.div_ceil(*size)).collect()
    }

    /// Number of boxes.
    pub fn number(&self) -> u64 {
        self.grid().iter().fold(1_u64, |all, each| all.saturating_mul(*each))
    }

    /// The boxes that a box of elements touches: their indices.
    pub fn touched(&self, start: &[u64], count: &[u64]) -> Vec<Vec<u64>> {
        let mut found = vec![Vec::new()];
        for (place, size) in self.size.iter().enumerate() {
            let end = start[place].saturating_add(count[place]).min(self.extent[place]);
            let (first, last) = (start[place] / size, end.div_ceil(*size));
            found = found
                .into_iter()
                .flat_map(|before: Vec<u64>| {
                    (first..last).map(move |index| before.iter().copied().chain([index]).collect())
                })
                .collect();
        }
        found
    }

    /// The box with these indices.
    pub fn at(&self, index: &[u64]) -> Block {
        let start: Vec<u64> = index.iter().zip(&self.size).map(|(index, size)| index * size).collect();
        let count = start.iter().zip(&self.size).zip(&self.extent);
        let count = count.map(|((start, size), extent)| (*size).min(extent - start)).collect();
        Block { start, count }
    }

    /// All boxes, the last dimension fastest.
    pub fn all(&self) -> impl Iterator<Item = Block> + '_ {
        let grid = self.grid();
        let number = if grid.contains(&0) { 0 } else { self.number() };
        (0..number).map(move |mut number| {
            let mut index = vec![0; grid.len()];
            for (place, along) in grid.iter().enumerate().rev() {
                index[place] = number % along;
                number /= along;
            }
            self.at(&index)
        })
    }
}

/// The coordinates of the element with this number in a block.
pub fn coordinates(block: &Block, mut number: u64) -> Vec<u64> {
    let mut place = block.start.clone();
    for (coordinate, count) in place.iter_mut().zip(&block.count).rev() {
        *coordinate += number % count.max(&1);
        number /= count.max(&1);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_everything_once() {
        for (extent, chunk, most) in [
            (vec![10, 7], None, 5),
            (vec![10, 7], Some(vec![3, 2]), 12),
            (vec![10, 7], Some(vec![3, 2]), 4),
            (vec![10, 7, 3], Some(vec![4, 4, 4]), 1000),
            (vec![5], Some(vec![100]), 2),
            (vec![], None, 7),
            (vec![0, 4], Some(vec![2, 2]), 7),
        ] {
            let blocks = Blocks::new(&extent, chunk.as_deref(), most);
            let mut seen = std::collections::BTreeSet::new();
            for block in blocks.all() {
                assert!(block.elements() <= most, "{extent:?} {chunk:?} {most}: {block:?}");
                for number in 0..block.elements() {
                    assert!(seen.insert(coordinates(&block, number)), "{block:?} twice");
                }
            }
            assert_eq!(seen.len() as u64, extent.iter().product::<u64>(), "{extent:?}");
        }
    }

    #[test]
    fn blocks_are_whole_chunks_if_one_fits() {
        for block in Blocks::new(&[100, 100], Some(&[10, 10]), 450).all() {
            assert!(
                block.start.iter().all(|start| start % 10 == 0) && block.elements() == 400
                    || block.start[1] == 80,
                "{block:?}"
            );
        }
        assert_eq!(
            Blocks::new(&[100, 100], None, 250).at(&[1, 0]),
            Block { start: vec![2, 0], count: vec![2, 100] }
        );
        assert_eq!(
            Blocks::new(&[100, 100], Some(&[10, 10]), 400).touched(&[15, 30], &[1, 20]),
            [[1, 0], [1, 1]]
        );
    }

    #[test]
    fn a_huge_extent_is_cut_without_counting() {
        let blocks = Blocks::new(&[u64::MAX, u64::MAX], Some(&[1 << 20, 1 << 20]), 1 << 20);
        assert_eq!(blocks.at(&[3, 0]).elements(), 1 << 20);
        assert_eq!(blocks.number(), u64::MAX);
    }
}
