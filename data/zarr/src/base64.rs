//! Base64, in which fill values without a better spelling are given.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// These bytes as text.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = usize::try_from(bits >> (18 - 6 * place) & 63).unwrap_or(0);
            text.push(if place <= group.len() { char::from(ALPHABET[digit]) } else { '=' });
        }
    }
    text
}

/// The bytes of a text; `None` if it is not base64. Padding may be missing.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3 + 2);
    for group in digits.chunks(4) {
        let mut bits = 0_u32;
        for &digit in group {
            let value = ALPHABET.iter().position(|&known| known == digit)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        let bits = bits << (6 * (4 - group.len()));
        let [_, first, second, third] = bits.to_be_bytes();
        match group.len() {
            4 => bytes.extend([first, second, third]),
            3 => bytes.extend([first, second]),
            2 => bytes.push(first),
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        assert_eq!(encode(b"Many hands"), "TWFueSBoYW5kcw==");
        for length in 0..70_u8 {
            let bytes: Vec<u8> = (0..length).map(|byte| byte.wrapping_mul(37)).collect();
            let text = encode(&bytes);
            assert_eq!(text.len() % 4, 0);
            assert_eq!(decode(&text), Some(bytes.clone()));
            assert_eq!(decode(text.trim_end_matches('=')), Some(bytes));
        }
        assert_eq!(decode("A"), None);
        assert_eq!(decode("AA*A"), None);
    }
}
