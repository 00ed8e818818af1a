//! Random requests against the oracle that looks at every element.

mod common;

use std::sync::OnceLock;

use common::{Bytes, Draw, Sample};
use engine::{Engine, Request};
use pool::Pool;
use proptest::prelude::*;

fn files() -> &'static [Bytes] {
    static FILES: OnceLock<Vec<Bytes>> = OnceLock::new();
    FILES.get_or_init(|| vec![Bytes::new(1_000_000, 0), Bytes::new(700_001, 100_000), Bytes::new(900_000, 1)])
}

fn check(numbers: &[u32], pool: &Pool) {
    let mut draw = Draw::new(numbers);
    let count = if draw.number(0, 2) == 0 { draw.number(0, 4) } else { 1 };
    let mut samples: Vec<_> = (0..count).map(|_| Sample::new(&mut draw, files())).collect();
    let mut request = Request { parts: samples.iter_mut().map(Sample::part).collect() };
    Engine::new(pool).read(&mut request).unwrap();
    drop(request);
    for sample in &samples {
        sample.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_selected_places_change(numbers in prop::collection::vec(any::<u32>(), 80..400)) {
        static POOLS: [Pool; 3] = [Pool::new(1), Pool::new(2), Pool::new(4)];
        for pool in &POOLS {
            check(&numbers, pool);
        }
    }
}
