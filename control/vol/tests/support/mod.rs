//! What several tests need. Each test uses a part of it.

#![allow(dead_code, unused_imports, unused_macros, reason = "each test binary uses a part of this module")]
#![allow(
    clippy::allow_attributes,
    reason = "an expectation would be unfulfilled in some of the test binaries"
)]

pub(crate) mod event_sets;
pub(crate) mod memory;
pub(crate) mod recording;

use std::sync::{Mutex, PoisonError};

use h5_vol::Connector;
use h5_vol_test::{Failure, FileAccess, Scratch, Session, StockHost};

/// Runs a test in every host, alone: the connectors count in statics.
pub(crate) fn in_every_host(test: impl Fn(&Session<'_>)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for host in StockHost::all() {
        println!("in {} ({})", host.name(), host.path().display());
        test(&host.enter());
    }
}

/// The one entry of a connector's own error class.
#[track_caller]
pub(crate) fn own_entry<'f>(failure: &'f Failure, class: &'f str) -> &'f h5_vol_test::Entry {
    let mut entries = failure.of_class(class);
    let entry = entries.next().unwrap_or_else(|| panic!("no entry of class '{class}': {failure:?}"));
    assert!(entries.next().is_none(), "more than one entry of class '{class}': {failure:?}");
    entry
}

/// Runs a test in every host, with a list for files that are opened through a connector and a folder for them.
pub(crate) fn through<C: Connector>(name: &str, test: impl Fn(&Session<'_>, &FileAccess, &Scratch)) {
    in_every_host(|h5| {
        let connector = h5.register::<C>().unwrap();
        let access = h5.access_through(&connector, "").unwrap();
        test(h5, &access, &Scratch::new(name));
    });
}

/// Makes a type without fields a connector: with what is the same for all of these, and what is given for this one.
macro_rules! connector {
    ($name:ident, $c_name:literal, $value:literal, $role:ident { $($own:item)* }) => {
        impl h5_vol::Connector for $name {
            const NAME: &'static core::ffi::CStr = $c_name;
            const VALUE: i32 = $value;
            const VERSION: u32 = 1;
            const VERSION_TEXT: &'static core::ffi::CStr = c"1";
            const METHODS: h5_vol::Methods<Self> = h5_vol::Methods::$role();

            h5_vol::slots!($name);

            fn new(_: h5_vol::Host) -> Self {
                Self
            }

            $($own)*
        }
    };
}

/// Makes a type without settings and data a pass-through connector. What it does is in its `PassThrough`.
macro_rules! plain_connector {
    ($name:ident, $c_name:literal, $value:literal) => {
        $crate::support::connector!($name, $c_name, $value, pass_through {
            type Settings = ();
            type Data = ();
        });
    };
}

pub(crate) use {connector, plain_connector};
