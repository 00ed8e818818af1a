//! Makes text from elsewhere fit to be shown: names from a file, and descriptions from HDF5's error stack.

use std::fmt::Write as _;

/// A name as text. Bytes that are not UTF-8 become `\xNN`, so that different names never look the same.
pub(crate) fn name(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// A text without control characters.
pub(crate) fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}

/// HDF5's description of an error, without its details about flags, descriptors and buffers.
pub(crate) fn cause(description: &str) -> String {
    if let Some(cause) = truncated(description) {
        return cause;
    }
    let Some((before, after)) = description.split_once("error message = '") else {
        return description.into();
    };
    let Some((message, _)) = after.split_once('\'') else { return description.into() };
    let end = [": name =", ": time =", ", errno =", ":errno ="]
        .into_iter()
        .filter_map(|mark| before.find(mark))
        .min();
    format!("{}: {message}", before[..end.unwrap_or(before.len())].trim_end_matches([' ', ',', ':']))
}

/// `truncated file: eof = 3000, sblock->base_addr = 0, stored_eof = 46929`, for people.
fn truncated(description: &str) -> Option<String> {
    let rest = description.strip_prefix("truncated file: eof = ")?;
    let (bytes, rest) = rest.split_once(',')?;
    let (_, expected) = rest.split_once("stored_eof = ")?;
    let [bytes, expected] = [bytes, expected].map(str::trim).map(str::parse::<u64>);
    Some(format!("truncated file: it has {} bytes and should have {}", bytes.ok()?, expected.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_not_unicode_are_escaped() {
        assert_eq!(name(b"/a b"), "/a b");
        assert_eq!(name("/ä".as_bytes()), "/ä");
        assert_eq!(name(b"/a\xff\xc3/\xe4x"), "/a\\xff\\xc3/\\xe4x");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\x1b[31mb\nc\u{9b}"), "a\\u{1b}[31mb\\nc\\u{9b}");
        assert_eq!(printable("ä 日本"), "ä 日本");
    }

    #[test]
    fn causes_are_short() {
        for (description, expected) in [
            ("file signature not found", "file signature not found"),
            (
                "unable to open file: name = 'x', errno = 2, error message = 'No such file or directory', flags = 0",
                "unable to open file: No such file or directory",
            ),
            (
                "unable to lock file, errno = 11, error message = 'Resource temporarily unavailable'",
                "unable to lock file: Resource temporarily unavailable",
            ),
            (
                "file read failed: time = Sat\n, filename = 'x', errno = 5, error message = 'Input/output error', buf = 0x1",
                "file read failed: Input/output error",
            ),
            (
                "truncated file: eof = 3000, sblock->base_addr = 0, stored_eof = 46929",
                "truncated file: it has 3000 bytes and should have 46929",
            ),
            ("truncated file: eof = many", "truncated file: eof = many"),
            ("odd, error message = 'x", "odd, error message = 'x"),
        ] {
            assert_eq!(cause(description), expected);
        }
    }
}
