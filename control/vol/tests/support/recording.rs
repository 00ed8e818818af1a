//! Pass-through connectors that record what they see.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use h5_vol::Callback;

/// What one recording connector has seen.
pub(crate) struct Record {
    attached: Mutex<Vec<String>>,
    calls: Mutex<BTreeMap<&'static str, u32>>,
    live: AtomicI64,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Record {
    pub(crate) const fn new() -> Self {
        Self { attached: Mutex::new(Vec::new()), calls: Mutex::new(BTreeMap::new()), live: AtomicI64::new(0) }
    }

    pub(crate) fn attach(&'static self, what: String) -> Live {
        locked(&self.attached).push(what);
        self.live.fetch_add(1, Ordering::Relaxed);
        Live(self)
    }

    pub(crate) fn count(&self, callback: Callback) {
        *locked(&self.calls).entry(callback.name()).or_default() += 1;
    }

    /// What was attached since the last time.
    pub(crate) fn take_attached(&self) -> Vec<String> {
        std::mem::take(&mut locked(&self.attached))
    }

    /// How often a callback was called so far.
    pub(crate) fn calls(&self, callback: Callback) -> u32 {
        locked(&self.calls).get(callback.name()).copied().unwrap_or(0)
    }

    /// Objects whose data exists.
    pub(crate) fn live(&self) -> i64 {
        self.live.load(Ordering::Relaxed)
    }
}

/// Counts as long as it lives.
pub(crate) struct Live(&'static Record);

impl Drop for Live {
    fn drop(&mut self) {
        self.0.live.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Declares a recording connector.
macro_rules! recording_connector {
    ($name:ident, $c_name:literal, $value:literal) => {
        pub(crate) struct $name;

        impl $name {
            pub(crate) fn record() -> &'static $crate::support::recording::Record {
                static RECORD: $crate::support::recording::Record = $crate::support::recording::Record::new();
                &RECORD
            }
        }

        $crate::support::connector!($name, $c_name, $value, pass_through {
            type Settings = ();
            type Data = $crate::support::recording::Live;

            fn observe<R>(
                &self,
                callback: h5_vol::Callback,
                run: impl FnOnce() -> h5_vol::Result<R>,
            ) -> h5_vol::Result<R> {
                Self::record().count(callback);
                run()
            }
        });

        impl h5_vol::PassThrough for $name {
            fn attach(
                &self,
                origin: &h5_vol::Origin<'_, Self>,
                kind: h5_vol::ObjectKind,
                below: &h5_vol::BelowObject,
            ) -> Self::Data {
                let origin = match origin {
                    h5_vol::Origin::Opened(_) => "opened".to_owned(),
                    h5_vol::Origin::Object(object) | h5_vol::Origin::Wrapped(object) => {
                        format!("from {:?}", object.kind())
                    }
                };
                let name = below
                    .connector()
                    .host()
                    .ask_below(|questions| below.name(questions, kind))
                    .unwrap_or_default();
                Self::record().attach(format!("{kind:?} {name} {origin}"))
            }
        }
    };
}

pub(crate) use recording_connector;
