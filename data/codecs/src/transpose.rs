//! Elements in another order of dimensions, as Zarr stores them: as Fortran has arrays, or in any other order.

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, sized};

/// More dimensions than anybody has.
const MOST_DIMENSIONS: usize = 64;

/// Elements in each of two dimensions that are copied together: what they are read from and written to stays in the first cache.
const TILE: usize = 16;

/// The codec with these parameters: bytes of an element, the number of dimensions, the length of each, and for each dimension
/// of what is stored which one it is.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let wrong =
        || Unsupported(format!("parameters {parameters:?} instead of an element, lengths and an order"));
    let sizes: Vec<usize> =
        parameters.iter().map(|&size| usize::try_from(size).ok()).collect::<Option<_>>().ok_or_else(wrong)?;
    let [element, rank, rest @ ..] = sizes.as_slice() else { return Err(wrong()) };
    if *element == 0 || *rank > MOST_DIMENSIONS || rest.len() != 2 * rank || rest[..*rank].contains(&0) {
        return Err(wrong());
    }
    let (shape, order) = rest.split_at(*rank);
    let mut seen = vec![false; *rank];
    for &dimension in order {
        if seen.get_mut(dimension).is_none_or(|seen| core::mem::replace(seen, true)) {
            return Err(wrong());
        }
    }
    let bytes =
        shape.iter().try_fold(*element, |bytes, length| bytes.checked_mul(*length)).ok_or_else(wrong)?;
    // Dimensions of one element make no difference.
    let is_identity = order.iter().filter(|&&dimension| shape[dimension] > 1).is_sorted();
    let stored_shape: Vec<usize> = order.iter().map(|&dimension| shape[dimension]).collect();
    // For each dimension of one side its stride on the other.
    let mut stored_strides = vec![0; *rank];
    let (of_stored, of_elements) = (strides(&stored_shape, *element), strides(shape, *element));
    for (place, &dimension) in order.iter().enumerate() {
        stored_strides[dimension] = of_stored[place];
    }
    let element_strides = order.iter().map(|&dimension| of_elements[dimension]).collect();
    Ok(Box::new(Transpose {
        element: *element,
        bytes,
        is_identity,
        decode: Walk { shape: shape.to_vec(), from: stored_strides },
        encode: Walk { shape: stored_shape, from: element_strides },
    }))
}

#[derive(Debug)]
struct Transpose {
    /// Bytes of an element. Not zero.
    element: usize,
    /// Bytes of a chunk.
    bytes: usize,
    is_identity: bool,
    decode: Walk,
    encode: Walk,
}

/// How elements are found: for each dimension of the result its length, and its stride in bytes in what there is.
#[derive(Debug)]
struct Walk {
    shape: Vec<usize>,
    from: Vec<usize>,
}

/// Row-major strides in bytes.
fn strides(shape: &[usize], element: usize) -> Vec<usize> {
    let mut strides = vec![element; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension] * shape[dimension];
    }
    strides
}

impl Codec for Transpose {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        if input.len() != self.bytes {
            return Err(CodecError::Corrupt("the data does not have the length of the array"));
        }
        let output = output.get_mut(..self.bytes).ok_or(CodecError::NoRoom)?;
        self.decode.copy(self.element, input, output);
        Ok(self.bytes)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Some(input.len())
    }

    fn is_identity(&self) -> bool {
        self.is_identity
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        if input.len() != self.bytes {
            return Err(CodecError::NotApplicable("the data does not have the length of the array"));
        }
        self.encode.copy(self.element, input, sized(output, input.len())?);
        Ok(())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        Some(input)
    }
}

impl Walk {
    fn copy(&self, element: usize, from: &[u8], to: &mut [u8]) {
        if to.is_empty() {
            return;
        }
        match element {
            1 => self.copy_elements::<1>(from, to),
            2 => self.copy_elements::<2>(from, to),
            4 => self.copy_elements::<4>(from, to),
            8 => self.copy_elements::<8>(from, to),
            16 => self.copy_elements::<16>(from, to),
            _ => self.each_tile(element, |tile| {
                for (outer, inner) in tile.pairs() {
                    let (at, source) = (tile.to(outer, inner), tile.from(outer, inner));
                    to[at..at + element].copy_from_slice(&from[source..source + element]);
                }
            }),
        }
    }

    fn copy_elements<const SIZE: usize>(&self, from: &[u8], to: &mut [u8]) {
        let (from, to) = (from.as_chunks::<SIZE>().0, to.as_chunks_mut::<SIZE>().0);
        self.each_tile(SIZE, |tile| {
            for (outer, inner) in tile.pairs() {
                to[tile.to(outer, inner) / SIZE] = from[tile.from(outer, inner) / SIZE];
            }
        });
    }

    /// Calls with tiles of two dimensions: the last of the result, and the one whose elements are neighbours in what there is.
    fn each_tile(&self, element: usize, mut copy: impl FnMut(&Tile)) {
        let rank = self.shape.len();
        let to = strides(&self.shape, element);
        let Some(inner) = rank.checked_sub(1) else {
            return copy(&Tile { to: 0, from: 0, outer: (1, 0, 0), inner: (1, 0, 0) });
        };
        let others = (0..inner).filter(|&dimension| self.shape[dimension] > 1);
        let outer = others.min_by_key(|&dimension| self.from[dimension]);
        let rest: Vec<usize> = (0..inner).filter(|&dimension| Some(dimension) != outer).collect();
        let mut at = vec![0; rest.len()];
        let (outer_length, outer_to, outer_from) =
            outer.map_or((1, 0, 0), |outer| (self.shape[outer], to[outer], self.from[outer]));
        loop {
            let base = |strides: &[usize]| -> usize {
                rest.iter().zip(&at).map(|(&dimension, &place)| strides[dimension] * place).sum()
            };
            let (base_to, base_from) = (base(&to), base(&self.from));
            for first in (0..outer_length).step_by(TILE) {
                for start in (0..self.shape[inner]).step_by(TILE) {
                    copy(&Tile {
                        to: base_to + first * outer_to + start * to[inner],
                        from: base_from + first * outer_from + start * self.from[inner],
                        outer: (TILE.min(outer_length - first), outer_to, outer_from),
                        inner: (TILE.min(self.shape[inner] - start), to[inner], self.from[inner]),
                    });
                }
            }
            let mut dimension = rest.len();
            loop {
                let Some(before) = dimension.checked_sub(1) else { return };
                dimension = before;
                at[dimension] += 1;
                if at[dimension] < self.shape[rest[dimension]] {
                    break;
                }
                at[dimension] = 0;
            }
        }
    }
}

/// A piece of two dimensions: where it begins on both sides, and for each dimension its length and its strides.
struct Tile {
    to: usize,
    from: usize,
    outer: (usize, usize, usize),
    inner: (usize, usize, usize),
}

impl Tile {
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let inner = self.inner.0;
        (0..self.outer.0).flat_map(move |outer| (0..inner).map(move |inner| (outer, inner)))
    }

    fn to(&self, outer: usize, inner: usize) -> usize {
        self.to + outer * self.outer.1 + inner * self.inner.1
    }

    fn from(&self, outer: usize, inner: usize) -> usize {
        self.from + outer * self.outer.2 + inner * self.inner.2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One element at a time, by its coordinates.
    fn naive(element: usize, shape: &[usize], order: &[usize], input: &[u8]) -> Vec<u8> {
        let stored_shape: Vec<usize> = order.iter().map(|&dimension| shape[dimension]).collect();
        let (from, to) = (strides(shape, element), strides(&stored_shape, element));
        let mut output = vec![0; input.len()];
        for number in 0..input.len() / element {
            let coordinate = |dimension: usize| number * element / from[dimension] % shape[dimension];
            let at: usize =
                order.iter().enumerate().map(|(place, &dimension)| coordinate(dimension) * to[place]).sum();
            output[at..at + element].copy_from_slice(&input[number * element..][..element]);
        }
        output
    }

    #[test]
    fn there_and_back_in_every_order() {
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..400 {
            let rank = random.usize(0..=5);
            let shape: Vec<usize> =
                (0..rank).map(|_| random.usize(1..=if rank < 3 { 50 } else { 7 })).collect();
            let mut order: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut order);
            let element = [1, 2, 3, 4, 5, 8, 16, 24][random.usize(..8)];
            let data: Vec<u8> =
                (0..shape.iter().product::<usize>() * element).map(|_| random.u8(..)).collect();
            let parameters: Vec<u32> = [element, rank]
                .iter()
                .chain(&shape)
                .chain(&order)
                .map(|&number| u32::try_from(number).unwrap())
                .collect();
            let codec = codec(&parameters).unwrap();
            let (mut stored, mut decoded) = (Vec::new(), vec![0; data.len()]);
            codec.encode(&data, &mut stored, &mut Work::new()).unwrap();
            assert_eq!(stored, naive(element, &shape, &order, &data), "{shape:?} {order:?} {element}");
            assert_eq!(codec.decode(&stored, &mut decoded, &mut Work::new()), Ok(data.len()));
            assert!(decoded == data, "{shape:?} {order:?} {element}");
            if codec.is_identity() {
                assert_eq!(stored, data);
            }
        }
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for wrong in
            [&[][..], &[4], &[0, 0], &[4, 1, 3], &[4, 1, 3, 1], &[4, 2, 3, 3, 0, 0], &[4, 65], &[4, 1, 0, 0]]
        {
            assert!(codec(wrong).is_err(), "{wrong:?}");
        }
        assert!(codec(&[u32::MAX, 2, u32::MAX, u32::MAX, 0, 1]).is_err());
    }
}
