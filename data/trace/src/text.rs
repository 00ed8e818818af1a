//! Pieces of JSON. A trace has a million of them, so they are put together without the formatting of the standard
//! library, which takes ten times as long.

use std::io::Write as _;

/// Appends a number.
pub(crate) fn push_number(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    while first == digits.len() || number > 0 {
        first -= 1;
        digits[first] = digit(number);
        number /= 10;
    }
    text.extend_from_slice(&digits[first..]);
}

/// Appends nanoseconds as microseconds with three decimals.
pub(crate) fn push_microseconds(text: &mut Vec<u8>, nanoseconds: u64) {
    push_number(text, nanoseconds / 1000);
    let digits = [digit(nanoseconds / 100), digit(nanoseconds / 10), digit(nanoseconds)];
    text.push(b'.');
    text.extend_from_slice(&digits);
}

/// The last digit of a number.
fn digit(number: u64) -> u8 {
    b'0' + (number % 10).to_le_bytes()[0]
}

/// Appends a text, as JSON has it.
pub(crate) fn push_text(text: &mut Vec<u8>, value: &str) {
    text.push(b'"');
    for character in value.chars() {
        match character {
            '"' => text.extend_from_slice(b"\\\""),
            '\\' => text.extend_from_slice(b"\\\\"),
            // Some that JSON allows would still upset programs that show them.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                // Writing to memory cannot fail.
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            }
            character => text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(push: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut text = Vec::new();
        push(&mut text);
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn texts_are_escaped() {
        let text = |value| text(|text| push_text(text, value));
        assert_eq!(text("plain \u{e9} \u{1d11e}"), "\"plain \u{e9} \u{1d11e}\"");
        assert_eq!(text("a\"b\\c/"), r#""a\"b\\c/""#);
        assert_eq!(text("\n\t\0\u{7f}\u{2028}"), r#""\u000a\u0009\u0000\u007f\u2028""#);
        assert_eq!(text("</script>\u{fffd}"), "\"</script>\u{fffd}\"");
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 1, 9, 10, 4711, u64::MAX] {
            assert_eq!(text(|text| push_number(text, number)), number.to_string());
        }
        for (number, expected) in [
            (0, "0.000"),
            (7, "0.007"),
            (12_345, "12.345"),
            (90_080, "90.080"),
            (u64::MAX, "18446744073709551.615"),
        ] {
            assert_eq!(text(|text| push_microseconds(text, number)), expected);
        }
    }
}
