//! A small library with HDF5's locking, for the tests: with real threads and with shuttle's.
//!
//! Every call enters a recursive global lock, claims what it touches, asks the control plane, and gives the lock up for
//! its data. The control plane is asked only under the global lock, and a chunk is found as its claim promises: whoever
//! meets a writer has met a hole in the claims.

use crate::model_host::ModelHost;
use crate::shim::{Mutex, thread};
use crate::{Area, Claim, Claims, Committers, GlobalLock, Use, UserCallbackScope, Wanted};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use thread::ThreadId;

const CHUNKS: usize = 4;

/// A dataset of a few chunks in a row.
pub(crate) struct Dataset {
    pub(crate) claims: Arc<Claims>,
    chunks: [Mutex<Chunk>; CHUNKS],
}

#[derive(Default)]
struct Chunk {
    /// How often it was written.
    value: u32,
    readers: u32,
    writers: u32,
}

/// The control plane: what may be looked at only under the global lock.
struct Control {
    open: BTreeSet<usize>,
    calls: u32,
}

/// The library with the connector in it.
pub(crate) struct Library {
    pub(crate) host: ModelHost,
    pub(crate) lock: GlobalLock,
    pub(crate) committers: Committers,
    pub(crate) datasets: Vec<Dataset>,
    control: Mutex<Control>,
    /// The thread that iterates: meanwhile metadata is protected, and no other thread may come across it.
    iterating: Mutex<Option<ThreadId>>,
}

/// Some chunks of a dataset.
pub(crate) type Chunks = (usize, RangeInclusive<usize>);

impl Dataset {
    fn new() -> Self {
        Self { claims: Claims::new(), chunks: Default::default() }
    }

    fn chunks(&self, chunks: &RangeInclusive<usize>, change: impl Fn(&mut Chunk)) {
        for chunk in &self.chunks[chunks.clone()] {
            change(&mut chunk.lock().unwrap());
        }
    }

    /// Begins and ends a use of chunks, and looks whether that was allowed.
    fn use_chunks(&self, chunks: &RangeInclusive<usize>, what: Use, work: impl FnOnce()) {
        self.chunks(chunks, |chunk| {
            assert_eq!(chunk.writers, 0, "somebody writes this chunk");
            match what {
                Use::Read => chunk.readers += 1,
                Use::Write => {
                    assert_eq!(chunk.readers, 0, "somebody reads this chunk");
                    chunk.writers += 1;
                }
            }
        });
        thread::yield_now();
        work();
        self.chunks(chunks, |chunk| match what {
            Use::Read => chunk.readers -= 1,
            Use::Write => {
                chunk.value += 1;
                chunk.writers -= 1;
            }
        });
    }
}

impl Library {
    pub(crate) fn with_datasets(count: usize) -> Arc<Self> {
        Arc::new(Self {
            host: ModelHost::default(),
            lock: GlobalLock::new(),
            committers: Committers::new(),
            datasets: (0..count).map(|_| Dataset::new()).collect(),
            control: Mutex::new(Control { open: (0..count).collect(), calls: 0 }),
            iterating: Mutex::default(),
        })
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

    /// Are all of these datasets open?
    fn are_open(&self, parts: &[Chunks]) -> bool {
        self.control(|control| parts.iter().all(|(id, _)| control.open.contains(id)))
    }

    /// A call that only passes through.
    pub(crate) fn pass_through(&self) {
        self.call(|| self.control(|_| ()));
    }

    /// Closes a dataset, whatever others do with it. `false` if it was closed.
    pub(crate) fn close(&self, id: usize) -> bool {
        self.call(|| self.control(|control| control.open.remove(&id)))
    }

    /// Does work without the lock; in a user's callback with it.
    fn without(&self, work: impl FnOnce()) {
        self.lock.without(&self.host, || {
            assert_eq!(self.host.held() > 0, UserCallbackScope::is_active());
            // An engine inside an engine: nothing is left to give up.
            self.lock.without(&self.host, work);
            assert_eq!(self.host.held() > 0, UserCallbackScope::is_active());
        });
    }

    pub(crate) fn wanted(&self, parts: &[Chunks], what: Use) -> Wanted {
        let corner = |chunk: usize| [chunk as u64];
        let area =
            |chunks: &RangeInclusive<usize>| Area::between(&corner(*chunks.start()), &corner(*chunks.end()));
        parts
            .iter()
            .map(|(id, chunks)| (Arc::clone(&self.datasets[*id].claims), area(chunks), what))
            .collect()
    }

    pub(crate) fn claim(&self, parts: &[Chunks], what: Use) -> Vec<Claim> {
        self.wanted(parts, what).claim(&self.committers, &self.lock, &self.host)
    }

    pub(crate) fn use_parts(&self, parts: &[Chunks], what: Use, work: &dyn Fn()) {
        match parts {
            [] => work(),
            [(id, chunks), rest @ ..] => {
                self.datasets[*id].use_chunks(chunks, what, || self.use_parts(rest, what, work));
            }
        }
    }

    /// A call that ends without the library's help: a read, or a write in place. `false` if a dataset is closed.
    pub(crate) fn transfer(&self, parts: &[Chunks], what: Use) -> bool {
        self.call(|| {
            let claims = self.claim(parts, what);
            if !self.are_open(parts) {
                return false;
            }
            self.without(|| {
                self.use_parts(parts, what, &|| ());
                drop(claims);
            });
            self.control(|_| ());
            true
        })
    }

    /// A write that needs the library at its end, and in the middle. `false` if a dataset is closed.
    pub(crate) fn commit(&self, parts: &[Chunks]) -> bool {
        self.call(|| {
            self.committers.give_way(&self.lock, &self.host);
            let committing = self.committers.enter();
            let claims = self.claim(parts, Use::Write);
            if !self.are_open(parts) {
                return false;
            }
            self.use_parts(parts, Use::Write, &|| {
                for _ in 0..2 {
                    self.without(thread::yield_now);
                    self.control(|_| ());
                }
            });
            drop(claims);
            drop(committing);
            true
        })
    }

    /// The user's callback, which calls the library again.
    pub(crate) fn iterate(&self, callback: impl FnOnce()) {
        self.call(|| {
            self.committers.wait_for_none(&self.lock, &self.host);
            self.iterate_without_waiting(callback);
        });
    }

    /// The same, but it waits for nobody.
    pub(crate) fn iterate_without_waiting(&self, callback: impl FnOnce()) {
        self.call(|| {
            self.control(|_| ());
            let before = self.iterating.lock().unwrap().replace(thread::current().id());
            let scope = UserCallbackScope::enter();
            callback();
            assert!(self.host.held() > 0);
            drop(scope);
            *self.iterating.lock().unwrap() = before;
            self.control(|_| ());
        });
    }

    /// How often a chunk was written.
    pub(crate) fn value(&self, id: usize, chunk: usize) -> u32 {
        self.datasets[id].chunks[chunk].lock().unwrap().value
    }

    pub(crate) fn assert_idle(&self) {
        assert!(self.datasets.iter().all(|dataset| dataset.claims.is_idle()));
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
                library.lock.without(&library.host, || {
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

/// Three writers come one after the other while a reader holds the chunk; they go on in that order, and no reader that
/// comes later goes before them.
pub(crate) fn claims_are_granted_in_order_of_arrival() {
    let library = Library::with_datasets(1);
    let held = library.wanted(&[(0, 0..=1)], Use::Read).try_claim().unwrap();
    let order: Arc<Mutex<Vec<usize>>> = Arc::default();
    let mut threads = Vec::new();
    for number in 0..3 {
        let (library, order) = (Arc::clone(&library), Arc::clone(&order));
        threads.push(thread::spawn(move || {
            while library.datasets[0].claims.waiting() != number {
                thread::yield_now();
            }
            library.call(|| {
                let chunks = if number == 1 { 1..=2 } else { 0..=1 };
                let claims = library.claim(&[(0, chunks)], Use::Write);
                order.lock().unwrap().push(number);
                drop(claims);
            });
        }));
    }
    while library.datasets[0].claims.waiting() < 3 {
        thread::yield_now();
    }
    let tries = |chunks| library.wanted(&[(0, chunks)], Use::Read).try_claim().is_some();
    assert!(!tries(0..=0) && !tries(2..=3), "the writer came before");
    assert!(tries(3..=3), "nobody wants that one");
    drop(held);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
    library.assert_idle();
}

/// One commits, a second thread wants to call its user back, a third wants to commit: the callback comes first.
pub(crate) fn newcomers_give_way_to_callbacks() {
    let library = Library::with_datasets(1);
    let order: Arc<Mutex<Vec<&str>>> = Arc::default();
    let on = |body: fn(&Library, &Mutex<Vec<&'static str>>)| {
        let (library, order) = (Arc::clone(&library), Arc::clone(&order));
        thread::spawn(move || body(&library, &order))
    };
    library.host.enter();
    let committing = library.committers.enter();
    let until = |waiting: u64, library: &Library| {
        while library.committers.waiting_callbacks() != waiting {
            thread::yield_now();
        }
    };
    let mut threads = vec![on(|library, order| {
        library.iterate(|| order.lock().unwrap().push("callback"));
    })];
    library.lock.without(&library.host, || {
        until(1, &library);
        threads.push(on(|library, order| {
            library.call(|| {
                library.committers.give_way(&library.lock, &library.host);
                let committing = library.committers.enter();
                order.lock().unwrap().push("newcomer");
                drop(committing);
            });
        }));
        for _ in 0..5 {
            thread::yield_now();
        }
    });
    drop(committing);
    library.host.exit();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(*order.lock().unwrap(), ["callback", "newcomer"]);
}
