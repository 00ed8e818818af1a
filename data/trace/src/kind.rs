//! What can take time.

/// What a span is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A call of the application that reads.
    Read,
    /// A call of the application that writes.
    Write,
    /// Several short calls that read.
    ShortReads,
    /// Several short calls that write.
    ShortWrites,
    /// Changed chunks are written: on a flush, a close, or because there are many.
    WriteBack,
    /// The work of a call that has returned before.
    Request,
    /// What is wanted, where it is, and who does what.
    Plan,
    /// Finding out about a dataset that nothing is known about.
    Examine,
    /// Reading the chunk index of a dataset.
    Index,
    /// One task of a call, by the thread that has taken it.
    Task,
    /// Reading bytes of the file.
    Fetch,
    /// Undoing filters.
    Decode,
    /// Elements on their way, converted.
    Convert,
    /// The same, by HDF5.
    HostConvert,
    /// Elements on their way to the application's memory.
    Scatter,
    /// Elements on their way from the application's memory.
    Gather,
    /// Applying filters.
    Encode,
    /// HDF5 stores a chunk.
    Store,
    /// Writing bytes of the file.
    Deposit,
    /// A call that HDF5 does.
    Native,
    /// Waiting for HDF5's global lock.
    LockWait,
    /// Waiting for calls that read or write the same part of a dataset.
    ClaimWait,
    /// Waiting for calls that write, before the application may be called back; or for those that wait so.
    GateWait,
    /// The caller has nothing left to do, and waits for the pool's threads.
    PoolWait,
    /// Waiting for a chunk that another thread is decoding.
    ChunkWait,
    /// Decoding a chunk that will probably be wanted.
    Ahead,
}

/// What the label of a span is shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// File and dataset.
    Dataset,
    /// The filters of the dataset.
    Filters,
    /// Not at all.
    Nothing,
}

impl Kind {
    pub(crate) const ALL: [Self; 26] = [
        Self::Read,
        Self::Write,
        Self::ShortReads,
        Self::ShortWrites,
        Self::WriteBack,
        Self::Request,
        Self::Plan,
        Self::Examine,
        Self::Index,
        Self::Task,
        Self::Fetch,
        Self::Decode,
        Self::Convert,
        Self::HostConvert,
        Self::Scatter,
        Self::Gather,
        Self::Encode,
        Self::Store,
        Self::Deposit,
        Self::Native,
        Self::LockWait,
        Self::ClaimWait,
        Self::GateWait,
        Self::PoolWait,
        Self::ChunkWait,
        Self::Ahead,
    ];

    /// As it is called in the trace.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read | Self::ShortReads => "read",
            Self::Write | Self::ShortWrites => "write",
            Self::WriteBack => "write back",
            Self::Request => "request",
            Self::Plan => "plan",
            Self::Examine => "examine",
            Self::Index => "index",
            Self::Task => "task",
            Self::Fetch => "fetch",
            Self::Decode => "decode",
            Self::Convert | Self::HostConvert => "convert",
            Self::Scatter => "scatter",
            Self::Gather => "gather",
            Self::Encode => "encode",
            Self::Store | Self::Deposit => "store",
            Self::Native => "native",
            Self::Ahead => "read ahead",
            Self::LockWait | Self::ClaimWait | Self::GateWait => "lock wait",
            Self::PoolWait | Self::ChunkWait => "idle",
        }
    }

    /// Whether it is a call, or what goes on after one.
    fn is_call(self) -> bool {
        use Kind::{Read, Request, ShortReads, ShortWrites, Write, WriteBack};
        matches!(self, Read | Write | ShortReads | ShortWrites | WriteBack | Request)
    }

    /// What viewers may choose by.
    pub(crate) fn category(self) -> &'static str {
        match self {
            _ if self.is_call() => "call",
            Self::Plan | Self::Examine | Self::Index => "plan",
            Self::Task => "task",
            Self::Native => "native",
            Self::LockWait | Self::ClaimWait | Self::GateWait | Self::PoolWait | Self::ChunkWait => "wait",
            _ => "data",
        }
    }

    /// What tells it from others of the same name: an argument as JSON has it, with a comma.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::HostConvert => "\"by\":\"HDF5 (H5Tconvert)\",",
            Self::Store => "\"by\":\"HDF5 (H5Dwrite_chunk)\",",
            Self::Deposit => "\"by\":\"h5bypass (pwrite)\",",
            Self::LockWait => "\"for\":\"HDF5's global lock\",",
            Self::ClaimWait => "\"for\":\"other calls on the same part of the dataset\",",
            Self::GateWait => "\"for\":\"calls that write, before the application is called back\",",
            Self::PoolWait => "\"for\":\"threads of the pool\",",
            Self::ChunkWait => "\"for\":\"a chunk that another thread is decoding\",",
            _ => "",
        }
    }

    pub(crate) fn shown(self) -> Shown {
        match self {
            Self::Task => Shown::Dataset,
            _ if self.is_call() => Shown::Dataset,
            Self::Decode | Self::Encode => Shown::Filters,
            _ => Shown::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_places_in_the_list() {
        for (place, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, place);
        }
    }
}
