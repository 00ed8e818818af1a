//! The small library again, with datasets that are claimed by areas: for the tests of claims.
//!
//! A call asks the library only under the global lock, and finds a chunk as its claim promises: whoever meets a writer
//! has met a hole in the claims.

use crate::model::ModelHost;
use crate::shim::{Mutex, thread};
use crate::{Area, Claim, Claims, Committers, GlobalLock, Use, UserCallbackScope, Wanted};
use std::ops::RangeInclusive;
use std::sync::Arc;

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

/// The library with the connector in it.
pub(crate) struct Library {
    pub(crate) host: ModelHost,
    pub(crate) lock: GlobalLock,
    pub(crate) committers: Committers,
    pub(crate) datasets: Vec<Dataset>,
    control: Mutex<u32>,
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
            control: Mutex::default(),
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
    fn control(&self) {
        assert!(self.host.held() > 0, "the control plane is used under the global lock");
        let mut calls = self.control.try_lock().expect("two threads in the control plane");
        thread::yield_now();
        *calls += 1;
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

    fn claim(&self, parts: &[Chunks], what: Use) -> Vec<Claim> {
        self.wanted(parts, what).claim(&self.committers, &self.lock, &self.host)
    }

    fn use_parts(&self, parts: &[Chunks], what: Use, work: &dyn Fn()) {
        match parts {
            [] => work(),
            [(id, chunks), rest @ ..] => {
                self.datasets[*id].use_chunks(chunks, what, || self.use_parts(rest, what, work));
            }
        }
    }

    /// A call that ends without the library's help: a read, or a write in place.
    pub(crate) fn transfer(&self, parts: &[Chunks], what: Use) {
        self.call(|| {
            let claims = self.claim(parts, what);
            self.control();
            self.lock.without(&self.host, |_| {
                self.use_parts(parts, what, &|| ());
                drop(claims);
            });
            self.control();
        });
    }

    /// A write that needs the library at its end, and in the middle.
    pub(crate) fn commit(&self, parts: &[Chunks]) {
        self.call(|| {
            self.committers.give_way(&self.lock, &self.host);
            let committing = self.committers.enter();
            let claims = self.claim(parts, Use::Write);
            self.control();
            self.use_parts(parts, Use::Write, &|| {
                self.lock.without(&self.host, |access| match access.released() {
                    Some(mut released) => released.with_lock(|| self.control()),
                    None => self.control(),
                });
                self.control();
            });
            drop(claims);
            drop(committing);
        });
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
            self.control();
            let scope = UserCallbackScope::enter();
            callback();
            assert!(self.host.held() > 0);
            drop(scope);
            self.control();
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
    library.lock.without(&library.host, |_| {
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
