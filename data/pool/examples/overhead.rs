//! What a batch costs: `cargo run --release -p pool --example overhead`.
//!
//! Tasks are empty, so this is all overhead; and two tasks of a known length, to see when helpers pay.

use pool::{Pool, Scratch};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn report_each(name: &str, rounds: usize, before: impl Fn(), mut batch: impl FnMut()) {
    let mut times: Vec<f64> = (0..rounds)
        .map(|_| {
            before();
            let start = Instant::now();
            batch();
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (median, late) = (times[rounds / 2], times[rounds * 99 / 100]);
    println!("{name:<44} median {median:9.3} us   99% {late:9.3} us");
}

fn report(name: &str, rounds: usize, batch: impl FnMut()) {
    report_each(name, rounds, || (), batch);
}

fn report_after_sleep(name: &str, batch: impl FnMut()) {
    report_each(name, 1000, || std::thread::sleep(Duration::from_millis(1)), batch);
}

#[expect(clippy::unnecessary_wraps, reason = "what a task looks like")]
fn empty(index: usize, _: &mut Scratch) -> Result<(), ()> {
    black_box(index);
    Ok(())
}

fn busy(length: Duration) -> impl Fn(usize, &mut Scratch) -> Result<(), ()> {
    move |_, _| {
        let start = Instant::now();
        while start.elapsed() < length {
            std::hint::spin_loop();
        }
        Ok(())
    }
}

fn main() {
    let pool = Pool::global();
    println!("{} threads", pool.threads());
    let all = usize::MAX;
    report("1 empty task (inline)", 100_000, || pool.run(1, all, empty).unwrap());
    report("64 empty tasks, no helpers (inline)", 100_000, || pool.run(64, 0, empty).unwrap());
    report("2 empty tasks", 100_000, || pool.run(2, all, empty).unwrap());
    report("64 empty tasks", 100_000, || pool.run(64, all, empty).unwrap());
    // By now the worker is awake half of the time. Let it fall asleep before each batch:
    report_after_sleep("2 empty tasks, workers asleep", || pool.run(2, all, empty).unwrap());
    report_after_sleep("64 empty tasks, workers asleep", || pool.run(64, all, empty).unwrap());
    for length in [5, 20, 50, 200, 1000] {
        let work = busy(Duration::from_micros(length));
        report(&format!("2 tasks of {length} us"), 2000, || pool.run(2, all, &work).unwrap());
        report_after_sleep(&format!("2 tasks of {length} us, workers asleep"), || {
            pool.run(2, all, &work).unwrap();
        });
        report(&format!("16 tasks of {length} us"), 500, || pool.run(16, all, &work).unwrap());
    }
    let start = Instant::now();
    pool.shutdown();
    println!("shutdown of idle workers {:44.3} us", start.elapsed().as_secs_f64() * 1e6);
}
