//! Checks that any connector's tests can run.
//!
//! Each operation is done once natively and once through the connector; results must be equal, and failures
//! must have the same first cause. In the end the two files are compared natively: what was written through
//! the connector is a plain HDF5 file.

use core::fmt::Debug;

use h5_abi::H5I_type_t;
use h5_client::{Failure, FileAccess, Object, Result};
use h5_vol::Connector;

use crate::host::Session;
use crate::scratch::Scratch;

/// What one operation came to.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    operation: &'static str,
    result: Result<String, String>,
}

/// One pass over all operations.
struct Run<'s> {
    h5: &'s Session<'s>,
    path: String,
    access: &'s FileAccess,
    outcomes: Vec<Outcome>,
}

/// A failure as it must be the same natively and through a connector: its first cause, as native tells it.
/// Entries above it differ by the layers in between, and paths by the folder.
fn first_cause(failure: &Failure, path: &str) -> String {
    match failure.of_class("HDF5").next() {
        None => "a failure without an entry of HDF5".to_owned(),
        Some(entry) => {
            format!("{} / {}: {}", entry.major, entry.minor, entry.description.replace(path, "<file>"))
        }
    }
}

impl<'s> Run<'s> {
    /// Does one operation and records what it came to; the value is for the operations after it.
    fn step<T>(
        &mut self,
        operation: &'static str,
        run: impl FnOnce(&'s Session<'s>) -> Result<T>,
        describe: impl FnOnce(&T) -> String,
    ) -> Option<T> {
        let outcome = run(self.h5);
        let (result, value) = match outcome {
            Ok(value) => (Ok(describe(&value)), Some(value)),
            Err(failure) => (Err(first_cause(&failure, &self.path)), None),
        };
        self.outcomes.push(Outcome { operation, result });
        value
    }

    /// An operation whose value is its description.
    fn value<T: Debug>(&mut self, operation: &'static str, run: impl FnOnce(&'s Session<'s>) -> Result<T>) {
        let path = self.path.clone();
        self.step(operation, run, |value| format!("{value:?}").replace(&path, "<file>"));
    }

    /// An operation that opens something.
    fn open<O: Object>(
        &mut self,
        operation: &'static str,
        run: impl FnOnce(&'s Session<'s>) -> Result<O>,
    ) -> Option<O> {
        let h5 = self.h5;
        self.step(operation, run, |object| format!("{:?}", kind_of(h5, object)))
    }

    fn close(&mut self, operation: &'static str, close: impl FnOnce() -> Result<()>) {
        self.value(operation, |_| close());
    }

    /// Creating and changing; `None` if something failed that everything after it needs.
    fn write(&mut self) -> Option<()> {
        let (path, access) = (self.path.clone(), self.access);
        self.value("is_accessible before the file exists", |h5| {
            h5.is_accessible(&path, access).map_err(drop_causes)
        });
        self.step("open a missing file", |h5| h5.open_file(&path, true, access), |_| String::new());
        let file = self.open("create file", |h5| h5.create_file(&path, access))?;
        self.value("file name", |h5| h5.file_name(&file));
        self.value("intent", |h5| h5.intent(&file));
        let group = self.open("create group", |h5| h5.create_group(&file, "group"))?;
        let inner = self.open("create group in group", |h5| h5.create_group(&group, "inner"))?;
        self.step("create a group twice", |h5| h5.create_group(&file, "group"), |_| String::new());
        self.step("open a missing group", |h5| h5.open_group(&file, "missing"), |_| String::new());

        let plain =
            self.open("create dataset", |h5| h5.create_dataset(&file, "plain", &[3, 4], None, false))?;
        self.value("write dataset", |h5| h5.write(&plain, &(0..12).collect::<Vec<_>>()));
        self.value("read back", |h5| h5.read(&plain));
        self.value("storage size", |h5| Ok(h5.storage_size(&plain)));
        let chunked = self.open("create chunked dataset", |h5| {
            h5.create_dataset(&group, "chunked", &[10], Some(&[4]), true)
        })?;
        self.value("write with conversion", |h5| h5.write(&chunked, &(100..110).collect::<Vec<_>>()));
        self.value("strided read", |h5| h5.read_rows(&chunked, 3));
        self.value("set extent", |h5| h5.set_extent(&chunked, &[12]));
        self.value("extent", |h5| h5.extent(&chunked));
        self.value("read with fill values", |h5| h5.read(&chunked));
        self.value("extent of a contiguous dataset", |h5| h5.set_extent(&plain, &[4, 4]));
        self.value("write variable-length string", |h5| h5.write_string(&file, "text", "länger als zuvor"));
        self.value("read variable-length string", |h5| h5.read_string(&file, "text"));

        self.value("write attribute", |h5| h5.write_attribute(&plain, "units", &[1, 2, 3]));
        self.value("write second attribute", |h5| h5.write_attribute(&plain, "scale", &[4]));
        self.value("attribute on a group", |h5| h5.write_attribute(&group, "on group", &[5]));
        self.value("create an attribute twice", |h5| h5.write_attribute(&plain, "units", &[1]));
        self.value("read attribute", |h5| h5.read_attribute(&plain, "units"));
        self.value("read a missing attribute", |h5| h5.read_attribute(&plain, "missing"));
        self.value("attribute name", |h5| h5.attribute_name(&h5.open_attribute(&plain, "units")?));
        self.value("rename attribute", |h5| h5.rename_attribute(&plain, "scale", "factor"));
        self.value("attributes", |h5| h5.attributes(&plain));
        self.value("attribute exists", |h5| h5.attribute_exists(&plain, "scale"));
        self.value("delete attribute", |h5| h5.delete_attribute(&plain, "factor"));
        self.value("attributes afterwards", |h5| h5.attributes(&plain));

        self.value("commit datatype", |h5| h5.commit_integer_type(&file, "type"));
        self.value("committed datatype", |h5| h5.committed_type_size(&file, "type"));
        self.value("soft link", |h5| h5.create_soft_link(&file, "/group/chunked", "soft"));
        self.value("soft link path", |h5| h5.soft_link_path(&file, "soft"));
        self.value("read through soft link", |h5| h5.read(&h5.open_dataset(&file, "soft")?));
        self.value("hard link", |h5| h5.create_hard_link(&file, "plain", &inner, "hard"));
        self.value("hard link to nothing", |h5| h5.create_hard_link(&file, "missing", &inner, "x"));
        self.value("reference count", |h5| h5.object_info(&plain).map(|info| info.rc));
        self.value("move link", |h5| h5.move_link(&file, "text", "renamed"));
        self.value("copy object", |h5| h5.copy_object(&file, "group", &file, "copy"));
        self.value("delete link", |h5| h5.delete_link(&file, "soft"));
        self.value("delete a missing link", |h5| h5.delete_link(&file, "soft"));
        self.value("flush", |h5| h5.flush(&chunked));
        self.value("open objects", |h5| h5.open_objects(&file));

        self.close("close chunked", || chunked.close());
        self.close("close plain", || plain.close());
        self.close("close inner", || inner.close());
        self.close("close group", || group.close());
        self.close("close file", || file.close());
        Some(())
    }

    /// Looking at what [`Run::write`] has left.
    fn read(&mut self) -> Option<()> {
        let (path, access) = (self.path.clone(), self.access);
        self.value("is_accessible", |h5| h5.is_accessible(&path, access));
        let file = self.open("open file", |h5| h5.open_file(&path, false, access))?;
        self.value("links", |h5| h5.links(&file));
        self.value("link count", |h5| h5.link_count(&h5.open_group(&file, "group/inner")?));
        self.value("link exists", |h5| h5.link_exists(&file, "renamed"));
        self.value("link does not exist", |h5| h5.link_exists(&file, "text"));
        self.value("object exists", |h5| h5.object_exists(&file, "plain"));
        self.value("visit", |h5| {
            let mut seen = Vec::new();
            h5.visit_objects(&file, |_, name| {
                seen.push(name.to_owned());
                0
            })?;
            Ok(seen)
        });
        self.value("iteration stopped by the application", |h5| h5.iterate_links(&file, |_, _| 7));
        self.value("iteration failed by the application", |h5| {
            h5.iterate_links(&file, |_, _| -1).map_err(|_| Failure::default())
        });
        for (operation, name) in [
            ("open group as object", "group"),
            ("open dataset as object", "plain"),
            ("open type as object", "type"),
        ] {
            if let Some(object) = self.open(operation, |h5| h5.open_object(&file, name)) {
                self.value("name of object", |h5| h5.name_of(object.handle().id()));
                self.value("kind and links of object", |h5| {
                    h5.object_info(&object).map(|info| (info.type_, info.rc, info.num_attrs))
                });
            }
        }
        if let Some(dataset) = self.open("open dataset", |h5| h5.open_dataset(&file, "group/chunked")) {
            self.value("read dataset", |h5| h5.read(&dataset));
            self.value("datatype", |h5| h5.is_big_endian(&dataset));
            self.value("file of dataset", |h5| h5.file_name(&h5.file_of(&dataset)?));
            self.value("refresh", |h5| h5.refresh_dataset(&dataset));
            self.value("read after refresh", |h5| h5.read(&dataset));
            self.value("write to a read-only file", |h5| h5.write(&dataset, &[0; 12]));
        }
        self.value("read copy", |h5| h5.read(&h5.open_dataset(&file, "copy/chunked")?));
        self.value("read through reference", |h5| h5.read(&h5.open_by_reference(&file, "plain")?));
        self.value("read string", |h5| h5.read_string(&file, "renamed"));
        self.value("create in a read-only file", |h5| h5.create_group(&file, "no").map(|_| ()));
        if let Some(again) = self.open("reopen", |h5| h5.reopen_file(&file)) {
            self.value("links through the reopened file", |h5| h5.links(&again));
        }
        self.close("close file", || file.close());
        Some(())
    }
}

/// A failure of which only the fact counts (the cause has the errno text and address of a probe).
fn drop_causes(_: Failure) -> Failure {
    Failure::default()
}

fn kind_of(h5: &Session<'_>, object: &impl Object) -> H5I_type_t {
    h5.id_type(object.handle().id())
}

/// Does all operations natively and through `C` (with this info string) and compares the results.
///
/// # Panics
/// If something differs, naming the operation.
pub fn passes_through<C: Connector>(h5: &Session<'_>, info: &str) {
    let scratch = Scratch::new("conformance");
    let connector = h5.register::<C>().expect("the connector registers");
    let native = h5.native_access().expect("an access property list");
    let through = h5.access_through(&connector, info).expect("the info string is understood");

    // The connector is on top: otherwise the comparison would compare native with native.
    let probe = h5.create_file(&scratch.file("probe.h5"), &through).expect("a file is created");
    let name = h5.connector_of(&probe).expect("a connector has a name");
    assert_eq!(name, C::NAME.to_string_lossy(), "the connector on top of a file");
    drop(probe);

    let run = |file: &str, access, writing: bool| {
        let mut run = Run { h5, path: scratch.file(file), access, outcomes: Vec::new() };
        if writing {
            assert!(run.write().is_some(), "{}: stopped after {:?}", h5.host().name(), run.outcomes.last());
        }
        assert!(run.read().is_some(), "{}: stopped after {:?}", h5.host().name(), run.outcomes.last());
        run.outcomes
    };
    let expected = run("native.h5", &native, true);
    let found = run("through.h5", &through, true);
    compare::<C>(h5, "through the connector", &expected, &found);

    // Each reads what the other has written.
    let expected = run("native.h5", &native, false);
    compare::<C>(h5, "natively, of the connector's file", &expected, &run("through.h5", &native, false));
    compare::<C>(
        h5,
        "through the connector, of a native file",
        &expected,
        &run("native.h5", &through, false),
    );
}

fn compare<C: Connector>(h5: &Session<'_>, what: &str, expected: &[Outcome], found: &[Outcome]) {
    for (expected, found) in expected.iter().zip(found) {
        assert_eq!(expected, found, "{}, {}: {what}", h5.host().name(), C::NAME.to_string_lossy());
    }
    assert_eq!(expected.len(), found.len(), "number of operations");
}
