//! Links of all kinds.

use h5_client::{
    DatasetAccess, Dataspace, Datatype, File, FileAccess, GroupCreation, LinkTarget, Links as _,
    Location as _, Object as _,
};

use crate::{in_every_library, with_file};

#[test]
fn links_tell_where_they_lead() {
    with_file(|h5, file| {
        let creation = GroupCreation::with_creation_order(h5).unwrap();
        let group = file.create_group_with("g", Some(&creation)).unwrap();
        let inner = group.create_group("z").unwrap();
        group.create_soft_link("/somewhere/else", "s").unwrap();
        group.create_external_link("other.h5", "/there", "e").unwrap();
        group.create_hard_link("z", &group, "a").unwrap();

        let token = inner.info().unwrap().token;
        let targets: Vec<_> =
            group.links().unwrap().into_iter().map(|link| (link.name, link.target)).collect();
        let external = LinkTarget::External { file: c"other.h5".to_owned(), object: c"/there".to_owned() };
        let soft = LinkTarget::Soft(c"/somewhere/else".to_owned());
        let hard = LinkTarget::Hard(token);
        let expected = [(c"a", &hard), (c"e", &external), (c"s", &soft), (c"z", &hard)];
        assert!(targets.iter().map(|(name, target)| (name.as_c_str(), target)).eq(expected), "{targets:?}");

        let by_creation = group.links_by_creation().unwrap();
        let order: Vec<_> =
            by_creation.iter().map(|link| (link.name.as_c_str(), link.creation_order)).collect();
        assert_eq!(order, [(c"z", Some(0)), (c"s", Some(1)), (c"e", Some(2)), (c"a", Some(3))]);
        assert!(file.links_by_creation().is_err(), "the root group keeps no order");
        assert_eq!(group.link("s").unwrap(), by_creation[1]);
        // A class that nobody has registered is refused.
        assert!(group.create_user_link("u", 200, b"value").is_err());

        group.move_link("s", "soft").unwrap();
        group.delete_link("e").unwrap();
        assert!(group.link_exists("soft").unwrap() && !group.link_exists("e").unwrap());
        assert_eq!(group.link_count().unwrap(), 3);
        assert_eq!(group.iterate_links(|id, name| i32::from(id > 0 && name == c"soft") * 5).unwrap(), 5);
        assert!(group.iterate_links(|_, _| -1).is_err());
    });
}

#[test]
fn external_links_can_be_refused() {
    in_every_library(|h5, folder| {
        let access = FileAccess::native(h5).unwrap();
        let [here, there] = ["here.h5", "there.h5"].map(|name| folder.path().join(name));
        let int = Datatype::predefined(h5, "NATIVE_INT").unwrap();
        let scalar = Dataspace::scalar(h5).unwrap();
        File::create(h5, &there, &access).unwrap().create_dataset("d", &int, &scalar, None).unwrap();
        let file = File::create(h5, &here, &access).unwrap();
        file.create_external_link(&there, "/d", "link").unwrap();
        file.open_dataset("link").unwrap();
        let within = DatasetAccess::within_the_file(h5).unwrap();
        file.open_dataset_with("link", Some(&within)).unwrap_err();
        assert_eq!(DatasetAccess::take_refused_file().as_deref(), there.to_str());
        assert_eq!(DatasetAccess::take_refused_file(), None);
    });
}

#[test]
fn files_are_mounted() {
    in_every_library(|h5, folder| {
        let access = FileAccess::native(h5).unwrap();
        let [file, child] =
            ["a.h5", "b.h5"].map(|name| File::create(h5, &folder.path().join(name), &access).unwrap());
        file.create_group("here").unwrap();
        child.create_group("inside").unwrap();
        file.mount("here", &child).unwrap();
        assert!(file.open_group("here/inside").is_ok());
        file.unmount("here").unwrap();
        assert!(file.open_group("here/inside").is_err());
    });
}
