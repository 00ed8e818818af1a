//! The part of a dataset that a call touches, and how.

/// Up to this many dimensions an area needs no allocation.
const FEW: usize = 4;

/// The part of a dataset that a call touches.
#[derive(Debug, Clone)]
pub enum Area {
    /// The whole dataset, or an unknown part of it.
    Everything,
    /// The box between two corners.
    Box(Corners),
}

/// Two corners of a box, both inside it. The unit is the chunk, or the element if the dataset has no chunks. All areas
/// of one dataset have the same unit.
#[derive(Debug, Clone)]
pub struct Corners(Bounds);

/// The first and the last place in each dimension.
#[derive(Debug, Clone)]
enum Bounds {
    Few { rank: usize, bounds: [(u64, u64); FEW] },
    Many(Box<[(u64, u64)]>),
}

/// How a call touches an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Shared with other readers.
    Read,
    /// Exclusive.
    Write,
}

impl Area {
    /// The box from `low` to `high`, inclusive. It is empty, and conflicts with nothing, if `low` is above `high` in some
    /// dimension. Without dimensions it is the one element of a scalar. Corners of different rank give
    /// [`Everything`](Area::Everything), which is always safe.
    pub fn between(low: &[u64], high: &[u64]) -> Self {
        if low.len() != high.len() {
            return Self::Everything;
        }
        let pairs = low.iter().copied().zip(high.iter().copied());
        if low.len() > FEW {
            return Self::Box(Corners(Bounds::Many(pairs.collect())));
        }
        let mut bounds = [(0, 0); FEW];
        bounds.iter_mut().zip(pairs).for_each(|(bound, pair)| *bound = pair);
        Self::Box(Corners(Bounds::Few { rank: low.len(), bounds }))
    }

    /// Whether two areas have anything in common. Areas of different rank cannot belong to one dataset; the safe answer
    /// is that they overlap.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let (Self::Box(one), Self::Box(other)) = (self, other) else { return true };
        let (one, other) = (one.bounds(), other.bounds());
        // With the larger of the lows and the smaller of the highs an empty box meets nobody, not even itself.
        one.len() != other.len()
            || one.iter().zip(other).all(|(one, other)| one.0.max(other.0) <= one.1.min(other.1))
    }
}

impl Corners {
    fn bounds(&self) -> &[(u64, u64)] {
        match &self.0 {
            Bounds::Few { rank, bounds } => bounds.get(..*rank).unwrap_or(bounds),
            Bounds::Many(bounds) => bounds,
        }
    }
}

impl Use {
    /// Whether one of the two is exclusive.
    pub(crate) fn excludes(self, other: Self) -> bool {
        self == Self::Write || other == Self::Write
    }

    /// The use that covers both.
    #[must_use]
    pub(crate) fn or(self, other: Self) -> Self {
        if self.excludes(other) { Self::Write } else { Self::Read }
    }
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn corners_belong_to_the_box() {
        let area = Area::between(&[2, 3], &[4, 5]);
        assert!(area.overlaps(&area));
        assert!(area.overlaps(&Area::between(&[4, 5], &[9, 9])));
        assert!(area.overlaps(&Area::between(&[0, 0], &[2, 3])));
        assert!(!area.overlaps(&Area::between(&[5, 5], &[9, 9])));
        assert!(!area.overlaps(&Area::between(&[4, 6], &[9, 9])));
        assert!(Area::between(&[0], &[u64::MAX]).overlaps(&Area::between(&[u64::MAX], &[u64::MAX])));
    }

    #[test]
    fn everything_scalars_and_what_does_not_fit() {
        let area = Area::between(&[2, 3], &[4, 5]);
        assert!(area.overlaps(&Area::Everything) && Area::Everything.overlaps(&area));
        assert!(Area::Everything.overlaps(&Area::Everything));
        assert!(Area::between(&[], &[]).overlaps(&Area::between(&[], &[])), "a scalar is one element");
        assert!(area.overlaps(&Area::between(&[9], &[9])), "of another rank");
        assert!(matches!(Area::between(&[1, 2], &[3]), Area::Everything));
    }

    #[test]
    fn an_empty_box_meets_nobody() {
        let empty = Area::between(&[2, 3], &[4, 2]);
        assert!(!empty.overlaps(&empty));
        assert!(!empty.overlaps(&Area::between(&[0, 0], &[9, 9])));
        assert!(!Area::between(&[0, 0], &[9, 9]).overlaps(&empty));
        assert!(empty.overlaps(&Area::Everything));
    }

    #[test]
    fn random_boxes_against_counting() {
        const SIDE: u64 = 5;
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut met = 0;
        for round in 0..6000 {
            let rank = round % 6 + 1; // on both sides of what needs no allocation
            let mut corners = || (0..rank).map(|_| (random(SIDE), random(SIDE))).collect::<Vec<_>>();
            let (one, other) = (corners(), corners());
            let area = |corners: &[(u64, u64)]| {
                let (low, high): (Vec<_>, Vec<_>) = corners.iter().copied().unzip();
                Area::between(&low, &high)
            };
            let inside = |corners: &[(u64, u64)], mut point: u64| {
                corners.iter().all(|&(low, high)| {
                    let place = point % SIDE;
                    point /= SIDE;
                    (low..=high).contains(&place)
                })
            };
            let points = 0..SIDE.pow(u32::try_from(rank).unwrap());
            let expected = points.into_iter().any(|point| inside(&one, point) && inside(&other, point));
            assert_eq!(area(&one).overlaps(&area(&other)), expected, "{one:?} {other:?}");
            assert_eq!(area(&other).overlaps(&area(&one)), expected, "{one:?} {other:?}");
            met += u32::from(expected);
        }
        assert!((300..5000).contains(&met), "{met} of 6000 boxes met: too few of one kind");
    }

    #[test]
    fn only_readers_go_together() {
        assert!(!Use::Read.excludes(Use::Read));
        assert!(Use::Read.excludes(Use::Write) && Use::Write.excludes(Use::Read));
        assert_eq!((Use::Read.or(Use::Read), Use::Read.or(Use::Write)), (Use::Read, Use::Write));
    }
}
