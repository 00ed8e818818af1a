//! Opening plain sources of virtual datasets without HDF5, and letting HDF5 open them after all.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use h5_vol::Host;
use selection::Extent;
use store::{Descriptor, Store};

use crate::Bypass;
use crate::coherency::plain_source::{FileIdentity, PlainSource};
use crate::coherency::resolved::Resolved;
use crate::coherency::source_file::SourceFile;
use crate::coherency::source_search::{Asking, Searcher};
use crate::inspect::plain_hint::StoredType;
use crate::inspect::virtual_layout::{SourceName, VirtualLayout};
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::cache::Place;

/// What became of the attempt to open a source.
enum Attempt {
    Opened(Arc<PlainSource>, FileIdentity),
    /// There is no such file.
    Missing,
    NotPlain,
}

impl Searcher<'_> {
    /// The source with this number and name, open without HDF5; `None` if HDF5 must be asked for it.
    pub(crate) fn find_plain(
        &self,
        number: usize,
        name: &Arc<SourceName>,
        of: (&Resolved, &VirtualLayout),
    ) -> Option<Arc<PlainSource>> {
        if let Some(known) = self.sources.known_plain(number) {
            return Some(known);
        }
        let (dataset, mappings) = of;
        // What can be written has more than one owner.
        let may_be_plain = mappings.plain.may_be_plain()
            && !self.asking.files.has_writers()
            && self.sources.known(number).is_none()
            && name.file.as_bytes() != b".";
        if !may_be_plain {
            return None;
        }
        match self.open_plain(name, dataset, mappings) {
            Attempt::Opened(source, file) => {
                self.sources.note_plain(number, &source);
                self.asking.files.plain.note(file, &source);
                summary::source_opened_plainly();
                Some(source)
            }
            Attempt::Missing => None,
            Attempt::NotPlain => {
                mappings.plain.refuse();
                None
            }
        }
    }

    fn open_plain(&self, name: &Arc<SourceName>, of: &Resolved, mappings: &VirtualLayout) -> Attempt {
        let elements = of.elements();
        if elements.has_references() || elements.variable().is_some() {
            return Attempt::NotPlain;
        }
        let (Ok(file), Ok(access), Ok(paths)) = (of.source(), self.access(), self.paths(name)) else {
            return Attempt::NotPlain;
        };
        let Some(datatype) = mappings.plain.datatype(&file, self.sources.of.address()) else {
            return Attempt::NotPlain;
        };
        let Some(locks) = self.asking.questions.locks_files(access.file.id()) else {
            return Attempt::NotPlain;
        };
        for path in paths {
            match File::open(OsStr::from_bytes(path.to_bytes())) {
                Ok(file) => {
                    let opened = self.open_source(file, locks, path, name, datatype);
                    return opened.map_or(Attempt::NotPlain, |(source, file)| Attempt::Opened(source, file));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return Attempt::NotPlain,
            }
        }
        Attempt::Missing
    }

    fn open_source(
        &self,
        file: File,
        locks: bool,
        path: CString,
        name: &Arc<SourceName>,
        datatype: &StoredType,
    ) -> Option<(Arc<PlainSource>, FileIdentity)> {
        let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
        let identity = (found.dev(), found.ino());
        // The application may have opened it in a way that does not agree with that of the virtual dataset.
        if self.asking.files.has_open(self.asking.questions, identity) {
            return None;
        }
        let descriptor = Descriptor::new(file.into());
        if locks {
            descriptor.lock_to_read().ok()?;
        }
        let store = Store::new(descriptor, found.len());
        let dataset = headers::find(&store, name.dataset.to_bytes(), datatype.newest)?;
        if !datatype.is(&dataset.datatype) {
            return None;
        }
        let source = PlainSource {
            store: Arc::new(store),
            extent: Extent::new(&dataset.extent).ok()?,
            start: dataset.offset,
            path,
            name: Arc::clone(name),
            of_file: self.sources.of.file,
            native: OnceLock::new(),
            place: Place::new(self.asking.configuration, 0),
            was_read: AtomicBool::new(false),
        };
        Some((Arc::new(source), identity))
    }
}

impl Bypass {
    /// Before a file is opened for writing, or created: lets native HDF5 open all sources that only we have open.
    pub(crate) fn open_plain_sources(&self, host: Host) {
        if self.files.plain.has_any() {
            self.open_natively(host, None);
        }
    }

    /// Before a file is opened for reading: the same for those in it.
    pub(crate) fn open_plain_sources_in(&self, host: Host, name: Option<&CStr>) {
        if self.files.plain.has_any()
            && let Some(name) = name
            && let Ok(found) = fs::metadata(OsStr::from_bytes(name.to_bytes()))
        {
            self.open_natively(host, Some((found.dev(), found.ino())));
        }
    }

    /// What native HDF5 cannot open is not open to it. (The file was perhaps renamed.)
    fn open_natively(&self, host: Host, file: Option<FileIdentity>) {
        for (identity, source) in self.files.plain.without_native(file) {
            let path = OsStr::from_bytes(source.path.to_bytes());
            if fs::metadata(path).is_ok_and(|found| (found.dev(), found.ino()) == identity) {
                let opened = host.ask(|questions| {
                    let configuration = self.configuration.as_ref().ok();
                    self.open_one_natively(Asking { questions, files: &self.files, configuration }, &source)
                });
                if opened.is_err() {
                    host.forget_errors();
                }
            }
        }
    }

    fn open_one_natively(&self, asking: Asking<'_>, source: &PlainSource) -> Result<(), Reason> {
        let questions = asking.questions;
        let handle = self.files.handle(source.of_file).ok_or(Reason::Virtual)?;
        let access = handle.native().access_list(questions).ok_or(Reason::Untold("file"))?;
        if !questions.set_weak_close(access.id()) {
            return Err(Reason::Untold("file"));
        }
        let driver = questions.driver(access.id());
        let file = SourceFile::open(questions, &source.path, access.id(), driver, false);
        let file = file.ok_or(Reason::Untold("file"))?;
        let list = questions.host().default_dataset_access().ok_or(Reason::Untold("access properties"))?;
        let dataset = file.file().native().open_dataset(questions, &source.name.dataset, list);
        let _ = source.native.set(dataset.ok_or(Reason::Untold("dataset"))?);
        Ok(())
    }
}
