//! Where in a container a call points.

use core::ffi::CStr;
use core::marker::PhantomData;

use h5_abi::{
    H5VL_OBJECT_BY_IDX, H5VL_OBJECT_BY_NAME, H5VL_OBJECT_BY_SELF, H5VL_OBJECT_BY_TOKEN, H5VL_loc_params_t,
};

use crate::object::ObjectKind;
use crate::token::Token;

/// The location parameters of a call, relative to its object.
#[derive(Clone, Copy)]
pub struct Location<'a> {
    raw: *const H5VL_loc_params_t,
    lifetime: PhantomData<&'a H5VL_loc_params_t>,
}

/// The target of a [`Location`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target<'a> {
    /// The object itself.
    Itself,
    /// The object of this name.
    Name(&'a CStr),
    /// The `n`th object in the group of this name.
    Index {
        /// Name of the group.
        group: &'a CStr,
        /// Position in the index.
        n: u64,
    },
    /// The object with this token.
    Token(&'a Token),
    /// A kind of location from a newer HDF5.
    Unknown,
}

impl<'a> Location<'a> {
    /// # Safety
    /// `raw` is null or valid for `'a`, with the union member set that its type says.
    pub(crate) unsafe fn new(raw: *const H5VL_loc_params_t) -> Self {
        Self { raw, lifetime: PhantomData }
    }

    pub(crate) fn as_ptr(self) -> *const H5VL_loc_params_t {
        self.raw
    }

    fn params(self) -> Option<&'a H5VL_loc_params_t> {
        // SAFETY: by the contract of `new`.
        unsafe { self.raw.as_ref() }
    }

    /// The kind of object that the call starts from.
    pub fn kind(self) -> ObjectKind {
        self.params().map_or(ObjectKind::Other, |params| ObjectKind::from_id_type(params.obj_type))
    }

    /// Where the call points.
    pub fn target(self) -> Target<'a> {
        let Some(params) = self.params() else { return Target::Unknown };
        // SAFETY: names and tokens are valid for the call, by the contract of `new`.
        unsafe {
            match params.type_ {
                H5VL_OBJECT_BY_SELF => Target::Itself,
                H5VL_OBJECT_BY_NAME => {
                    let name = params.loc_data.loc_by_name.name;
                    if name.is_null() { Target::Unknown } else { Target::Name(CStr::from_ptr(name)) }
                }
                H5VL_OBJECT_BY_IDX => {
                    let by_index = params.loc_data.loc_by_idx;
                    if by_index.name.is_null() {
                        Target::Unknown
                    } else {
                        Target::Index { group: CStr::from_ptr(by_index.name), n: by_index.n }
                    }
                }
                H5VL_OBJECT_BY_TOKEN => params
                    .loc_data
                    .loc_by_token
                    .token
                    .cast::<Token>()
                    .as_ref()
                    .map_or(Target::Unknown, Target::Token),
                _ => Target::Unknown,
            }
        }
    }
}
