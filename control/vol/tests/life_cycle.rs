//! Connectors begin and end: registered, closed, registered again, in one host and in several.

mod support;

use core::ffi::CStr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use h5_vol::{
    BelowObject, Connector, Host, Methods, ObjectKind, Origin, PassThrough, Refusal, SLOTS, class_for,
};
use h5_vol_test::{Scratch, StockHost};
use support::in_every_host;

/// Notes where its instances live.
macro_rules! noting_connector {
    ($name:ident, $c_name:literal, $value:literal) => {
        struct $name {
            host: Host,
            number: u32,
        }

        impl $name {
            /// Instances that exist: their host and number.
            fn running() -> &'static Mutex<Vec<(PathBuf, u32)>> {
                static RUNNING: Mutex<Vec<(PathBuf, u32)>> = Mutex::new(Vec::new());
                &RUNNING
            }
        }

        impl Connector for $name {
            const NAME: &'static CStr = $c_name;
            const VALUE: i32 = $value;
            const VERSION: u32 = 1;
            const VERSION_TEXT: &'static CStr = c"1";
            const METHODS: Methods<Self> = Methods::pass_through();

            type Settings = ();
            /// Number of the instance that the object belongs to.
            type Data = u32;

            h5_vol::slots!($name);

            fn new(host: Host) -> Self {
                static NUMBERS: AtomicU32 = AtomicU32::new(0);
                let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
                Self::running().lock().unwrap().push((host.path().to_owned(), number));
                Self { host, number }
            }

            fn terminate(&self) {
                let mut running = Self::running().lock().unwrap();
                let before = running.len();
                running.retain(|(_, number)| *number != self.number);
                assert_eq!(running.len() + 1, before, "terminated once");
            }
        }

        impl PassThrough for $name {
            fn attach(&self, origin: &Origin<'_, Self>, _: ObjectKind, below: &BelowObject) -> u32 {
                assert_eq!(below.connector().host(), self.host);
                if let Origin::Object(object) | Origin::Wrapped(object) = origin {
                    assert_eq!(object.host(), self.host);
                    assert_eq!(*object.data(), self.number);
                }
                self.number
            }
        }
    };
}

noting_connector!(Noting, c"test_noting", 651);
noting_connector!(Everywhere, c"test_everywhere", 652);
noting_connector!(Crowded, c"test_crowded", 653);

fn numbers_in(host: &StockHost) -> Vec<u32> {
    let path = std::fs::canonicalize(host.path()).unwrap();
    let running = Noting::running().lock().unwrap();
    let here = |found: &&(PathBuf, u32)| std::fs::canonicalize(&found.0).unwrap() == path;
    running.iter().filter(here).map(|(_, number)| *number).collect()
}

#[test]
fn registered_closed_and_registered_again() {
    in_every_host(|h5| {
        let scratch = Scratch::new("life");
        assert_eq!(numbers_in(h5.host()), []);
        let mut seen = Vec::new();
        for round in 0..3 {
            assert!(!h5.is_registered(c"test_noting"));
            let connector = h5.register::<Noting>().unwrap();
            let twice = h5.register::<Noting>().unwrap();
            let numbers = numbers_in(h5.host());
            assert_eq!(numbers.len(), 1, "one instance, however often it is registered");
            assert!(!seen.contains(&numbers[0]), "a new one in round {round}");
            seen.push(numbers[0]);

            let access = h5.access_through(&connector, "").unwrap();
            let file = h5.create_file(&scratch.file("a.h5"), &access).unwrap();
            connector.close().unwrap();
            twice.close().unwrap();
            drop(access);
            // The file keeps the connector.
            assert_eq!(numbers_in(h5.host()), numbers);
            h5.create_group(&file, "g").unwrap();
            file.close().unwrap();
            assert_eq!(numbers_in(h5.host()), [], "terminated in round {round}");
        }
    });
}

#[test]
fn the_library_is_closed_and_opened() {
    in_every_host(|h5| {
        let scratch = Scratch::new("life");
        for round in 0..3 {
            let connector = h5.register::<Noting>().unwrap();
            let access = h5.access_through(&connector, "").unwrap();
            let file = h5.create_file(&scratch.file("a.h5"), &access).unwrap();
            let group = h5.create_group(&file, "g").unwrap();
            // All of it is left to the library.
            group.leave_open();
            file.leave_open();
            access.leave_open();
            connector.leave_open();
            assert_eq!(numbers_in(h5.host()).len(), 1);
            h5.restart_library().unwrap();
            assert_eq!(numbers_in(h5.host()), [], "terminated with the library in round {round}");
            assert!(!h5.is_registered(c"test_noting"));

            // The file was closed properly.
            let file = h5.open_file(&scratch.file("a.h5"), true, &h5.native_access().unwrap()).unwrap();
            assert_eq!(h5.links(&file).unwrap(), ["g"]);
        }
    });
}

#[test]
fn hosts_keep_their_instances_apart() {
    let hosts = StockHost::all();
    let together = Arc::new(Barrier::new(hosts.len()));
    // Each host in its own thread, at the same time. `attach` checks that nothing of another host is seen.
    let threads: Vec<_> = hosts
        .iter()
        .map(|host| {
            let together = Arc::clone(&together);
            std::thread::spawn(move || {
                let h5 = host.enter();
                let connector = h5.register::<Everywhere>().unwrap();
                let access = h5.access_through(&connector, "").unwrap();
                let scratch = Scratch::new("together");
                together.wait();
                assert_eq!(Everywhere::running().lock().unwrap().len(), StockHost::all().len());
                for round in 0..50 {
                    let file = h5.create_file(&scratch.file("a.h5"), &access).unwrap();
                    let group = h5.create_group(&file, "g").unwrap();
                    let dataset = h5.create_dataset(&group, "d", &[2], None, false).unwrap();
                    h5.write(&dataset, &[round, 2]).unwrap();
                    assert_eq!(h5.read(&dataset).unwrap(), [round, 2]);
                }
                together.wait();
                drop(access);
                connector.close().unwrap();
                together.wait();
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no host disturbs another");
    }
    assert_eq!(*Everywhere::running().lock().unwrap(), []);
}

#[test]
fn more_hosts_than_slots_are_refused() {
    let original = StockHost::all()[0].path();
    let scratch = Scratch::new("copies");
    // Copies of one library are different hosts: each image has its own state.
    let copies: Vec<_> = (0..=SLOTS)
        .map(|number| {
            let path = scratch.path().join(format!("libhdf5-copy{number}.so"));
            std::fs::copy(original, &path).unwrap();
            StockHost::load("copy", &path)
        })
        .collect();
    let class_in = |host: &StockHost| {
        // SAFETY: the address lies in an HDF5.
        unsafe { class_for::<Crowded>(host.address()) }
    };
    let mut classes: Vec<_> =
        copies[..SLOTS].iter().map(|host| core::ptr::from_ref(class_in(host).unwrap())).collect();
    classes.sort();
    classes.dedup();
    assert_eq!(classes.len(), SLOTS, "each host has its own class");

    let refusal = class_in(&copies[SLOTS]).unwrap_err();
    assert!(matches!(refusal, Refusal::NoSlot), "{refusal}");
    assert!(refusal.to_string().contains(&format!("more than {SLOTS} HDF5 libraries")), "{refusal}");

    // Those that have a slot still work, and get the same class again.
    for host in [&copies[0], &copies[SLOTS - 1]] {
        let again = core::ptr::from_ref(class_in(host).unwrap());
        assert!(classes.contains(&again));
        let h5 = host.enter();
        let connector = h5.register::<Crowded>().unwrap();
        let access = h5.access_through(&connector, "").unwrap();
        h5.create_file(&scratch.file("a.h5"), &access).unwrap();
    }
}
