//! Where in a container a call points.

use core::ffi::CStr;
use core::marker::PhantomData;
use std::ffi::CString;

use h5_abi::{
    H5_index_t, H5_iter_order_t, H5VL_OBJECT_BY_IDX, H5VL_OBJECT_BY_NAME, H5VL_OBJECT_BY_SELF,
    H5VL_OBJECT_BY_TOKEN, H5VL_loc_by_name_t, H5VL_loc_data_u, H5VL_loc_params_t,
};
use h5_host::Id;

use crate::below::location_of_self;
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

/// A place that a connector itself names, relative to an object: to make a call that goes on elsewhere.
pub struct OwnLocation {
    params: H5VL_loc_params_t,
    name: Option<CString>,
}

impl OwnLocation {
    /// An object of this kind itself.
    pub fn itself(kind: ObjectKind) -> Self {
        Self { params: location_of_self(kind), name: None }
    }

    /// The object of this name, looked for with a link access list.
    pub fn named(kind: ObjectKind, name: CString, access: Id) -> Self {
        let by_name = H5VL_loc_by_name_t { name: name.as_ptr(), lapl_id: access.0 };
        let params = H5VL_loc_params_t {
            obj_type: kind.id_type(),
            type_: H5VL_OBJECT_BY_NAME,
            loc_data: H5VL_loc_data_u { loc_by_name: by_name },
        };
        Self { params, name: Some(name) }
    }

    /// The name, if it has one.
    pub fn name(&self) -> Option<&CStr> {
        self.name.as_deref()
    }

    /// The same for a call that began before this was made. (The lifetime in the type of a call cannot be shortened.)
    ///
    /// # Safety
    /// The call ends before this is dropped or moved.
    pub unsafe fn for_earlier_call<'a>(&self) -> Location<'a> {
        Location { raw: &raw const self.params, lifetime: PhantomData }
    }

    /// The same for a call.
    pub fn as_location(&self) -> Location<'_> {
        Location { raw: &raw const self.params, lifetime: PhantomData }
    }
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

    /// The link access list of a place that is given by name.
    pub fn link_access(self) -> Id {
        let by_name = self.params().filter(|params| params.type_ == H5VL_OBJECT_BY_NAME);
        // SAFETY: the kind says which member of the union is set.
        by_name.map_or(Id::DEFAULT, |params| Id(unsafe { params.loc_data.loc_by_name.lapl_id }))
    }

    /// The index in which a place given by its position is counted, and the link access list.
    pub fn by_index(self) -> Option<(H5_index_t, H5_iter_order_t, Id)> {
        let params = self.params().filter(|params| params.type_ == H5VL_OBJECT_BY_IDX)?;
        // SAFETY: the kind says which member of the union is set.
        let by_index = unsafe { params.loc_data.loc_by_idx };
        Some((by_index.idx_type, by_index.order, Id(by_index.lapl_id)))
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
