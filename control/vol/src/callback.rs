//! The callbacks of a VOL connector, by name.

use core::ffi::CStr;

macro_rules! callbacks {
    ($( $variant:ident = $name:literal, )*) => {
        /// One callback of `H5VL_class_t`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is the callback of that name in H5VL_class_t")]
        #[repr(u8)]
        pub enum Callback { $( $variant, )* }

        impl Callback {
            /// Every callback, in the order of `H5VL_class_t`.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// Name as a C string: the function name of error-stack entries.
            pub const fn c_name(self) -> &'static CStr {
                match self { $( Self::$variant => $name, )* }
            }
        }
    };
}

callbacks! {
    Initialize = c"initialize",
    Terminate = c"terminate",
    InfoCopy = c"info_copy",
    InfoCompare = c"info_cmp",
    InfoFree = c"info_free",
    InfoToString = c"info_to_str",
    InfoFromString = c"info_from_str",
    GetObject = c"get_object",
    GetWrapContext = c"get_wrap_ctx",
    WrapObject = c"wrap_object",
    UnwrapObject = c"unwrap_object",
    FreeWrapContext = c"free_wrap_ctx",
    AttributeCreate = c"attr_create",
    AttributeOpen = c"attr_open",
    AttributeRead = c"attr_read",
    AttributeWrite = c"attr_write",
    AttributeGet = c"attr_get",
    AttributeSpecific = c"attr_specific",
    AttributeOptional = c"attr_optional",
    AttributeClose = c"attr_close",
    DatasetCreate = c"dataset_create",
    DatasetOpen = c"dataset_open",
    DatasetRead = c"dataset_read",
    DatasetWrite = c"dataset_write",
    DatasetGet = c"dataset_get",
    DatasetSpecific = c"dataset_specific",
    DatasetOptional = c"dataset_optional",
    DatasetClose = c"dataset_close",
    DatatypeCommit = c"datatype_commit",
    DatatypeOpen = c"datatype_open",
    DatatypeGet = c"datatype_get",
    DatatypeSpecific = c"datatype_specific",
    DatatypeOptional = c"datatype_optional",
    DatatypeClose = c"datatype_close",
    FileCreate = c"file_create",
    FileOpen = c"file_open",
    FileGet = c"file_get",
    FileSpecific = c"file_specific",
    FileOptional = c"file_optional",
    FileClose = c"file_close",
    GroupCreate = c"group_create",
    GroupOpen = c"group_open",
    GroupGet = c"group_get",
    GroupSpecific = c"group_specific",
    GroupOptional = c"group_optional",
    GroupClose = c"group_close",
    LinkCreate = c"link_create",
    LinkCopy = c"link_copy",
    LinkMove = c"link_move",
    LinkGet = c"link_get",
    LinkSpecific = c"link_specific",
    LinkOptional = c"link_optional",
    ObjectOpen = c"object_open",
    ObjectCopy = c"object_copy",
    ObjectGet = c"object_get",
    ObjectSpecific = c"object_specific",
    ObjectOptional = c"object_optional",
    GetConnectorClass = c"get_conn_cls",
    GetCapabilities = c"get_cap_flags",
    OptionalQuery = c"opt_query",
    RequestWait = c"request_wait",
    RequestNotify = c"request_notify",
    RequestCancel = c"request_cancel",
    RequestSpecific = c"request_specific",
    RequestOptional = c"request_optional",
    RequestFree = c"request_free",
    BlobPut = c"blob_put",
    BlobGet = c"blob_get",
    BlobSpecific = c"blob_specific",
    BlobOptional = c"blob_optional",
    TokenCompare = c"token_cmp",
    TokenToString = c"token_to_str",
    TokenFromString = c"token_from_str",
    Optional = c"optional",
}

impl Callback {
    /// Name of the callback: sub-class and function, as in `H5VL_class_t`.
    pub fn name(self) -> &'static str {
        self.c_name().to_str().unwrap_or_default()
    }

    /// Position in [`Callback::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::Callback;

    #[test]
    fn index_is_the_position_in_all() {
        for (position, callback) in Callback::ALL.iter().enumerate() {
            assert_eq!(callback.index(), position);
            assert!(!callback.name().is_empty());
        }
    }
}
