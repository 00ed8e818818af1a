//! Names of sources in which a number stands for `%b`, and a percent sign for `%%`.

use std::ffi::{CStr, CString};

/// A name, or one for each number.
#[derive(Debug, Clone)]
pub struct SourcePattern {
    /// What is between the numbers.
    parts: Vec<Vec<u8>>,
}

impl SourcePattern {
    /// `None` if there is something else after a percent sign.
    pub fn new(name: &CStr) -> Option<Self> {
        let (mut parts, mut part) = (Vec::new(), Vec::new());
        let mut bytes = name.to_bytes().iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'%' {
                part.push(*byte);
                continue;
            }
            match bytes.next()? {
                b'b' => parts.push(std::mem::take(&mut part)),
                b'%' => part.push(b'%'),
                _ => return None,
            }
        }
        parts.push(part);
        Some(Self { parts })
    }

    /// Whether there is a number in it.
    pub fn is_numbered(&self) -> bool {
        self.parts.len() > 1
    }

    /// The name with this number.
    pub fn name(&self, number: u64) -> CString {
        let name = self.parts.join(number.to_string().as_bytes());
        // It was made from a C string.
        CString::new(name).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_percent_signs_are_put_in() {
        for (pattern, is_numbered, name) in [
            (c"plain.h5", false, c"plain.h5"),
            (c"100%%.h5", false, c"100%.h5"),
            (c"s%b.h5", true, c"s12.h5"),
            (c"%b%%%b", true, c"12%12"),
            (c"", false, c""),
        ] {
            let found = SourcePattern::new(pattern).unwrap();
            assert_eq!((found.is_numbered(), found.name(12).as_c_str()), (is_numbered, name), "{pattern:?}");
        }
        assert!(SourcePattern::new(c"%d").is_none() && SourcePattern::new(c"end%").is_none());
    }
}
