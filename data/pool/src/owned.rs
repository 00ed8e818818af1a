//! Jobs: work that outlives the call which has queued it, and owns what it works on.
//!
//! A batch borrows from its caller, who works on it and waits. A job belongs to nobody: [`Pool::submit`] queues it and
//! returns at once, and a worker runs it when no call wants help. A job may call [`Pool::run`]; its batches are as urgent
//! as the job, and whoever waits for a job helps with them.
//!
//! # Protocol
//!
//! A job is *queued*, then *taken* by one thread, then *ended*; the crew's lock guards each step.
//!
//! * **Take.** A worker takes the oldest job of the most urgent class, if no batch wants it more. A waiter takes the job it
//!   waits for, if nobody has, and runs it as its own call. [`Job::cancel`] takes it to drop it.
//! * **End.** The work (with all that it owns) is gone before the job is marked as ended: who sees the end may close what
//!   the job has used. Then waiters are woken, if there are any.
//! * **Wait.** A waiter is a worker for a while: until its job has ended, it helps with batches, also of other jobs, and
//!   takes other jobs that were asked for. Otherwise it would sleep through the last task of one job while the
//!   next ones are queued. It sleeps only if there is nothing to do, and is woken by new batches and jobs, too.
//! * **Urgency.** Calls come before requests, and these before speculation (`urgency`). A helper leaves a batch
//!   after the task at hand when something more urgent wants it. The thread that runs a job cannot leave its own batch:
//!   it helps with the more urgent ones first, and then goes on.
//! * **Shutdown.** Jobs that are only speculation are dropped or told to stop; a job that runs is finished by its
//!   worker, who is joined. Requests that nobody has taken stay in the queue, for a waiter or for workers that are started
//!   later. **Fork:** a job of the parent is unknown in the child: nothing of it is touched there.
//!
//! A job never waits for another job, and takes no lock under which somebody waits for a job.

use crate::Pool;
use crate::batch::drop_quietly;
use crate::crew::{Crew, State};
use crate::scratch::{Scratch, with_callers_scratch};
use crate::shim::atomic::{AtomicBool, AtomicU8, Ordering};
use crate::shim::{lock, wait, wait_for};
use crate::urgency::Urgency;
use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What kind of job it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Somebody has asked for it and will want to know how it ended. It is finished unless it is cancelled.
    Request,
    /// A guess at what will be wanted. It comes after everything else, and is dropped if there is too much of it or if the
    /// pool ends.
    Speculation,
}

impl Class {
    fn urgency(self) -> Urgency {
        match self {
            Self::Request => Urgency::Request,
            Self::Speculation => Urgency::Speculation,
        }
    }

    /// How many may be queued.
    const fn most(self) -> usize {
        match self {
            Self::Request => 16384,
            Self::Speculation => 256,
        }
    }
}

/// How a job has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It has run.
    Done,
    /// It has panicked.
    Panicked,
    /// It was dropped before it began.
    Dropped,
    /// It is a job of the parent process: here it never ends.
    InParent,
}

/// A job that could not be queued: the work is given back.
pub struct Refused<F>(pub F);

impl<F> fmt::Debug for Refused<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Refused")
    }
}

/// Tells a job that runs whether it should stop early.
#[derive(Debug)]
pub struct Wanted<'job>(&'job AtomicBool);

impl Wanted<'_> {
    /// Is the result still wanted? If not, the job should end soon.
    pub fn is_wanted(&self) -> bool {
        // Relaxed: nothing else is to be seen by it.
        !self.0.load(Ordering::Relaxed)
    }
}

type Work = Box<dyn FnOnce(&Wanted<'_>) + Send>;

/// Where a job is on its way.
const QUEUED: u8 = 0;
const TAKEN: u8 = 1;
const DONE: u8 = 2;
const PANICKED: u8 = 3;
const DROPPED: u8 = 4;

struct Fate {
    class: Class,
    /// Changed under the crew's lock. `Release` at the end, `Acquire` when it is read without the lock: who sees the end
    /// sees what the job has done.
    state: AtomicU8,
    unwanted: AtomicBool,
}

impl Fate {
    fn ended(&self) -> Option<Ended> {
        match self.state.load(Ordering::Acquire) {
            DONE => Some(Ended::Done),
            PANICKED => Some(Ended::Panicked),
            DROPPED => Some(Ended::Dropped),
            _ => None,
        }
    }
}

/// A job that nobody has taken yet.
pub(crate) struct Queued {
    fate: Arc<Fate>,
    work: Work,
}

/// The jobs that nobody has taken, and those who wait for any.
#[derive(Default)]
pub(crate) struct Jobs {
    requests: VecDeque<Queued>,
    speculation: VecDeque<Queued>,
    /// Speculation that runs, to be told to stop.
    running: Vec<Arc<Fate>>,
    pub(crate) waiters: usize,
}

impl Jobs {
    fn of(&mut self, class: Class) -> &mut VecDeque<Queued> {
        match class {
            Class::Request => &mut self.requests,
            Class::Speculation => &mut self.speculation,
        }
    }
}

/// A job that was submitted. Dropping the handle changes nothing for the job.
#[derive(Clone)]
pub struct Job {
    crew: Arc<Crew>,
    fate: Arc<Fate>,
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Job").field("ended", &self.fate.ended()).finish_non_exhaustive()
    }
}

impl Pool {
    /// Queues work and returns. It runs on a worker, on a thread that waits for it, or not at all if it is cancelled.
    ///
    /// # Errors
    /// The work is given back if there are no workers to be had, if too many jobs of its class are queued, or after
    /// [`close`](Self::close).
    pub fn submit<F>(&self, class: Class, work: F) -> Result<Job, Refused<F>>
    where
        F: FnOnce(&Wanted<'_>) + Send + 'static,
    {
        match self.crew_for_jobs() {
            Some((crew, most)) => crew.submit(class, most, work),
            None => Err(Refused(work)),
        }
    }
}

impl Job {
    /// How it has ended, if it has. Takes no lock.
    pub fn ended(&self) -> Option<Ended> {
        self.fate.ended().or_else(|| (!self.crew.is_here()).then_some(Ended::InParent))
    }

    /// Waits until it has ended, and helps meanwhile: with this job, and with others that were asked for.
    pub fn wait(&self) -> Ended {
        loop {
            if let Some(ended) = self.ended() {
                return ended;
            }
            self.crew.help_until(&self.fate);
        }
    }

    /// Waits until it has ended, but no longer than this. Helps with nothing: that could take longer. `None` if it has
    /// not ended.
    pub fn wait_for(&self, time: Duration) -> Option<Ended> {
        if let Some(ended) = self.ended() {
            return Some(ended);
        }
        let end = Instant::now().checked_add(time);
        let mut state = lock(&self.crew.state);
        while self.fate.ended().is_none() {
            let left = end.map_or(time, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            state.jobs.waiters += 1;
            state = wait_for(&self.crew.waiting, state, left);
            state.jobs.waiters -= 1;
        }
        drop(state);
        self.fate.ended()
    }

    /// Drops it if it has not begun, and says whether that was so. If it has begun, it is told that it is not wanted any
    /// more, which it may heed or not.
    pub fn cancel(&self) -> bool {
        if self.ended().is_some() {
            return false;
        }
        self.fate.unwanted.store(true, Ordering::Relaxed);
        let mut state = lock(&self.crew.state);
        let queued = state.take_job(&self.crew, &self.fate);
        drop(state);
        queued.is_some_and(|queued| {
            self.crew.drop_jobs([queued]);
            true
        })
    }
}

impl State {
    /// Takes the oldest job of the most urgent class up to this one.
    pub(crate) fn next_job(&mut self, crew: &Crew, least: Urgency) -> Option<Queued> {
        let class = [Class::Request, Class::Speculation]
            .into_iter()
            .find(|class| class.urgency() <= least && !self.jobs.of(*class).is_empty())?;
        let queued = self.jobs.of(class).pop_front()?;
        self.taken(crew, &queued);
        Some(queued)
    }

    /// Takes this job, if nobody has.
    fn take_job(&mut self, crew: &Crew, fate: &Arc<Fate>) -> Option<Queued> {
        let queue = self.jobs.of(fate.class);
        let position = queue.iter().position(|queued| Arc::ptr_eq(&queued.fate, fate))?;
        let queued = queue.remove(position)?;
        self.taken(crew, &queued);
        Some(queued)
    }

    fn taken(&mut self, crew: &Crew, queued: &Queued) {
        crew.demand.less(queued.fate.class.urgency());
        queued.fate.state.store(TAKEN, Ordering::Relaxed);
        if queued.fate.class == Class::Speculation {
            self.jobs.running.push(Arc::clone(&queued.fate));
        }
    }

    /// Takes all that is only speculation, and tells what runs of it to stop.
    pub(crate) fn end_speculation(&mut self, crew: &Crew) -> VecDeque<Queued> {
        self.jobs.running.iter().for_each(|fate| fate.unwanted.store(true, Ordering::Relaxed));
        let queued = mem::take(&mut self.jobs.speculation);
        for queued in &queued {
            self.taken(crew, queued);
        }
        queued
    }
}

impl Crew {
    fn submit<F>(&self, class: Class, most: usize, work: F) -> Result<Job, Refused<F>>
    where
        F: FnOnce(&Wanted<'_>) + Send + 'static,
    {
        let Some(crew) = self.me.upgrade() else { return Err(Refused(work)) };
        let fate = Arc::new(Fate { class, state: AtomicU8::new(QUEUED), unwanted: AtomicBool::new(false) });
        let mut state = lock(&self.state);
        if state.jobs.of(class).len() >= class.most() {
            return Err(Refused(work));
        }
        let Some(wake) = state.call_in(self, most) else { return Err(Refused(work)) };
        state.jobs.of(class).push_back(Queued { fate: Arc::clone(&fate), work: Box::new(work) });
        self.demand.more(class.urgency());
        self.wake_waiters(&state);
        drop(state);
        self.wake(wake);
        Ok(Job { crew, fate })
    }

    /// Runs a job that was taken. Its batches are as urgent as is said here.
    pub(crate) fn run_job(&self, Queued { fate, work }: Queued, urgency: Urgency) {
        let outcome = catch_unwind(AssertUnwindSafe(|| urgency.during(|| work(&Wanted(&fate.unwanted)))));
        let state = match outcome {
            Ok(()) => DONE,
            Err(payload) => {
                drop_quietly(payload);
                PANICKED
            }
        };
        self.end(&fate, state);
    }

    /// Drops jobs that were taken.
    pub(crate) fn drop_jobs(&self, jobs: impl IntoIterator<Item = Queued>) {
        for Queued { fate, work } in jobs {
            drop_quietly(work);
            self.end(&fate, DROPPED);
        }
    }

    fn end(&self, fate: &Arc<Fate>, how: u8) {
        let mut state = lock(&self.state);
        fate.state.store(how, Ordering::Release);
        if fate.class == Class::Speculation {
            state.jobs.running.retain(|running| !Arc::ptr_eq(running, fate));
        }
        #[cfg(all(test, feature = "shuttle"))]
        if self.forgets_waiters.load(Ordering::Relaxed) {
            return;
        }
        self.wake_waiters(&state);
    }

    /// Wakes those who wait for jobs: theirs may have ended, or there is something to help with.
    pub(crate) fn wake_waiters(&self, state: &State) {
        if state.jobs.waiters > 0 {
            self.waiting.notify_all();
        }
    }

    /// One thing that brings the end of a job nearer: runs it, helps, or sleeps until something has changed.
    fn help_until(&self, fate: &Arc<Fate>) {
        let mut state = lock(&self.state);
        if fate.ended().is_some() {
            return;
        }
        let own = state.take_job(self, fate);
        if let Some(queued) = own {
            drop(state);
            return self.run_job(queued, Urgency::of_this_thread());
        }
        if let Some(entered) = state.enter(fate.class.urgency().max(Urgency::Request)) {
            drop(state);
            with_callers_scratch(|scratch| self.help(&entered, scratch, &|_| fate.ended().is_some()));
            return;
        }
        if let Some(queued) = state.next_job(self, Urgency::Request) {
            drop(state);
            return self.run_job(queued, Urgency::Request);
        }
        state.jobs.waiters += 1;
        state = wait(&self.waiting, state);
        state.jobs.waiters -= 1;
    }

    /// Between two tasks of a batch that a job runs: helps with what is more urgent.
    pub(crate) fn step_aside(&self, urgency: Urgency, scratch: &mut Scratch) {
        let more_urgent = match urgency {
            Urgency::Call => return,
            Urgency::Request => Urgency::Call,
            Urgency::Speculation => Urgency::Request,
        };
        while self.demand.beyond(urgency) {
            let mut state = lock(&self.state);
            if let Some(entered) = state.enter(more_urgent) {
                drop(state);
                Urgency::Call.during(|| self.help(&entered, scratch, &|_| false));
            } else if let Some(job) = state.next_job(self, more_urgent) {
                drop(state);
                self.run_job(job, more_urgent);
            } else {
                return;
            }
        }
    }
}
