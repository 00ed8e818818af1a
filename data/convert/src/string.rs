//! Strings of fixed length.

use crate::conversion::Kernel;
use crate::datatype::{Class, Datatype, StringPadding};

/// HDF5 does not convert between character sets, and knows but two: ASCII and UTF-8.
const CHARACTER_SETS: core::ops::RangeInclusive<i32> = 0..=1;

/// The kernel between two string types of the same character set.
pub(crate) fn kernel(from: &Datatype, to: &Datatype) -> Option<Box<dyn Kernel>> {
    let (
        Class::String { padding: from_padding, character_set },
        Class::String { padding: to_padding, character_set: to_set },
    ) = (&from.class, &to.class)
    else {
        return None;
    };
    if character_set != to_set || !CHARACTER_SETS.contains(character_set) {
        return None;
    }
    Some(Box::new(Text {
        from_size: from.size,
        from_padding: *from_padding,
        to_size: to.size,
        to_padding: *to_padding,
    }))
}

/// Text from one length and padding to others. It is cut without regard for characters of several bytes.
#[derive(Debug)]
struct Text {
    from_size: usize,
    from_padding: StringPadding,
    to_size: usize,
    to_padding: StringPadding,
}

impl Kernel for Text {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let elements = source.chunks_exact(self.from_size).zip(destination.chunks_exact_mut(self.to_size));
        match self.from_padding {
            StringPadding::NullTerminated | StringPadding::NullPadded => {
                elements.for_each(|(from, to)| self.put(up_to_null(from), to));
            }
            StringPadding::SpacePadded => {
                elements.for_each(|(from, to)| self.put(up_to_spaces(from), to));
            }
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

impl Text {
    fn put(&self, text: &[u8], to: &mut [u8]) {
        let length = text.len().min(to.len());
        let (start, rest) = to.split_at_mut(length);
        start.copy_from_slice(&text[..length]);
        rest.fill(if self.to_padding == StringPadding::SpacePadded { b' ' } else { 0 });
        if let (StringPadding::NullTerminated, Some(last)) = (self.to_padding, to.last_mut()) {
            *last = 0;
        }
    }
}

/// What precedes the first zero byte.
fn up_to_null(text: &[u8]) -> &[u8] {
    let length = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    &text[..length]
}

/// What precedes the spaces at the end; zero bytes are characters like others.
fn up_to_spaces(text: &[u8]) -> &[u8] {
    let length = text.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    &text[..length]
}
