//! A small library with HDF5's locking, for the tests: with real threads and with shuttle's.
//!
//! Every call enters a recursive global lock, asks the control plane, and may give the lock up for its data.

use crate::shim::{Condvar, Mutex, thread};
use crate::{Access, DatasetLock, GlobalLock, HostLock, UserCallbackScope};
use std::collections::BTreeMap;
use std::sync::Arc;
use thread::ThreadId;

/// HDF5's global lock: recursive, with an ordinary entrance that waits, and the two functions that we use.
#[derive(Default)]
pub(crate) struct ModelHost {
    owner: Mutex<Owner>,
    free: Condvar,
}

#[derive(Default)]
struct Owner {
    thread: Option<ThreadId>,
    count: u32,
}

impl ModelHost {
    /// The beginning of a call into the library.
    pub(crate) fn enter(&self) {
        let me = thread::current().id();
        let mut owner = self.owner.lock().unwrap();
        while owner.thread.is_some_and(|thread| thread != me) {
            owner = self.free.wait(owner).unwrap();
        }
        owner.thread = Some(me);
        owner.count += 1;
    }

    /// The end of a call into the library.
    pub(crate) fn exit(&self) {
        let mut owner = self.owner.lock().unwrap();
        assert_eq!(owner.thread, Some(thread::current().id()));
        owner.count -= 1;
        if owner.count == 0 {
            owner.thread = None;
            self.free.notify_one();
        }
    }

    /// How many times this thread holds the lock.
    pub(crate) fn held(&self) -> u32 {
        let owner = self.owner.lock().unwrap();
        if owner.thread == Some(thread::current().id()) { owner.count } else { 0 }
    }
}

impl HostLock for ModelHost {
    fn release(&self) -> u32 {
        let mut owner = self.owner.lock().unwrap();
        if owner.thread != Some(thread::current().id()) {
            return 0;
        }
        owner.thread = None;
        self.free.notify_one();
        std::mem::take(&mut owner.count)
    }

    fn try_acquire(&self, count: u32) -> bool {
        let me = thread::current().id();
        let mut owner = self.owner.lock().unwrap();
        let free = owner.thread.is_none_or(|thread| thread == me);
        if free {
            owner.thread = Some(me);
            owner.count += count;
        }
        free
    }
}

/// Two copies of one number. Whoever sees them differ has seen a write half done.
#[derive(Default)]
pub(crate) struct Dataset {
    pub(crate) data: DatasetLock<(u32, u32)>,
}

/// The control plane: what may be looked at only under the global lock.
#[derive(Default)]
struct Control {
    open: BTreeMap<u32, Arc<Dataset>>,
    calls: u32,
}

/// The library with the connector in it.
#[derive(Default)]
pub(crate) struct Library {
    pub(crate) host: ModelHost,
    pub(crate) lock: GlobalLock,
    control: Mutex<Control>,
    /// Who iterates: meanwhile metadata is protected, and nobody else may come across it.
    iterating: Mutex<Option<ThreadId>>,
}

impl Library {
    pub(crate) fn with_datasets(count: u32) -> Arc<Self> {
        let library = Self::default();
        let open = (0..count).map(|id| (id, Arc::default())).collect();
        library.call(|| library.control(|control| control.open = open));
        Arc::new(library)
    }

    /// A call into the library, from the application or from its callback.
    pub(crate) fn call<R>(&self, body: impl FnOnce() -> R) -> R {
        self.host.enter();
        let held = self.host.held();
        let result = body();
        assert_eq!(self.host.held(), held, "the lock is held as often as before");
        self.host.exit();
        result
    }

    /// Asks the control plane. Two threads that are here at the same time are found out: the lock is only tried.
    fn control<R>(&self, question: impl FnOnce(&mut Control) -> R) -> R {
        assert!(self.host.held() > 0, "the control plane is used under the global lock");
        let iterating = *self.iterating.lock().unwrap();
        assert!(
            iterating.is_none_or(|thread| thread == thread::current().id()),
            "protected metadata was touched"
        );
        let mut control = self.control.try_lock().expect("two threads in the control plane");
        thread::yield_now();
        control.calls += 1;
        question(&mut control)
    }

    /// A call that only passes through.
    pub(crate) fn pass_through(&self) {
        self.call(|| self.control(|_| ()));
    }

    /// Closes a dataset, whoever may be reading it.
    pub(crate) fn close(&self, id: u32) {
        drop(self.call(|| self.control(|control| control.open.remove(&id))));
    }

    /// Reads a dataset. `None` if it is closed, or if that would have meant to wait in a user's callback.
    pub(crate) fn read(&self, id: u32) -> Option<u32> {
        self.call(|| {
            let dataset = self.control(|control| control.open.get(&id).cloned())?;
            let value = self.lock.without(&self.host, |access| match access {
                Access::Released(released) => {
                    assert_eq!(self.host.held(), 0);
                    let data = dataset.data.read(&released);
                    thread::yield_now();
                    assert_eq!(data.0, data.1, "half a write was read");
                    Some(data.0)
                }
                Access::Kept => {
                    assert!(UserCallbackScope::is_active() && self.host.held() > 0);
                    let data = dataset.data.try_read()?;
                    assert_eq!(data.0, data.1, "half a write was read");
                    Some(data.0)
                }
            });
            self.control(|_| ());
            value
        })
    }

    /// Adds one to a dataset, and asks the control plane (for a new chunk, say) while it holds the data lock.
    pub(crate) fn write(&self, id: u32) -> bool {
        self.call(|| {
            let Some(dataset) = self.control(|control| control.open.get(&id).cloned()) else { return false };
            self.lock.without(&self.host, |access| {
                let Some(mut released) = access.released() else { return false };
                let mut data = dataset.data.write(&released);
                data.0 += 1;
                released.with_lock(|| {
                    self.control(|_| ());
                    // An engine inside an engine: what `with_lock` took is given up like any other hold.
                    self.lock.without(&self.host, |_| assert_eq!(self.host.held(), 0));
                });
                assert_eq!(self.host.held(), 0);
                data.1 += 1;
                true
            })
        })
    }

    /// Iterates over the open datasets; the user's callback calls the library again.
    pub(crate) fn iterate(&self, mut callback: impl FnMut(u32)) {
        self.call(|| {
            let ids: Vec<u32> = self.control(|control| control.open.keys().copied().collect());
            let before = self.iterating.lock().unwrap().replace(thread::current().id());
            let scope = UserCallbackScope::enter();
            for id in ids {
                callback(id);
                assert!(self.host.held() > 0);
            }
            drop(scope);
            *self.iterating.lock().unwrap() = before;
            self.control(|_| ());
        });
    }
}

/// Three threads get in line one after the other while the lock is held; they are served in that order.
pub(crate) fn served_in_order_of_arrival() {
    let library = Library::with_datasets(0);
    let served = Arc::new(Mutex::new(Vec::new()));
    let mut threads = Vec::new();
    let ready = Arc::new(Mutex::new(0));
    let go = Arc::new(Mutex::new(false));
    for number in 0..3 {
        let (library, served) = (Arc::clone(&library), Arc::clone(&served));
        let (ready, go) = (Arc::clone(&ready), Arc::clone(&go));
        threads.push(thread::spawn(move || {
            library.call(|| {
                library.lock.without(&library.host, |_| {
                    *ready.lock().unwrap() += 1;
                    // Ends, and gets in line, when the main thread holds the lock and those before are in line.
                    while !*go.lock().unwrap() || library.lock.in_line() != number {
                        thread::yield_now();
                    }
                });
                served.lock().unwrap().push(number);
            });
        }));
    }
    while *ready.lock().unwrap() < 3 {
        thread::yield_now();
    }
    library.host.enter();
    *go.lock().unwrap() = true;
    while library.lock.in_line() < 3 {
        thread::yield_now();
    }
    library.host.exit();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*served.lock().unwrap(), [0, 1, 2]);
}
