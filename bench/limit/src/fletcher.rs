//! HDF5's checksum.

/// Words that are summed up before the sums are made small again.
const BLOCK: usize = 4096;
const CHECKSUM: usize = 4;

/// Checks and copies the first into the second: the number of bytes, or nothing when they do not fit.
pub(crate) fn decode(stored: &[u8], out: &mut [u8]) -> Option<usize> {
    let (content, expected) = stored.split_last_chunk::<CHECKSUM>()?;
    if content.len() != out.len() || checksum(content) != u64::from(u32::from_le_bytes(*expected)) {
        return None;
    }
    out.copy_from_slice(content);
    Some(out.len())
}

/// Of big-endian words of 16 bits: their sum, and in the upper half the sum of all sums on the way to it.
fn checksum(content: &[u8]) -> u64 {
    let (mut sum, mut sums) = (0, 0);
    for block in content.as_chunks::<2>().0.chunks(BLOCK) {
        for &word in block {
            sum += u64::from(u16::from_be_bytes(word));
            sums += sum;
        }
        (sum, sums) = (fold(sum), fold(sums));
    }
    sums << 16 | sum
}

/// The remainder by 65535, but 65535 itself where it would become zero.
fn fold(sum: u64) -> u64 {
    if sum == 0 { 0 } else { (sum - 1) % 0xffff + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_make_the_same_sums_as_single_words() {
        for content in [vec![], vec![0; 600], vec![0xff; 1000], (0..=255).cycle().take(70_000).collect()] {
            let (mut sum, mut sums) = (0, 0);
            for &word in content.as_chunks::<2>().0 {
                sum = fold(sum + u64::from(u16::from_be_bytes(word)));
                sums = fold(sums + sum);
            }
            assert_eq!(checksum(&content), sums << 16 | sum);
        }
    }

    #[test]
    fn what_is_damaged_is_refused() {
        // Sums 0x0102, 0x0406 and, of them, 0x0508.
        let (mut stored, mut out) = ([1, 2, 3, 4, 6, 4, 8, 5], [0; 4]);
        assert_eq!(decode(&stored, &mut out), Some(4));
        assert_eq!(out, [1, 2, 3, 4]);
        assert_eq!(decode(&stored, &mut [0; 2]), None);
        assert_eq!(decode(&stored[..3], &mut out), None);
        stored[1] ^= 8;
        assert_eq!(decode(&stored, &mut out), None);
    }
}
