//! Copying a box of elements between an array and a smaller one, both row-major.

/// A box inside of an array.
#[derive(Debug)]
pub(crate) struct Inside<'b> {
    /// The lengths of the array.
    pub(crate) outer: &'b [u64],
    /// Where the box begins in it.
    pub(crate) origin: &'b [u64],
    /// The lengths of the box. It lies completely in the array.
    pub(crate) shape: &'b [u64],
    /// Bytes of an element.
    pub(crate) element: usize,
}

impl Inside<'_> {
    /// Calls with each run of bytes: where it is in the array, where in the box, and how long it is.
    pub(crate) fn each_run(&self, mut copy: impl FnMut(usize, usize, usize)) {
        let size = |length: u64| usize::try_from(length).unwrap_or(0);
        let Some(last) = self.shape.len().checked_sub(1) else { return copy(0, 0, self.element) };
        if self.shape.contains(&0) {
            return;
        }
        let mut strides = vec![self.element; self.shape.len()];
        for dimension in (0..last).rev() {
            strides[dimension] = strides[dimension + 1] * size(self.outer[dimension + 1]);
        }
        let run = size(self.shape[last]) * self.element;
        let mut at = vec![0_u64; last];
        let (mut begin, mut in_box) = (0, 0);
        for (stride, origin) in strides.iter().zip(self.origin) {
            begin += stride * size(*origin);
        }
        loop {
            let offset: usize = strides.iter().zip(&at).map(|(stride, at)| stride * size(*at)).sum();
            copy(begin + offset, in_box, run);
            in_box += run;
            let mut dimension = last;
            loop {
                let Some(before) = dimension.checked_sub(1) else { return };
                dimension = before;
                at[dimension] += 1;
                if at[dimension] < self.shape[dimension] {
                    break;
                }
                at[dimension] = 0;
            }
        }
    }

    /// Copies the box out of the array.
    pub(crate) fn take(&self, array: &[u8], to: &mut [u8]) {
        self.each_run(|outer, inner, length| {
            to[inner..inner + length].copy_from_slice(&array[outer..outer + length]);
        });
    }

    /// Copies the box into the array.
    pub(crate) fn put(&self, array: &mut [u8], from: &[u8]) {
        self.each_run(|outer, inner, length| {
            array[outer..outer + length].copy_from_slice(&from[inner..inner + length]);
        });
    }

    /// Fills the box in the array with one element again and again.
    pub(crate) fn fill(&self, array: &mut [u8], element: &[u8]) {
        self.each_run(|outer, _, length| fill(&mut array[outer..outer + length], element));
    }
}

/// Fills bytes with one element again and again.
pub(crate) fn fill(bytes: &mut [u8], element: &[u8]) {
    match element.first() {
        Some(&byte) if element.iter().all(|other| *other == byte) => bytes.fill(byte),
        Some(_) => bytes.chunks_exact_mut(element.len()).for_each(|place| place.copy_from_slice(element)),
        None => {}
    }
}

/// Whether bytes are one element again and again.
pub(crate) fn is_filled(bytes: &[u8], element: &[u8]) -> bool {
    !element.is_empty() && bytes.chunks_exact(element.len()).all(|place| place == element)
}

/// The coordinates of a row-major grid, one after another.
pub(crate) fn coordinates(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let shape = shape.to_vec();
    let mut next = (!shape.contains(&0)).then(|| vec![0; shape.len()]);
    core::iter::from_fn(move || {
        let this = next.clone()?;
        next = (0..shape.len()).rev().find(|&dimension| this[dimension] + 1 < shape[dimension]).map(
            |dimension| {
                let mut after = this.clone();
                after[dimension] += 1;
                after[dimension + 1..].fill(0);
                after
            },
        );
        Some(this)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_copied_both_ways() {
        let array: Vec<u8> = (0..4 * 5 * 6).collect();
        let inside = Inside { outer: &[4, 5, 6], origin: &[1, 2, 3], shape: &[2, 3, 2], element: 1 };
        let mut taken = vec![0; 12];
        inside.take(&array, &mut taken);
        assert_eq!(taken, [45, 46, 51, 52, 57, 58, 75, 76, 81, 82, 87, 88]);
        let mut back = vec![0; 120];
        inside.put(&mut back, &taken);
        let expected: Vec<u8> =
            array.iter().map(|&byte| if taken.contains(&byte) { byte } else { 0 }).collect();
        assert_eq!(back, expected);
        inside.fill(&mut back, &[0]);
        assert_eq!(back, [0; 120]);
    }

    #[test]
    fn coordinates_are_in_order() {
        let all: Vec<Vec<u64>> = coordinates(&[2, 1, 2]).collect();
        assert_eq!(all, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(coordinates(&[]).collect::<Vec<_>>(), [Vec::<u64>::new()]);
        assert_eq!(coordinates(&[3, 0]).count(), 0);
    }
}
