//! The contents of a file: its datasets, how each is stored, and what the connector says about it. Nothing is written, no
//! element is read, and no link to another file is followed.

use std::ffi::{CStr, CString};

use h5_abi::{
    H5D_CHUNKED, H5D_COMPACT, H5D_CONTIGUOUS, H5D_VIRTUAL, H5O_TYPE_DATASET, H5T_ORDER_BE, H5T_ORDER_VAX,
};
use h5_client::{
    Bits, Class, Dataset, DatasetAccess, Dataspace, Description, Failure, File, Location as _, Object as _,
};

use super::dataset::{Extent, Filter, Layout, chunk_grid};
use super::datatype::{Datatype, Number, Order};

/// Datatypes are shown to this depth.
const MAX_DEPTH: u32 = 8;

/// The names of all datasets in the file, relative to its root, each object once. A damaged group ends the search; what
/// was found before it is kept. `progress` is called with the number of objects seen.
pub(super) fn datasets(file: &File, progress: fn(u64)) -> (Vec<CString>, Result<(), Failure>) {
    let (mut names, mut objects) = (Vec::new(), 0);
    let result = file.visit_objects(|_, name, info| {
        objects += 1;
        progress(objects);
        if info.type_ == H5O_TYPE_DATASET {
            names.push(name.to_owned());
        }
        0
    });
    (names, result.map(|_| ()))
}

/// Opens a dataset, unless the path to it leaves the file.
pub(super) fn open(file: &File, name: &CStr) -> Result<Dataset, String> {
    let access = DatasetAccess::within_the_file(file.session()).map_err(|failure| cause(&failure))?;
    DatasetAccess::take_refused_file();
    file.open_dataset_with(name, Some(&access)).map_err(|failure| match DatasetAccess::take_refused_file() {
        Some(other) => format!("an external link points to another file, '{other}'"),
        None => cause(&failure),
    })
}

/// The innermost cause of a failure, which is closest to what is wrong.
pub(super) fn cause(failure: &Failure) -> String {
    match failure.entries.first() {
        Some(entry) => super::wording::cause(&entry.description),
        None => failure.message.clone(),
    }
}

/// Its dimensions.
pub(super) fn extent(dataset: &Dataset) -> Result<Extent, Failure> {
    let space = dataset.space()?;
    if space.is_null()? {
        return Ok(Extent::null());
    }
    let (shape, most) = space.extents()?;
    let most = most.iter().map(|most| (*most != Dataspace::UNLIMITED).then_some(*most)).collect();
    Ok(Extent::new(shape, most))
}

/// Its datatype, and the size of an element.
pub(super) fn datatype(dataset: &Dataset) -> Result<(Datatype, u64), Failure> {
    let description = dataset.datatype()?.describe()?;
    Ok((described(&description, 0), description.size as u64))
}

/// Its layout and filters.
pub(super) fn storage(
    dataset: &Dataset,
    extent: &Extent,
    element: u64,
) -> Result<(Layout, Vec<Filter>), Failure> {
    let creation = dataset.creation()?;
    let layout = match creation.layout()? {
        H5D_COMPACT => Layout::Compact,
        H5D_CONTIGUOUS => match creation.external_files()? {
            0 => Layout::Contiguous,
            files => Layout::External { files },
        },
        H5D_CHUNKED => chunk_grid(extent, creation.chunk()?.unwrap_or_default(), element),
        H5D_VIRTUAL => Layout::Virtual { mappings: creation.mappings()? as u64 },
        other => Layout::Unknown { number: other.0 },
    };
    let filter = |filter: &h5_client::Filter| Filter::new(filter.number, &filter.name, &filter.options);
    Ok((layout, creation.filters()?.iter().map(filter).collect()))
}

fn described(description: &Description, depth: u32) -> Datatype {
    let bytes = description.size as u64;
    let number = |bits: &Bits| Number {
        bytes,
        bits: bits.precision as u64,
        order: match bits.order {
            H5T_ORDER_BE => Order::Big,
            H5T_ORDER_VAX => Order::Vax,
            _ => Order::Little,
        },
    };
    let of = |base: &Description| {
        Box::new(if depth >= MAX_DEPTH { Datatype::Elided } else { described(base, depth + 1) })
    };
    match &description.class {
        Class::Integer { bits, signed } => Datatype::Integer { signed: *signed, number: number(bits) },
        Class::Float(float) => Datatype::Float(number(&float.bits)),
        Class::Time(_) => Datatype::Time { bytes },
        Class::String { .. } => Datatype::String { bytes },
        Class::VariableString { .. } => Datatype::VariableString,
        Class::Bitfield(_) => Datatype::Bitfield { bytes },
        Class::Opaque { .. } => Datatype::Opaque { bytes },
        Class::Compound(members) => {
            Datatype::Compound { members: u32::try_from(members.len()).unwrap_or(u32::MAX), bytes }
        }
        Class::ObjectReference | Class::RegionReference | Class::Reference => Datatype::Reference { bytes },
        Class::Enum { base, .. } => Datatype::Enum(of(base)),
        Class::VariableLength(base) => Datatype::Variable(of(base)),
        Class::Array { dimensions, element } => {
            Datatype::Array { shape: dimensions.clone(), of: of(element) }
        }
        Class::Complex(base) => Datatype::Complex(of(base)),
        Class::Unknown(class) => Datatype::Unknown { class: *class, bytes },
    }
}
