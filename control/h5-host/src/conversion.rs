//! Conversions of elements from one datatype to another, by the host itself.

use h5_abi::H5T_BKG_NO;

use crate::errors::quietly;
use crate::id::Id;
use crate::questions::Questions;

/// How the host converts elements of one datatype to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConversionWay {
    /// Whether it uses casts of the compiler that built it. Each element is then converted independently.
    pub by_cast: bool,
    /// Whether it needs a background buffer: the contents of the destination, or at least room for them.
    pub needs_background: bool,
}

impl Questions {
    /// How elements are converted; `None` if there is no conversion.
    pub fn conversion_way(self, from: Id, to: Id) -> Option<ConversionWay> {
        let functions = self.0.functions();
        quietly(self.0, || {
            let mut data = core::ptr::null_mut();
            // SAFETY: the host verifies the identifiers; a valid out-pointer.
            unsafe { (functions.H5Tfind)(from.0, to.0, &raw mut data) }?;
            // SAFETY: if there is a way, this is null or what the host keeps for it, for as long as nobody else calls it.
            let needs_background = unsafe { data.as_ref() }?.need_bkg != H5T_BKG_NO;
            // SAFETY: the host verifies the identifiers.
            let by_cast = unsafe { (functions.H5Tcompiler_conv)(from.0, to.0) } > 0;
            Some(ConversionWay { by_cast, needs_background })
        })
    }

    /// Converts the elements that lie one after another at the beginning of `buffer`, in place: it has room for as
    /// many of the other type. `background` has the elements that the destination has now, and may be left out where
    /// the way does not need it; afterwards its content is of no use.
    ///
    /// `false` if the host fails, which then has said why on the error stack, or if there is no room.
    pub fn convert(
        self,
        (from, to): (Id, Id),
        elements: usize,
        buffer: &mut [u8],
        background: Option<&mut [u8]>,
    ) -> bool {
        let bytes = |datatype| elements.checked_mul(self.element_size(datatype)?);
        let (Some(before), Some(after)) = (bytes(from), bytes(to)) else { return false };
        let Some(way) = self.conversion_way(from, to) else { return false };
        let background = background.filter(|background| background.len() >= after);
        if buffer.len() < before.max(after) || way.needs_background && background.is_none() {
            return false;
        }
        let background = background.map_or(core::ptr::null_mut(), <[u8]>::as_mut_ptr);
        let buffer = buffer.as_mut_ptr();
        quietly(self.0, || {
            // SAFETY: the host verifies the identifiers. There is room for all elements of either type, and in the
            // background if one is needed, as just checked: nobody else can change the types or the way meanwhile.
            unsafe {
                (self.0.functions().H5Tconvert)(
                    from.0,
                    to.0,
                    elements,
                    buffer.cast(),
                    background.cast(),
                    Id::DEFAULT.0,
                ) >= 0
            }
        })
    }
}
