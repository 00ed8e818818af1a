//! The first read of a dataset, if all there is to do is to copy one piece of the file.
//!
//! Native HDF5 does that by a single system call. A second thread would gain less than it takes to find out about the dataset, until
//! the piece is large: memory that the program has just taken is no faster filled by two.

use convert::{Class, Order};
use h5_host::TypeClass::{Bitfield, Enum, FixedString, Float, Integer, Opaque};
use h5_host::{Questions, SelectedBlock};
use h5_vol::calls::{DatasetPart, MemoryTarget};
use h5_vol::{BelowObject, Id};

use crate::Bypass;
use crate::inspect::dataset::OurDataset;
use crate::inspect::storage::Storage;
use crate::transfer::short_run::{first_of_run, run_in_memory};

/// A piece that is large.
pub(crate) const LARGE: u64 = 4 << 20;

/// Whether a read of so many bytes is of that kind.
pub(super) fn is_plain(
    questions: Questions,
    part: &DatasetPart<Bypass, MemoryTarget<'_>>,
    below: &BelowObject,
    bytes: u64,
) -> bool {
    bytes < LARGE
        && below.is_stored_in_one_piece(questions)
        && is_one_piece(questions, part)
        && is_copied(questions, part.memory_type, below)
}

/// Whether a read of all of a dataset is probably of that kind, if it is short enough: programs have numbers in the processor's order.
pub(crate) fn is_usually_plain(dataset: &OurDataset) -> bool {
    let bits = match &dataset.elements().datatype().class {
        Class::Integer(number) => &number.bits,
        Class::Float(number) => &number.bits,
        Class::Bitfield(bits) => bits,
        Class::String { .. } | Class::Opaque(_) => return is_one_piece_of_file(dataset),
        _ => return false,
    };
    let own = if cfg!(target_endian = "little") { Order::Little } else { Order::Big };
    bits.order == own && is_one_piece_of_file(dataset)
}

fn is_one_piece_of_file(dataset: &OurDataset) -> bool {
    matches!(dataset.storage(), Storage::Contiguous(..))
        && dataset.in_header().is_none()
        && dataset.elements().variable().is_none()
}

/// Whether the elements lie one behind another on both sides.
fn is_one_piece(questions: Questions, part: &DatasetPart<Bypass, MemoryTarget<'_>>) -> bool {
    let count = match part.file_space {
        Id::DEFAULT => None,
        Id::BLOCK | Id::IN_TRANSFER_LIST => return false,
        space => {
            let mut block = SelectedBlock::nowhere();
            let is_run = questions.block(space, &mut block).and_then(|()| {
                first_of_run(block.dims.as_slice(), &[], block.low.as_slice(), block.high.as_slice())
            });
            if is_run.is_none() {
                return false;
            }
            Some(block.count)
        }
    };
    match (part.memory_space, count) {
        (Id::DEFAULT | Id::BLOCK, _) => true,
        (Id::IN_TRANSFER_LIST, _) => false,
        (space, Some(count)) => run_in_memory(questions, space, count).is_some(),
        (space, None) => questions.whole(space).is_some(),
    }
}

/// Whether elements are the same in memory as in the file.
fn is_copied(questions: Questions, memory_type: Id, below: &BelowObject) -> bool {
    let is_simple = matches!(
        questions.type_class(memory_type),
        Some(Integer | Float | Bitfield | Enum | FixedString | Opaque)
    );
    is_simple
        && below.dataset_type(questions).is_some_and(|stored| questions.same_type_as(stored, memory_type))
}
