//! Tokens: a connector's names for objects inside one container.

use h5_abi::H5O_token_t;

/// Sixteen bytes that identify an object in its container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub struct Token(pub [u8; 16]);

const _: () = assert!(size_of::<Token>() == size_of::<H5O_token_t>());
