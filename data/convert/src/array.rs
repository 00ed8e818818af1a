//! Arrays: element by element.

use crate::conversion::{self, Kernel};
use crate::datatype::{Class, Datatype};
use crate::host::HostTraits;

/// Arrays lie one after another without gaps, and so do their elements: the elements' kernel does it all.
pub(crate) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    let (Class::Array { dims, element: from_element }, Class::Array { dims: to_dims, element: to_element }) =
        (&from.class, &to.class)
    else {
        return None;
    };
    let filled = is_filled(from.size, dims, from_element) && is_filled(to.size, to_dims, to_element);
    if dims != to_dims || !filled {
        return None;
    }
    conversion::kernel(from_element, to_element, host)
}

/// Whether so many elements make up an array of this size.
fn is_filled(size: usize, dims: &[u64], element: &Datatype) -> bool {
    let bytes =
        dims.iter().try_fold(element.size, |bytes, &dim| bytes.checked_mul(usize::try_from(dim).ok()?));
    size > 0 && bytes == Some(size)
}
