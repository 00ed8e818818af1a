//! LZF, as h5py's filter writes it.

/// Literal bytes that are copied at once, and bytes of a repetition: most steps are short, and a copy of known length
/// needs no call. What is too much is overwritten by the next step.
const LITERALS: usize = 32;
const WORD: usize = 8;

/// Decodes `packed` into `out`: the number of bytes, or nothing when it is damaged or longer than `out`.
///
/// Two kinds of steps: up to 32 literal bytes, or a repetition of what was decoded up to 8 KiB before.
pub(crate) fn decode(mut packed: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(control) = take(&mut packed) {
        if control < LITERALS {
            let length = control + 1;
            let (source, target) = (packed.first_chunk::<LITERALS>(), out.get_mut(at..at + LITERALS));
            if let (Some(source), Some(target)) = (source, target) {
                target.copy_from_slice(source);
            } else {
                out.get_mut(at..at + length)?.copy_from_slice(packed.get(..length)?);
            }
            (packed, at) = (&packed[length..], at + length);
            continue;
        }
        let mut length = (control >> 5) + 2;
        if length == 9 {
            length += take(&mut packed)?;
        }
        let distance = ((control & 31) << 8 | take(&mut packed)?) + 1;
        let (from, end) = (at.checked_sub(distance)?, at + length);
        if distance >= WORD && end + WORD <= out.len() {
            for step in (0..length).step_by(WORD) {
                out.copy_within(from + step..from + step + WORD, at + step);
            }
        } else if distance == 1 {
            let byte = out[from];
            out.get_mut(at..end)?.fill(byte);
        } else {
            // Byte by byte: it may run into what it writes itself.
            let target = out.get_mut(..end)?;
            for step in 0..length {
                target[at + step] = target[from + step];
            }
        }
        at = end;
    }
    Some(at)
}

fn take(packed: &mut &[u8]) -> Option<usize> {
    packed.split_off_first().map(|&byte| usize::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_copies_and_repetitions() {
        // "abcd", then 3 bytes from 4 back, then 20 times the last byte.
        let packed = [3, b'a', b'b', b'c', b'd', 1 << 5, 3, 7 << 5, 20 - 9, 0];
        let mut out = [0; 64];
        let length = decode(&packed, &mut out).unwrap();
        assert_eq!(&out[..length], b"abcdabccccccccccccccccccccc");
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let mut out = [0; 8];
        for packed in [&[3, b'a'][..], &[1 << 5, 3], &[0, b'a', 1 << 5], &[0, b'a', 7 << 5, 200, 0]] {
            assert_eq!(decode(packed, &mut out), None, "{packed:?}");
        }
    }
}
