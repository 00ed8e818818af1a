//! What differs between one HDF5 and another.

/// What the results of some conversions depend on, besides the datatypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostTraits {
    /// Whether HDF5 was built by a compiler with a `_Float16`. If so, the compiler's casts convert between halves
    /// and its other types; if not, HDF5 does it bit by bit.
    pub native_half: bool,
    /// Whether it is from before version 2. There, once a number below the normal ones has turned up, rounding one
    /// float to a narrower one loses the carry for all elements that follow in the same call of the conversion:
    /// 255.999... becomes 128. What an element becomes then depends on how HDF5 divides the elements into calls, and
    /// there is no conversion.
    pub keeps_denormal_flag: bool,
}
