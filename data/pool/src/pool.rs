//! The public face: how many threads, which crew, inline or not.

use crate::batch::{Batch, TakePart};
use crate::crew::Crew;
use crate::home::note_fork;
use crate::scratch::{Scratch, with_callers_scratch};
use crate::shim::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::urgency::Urgency;
use std::fmt;
use std::num::NonZero;
use std::ptr;
use std::sync::Arc;
use std::thread::available_parallelism;

/// A pool of worker threads. Its threads are started when they are first needed.
///
/// The process has one for everybody, [`Pool::global`]; others are for tests.
pub struct Pool {
    /// How many threads work on one call, the caller included; 0 for as many as there are CPUs.
    threads: AtomicUsize,
    /// How many CPUs there are; 0 as long as nobody has asked. The system opens several files to answer that.
    cpus: AtomicUsize,
    closed: AtomicBool,
    /// Null, or what `Arc::into_raw` gave for a crew. A crew is replaced only when it belongs to a parent process,
    /// and then it is left alone for ever, never freed: so every pointer that was once here is valid as long as the
    /// pool is. `Release` when it is put here, `Acquire` when it is read.
    crew: AtomicPtr<Crew>,
}

static GLOBAL: Pool = Pool::with_threads(0);

/// Tells every pool that this process has just been forked: may be registered as a `pthread_atfork` child handler.
/// Async-signal-safe.
pub extern "C" fn after_fork_in_child() {
    note_fork();
    // It may use fewer CPUs than its parent.
    GLOBAL.cpus.store(0, Ordering::Relaxed);
}

impl Pool {
    /// The pool of this process. As large as the number of CPUs this process may use (affinity and cgroup quota
    /// included), unless [`configure`](Self::configure)d otherwise.
    pub fn global() -> &'static Self {
        &GLOBAL
    }

    /// A pool in which `threads` threads work on one call: the caller and `threads - 1` workers.
    pub const fn new(threads: usize) -> Self {
        Self::with_threads(if threads == 0 { 1 } else { threads })
    }

    const fn with_threads(threads: usize) -> Self {
        Self {
            threads: AtomicUsize::new(threads),
            cpus: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            crew: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Sets the number of threads that work on one call (`None`: as many as there are CPUs), or with `no_pool` that
    /// everything runs on the caller. Opens a pool that was [`close`](Self::close)d.
    ///
    /// Meant to be called before the first use; later, it holds for the calls that begin afterwards. Workers beyond a
    /// smaller number stay asleep until [`shutdown`](Self::shutdown).
    pub fn configure(&self, threads: Option<usize>, no_pool: bool) {
        let threads = if no_pool { 1 } else { threads.map_or(0, |threads| threads.max(1)) };
        self.threads.store(threads, Ordering::Relaxed);
        self.closed.store(false, Ordering::Relaxed);
    }

    /// How many threads at most work on one call, the caller included. At least 1.
    pub fn threads(&self) -> usize {
        // Relaxed: a number that stands for itself. Two threads may both ask the system, and store the same.
        match self.threads.load(Ordering::Relaxed) {
            0 => self.cpus(),
            threads => threads,
        }
    }

    fn cpus(&self) -> usize {
        match self.cpus.load(Ordering::Relaxed) {
            0 => {
                let cpus = available_parallelism().map_or(1, NonZero::get);
                self.cpus.store(cpus, Ordering::Relaxed);
                cpus
            }
            cpus => cpus,
        }
    }

    /// How many workers are alive in this process.
    pub fn workers(&self) -> usize {
        self.present_crew().map_or(0, Crew::workers)
    }

    /// Runs `work(0, ..)` to `work(tasks - 1, ..)` on this thread and on up to `max_helpers` workers, and returns when
    /// all of them have ended.
    ///
    /// Tasks begin in increasing order. After an error (or a panic) no further task begins; those that have begun end
    /// as they like.
    ///
    /// `max_helpers` is the caller's knowledge of how much there is to do: 0 for a few kilobytes, `usize::MAX` if
    /// every thread helps.
    ///
    /// # Errors
    ///
    /// The error of the lowest index: the one that a plain loop would have returned.
    ///
    /// # Panics
    ///
    /// If a task panicked, with its payload (that of the lowest index, if several did).
    pub fn run<E, F>(&self, tasks: usize, max_helpers: usize, work: F) -> Result<(), E>
    where
        E: Send,
        F: Fn(usize, &mut Scratch) -> Result<(), E> + Sync,
    {
        if tasks <= 1 || max_helpers == 0 || self.closed.load(Ordering::Relaxed) || self.threads() <= 1 {
            return match tasks {
                0 => Ok(()),
                _ => with_callers_scratch(|scratch| (0..tasks).try_for_each(|index| work(index, scratch))),
            };
        }
        let most = self.threads() - 1;
        let batch = Batch::new(tasks, &work);
        let crew = self.crew();
        crew.with_helpers(&batch, max_helpers.min(tasks - 1).min(most), most, || take_part(&batch, crew));
        batch.into_result()
    }

    /// Like [`run`](Self::run), but this thread first does something else, while the workers begin.
    ///
    /// # Errors
    ///
    /// As [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// As [`run`](Self::run), or if what this thread does first panics.
    pub fn run_beside<E, F>(
        &self,
        tasks: usize,
        max_helpers: usize,
        work: F,
        aside: impl FnOnce(),
    ) -> Result<(), E>
    where
        E: Send,
        F: Fn(usize, &mut Scratch) -> Result<(), E> + Sync,
    {
        if tasks == 0 || max_helpers == 0 || self.closed.load(Ordering::Relaxed) || self.threads() <= 1 {
            aside();
            return self.run(tasks, 0, work);
        }
        let most = self.threads() - 1;
        let batch = Batch::new(tasks, &work);
        let crew = self.crew();
        crew.with_helpers(&batch, max_helpers.min(tasks).min(most), most, || {
            aside();
            take_part(&batch, crew);
        });
        batch.into_result()
    }

    /// Ends the workers and waits until they are gone: at once if they are idle, else when each has ended the task it
    /// is at. Calls in progress go on without them. Later calls start new ones.
    ///
    /// In a child process that has started no workers of its own, does nothing.
    pub fn shutdown(&self) {
        if let Some(crew) = self.present_crew() {
            crew.shutdown();
        }
    }

    /// Like [`shutdown`](Self::shutdown), and later calls run on their callers alone until the pool is configured
    /// again: for the end of the process, or before the library that holds this code is unloaded.
    ///
    /// A call that began before may still start workers; who unloads code has to know that there are none.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.shutdown();
    }

    /// The crew that jobs are queued with, and how many workers it may start; `None` if there are to be none.
    pub(crate) fn crew_for_jobs(&self) -> Option<(&Crew, usize)> {
        let most = self.threads() - 1;
        (most > 0 && !self.closed.load(Ordering::Relaxed)).then(|| (self.crew(), most))
    }

    /// The crew, if there is one and it is of this process.
    fn present_crew(&self) -> Option<&Crew> {
        let crew = self.crew.load(Ordering::Acquire);
        // SAFETY: null, or valid as long as `self`: see the field.
        unsafe { crew.as_ref() }.filter(|crew| crew.is_here())
    }

    fn crew(&self) -> &Crew {
        let found = self.crew.load(Ordering::Acquire);
        // SAFETY: null, or valid as long as `self`: see the field.
        if let Some(crew) = unsafe { found.as_ref() }
            && crew.is_here()
        {
            return crew;
        }
        self.new_crew(found)
    }

    /// Puts a new crew in the place of `found`, which is null or of a parent process.
    #[cold]
    fn new_crew(&self, found: *mut Crew) -> &Crew {
        let fresh = Arc::into_raw(Crew::new()).cast_mut();
        // AcqRel: `Release` what is in `fresh`, `Acquire` what another thread may have put there first.
        let crew = match self.crew.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire) {
            // A parent's crew is not freed: its lock may be held, and its threads do not exist here.
            Ok(_) => fresh,
            Err(other) => {
                // SAFETY: `fresh` comes from `into_raw` just above and nobody else has seen it.
                drop(unsafe { Arc::from_raw(fresh) });
                other
            }
        };
        // SAFETY: not null, as a crew is never taken out again, and valid as long as `self`: see the field.
        unsafe { &*crew }
    }
}

/// Takes part in a batch as its caller. One that runs a job lets more urgent batches go first.
fn take_part(batch: &dyn TakePart, crew: &Crew) {
    let urgency = Urgency::of_this_thread();
    with_callers_scratch(|scratch| {
        batch.take_part(scratch, &|scratch| {
            crew.step_aside(urgency, scratch);
            false
        });
    });
}

impl Drop for Pool {
    fn drop(&mut self) {
        let crew = self.crew.load(Ordering::Acquire);
        // A parent's crew is left alone, as in `new_crew`.
        if self.present_crew().is_some() {
            self.shutdown();
            // SAFETY: the pointer comes from `into_raw`, and with `&mut self` nobody uses it any more but the workers,
            // who hold counts of their own. It is not read again.
            drop(unsafe { Arc::from_raw(crew) });
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").field("threads", &self.threads()).finish_non_exhaustive()
    }
}
