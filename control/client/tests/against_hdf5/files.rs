//! Files, connectors, attributes, and objects of all kinds.

use h5_client::{
    AnyObject, Attribute, Attributes as _, Connector, Dataspace, Datatype, Elements, File, FileAccess,
    Links as _, Location as _, Object as _,
};

use crate::{in_every_library, with_file};

#[test]
fn files_are_opened_as_asked() {
    in_every_library(|h5, folder| {
        let path = folder.path().join("a.h5");
        let mut access = FileAccess::native(h5).unwrap();
        access.close_everything().unwrap();
        access.use_latest_common_format().unwrap();
        assert!(File::is_accessible(h5, &path, &access).is_err());
        let file = File::create(h5, &path, &access).unwrap();
        assert_eq!(file.connector().unwrap().as_deref(), Some("native"));
        assert_eq!(file.file_name().unwrap(), path.to_string_lossy());
        let group = file.create_group("g").unwrap();
        assert_eq!((group.path().unwrap().as_str(), file.open_objects().unwrap()), ("/g", 2));
        assert_eq!(group.file().unwrap().file_name().unwrap(), path.to_string_lossy());
        group.flush_file().unwrap();
        file.close().unwrap();
        // It went with its file, and is refused when it is dropped.
        assert!(!h5.is_valid(group.id()).unwrap());
        drop(group);

        let file = File::open(h5, &path, &FileAccess::default_of(h5)).unwrap();
        assert_eq!(file.intent().unwrap(), h5_abi::H5F_ACC_RDONLY);
        assert!(file.create_group("h").is_err());
        assert_eq!(file.reopen().unwrap().links().unwrap().len(), 1);
        drop(file);
        let file = File::open_writable(h5, &path, &access).unwrap();
        file.create_group("h").unwrap();
        drop(file);
        File::delete(h5, &path, &access).unwrap();
        assert!(!path.exists());
    });
}

#[test]
fn connectors_are_named_and_have_infos() {
    in_every_library(|h5, folder| {
        assert!(h5.is_registered(c"native").unwrap());
        assert!(!h5.is_registered(c"no_such_connector").unwrap());
        assert!(Connector::by_name(h5, c"no_such_connector").is_err());
        // HDF5's own pass-through connector can be named from 2.0 on.
        let connector = match Connector::by_name(h5, c"pass_through") {
            Ok(connector) => connector,
            Err(failure) => return assert_eq!(h5.version().unwrap().major, 1, "{failure}"),
        };
        let info = connector.info("under_vol=0;under_info={}").unwrap();
        assert_eq!(info.copy().unwrap().compare(&info).unwrap(), 0);
        assert!(info.text().unwrap().contains("under_vol=0"));
        let access = FileAccess::through(&connector, Some(&info)).unwrap();
        let again = access.connector_info().unwrap().text().unwrap();
        assert!(again.contains("under_vol=0"));
        let file = File::create(h5, &folder.path().join("a.h5"), &access).unwrap();
        assert_eq!(file.connector().unwrap().as_deref(), Some("pass_through"));
        let native = Connector::native(h5).unwrap();
        assert!(FileAccess::through(&native, Some(&info)).is_err(), "the info of another connector");
    });
}

#[test]
fn attributes_of_all_objects() {
    with_file(|h5, file| {
        let int = Datatype::predefined(h5, "NATIVE_INT32").unwrap();
        let space = Dataspace::simple(h5, &[2]).unwrap();
        let attribute = Attribute::create(file, "numbers", &int, &space).unwrap();
        let bytes = [1, 0, 0, 0, 2, 0, 0, 0];
        attribute.write(&int, &bytes).unwrap();
        assert!(attribute.write(&int, &bytes[..4]).unwrap_err().message.contains("4 bytes instead of 8"));
        assert!(attribute.read(&int, &mut [0; 9]).is_err());
        let mut read = [0; 8];
        Attribute::open(file, "numbers").unwrap().read(&int, &mut read).unwrap();
        assert_eq!(read, bytes);
        assert_eq!(attribute.name().unwrap().as_c_str(), c"numbers");
        assert!(attribute.datatype().unwrap().equals(&int).unwrap());
        assert_eq!(attribute.read_elements(&int).unwrap().bytes(), Some(&bytes[..]));

        let group = file.create_group("g").unwrap();
        let text = text_type(h5);
        let one = Dataspace::simple(h5, &[2]).unwrap();
        let note = Attribute::create(&group, "note", &text, &one).unwrap();
        let strings = vec![c"short".to_owned(), c"rather longer".to_owned()];
        let failure = note.write(&text, &[0; 16]).unwrap_err();
        assert!(failure.message.contains("pointers"), "{failure}");
        note.write_elements(&Elements::of_strings(&text, strings.clone()).unwrap()).unwrap();
        let read = note.read_elements(&text).unwrap();
        assert_eq!((read.strings().unwrap(), read.bytes()), (strings, None));

        group.rename_attribute("note", "remark").unwrap();
        assert_eq!(group.attribute_names().unwrap(), [c"remark".to_owned()]);
        assert!(!group.attribute_exists("note").unwrap());
        group.delete_attribute("remark").unwrap();
        assert_eq!((group.info().unwrap().num_attrs, file.info().unwrap().num_attrs), (0, 1));
    });
}

/// Strings of any length.
pub(crate) fn text_type(h5: &h5_client::Session) -> Datatype {
    let class = h5_client::Class::VariableString {
        padding: h5_abi::H5T_STR_NULLTERM,
        character_set: h5_abi::H5T_CSET_UTF8,
    };
    Datatype::build(h5, &h5_client::Description { size: 8, class }).unwrap()
}

#[test]
fn objects_of_all_kinds() {
    with_file(|h5, file| {
        let group = file.create_group("g").unwrap();
        let int = Datatype::predefined(h5, "STD_I32BE").unwrap();
        file.create_dataset("d", &int, &Dataspace::scalar(h5).unwrap(), None).unwrap();
        let committed = int.copy().unwrap();
        committed.commit(file, "t").unwrap();
        assert!(committed.is_committed().unwrap() && !int.is_committed().unwrap());
        assert!(Datatype::open(file, "t").unwrap().equals(&int).unwrap());

        assert!(matches!(AnyObject::open(file, "g").unwrap(), AnyObject::Group(_)));
        assert!(matches!(AnyObject::open(file, "t").unwrap(), AnyObject::Datatype(_)));
        let dataset = AnyObject::open(file, "d").unwrap();
        let token = dataset.info().unwrap().token;
        assert_eq!(AnyObject::by_token(file, token).unwrap().path().unwrap(), "/d");
        assert_eq!(AnyObject::by_reference(file, "d").unwrap().path().unwrap(), "/d");
        assert!(AnyObject::open(file, "g").unwrap().into_dataset().is_err());
        assert!(dataset.into_dataset().unwrap().datatype().unwrap().equals(&int).unwrap());

        file.copy_object("d", &group, "copy").unwrap();
        assert!(file.object_exists("g/copy").unwrap() && !file.object_exists("g/none").unwrap());
        let mut seen = Vec::new();
        let visited = file.visit_objects(|_, name, info| {
            seen.push((name.to_string_lossy().into_owned(), info.type_));
            0
        });
        assert_eq!(visited.unwrap(), 0);
        let names: Vec<_> = seen.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [".", "d", "g", "g/copy", "t"]);
        assert_eq!(seen[1].1, h5_abi::H5O_TYPE_DATASET);
        assert_eq!(file.visit_objects(|_, _, _| 7).unwrap(), 7);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            file.visit_objects(|_, _, _| panic!("expected"))
        }));
        assert!(panicked.is_err());
        h5.take_failure();
    });
}
