//! The connector: says what serves each callback.

#![expect(unsafe_code, reason = "calls go on behind external links")]

use core::ffi::{CStr, c_int};
use std::sync::Arc;

use h5_vol::calls::{
    AttributeClose, AttributeCreate, AttributeGet, AttributeOpen, AttributeSpecific, AttributeWrite,
    DatasetClose, DatasetCreate, DatasetGet, DatasetOpen, DatasetOptional, DatasetRead, DatasetSpecific,
    DatasetWrite, DatatypeClose, DatatypeCommit, DatatypeOpen, FileClose, FileCreate, FileGet, FileOpen,
    FileOptional, FileSpecific, GroupClose, GroupCreate, GroupGet, GroupOpen, LinkCreate, LinkGet,
    LinkSpecific, LinkTransfer, ObjectCopy, ObjectGet, ObjectOpen, ObjectOptional, ObjectSpecific,
};
use h5_vol::views::ObjectQuestion;
use h5_vol::{
    BelowObject, Connector, Host, Lender, Lends, Methods, NewObject, Object, ObjectKind, Origin, PassThrough,
    Result, Slots, Storage,
};

use crate::backend::Backend;
use crate::counters;
use crate::kept;
use crate::locks::Locks;
use crate::opening::Attached;
use crate::registry::Registry;

/// The connector of a format, in one host.
pub struct Shadow<B: Backend> {
    pub(crate) host: Host,
    pub(crate) backend: B,
    pub(crate) registry: Registry<B::Store>,
}

impl<B: Backend> Connector for Shadow<B> {
    const NAME: &'static CStr = B::NAME;
    const VALUE: c_int = B::VALUE;
    const VERSION: u32 = B::VERSION;
    const VERSION_TEXT: &'static CStr = B::VERSION_TEXT;
    const METHODS: Methods<Self> = Methods::pass_through();

    type Settings = B::Settings;
    /// `None` for files that are native HDF5's.
    type Data = Option<Attached<B::Store>>;

    fn slots() -> &'static Slots<Self> {
        B::slots()
    }

    fn new(host: Host) -> Self {
        Self { host, backend: B::new(), registry: Registry::default() }
    }

    fn process_forked() {
        pool::after_fork_in_child();
        global_lock::after_fork_in_child();
        kept::after_fork_in_child();
    }

    fn process_exit() {
        counters::report(B::NAME, B::STATISTICS);
    }

    fn library_closes(&self, host: Host) {
        self.registry.end(host);
    }
}

impl<B: Backend> PassThrough for Shadow<B> {
    fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Self::Data {
        let data = match origin {
            Origin::Opened(_) => None,
            Origin::Object(object) | Origin::Wrapped(object) => object.data().as_ref(),
        };
        let data = data?;
        let mut attached = Attached::new(Arc::clone(&data.opening));
        attached.through.clone_from(&data.through);
        if matches!(kind, ObjectKind::Group | ObjectKind::Dataset | ObjectKind::Datatype)
            && matches!(origin, Origin::Object(_))
        {
            // What is open is not given up when its last link is deleted.
            attached.node(self.host, below, kind);
        }
        Some(attached)
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        self.open_file(call)
    }

    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_file(call)
    }

    fn file_get(&self, call: FileGet<'_, Self>) -> Result<c_int> {
        self.ask_file(call)
    }

    fn file_specific(&self, call: FileSpecific<'_, Self>) -> Result<c_int> {
        self.change_file(call)
    }

    fn file_optional(&self, mut call: FileOptional<'_, Self>) -> Result<c_int> {
        if call.object.data().is_some() && call.is_post_open() {
            // It was done when the handle was made.
            call.object.call_before_library_closes();
            return Ok(0);
        }
        call.forward()
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        self.close_file(call)
    }

    fn group_create(&self, call: GroupCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_group(call)
    }

    fn group_open(&self, mut call: GroupOpen<'_, Self>) -> Result<NewObject<Self>> {
        let elsewhere = self.look_or_follow(&call.object, call.location, call.name)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            (call.location, call.name) = unsafe { (elsewhere.itself(), elsewhere.path()) };
        }
        Ok(Self::opened(call.forward()?, elsewhere.as_ref()))
    }

    fn group_get(&self, call: GroupGet<'_, Self>) -> Result<c_int> {
        Self::ask_group(call)
    }

    fn group_close(&self, call: GroupClose<'_, Self>) -> Result<()> {
        Self::before_close(&call.object);
        call.forward()
    }

    fn datatype_commit(&self, call: DatatypeCommit<'_, Self>) -> Result<NewObject<Self>> {
        self.commit_datatype(call)
    }

    fn datatype_open(&self, mut call: DatatypeOpen<'_, Self>) -> Result<NewObject<Self>> {
        let elsewhere = self.look_or_follow(&call.object, call.location, call.name)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            (call.location, call.name) = unsafe { (elsewhere.itself(), elsewhere.path()) };
        }
        Ok(Self::opened(call.forward()?, elsewhere.as_ref()))
    }

    fn datatype_close(&self, call: DatatypeClose<'_, Self>) -> Result<()> {
        Self::before_close(&call.object);
        call.forward()
    }

    fn attr_create(&self, call: AttributeCreate<'_, Self>) -> Result<NewObject<Self>> {
        Self::accept_attribute(&call.object, call.name)?;
        Self::change_object(&call.object, Some(call.location))?;
        call.forward()
    }

    fn attr_open(&self, call: AttributeOpen<'_, Self>) -> Result<NewObject<Self>> {
        Self::look(&call.object, call.location, None)?;
        call.forward()
    }

    fn attr_write(&self, mut call: AttributeWrite<'_, Self>) -> Result<c_int> {
        Self::change_object(&call.object, None)?;
        call.forward()
    }

    fn attr_get(&self, call: AttributeGet<'_, Self>) -> Result<c_int> {
        Self::ask_attribute(call)
    }

    fn attr_specific(&self, call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        let _callback = Locks::of(self.host).user_callback(self.host);
        Self::change_attributes(call)
    }

    fn attr_close(&self, call: AttributeClose<'_, Self>) -> Result<()> {
        Self::before_close(&call.object);
        call.forward()
    }

    fn link_create(&self, call: LinkCreate<'_, Self>) -> Result<c_int> {
        Self::create_link(call)
    }

    fn link_copy(&self, mut call: LinkTransfer<'_, Self>) -> Result<c_int> {
        Self::transfer_link(&mut call, false)
    }

    fn link_move(&self, mut call: LinkTransfer<'_, Self>) -> Result<c_int> {
        Self::transfer_link(&mut call, true)
    }

    fn link_get(&self, mut call: LinkGet<'_, Self>) -> Result<c_int> {
        let elsewhere = self.follow_to_link(&call.object, call.location)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        Self::look(&call.object, call.location, None)?;
        call.forward()
    }

    fn link_specific(&self, mut call: LinkSpecific<'_, Self>) -> Result<c_int> {
        let elsewhere = self.follow_to_link(&call.object, call.location)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        let _callback = Locks::of(self.host).user_callback(self.host);
        Self::change_links(call)
    }

    fn object_open(&self, mut call: ObjectOpen<'_, Self>) -> Result<NewObject<Self>> {
        let elsewhere = self.look_or_follow(&call.object, call.location, None)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        Ok(Self::opened(call.forward()?, elsewhere.as_ref()))
    }

    fn object_get(&self, mut call: ObjectGet<'_, Self>) -> Result<c_int> {
        let elsewhere = self.look_or_follow(&call.object, call.location, None)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        let asks_for_file = matches!(call.arguments.view(), ObjectQuestion::File);
        match call.object.data().as_ref().map(|attached| Arc::clone(attached.container())) {
            Some(container) if asks_for_file => call.forward_file(container.master.file()),
            _ => call.forward(),
        }
    }

    fn object_specific(&self, call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        let _callback = Locks::of(self.host).user_callback(self.host);
        self.change_any(call)
    }

    fn object_optional(&self, mut call: ObjectOptional<'_, Self>) -> Result<c_int> {
        let elsewhere = self.look_or_follow(&call.object, call.location, None)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        call.forward()
    }

    fn object_copy(&self, call: ObjectCopy<'_, Self>) -> Result<c_int> {
        let _callback = Locks::of(self.host).user_callback(self.host);
        let containers = [&call.source, &call.target].map(|object| {
            let attached = object.data().as_ref()?;
            Some(Arc::clone(attached.container()))
        });
        let _alone: Vec<_> = containers.iter().flatten().map(|container| container.alone()).collect();
        self.copy_object(call)
    }

    fn dataset_create(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_dataset(call)
    }

    fn dataset_open(&self, mut call: DatasetOpen<'_, Self>) -> Result<NewObject<Self>> {
        let elsewhere = self.look_or_follow(&call.object, call.location, call.name)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            (call.location, call.name) = unsafe { (elsewhere.itself(), elsewhere.path()) };
        }
        Ok(Self::opened(call.forward()?, elsewhere.as_ref()))
    }

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        self.read_datasets(&call)
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        Self::write_datasets(&call)
    }

    fn dataset_get(&self, call: DatasetGet<'_, Self>) -> Result<c_int> {
        self.ask_dataset(call)
    }

    fn dataset_optional(&self, call: DatasetOptional<'_, Self>) -> Result<c_int> {
        Self::direct_chunk(call)
    }

    fn dataset_specific(&self, call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        Self::change_dataset(call)
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        Self::before_close(&call.object);
        call.forward()
    }
}

impl<B: Backend> Lends for Shadow<B> {
    const LENDER: &'static CStr = B::LENDER;

    fn lender_slots() -> &'static Slots<Lender<Self>> {
        B::lender_slots()
    }

    fn storage(object: &Object<Self>) -> Storage {
        if Self::attached(object).is_some() {
            return Storage::Other;
        }
        object.below().map_or(Storage::Other, |below| Storage::below(below.connector().value()))
    }
}
