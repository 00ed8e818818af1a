//! Info strings: to text and back, nested, compared, copied; and wrong ones.

mod support;

use std::sync::Mutex;

use h5_vol::{BelowObject, ObjectKind, Origin, PassThrough, Settings};
use h5_vol_test::Scratch;
use support::{in_every_host, own_entry};

/// Settings with a number and a text.
#[derive(Default, Clone)]
struct Paint {
    colour: Option<String>,
    coats: Option<u32>,
}

impl Settings for Paint {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "colour" => self.colour = Some(value.to_owned()),
            "coats" => {
                let coats = value.parse().map_err(|_| format!("coats={value} is not a number"))?;
                self.coats = Some(coats);
            }
            _ => return Err(format!("unknown key '{key}' (value '{value}')")),
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let colour = self.colour.iter().map(|colour| ("colour".to_owned(), colour.clone()));
        let coats = self.coats.iter().map(|coats| ("coats".to_owned(), coats.to_string()));
        colour.chain(coats).collect()
    }
}

struct Painter;

/// The settings that files were opened with.
static OPENED: Mutex<Vec<Vec<(String, String)>>> = Mutex::new(Vec::new());

support::connector!(Painter, c"test_painter", 641, pass_through {
    type Settings = Paint;
    type Data = ();
});

impl PassThrough for Painter {
    fn attach(&self, origin: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {
        if let Origin::Opened(info) = origin {
            OPENED.lock().unwrap().push(info.settings().pairs());
        }
    }
}

support::recording::recording_connector!(Primer, c"test_primer", 642);

#[test]
fn texts_come_back() {
    in_every_host(|h5| {
        let primer = h5.register::<Primer>().unwrap();
        let painter = h5.register::<Painter>().unwrap();
        for (given, expected) in [
            ("under_vol=0;under_info={}", "under_vol=0;under_info={}"),
            ("under_vol=0", "under_vol=0;under_info={}"),
            ("colour=blue", "under_vol=0;under_info={};colour=blue"),
            (" coats=3 ; colour = dark blue ;", "under_vol=0;under_info={};colour=dark blue;coats=3"),
            ("under_vol=642", "under_vol=642;under_info={}"),
            (
                "under_vol=642;under_info={under_vol=641;under_info={colour=red};};coats=1",
                "under_vol=642;under_info={under_vol=641;under_info={under_vol=0;under_info={};colour=red}};coats=1",
            ),
        ] {
            let info = h5.info(&painter, given).unwrap();
            assert_eq!(info.text().unwrap(), expected);
            assert_eq!(h5.info(&painter, expected).unwrap().text().unwrap(), expected);
            assert_eq!(info.copy().unwrap().text().unwrap(), expected);
            assert_eq!(info.copy().unwrap().compare(&info).unwrap(), 0, "{given}");
            // Through a property list, which copies.
            let access = h5.access_through(&painter, given).unwrap();
            assert_eq!(h5.info_in(&access).unwrap().text().unwrap(), expected);
        }
        drop(primer);
    });
}

#[test]
fn different_infos_differ() {
    in_every_host(|h5| {
        let primer = h5.register::<Primer>().unwrap();
        let painter = h5.register::<Painter>().unwrap();
        let texts = [
            "",
            "colour=red",
            "colour=blue",
            "coats=1",
            "under_vol=642",
            "under_vol=642;under_info={under_vol=641;under_info={coats=1}}",
            "under_vol=642;under_info={under_vol=641;under_info={coats=2}}",
        ];
        let infos: Vec<_> = texts.iter().map(|text| h5.info(&painter, text).unwrap()).collect();
        for (a, text_a) in infos.iter().zip(texts) {
            for (b, text_b) in infos.iter().zip(texts) {
                let order = a.compare(b).unwrap().signum();
                assert_eq!(order == 0, text_a == text_b, "'{text_a}' and '{text_b}'");
                assert_eq!(order, -b.compare(a).unwrap().signum(), "'{text_a}' and '{text_b}'");
            }
        }
        drop(primer);
    });
}

#[test]
fn settings_reach_the_connector_that_they_are_for() {
    in_every_host(|h5| {
        let primer = h5.register::<Primer>().unwrap();
        let painter = h5.register::<Painter>().unwrap();
        let scratch = Scratch::new("infos");
        OPENED.lock().unwrap().clear();
        let access = h5.access_through(&painter, "colour=green;coats=2").unwrap();
        h5.create_file(&scratch.file("a.h5"), &access).unwrap();
        let access = h5.access_through(&primer, "under_vol=641;under_info={coats=7}").unwrap();
        h5.create_file(&scratch.file("b.h5"), &access).unwrap();
        let access = h5.access_through(&painter, "").unwrap();
        h5.create_file(&scratch.file("c.h5"), &access).unwrap();
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let expected = [vec![pair("colour", "green"), pair("coats", "2")], vec![pair("coats", "7")], vec![]];
        assert_eq!(*OPENED.lock().unwrap(), expected);
    });
}

#[test]
fn malformed_texts_fail_when_a_file_is_opened() {
    in_every_host(|h5| {
        let painter = h5.register::<Painter>().unwrap();
        let scratch = Scratch::new("infos");
        let path = scratch.file("a.h5");
        h5.create_file(&path, &h5.native_access().unwrap()).unwrap();
        for (text, expected) in [
            ("nonsense", "expected key=value, found 'nonsense'"),
            ("under_vol=abc", "under_vol=abc is not a connector value"),
            ("under_vol=0;under_info={", "under_info={ must be enclosed in matching braces"),
            ("under_vol=64999", "under_vol=64999: no VOL connector with this value"),
            ("under_vol=0;under_info={x=1}", "under_info={x=1}: HDF5's native connector takes no info"),
            ("coats=many", "coats=many is not a number"),
            ("shape=round", "unknown key 'shape' (value 'round')"),
            ("colour=", "key 'colour' has no value"),
            ("coats=1;coats=2", "key 'coats' is given twice"),
        ] {
            // HDF5 parses while it initialises: there a failure would help nobody.
            let access = h5.access_through(&painter, text).unwrap();
            for (callback, failure) in [
                ("file_open", h5.open_file(&path, false, &access).unwrap_err()),
                ("file_create", h5.create_file(&scratch.file("b.h5"), &access).unwrap_err()),
                ("file_specific", h5.is_accessible(&path, &access).unwrap_err()),
            ] {
                let entry = own_entry(&failure, "test_painter");
                assert!(entry.description.contains(expected), "'{text}': {failure:?}");
                assert_eq!((entry.function.as_str(), entry.minor.as_str()), (callback, "Bad configuration"));
            }
            // Copies carry the fault; text does not hide it.
            assert!(h5.info(&painter, text).unwrap().copy().unwrap().text().is_err(), "'{text}'");
        }
        // A fault of one info is none of the next.
        h5.open_file(&path, false, &h5.access_through(&painter, "").unwrap()).unwrap();
    });
}

#[test]
fn a_fault_below_is_reported_by_the_connector_that_it_is_for() {
    in_every_host(|h5| {
        let primer = h5.register::<Primer>().unwrap();
        let painter = h5.register::<Painter>().unwrap();
        let scratch = Scratch::new("infos");
        let access = h5.access_through(&primer, "under_vol=641;under_info={coats=many}").unwrap();
        let failure = h5.create_file(&scratch.file("a.h5"), &access).unwrap_err();
        assert!(own_entry(&failure, "test_painter").description.contains("coats=many"), "{failure:?}");
        assert_eq!(failure.of_class("test_primer").count(), 0, "{failure:?}");
        drop(painter);
    });
}
