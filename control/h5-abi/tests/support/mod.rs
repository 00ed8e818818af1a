//! The parts of the layout test.

pub mod compiler;
pub mod declared;
pub mod probe;
pub mod source;
