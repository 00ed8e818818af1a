//! Chunks as they are stored, which applications read and write directly (`H5Dread_chunk`, `H5Dwrite_chunk`).

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;

use h5_abi::{
    H5VL_NATIVE_DATASET_CHUNK_ITER, H5VL_NATIVE_DATASET_CHUNK_READ, H5VL_NATIVE_DATASET_CHUNK_WRITE,
    H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD, H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX,
    H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, H5VL_NATIVE_DATASET_GET_NUM_CHUNKS,
    H5VL_native_dataset_chunk_iter_t, H5VL_native_dataset_optional_args_t,
};
use h5_host::Version;

use super::memory::source_slice;
use super::out::Out;
use crate::calls::DatasetOptional;
use crate::connector::Connector;
use crate::error::{Error, Result};

/// The first version with wider arguments: see `h5_abi::H5VL_native_dataset_chunk_read_v1_t`.
const WIDE: Version = Version { major: 2, minor: 0, release: 0 };

/// What is done with a chunk.
#[non_exhaustive]
pub enum DirectChunk<'a> {
    /// `H5Dwrite_chunk`.
    Write {
        /// Its first element.
        origin: Vec<u64>,
        /// Filters that were left out.
        mask: u32,
        /// As it is to be stored.
        bytes: &'a [u8],
    },
    /// `H5Dread_chunk`.
    Read {
        /// Its first element.
        origin: Vec<u64>,
        /// Where it goes.
        target: ChunkTarget<'a>,
    },
    /// `H5Dget_num_chunks`.
    Count(Out<'a, u64>),
    /// `H5Dget_chunk_info`.
    AtIndex {
        /// Which one, among those that are stored.
        index: u64,
        /// The answer.
        info: ChunkInfo<'a>,
    },
    /// `H5Dget_chunk_info_by_coord`.
    AtOrigin {
        /// Its first element.
        origin: Vec<u64>,
        /// The answer.
        info: ChunkInfo<'a>,
    },
    /// `H5Dchunk_iter`.
    Each(ChunkVisitor<'a>),
    /// `H5Dget_chunk_storage_size`.
    Size {
        /// Its first element.
        origin: Vec<u64>,
        /// The answer.
        size: Out<'a, u64>,
    },
}

/// Where what is known of a chunk goes.
pub struct ChunkInfo<'a> {
    origin: *mut u64,
    filters: Out<'a, u32>,
    address: Out<'a, u64>,
    size: Out<'a, u64>,
}

impl ChunkInfo<'_> {
    /// A chunk that begins at this element, is at this address, and has this many bytes there.
    pub fn give(&mut self, origin: &[u64], mask: u32, (address, size): (u64, u64)) {
        if !self.origin.is_null() {
            // SAFETY: the application has room for a number for each dimension.
            unsafe { core::ptr::copy_nonoverlapping(origin.as_ptr(), self.origin, origin.len()) };
        }
        self.filters.set(mask);
        self.address.set(address);
        self.size.set(size);
    }
}

/// The application's function that is called for each chunk.
pub struct ChunkVisitor<'a> {
    operator: H5VL_native_dataset_chunk_iter_t,
    _call: PhantomData<&'a ()>,
}

impl ChunkVisitor<'_> {
    /// Calls it. Anything else than zero ends the iteration.
    pub fn visit(&mut self, origin: &[u64], mask: u32, (address, size): (u64, u64)) -> c_int {
        let Some(call) = self.operator.op else { return -1 };
        // SAFETY: the function and its data are those of the call, and its arguments as HDF5 gives them.
        unsafe { call(origin.as_ptr(), mask, address, size, self.operator.op_data) }
    }
}

/// Where a chunk goes that is read as it is stored.
pub struct ChunkTarget<'a> {
    buffer: *mut c_void,
    /// How much room there is; versions before 2.0 do not tell.
    room: Option<Out<'a, usize>>,
    filters: Out<'a, u32>,
}

impl ChunkTarget<'_> {
    /// Gives the chunk and the filters that were left out. If only its size was asked for, it gives that.
    pub fn give(&mut self, bytes: &[u8], mask: u32) -> Result<()> {
        self.filters.set(mask);
        if let Some(room) = &mut self.room {
            // Without a size the application uses the function of older versions.
            let given = room.get().unwrap_or(usize::MAX);
            room.set(bytes.len());
            if self.buffer.is_null() {
                return Ok(());
            }
            if given < bytes.len() {
                return Err(Error::bad_argument(format_args!(
                    "the chunk has {} bytes, and the buffer {given}",
                    bytes.len()
                )));
            }
        }
        if !self.buffer.is_null() {
            // SAFETY: there is room, as was checked, or as the application promises to HDF5 in versions that are not told.
            unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.buffer.cast(), bytes.len()) };
        }
        Ok(())
    }
}

impl<C: Connector> DatasetOptional<'_, C> {
    /// What is done with a chunk of the dataset, which has this many dimensions; `None` if it is another operation.
    pub fn direct_chunk(&mut self, rank: usize) -> Result<Option<DirectChunk<'_>>> {
        let is_wide = self.object.host().version() >= WIDE;
        // SAFETY: null, or arguments that are valid for the call.
        let Some(all) = (unsafe { self.operation.as_ptr().as_ref() }) else { return Ok(None) };
        let args = all.args.cast::<H5VL_native_dataset_optional_args_t>();
        if args.is_null() {
            return Ok(None);
        }
        // SAFETY: the operation says which member of the union is set, and its pointers are valid for the call. Coordinates are as many as
        // the dataset has dimensions.
        unsafe {
            let origin = |first: *const u64| {
                if first.is_null() && rank > 0 {
                    return Err(Error::bad_argument("no chunk is given"));
                }
                Ok((0..rank).map(|dim| *first.add(dim)).collect::<Vec<u64>>())
            };
            Ok(Some(match all.op_type {
                H5VL_NATIVE_DATASET_CHUNK_WRITE if is_wide => {
                    let write = (*args).chunk_write;
                    DirectChunk::Write {
                        origin: origin(write.offset)?,
                        mask: write.filters,
                        bytes: source_slice(write.buf, write.size)?,
                    }
                }
                H5VL_NATIVE_DATASET_CHUNK_WRITE => {
                    let write = (*args).chunk_write_v1;
                    let size = usize::try_from(write.size).unwrap_or(usize::MAX);
                    DirectChunk::Write {
                        origin: origin(write.offset)?,
                        mask: write.filters,
                        bytes: source_slice(write.buf, size)?,
                    }
                }
                H5VL_NATIVE_DATASET_CHUNK_READ if is_wide => {
                    let read = &raw mut (*args).chunk_read;
                    DirectChunk::Read {
                        origin: origin((*read).offset)?,
                        target: ChunkTarget {
                            buffer: (*read).buf,
                            room: Some(Out::new((*read).buf_size)),
                            filters: Out::new(&raw mut (*read).filters),
                        },
                    }
                }
                H5VL_NATIVE_DATASET_CHUNK_READ => {
                    let read = &raw mut (*args).chunk_read_v1;
                    DirectChunk::Read {
                        origin: origin((*read).offset)?,
                        target: ChunkTarget {
                            buffer: (*read).buf,
                            room: None,
                            filters: Out::new(&raw mut (*read).filters),
                        },
                    }
                }
                H5VL_NATIVE_DATASET_GET_NUM_CHUNKS => {
                    DirectChunk::Count(Out::new((*args).get_num_chunks.nchunks))
                }
                H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX => {
                    let asked = (*args).get_chunk_info_by_idx;
                    let info = ChunkInfo {
                        origin: asked.offset,
                        filters: Out::new(asked.filter_mask),
                        address: Out::new(asked.addr),
                        size: Out::new(asked.size),
                    };
                    DirectChunk::AtIndex { index: asked.chk_index, info }
                }
                H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD => {
                    let asked = (*args).get_chunk_info_by_coord;
                    let info = ChunkInfo {
                        origin: core::ptr::null_mut(),
                        filters: Out::new(asked.filter_mask),
                        address: Out::new(asked.addr),
                        size: Out::new(asked.size),
                    };
                    DirectChunk::AtOrigin { origin: origin(asked.offset)?, info }
                }
                H5VL_NATIVE_DATASET_CHUNK_ITER => {
                    DirectChunk::Each(ChunkVisitor { operator: (*args).chunk_iter, _call: PhantomData })
                }
                H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE => {
                    let asked = (*args).get_chunk_storage_size;
                    DirectChunk::Size { origin: origin(asked.offset)?, size: Out::new(asked.size) }
                }
                _ => return Ok(None),
            }))
        }
    }
}
