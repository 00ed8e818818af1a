//! What is stored of a variable-length element.

/// The stored form of a variable-length element, in a file whose addresses have 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reference {
    /// How many elements of the base type the value has.
    pub length: u32,
    /// Where its collection begins in the file, not counting the user block. 0 if there is no value.
    pub address: u64,
    /// Which object of the collection it is.
    pub index: u32,
}

impl Reference {
    /// Bytes of a reference.
    pub const SIZE: usize = 16;

    /// The reference at the beginning of these bytes, if they are enough.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().map(Self::of)
    }

    /// The reference that these bytes are.
    pub fn of(bytes: &[u8; Self::SIZE]) -> Self {
        let [l0, l1, l2, l3, a0, a1, a2, a3, a4, a5, a6, a7, i0, i1, i2, i3] = *bytes;
        Self {
            length: u32::from_le_bytes([l0, l1, l2, l3]),
            address: u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]),
            index: u32::from_le_bytes([i0, i1, i2, i3]),
        }
    }

    /// No value.
    pub const NIL: Self = Self { length: 0, address: 0, index: 0 };

    /// The reference as it is stored.
    pub fn bytes(&self) -> [u8; Self::SIZE] {
        let mut bytes = [0; Self::SIZE];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.address.to_le_bytes());
        bytes[12..].copy_from_slice(&self.index.to_le_bytes());
        bytes
    }

    /// Whether the element has no value. That is not the same as an empty value.
    pub fn is_nil(&self) -> bool {
        self.address == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_where_hdf5_puts_them() {
        let bytes = [3, 1, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 1, 0];
        let expected = Reference { length: 259, address: 0x0102_0304_0506_0708, index: 65545 };
        assert_eq!(Reference::read(&bytes), Some(expected));
        assert_eq!(expected.bytes(), bytes);
        assert_eq!(Reference::NIL.bytes(), [0; 16]);
        assert_eq!(Reference::read(&bytes[..15]), None);
        assert!(!expected.is_nil() && Reference { address: 0, ..expected }.is_nil());
    }
}
