//! The mirror connector: every change goes to two or more files, each through a connector of its own.
//!
//! The first side is the file that the application names, and the connector below is its. What is read, iterated over and asked
//! comes from it. The other sides are opened and changed as an application would do it, with HDF5's public functions (`h5-sides`).
//!
//! ```text
//! HDF5_VOL_CONNECTOR=mirror                                                     native HDF5, and a copy at {name}.bak
//! HDF5_VOL_CONNECTOR="mirror a={under_vol=518;under_info={}};b={name=/backup/{base}}"       bypass, and a copy in a folder
//! ```
//!
//! * `settings` has the keys of the info string, `names` the patterns of names.
//! * `opening` is a file with its sides, and what a failure of one of them means.
//! * `journal` is the file beside a side that says that it is not known to be complete.
//! * `attached` is what an object of the application has on the other sides.
//! * `files`, `objects`, `contents` and `links` are the calls.

#![forbid(unsafe_code)]

mod attached;
mod contents;
mod files;
mod journal;
mod links;
mod names;
mod objects;
mod opening;
mod settings;

use core::ffi::{CStr, c_int};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use h5_vol::calls::{
    AttributeClose, AttributeCreate, AttributeOpen, AttributeRead, AttributeSpecific, AttributeWrite,
    DatasetClose, DatasetCreate, DatasetOpen, DatasetOptional, DatasetRead, DatasetSpecific, DatasetWrite,
    DatatypeClose, DatatypeCommit, DatatypeOpen, DatatypeSpecific, FileClose, FileCreate, FileOpen,
    FileOptional, FileSpecific, GroupClose, GroupCreate, GroupOpen, GroupSpecific, LinkCreate, LinkSpecific,
    LinkTransfer, ObjectCopy, ObjectOpen, ObjectOptional, ObjectSpecific,
};
use h5_vol::{
    BelowObject, Connector, Host, Lends, Methods, NewObject, Object, ObjectKind, Origin, PassThrough, Result,
    Storage,
};

pub use attached::Attached;
use opening::Opening;
pub use settings::MirrorSettings;

/// The connector in one host.
pub struct Mirror {
    host: Host,
    openings: Mutex<Vec<Weak<Opening>>>,
}

impl Connector for Mirror {
    const NAME: &'static CStr = c"mirror";
    const VALUE: c_int = 521;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const METHODS: Methods<Self> = Methods::pass_through();

    type Settings = MirrorSettings;
    /// `None` for what is not mirrored: files opened to be read only, and objects behind external links.
    type Data = Option<Attached>;

    h5_vol::slots!(Mirror);

    fn new(host: Host) -> Self {
        Self { host, openings: Mutex::default() }
    }

    fn process_forked() {
        journal::forget_all();
    }

    fn library_closes(&self, _host: Host) {
        let openings = self.openings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for opening in openings.iter().filter_map(Weak::upgrade) {
            opening.flush_all();
        }
    }
}

impl Mirror {
    /// Whether the file of an opening is open through another one.
    fn is_open(&self, opening: &Opening) -> bool {
        let openings = self.openings.lock().unwrap_or_else(PoisonError::into_inner);
        let others = openings
            .iter()
            .filter_map(Weak::upgrade)
            .filter(|other| !core::ptr::eq(Arc::as_ptr(other), opening));
        others.into_iter().any(|other| other.is_same_file(opening))
    }

    /// Remembers an opening until it ends.
    fn remember(&self, opening: &Arc<Opening>) {
        let mut openings = self.openings.lock().unwrap_or_else(PoisonError::into_inner);
        openings.retain(|opening| opening.strong_count() > 0);
        openings.push(Arc::downgrade(opening));
    }
}

impl PassThrough for Mirror {
    fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Self::Data {
        match origin {
            Origin::Object(object) if kind == ObjectKind::File => objects::reopened(object),
            // The method that has opened it does the rest.
            Origin::Opened(_) | Origin::Object(_) => None,
            Origin::Wrapped(object) => objects::wrapped(object, kind, below),
        }
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        self.open_file(call)
    }

    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_file(call)
    }

    fn file_specific(&self, call: FileSpecific<'_, Self>) -> Result<c_int> {
        self.change_file(call)
    }

    fn file_optional(&self, call: FileOptional<'_, Self>) -> Result<c_int> {
        files::optional(call)
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        let object = Arc::clone(&call.object);
        attached::close(&object, "H5Fclose")?;
        call.forward()?;
        attached::closed(&object)
    }

    fn group_create(&self, call: GroupCreate<'_, Self>) -> Result<NewObject<Self>> {
        objects::create_group(call)
    }

    fn group_open(&self, call: GroupOpen<'_, Self>) -> Result<NewObject<Self>> {
        objects::open_group(call)
    }

    fn group_specific(&self, call: GroupSpecific<'_, Self>) -> Result<c_int> {
        objects::change_group(call)
    }

    fn group_close(&self, call: GroupClose<'_, Self>) -> Result<()> {
        let object = Arc::clone(&call.object);
        attached::close(&object, "H5Gclose")?;
        call.forward()?;
        attached::closed(&object)
    }

    fn datatype_commit(&self, call: DatatypeCommit<'_, Self>) -> Result<NewObject<Self>> {
        objects::commit_datatype(call)
    }

    fn datatype_open(&self, call: DatatypeOpen<'_, Self>) -> Result<NewObject<Self>> {
        objects::open_datatype(call)
    }

    fn datatype_specific(&self, call: DatatypeSpecific<'_, Self>) -> Result<c_int> {
        objects::change_datatype(call)
    }

    fn datatype_close(&self, call: DatatypeClose<'_, Self>) -> Result<()> {
        let object = Arc::clone(&call.object);
        attached::close(&object, "H5Tclose")?;
        call.forward()?;
        attached::closed(&object)
    }

    fn object_open(&self, call: ObjectOpen<'_, Self>) -> Result<NewObject<Self>> {
        objects::open_any(call)
    }

    fn object_copy(&self, call: ObjectCopy<'_, Self>) -> Result<c_int> {
        links::copy_object(call)
    }

    fn object_specific(&self, call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        objects::change_any(call)
    }

    fn object_optional(&self, call: ObjectOptional<'_, Self>) -> Result<c_int> {
        objects::optional(call)
    }

    fn link_create(&self, call: LinkCreate<'_, Self>) -> Result<c_int> {
        links::create(call)
    }

    fn link_copy(&self, call: LinkTransfer<'_, Self>) -> Result<c_int> {
        links::transfer(call, false)
    }

    fn link_move(&self, call: LinkTransfer<'_, Self>) -> Result<c_int> {
        links::transfer(call, true)
    }

    fn link_specific(&self, call: LinkSpecific<'_, Self>) -> Result<c_int> {
        links::change(call)
    }

    fn attr_create(&self, call: AttributeCreate<'_, Self>) -> Result<NewObject<Self>> {
        contents::create_attribute(call)
    }

    fn attr_open(&self, call: AttributeOpen<'_, Self>) -> Result<NewObject<Self>> {
        contents::open_attribute(call)
    }

    fn attr_read(&self, call: AttributeRead<'_, Self>) -> Result<c_int> {
        contents::read_attribute(call)
    }

    fn attr_write(&self, call: AttributeWrite<'_, Self>) -> Result<c_int> {
        contents::write_attribute(call)
    }

    fn attr_specific(&self, call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        contents::change_attributes(call)
    }

    fn attr_close(&self, call: AttributeClose<'_, Self>) -> Result<()> {
        let object = Arc::clone(&call.object);
        attached::close(&object, "H5Aclose")?;
        call.forward()?;
        attached::closed(&object)
    }

    fn dataset_create(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        objects::create_dataset(call)
    }

    fn dataset_open(&self, call: DatasetOpen<'_, Self>) -> Result<NewObject<Self>> {
        objects::open_dataset(call)
    }

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        contents::read_datasets(&call)
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        contents::write_datasets(call)
    }

    fn dataset_specific(&self, call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        contents::change_dataset(call)
    }

    fn dataset_optional(&self, call: DatasetOptional<'_, Self>) -> Result<c_int> {
        contents::optional(call)
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        let object = Arc::clone(&call.object);
        // HDF5 forgets a dataset even if closing it fails.
        let others = attached::close(&object, "H5Dclose");
        call.forward()?;
        others.and(attached::closed(&object))
    }
}

impl Lends for Mirror {
    const LENDER: &'static CStr = c"mirror_lender";
    h5_vol::lends!(Mirror);

    fn storage(_: &Object<Self>) -> Storage {
        // What is on the other sides is found by its name.
        Storage::ByName
    }
}
