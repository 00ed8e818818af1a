//! A terminal connector through the real API: everything from creating a file to deleting it, alone and
//! under a pass-through connector.

mod support;

use h5_abi::{H5I_GROUP, H5I_type_t, H5O_TYPE_DATASET};
use h5_vol::Callback;
use h5_vol_test::{AnyObject, FileAccess, Session};
use support::memory::Memory;
use support::{in_every_host, own_entry};

support::recording::recording_connector!(Above, c"test_above_memory", 602);

const CLASS: &str = "test_memory";

fn write_everything(h5: &Session<'_>, name: &str, access: &FileAccess) {
    let file = h5.create_file(name, access).unwrap();
    let group = h5.create_group(&file, "group").unwrap();
    h5.create_group(&group, "inner").unwrap().close().unwrap();
    let dataset = h5.create_dataset(&group, "values", &[2, 3], None, false).unwrap();
    h5.write(&dataset, &[1, 2, 3, 4, 5, 6]).unwrap();
    h5.write_attribute(&dataset, "units", &[7, 8]).unwrap();
    h5.write_attribute(&dataset, "doomed", &[9]).unwrap();
    h5.delete_attribute(&dataset, "doomed").unwrap();
    let deep = h5.create_dataset(&file, "group/inner/deep", &[2], None, false).unwrap();
    h5.write(&deep, &[41, 42]).unwrap();
    h5.flush(&deep).unwrap();
    assert_eq!(h5.intent(&file).unwrap(), h5_abi::H5F_ACC_RDWR);
    deep.close().unwrap();
    dataset.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
}

fn read_everything(h5: &Session<'_>, name: &str, access: &FileAccess) {
    assert!(h5.is_accessible(name, access).unwrap());
    let file = h5.open_file(name, false, access).unwrap();
    assert_eq!(h5.file_name(&file).unwrap(), name);
    assert_eq!(h5.links(&file).unwrap(), ["group"]);
    let group = h5.open_group(&file, "group").unwrap();
    assert_eq!(h5.links(&group).unwrap(), ["inner", "values"]);
    assert_eq!(h5.link_count(&group).unwrap(), 2);

    let dataset = h5.open_dataset(&file, "/group/values").unwrap();
    assert_eq!(h5.extent(&dataset).unwrap(), [2, 3]);
    assert_eq!(h5.storage_size(&dataset), 24);
    assert_eq!(h5.read(&dataset).unwrap(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(h5.name_of(dataset.id()).unwrap(), "/group/values");
    assert_eq!(h5.read_attribute(&dataset, "units").unwrap(), [7, 8]);
    assert!(h5.attribute_exists(&dataset, "units").unwrap());
    assert!(!h5.attribute_exists(&dataset, "doomed").unwrap());
    let attribute = h5.open_attribute(&dataset, "units").unwrap();
    assert_eq!(h5.attribute_name(&attribute).unwrap(), "units");

    let object = h5.open_object(&group, "inner/deep").unwrap();
    assert!(matches!(object, AnyObject::Dataset(_)));
    assert_eq!(h5.read(&object).unwrap(), [41, 42]);
    assert_eq!(h5.object_info(&object).unwrap().type_, H5O_TYPE_DATASET);
    assert_eq!(h5.object_info(&dataset).unwrap().num_attrs, 1);
    assert_ne!(h5.object_info(&object).unwrap().token, h5.object_info(&dataset).unwrap().token);
    assert!(h5.object_exists(&file, "group/inner").unwrap());
    assert!(h5.link_exists(&group, "values").unwrap());
    assert!(!h5.link_exists(&group, "nothing").unwrap());

    // The group that an iteration passes is a group: things can be opened from it.
    let mut seen = Vec::new();
    h5.iterate_links(&group, |id, link| {
        assert_eq!(h5.id_type(id), H5I_GROUP);
        assert_eq!(h5.name_of(id).unwrap(), "/group");
        seen.push(link.to_owned());
        i32::from(link == "inner") * 5
    })
    .map(|stopped| assert_eq!(stopped, 5, "the application's own verdict comes back"))
    .unwrap();
    assert_eq!(seen, ["inner"]);
    assert!(h5.iterate_links(&group, |_, _| -3).is_err());

    let again = h5.reopen_file(&file).unwrap();
    assert_eq!(h5.links(&again).unwrap(), ["group"]);

    // The file of an object: the one that is open, and a new identifier once that is closed.
    let same = h5.file_of(&dataset).unwrap();
    assert_eq!(same.id(), file.id());
    drop(same);
    drop(again);
    file.close().unwrap();
    let revived = h5.file_of(&dataset).unwrap();
    assert_eq!(h5.links(&revived).unwrap(), ["group"]);
    assert_eq!(h5.file_of(&group).unwrap().id(), revived.id());
}

fn fail_everything(h5: &Session<'_>, name: &str, access: &FileAccess, class: &str) {
    let failure = h5.open_file("no such file", false, access).unwrap_err();
    let entry = own_entry(&failure, class);
    assert!(entry.description.contains("'no such file' does not exist"), "{failure:?}");
    assert_eq!(entry.function, "file_open");
    assert!(entry.file.ends_with("memory.rs") && entry.line > 0, "{failure:?}");
    assert!(!h5.is_accessible("no such file", access).unwrap());
    h5.delete_file("no such file", access).unwrap_err();

    let file = h5.open_file(name, false, access).unwrap();
    let failure = h5.open_dataset(&file, "group/missing").unwrap_err();
    assert_eq!(own_entry(&failure, class).function, "dataset_open");
    assert!(failure.mentions("'group/missing' does not exist"), "{failure:?}");
    let failure = h5.open_group(&file, "group/values").unwrap_err();
    assert!(failure.mentions("is a Dataset"), "{failure:?}");
    assert!(h5.create_group(&file, "new").unwrap_err().mentions("reading only"));

    // A callback that the connector does not have: HDF5 says so itself.
    let failure = h5.create_soft_link(&file, "/x", "y").unwrap_err();
    assert!(failure.mentions("has no 'link create' method"), "{failure:?}");
    assert_eq!(failure.of_class(class).count(), 0, "{failure:?}");
    // An operation that its callback does not know: an error that says so, with its place.
    let failure = h5.visit_objects(&file, |_, _| 0).unwrap_err();
    let entry = own_entry(&failure, class);
    assert!(entry.description.contains("does not implement this"), "{failure:?}");
    assert_eq!(
        (entry.function.as_str(), entry.minor.as_str()),
        ("object_specific", "Not supported by this connector")
    );
    assert!(entry.file.contains(".rs") && entry.line > 0, "{failure:?}");
    let failure = h5.open_objects(&file).unwrap_err();
    assert_eq!(own_entry(&failure, class).function, "file_get");

    let dataset = h5.open_dataset(&file, "group/values").unwrap();
    assert!(h5.read_rows(&dataset, 2).unwrap_err().mentions("a part of a dataset"));
    assert!(h5.write(&dataset, &[0; 6]).unwrap_err().mentions("reading only"));
}

fn delete_everything(h5: &Session<'_>, name: &str, access: &FileAccess) {
    let file = h5.open_file(name, true, access).unwrap();
    h5.delete_link(&file, "group/values").unwrap();
    assert!(h5.delete_link(&file, "group/values").unwrap_err().mentions("does not exist"));
    assert_eq!(h5.links(&h5.open_group(&file, "group").unwrap()).unwrap(), ["inner"]);
    file.close().unwrap();
    h5.delete_file(name, access).unwrap();
    assert!(!h5.is_accessible(name, access).unwrap());
}

fn open_ids(h5: &Session<'_>) -> Vec<u64> {
    (1..=7).map(|kind| h5.id_count(H5I_type_t(kind))).collect()
}

#[test]
fn a_terminal_connector_does_it_all() {
    in_every_host(|h5| {
        let memory = h5.register::<Memory>().unwrap();
        let access = h5.access_through(&memory, "").unwrap();
        let before = open_ids(h5);
        write_everything(h5, "in memory", &access);
        read_everything(h5, "in memory", &access);
        fail_everything(h5, "in memory", &access, CLASS);
        delete_everything(h5, "in memory", &access);
        assert_eq!(open_ids(h5), before, "identifiers left open, by kind");
    });
}

#[test]
fn a_pass_through_connector_stands_on_it() {
    in_every_host(|h5| {
        let memory = h5.register::<Memory>().unwrap();
        let above = h5.register::<Above>().unwrap();
        let access = h5.access_through(&above, "under_vol=601").unwrap();
        let reads = Above::record().calls(Callback::DatasetRead);
        let wraps = Above::record().calls(Callback::WrapObject);
        write_everything(h5, "stacked", &access);
        read_everything(h5, "stacked", &access);
        fail_everything(h5, "stacked", &access, CLASS);
        assert!(Above::record().calls(Callback::DatasetRead) >= reads + 2, "reads came through");
        assert!(Above::record().calls(Callback::WrapObject) > wraps, "iterated groups were wrapped");

        // The same file, seen without the connector above.
        let direct = h5.access_through(&memory, "").unwrap();
        let file = h5.open_file("stacked", false, &direct).unwrap();
        assert_eq!(h5.links(&file).unwrap(), ["group"]);
        drop(file);
        delete_everything(h5, "stacked", &access);
        assert_eq!(Above::record().live(), 0, "every object's data was dropped");
    });
}

#[test]
fn files_of_two_terminal_connectors_are_never_taken_for_one_another() {
    in_every_host(|h5| {
        let memory = h5.register::<Memory>().unwrap();
        let above = h5.register::<Above>().unwrap();
        let scratch = h5_vol_test::Scratch::new("two-terminals");
        let in_memory = h5.create_file("a", &h5.access_through(&above, "under_vol=601").unwrap()).unwrap();
        let on_disk = h5
            .create_file(&scratch.file("b.h5"), &h5.access_through(&above, "under_vol=0").unwrap())
            .unwrap();
        h5.create_group(&in_memory, "g").unwrap();
        h5.create_group(&on_disk, "g").unwrap();
        // Both have the same connector on top, so HDF5 asks the one below the first about the second.
        h5.create_hard_link(&in_memory, "g", &on_disk, "h").unwrap_err();
        h5.mount(&in_memory, "g", &on_disk).unwrap_err();
        drop(in_memory);
        drop(on_disk);
        drop(memory);
    });
}
