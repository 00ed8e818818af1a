//! Variables written as commands for a POSIX shell.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt as _;

use crate::environment::Changes;

/// Quotes a word for the shell, whatever bytes it contains.
fn quote(word: &OsStr) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in word.as_bytes() {
        if byte == b'\'' {
            // Close the quotes, write an escaped quote, open them again.
            quoted.extend_from_slice(br"'\''");
        } else {
            quoted.push(byte);
        }
    }
    quoted.push(b'\'');
    quoted
}

/// Writes lines for `eval`.
pub(crate) fn write_changes(out: &mut impl Write, changes: &Changes) -> io::Result<()> {
    for name in &changes.unset {
        writeln!(out, "unset {name}")?;
    }
    for (name, value) in &changes.set {
        write!(out, "export {name}=")?;
        out.write_all(&quote(value))?;
        writeln!(out)?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        assert_eq!(quote(OsStr::new("a b")), b"'a b'");
        assert_eq!(quote(OsStr::new("")), b"''");
        assert_eq!(quote(OsStr::new("it's $x")), br"'it'\''s $x'");
        assert_eq!(quote(OsStr::from_bytes(b"\xff")), b"'\xff'");
    }

    #[test]
    fn one_line_for_each_variable() {
        let changes = Changes { set: vec![("A", "x;y".into()), ("B", "2".into())], unset: vec!["C"] };
        let mut out = Vec::new();
        write_changes(&mut out, &changes).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "unset C\nexport A='x;y'\nexport B='2'\n");
    }
}
