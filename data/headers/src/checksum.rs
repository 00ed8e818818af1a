//! The checksum of HDF5's metadata: Bob Jenkins' "lookup3" hash of the bytes, with the initial value 0.

/// The checksum of these bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    // HDF5's lengths are below 2^32 as well; longer ones are never asked for.
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut state = [0xdead_beef_u32.wrapping_add(length); 3];
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, after) = rest.split_at(12);
        add(&mut state, block);
        mix(&mut state);
        rest = after;
    }
    if !rest.is_empty() {
        add(&mut state, rest);
        finish(&mut state);
    }
    state[2]
}

/// Adds up to twelve bytes, as three little-endian numbers.
fn add(state: &mut [u32; 3], block: &[u8]) {
    for (number, bytes) in state.iter_mut().zip(block.chunks(4)) {
        let mut whole = [0; 4];
        whole[..bytes.len()].copy_from_slice(bytes);
        *number = number.wrapping_add(u32::from_le_bytes(whole));
    }
}

fn mix([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: &mut u32, z: &mut u32, by: u32| {
        *x = x.wrapping_sub(*z) ^ z.rotate_left(by);
        *z = z.wrapping_add(*y);
    };
    step(a, b, c, 4);
    step(b, c, a, 6);
    step(c, a, b, 8);
    step(a, b, c, 16);
    step(b, c, a, 19);
    step(c, a, b, 4);
}

fn finish([a, b, c]: &mut [u32; 3]) {
    let step = |x: &mut u32, y: u32, by: u32| *x = (*x ^ y).wrapping_sub(y.rotate_left(by));
    step(c, *b, 14);
    step(a, *c, 11);
    step(b, *a, 25);
    step(c, *b, 16);
    step(a, *c, 4);
    step(b, *a, 14);
    step(c, *b, 24);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // From the author's own test program.
        assert_eq!(checksum(b""), 0xdead_beef);
        assert_eq!(checksum(b"Four score and seven years ago"), 0x1777_0551);
    }
}
