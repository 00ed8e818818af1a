//! Groups: what `group_get` asks and `group_specific` does.

use core::ffi::CStr;

use h5_abi::{
    H5VL_GROUP_FLUSH, H5VL_GROUP_GET_GCPL, H5VL_GROUP_GET_INFO, H5VL_GROUP_MOUNT, H5VL_GROUP_REFRESH,
    H5VL_GROUP_UNMOUNT, H5VL_group_get_args_t, H5VL_group_specific_args_t,
};
use h5_host::Id;

use super::information::GroupInfo;
use super::out::Out;
use crate::calls::{Argument, Arguments, Name};
use crate::location::Location;

/// What is asked about a group.
#[non_exhaustive]
pub enum GroupQuestion<'a> {
    /// Its creation property list.
    CreationList(Out<'a, Id>),
    /// Its information.
    Info {
        /// Where the group is, relative to the object of the call.
        location: Location<'a>,
        /// The answer.
        info: Out<'a, GroupInfo>,
    },
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_group_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> GroupQuestion<'_> {
        let Some(all) = self.get() else { return GroupQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_GROUP_GET_GCPL => GroupQuestion::CreationList(Out::new(&raw mut args.get_gcpl.gcpl_id)),
                H5VL_GROUP_GET_INFO => GroupQuestion::Info {
                    location: Location::new(&raw const args.get_info.loc_params),
                    info: Out::new(args.get_info.ginfo),
                },
                other => GroupQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to a group.
#[non_exhaustive]
pub enum GroupOperation<'a> {
    /// Mounts [`GroupSpecific::mounted_file`](crate::calls::GroupSpecific::mounted_file).
    Mount {
        /// Where, relative to the object of the call.
        name: Option<&'a CStr>,
        /// Mount property list.
        properties: Id,
    },
    /// Unmounts the file at this name.
    Unmount(Option<&'a CStr>),
    /// Flushes the group with this identifier.
    Flush(Id),
    /// Reloads the metadata of the group with this identifier from the file.
    Refresh(Id),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_group_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> GroupOperation<'_> {
        let Some(all) = self.get() else { return GroupOperation::Unknown(-1) };
        let args = &all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_GROUP_MOUNT => GroupOperation::Mount {
                    name: Name::safe(args.mount.name),
                    properties: Id(args.mount.fmpl_id),
                },
                H5VL_GROUP_UNMOUNT => GroupOperation::Unmount(Name::safe(args.unmount.name)),
                H5VL_GROUP_FLUSH => GroupOperation::Flush(Id(args.flush.grp_id)),
                H5VL_GROUP_REFRESH => GroupOperation::Refresh(Id(args.refresh.grp_id)),
                other => GroupOperation::Unknown(other.0),
            }
        }
    }
}
