//! Files: what `file_get` asks and `file_specific` does.

use core::ffi::{CStr, c_ulong};

use h5_abi::{
    H5F_ACC_RDWR, H5F_ACC_SWMR_WRITE, H5F_SCOPE_GLOBAL, H5VL_FILE_DELETE, H5VL_FILE_FLUSH,
    H5VL_FILE_GET_CONT_INFO, H5VL_FILE_GET_FAPL, H5VL_FILE_GET_FCPL, H5VL_FILE_GET_FILENO,
    H5VL_FILE_GET_INTENT, H5VL_FILE_GET_NAME, H5VL_FILE_GET_OBJ_COUNT, H5VL_FILE_GET_OBJ_IDS,
    H5VL_FILE_IS_ACCESSIBLE, H5VL_FILE_IS_EQUAL, H5VL_FILE_REOPEN, H5VL_NATIVE_FILE_START_SWMR_WRITE,
    H5VL_file_get_args_t, H5VL_file_specific_args_t,
};
use h5_host::Id;

use super::information::ContainerInfo;
use super::out::{IdsOut, Out, TextOut};
use crate::calls::{Argument, Arguments, FileCreate, FileOpen, FileOptional, Name};
use crate::connector::Connector;
use crate::object::ObjectKind;

/// What is asked about a file.
#[non_exhaustive]
pub enum FileQuestion<'a> {
    /// What HDF5 must know before it stores references and variable-length data in the file.
    Container(Out<'a, ContainerInfo>),
    /// Its access property list.
    AccessList(Out<'a, Id>),
    /// Its creation property list.
    CreationList(Out<'a, Id>),
    /// Its number, which tells files of one process apart.
    Number(Out<'a, c_ulong>),
    /// The flags it was opened with (`H5F_ACC_...`).
    Intent(Out<'a, u32>),
    /// Its name.
    Name {
        /// What the object of the call is.
        kind: ObjectKind,
        /// The answer.
        name: TextOut<'a>,
    },
    /// Number of identifiers open in it.
    ObjectCount {
        /// Which kinds count (`H5F_OBJ_...`).
        kinds: u32,
        /// The answer.
        count: Out<'a, usize>,
    },
    /// The identifiers open in it.
    ObjectIds {
        /// Which kinds count (`H5F_OBJ_...`).
        kinds: u32,
        /// The answer.
        ids: IdsOut<'a>,
    },
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_file_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> FileQuestion<'_> {
        let Some(all) = self.get() else { return FileQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_FILE_GET_CONT_INFO => FileQuestion::Container(Out::new(args.get_cont_info.info)),
                H5VL_FILE_GET_FAPL => FileQuestion::AccessList(Out::new(&raw mut args.get_fapl.fapl_id)),
                H5VL_FILE_GET_FCPL => FileQuestion::CreationList(Out::new(&raw mut args.get_fcpl.fcpl_id)),
                H5VL_FILE_GET_FILENO => FileQuestion::Number(Out::new(args.get_fileno.fileno)),
                H5VL_FILE_GET_INTENT => FileQuestion::Intent(Out::new(args.get_intent.flags)),
                H5VL_FILE_GET_NAME => FileQuestion::Name {
                    kind: ObjectKind::from_id_type(args.get_name.type_),
                    name: TextOut::new(
                        args.get_name.buf,
                        args.get_name.buf_size,
                        args.get_name.file_name_len,
                    ),
                },
                H5VL_FILE_GET_OBJ_COUNT => FileQuestion::ObjectCount {
                    kinds: args.get_obj_count.types,
                    count: Out::new(args.get_obj_count.count),
                },
                H5VL_FILE_GET_OBJ_IDS => FileQuestion::ObjectIds {
                    kinds: args.get_obj_ids.types,
                    ids: IdsOut::new(
                        args.get_obj_ids.oid_list,
                        args.get_obj_ids.max_objs,
                        args.get_obj_ids.count,
                    ),
                },
                other => FileQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to a file.
#[non_exhaustive]
pub enum FileOperation<'a> {
    /// Flushes it.
    Flush {
        /// What the object of the call is.
        kind: ObjectKind,
        /// Whether mounted files are flushed too.
        global: bool,
    },
    /// Opens it again: see [`FileSpecific::answer_reopen`](crate::calls::FileSpecific::answer_reopen).
    Reopen,
    /// Tells whether a file of this name could be opened. There is no object.
    IsAccessible {
        /// Name of the file.
        name: Option<&'a CStr>,
        /// Access property list.
        access: Id,
        /// The answer.
        accessible: Out<'a, bool>,
    },
    /// Deletes the file of this name. There is no object.
    Delete {
        /// Name of the file.
        name: Option<&'a CStr>,
        /// Access property list.
        access: Id,
    },
    /// Tells whether it is the same file as
    /// [`FileSpecific::other_file`](crate::calls::FileSpecific::other_file).
    IsEqual(Out<'a, bool>),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_file_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> FileOperation<'_> {
        let Some(all) = self.get() else { return FileOperation::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_FILE_FLUSH => FileOperation::Flush {
                    kind: ObjectKind::from_id_type(args.flush.obj_type),
                    global: args.flush.scope == H5F_SCOPE_GLOBAL,
                },
                H5VL_FILE_REOPEN => FileOperation::Reopen,
                H5VL_FILE_IS_ACCESSIBLE => FileOperation::IsAccessible {
                    name: Name::safe(args.is_accessible.filename),
                    access: Id(args.is_accessible.fapl_id),
                    accessible: Out::new(args.is_accessible.accessible.cast()),
                },
                H5VL_FILE_DELETE => FileOperation::Delete {
                    name: Name::safe(args.del.filename),
                    access: Id(args.del.fapl_id),
                },
                H5VL_FILE_IS_EQUAL => FileOperation::IsEqual(Out::new(args.is_equal.same_file.cast())),
                other => FileOperation::Unknown(other.0),
            }
        }
    }
}

impl<C: Connector> FileOpen<'_, C> {
    /// Whether the file is opened for writing.
    pub fn is_for_writing(&self) -> bool {
        self.flags & H5F_ACC_RDWR != 0
    }
}

impl<C: Connector> FileOpen<'_, C> {
    /// Whether other processes may read it at the same time (SWMR).
    pub fn is_for_swmr(&self) -> bool {
        self.flags & H5F_ACC_SWMR_WRITE != 0
    }
}

impl<C: Connector> FileCreate<'_, C> {
    /// Whether other processes may read it at the same time (SWMR).
    pub fn is_for_swmr(&self) -> bool {
        self.flags & H5F_ACC_SWMR_WRITE != 0
    }
}

impl<C: Connector> FileOptional<'_, C> {
    /// Whether this is `H5Fstart_swmr_write` of the native connector.
    pub fn is_start_of_swmr(&self) -> bool {
        self.operation.number() == Some(H5VL_NATIVE_FILE_START_SWMR_WRITE)
    }
}
