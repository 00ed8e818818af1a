//! Everything that one call claims, requested at once.

use crate::area::{Area, Use};
use crate::claims::{Claim, Claims};
use crate::committers::{Committers, Committing};
use crate::lock::{GlobalLock, HostLock, Released};
use crate::thread_mark::UserCallbackScope;
use std::sync::Arc;

/// The areas that one call wants to claim, each dataset once. The order is the same for all calls, so they never wait for
/// each other in a circle.
#[derive(Debug, Default)]
pub struct Wanted {
    list: Vec<(Arc<Claims>, Area, Use)>,
}

impl FromIterator<(Arc<Claims>, Area, Use)> for Wanted {
    /// A dataset that occurs twice is claimed as a whole.
    fn from_iter<I: IntoIterator<Item = (Arc<Claims>, Area, Use)>>(parts: I) -> Self {
        let mut list: Vec<_> = parts.into_iter().collect();
        list.sort_by_key(|(claims, ..)| Arc::as_ptr(claims).addr());
        list.dedup_by(|(claims, _, what), (kept, area, kept_use)| {
            let is_same = Arc::ptr_eq(claims, kept);
            if is_same {
                *area = Area::Everything;
                *kept_use = kept_use.or(*what);
            }
            is_same
        });
        Self { list }
    }
}

impl Wanted {
    /// Claims everything. Call it in a callback of the host, with its lock held and nothing claimed.
    ///
    /// It returns with the lock held, but may give it up in between. Answers that the host gave before may be outdated.
    pub fn claim<H: HostLock>(&self, committers: &Committers, lock: &GlobalLock, host: &H) -> Vec<Claim> {
        if let Some(claims) = self.try_claim() {
            return claims;
        }
        if UserCallbackScope::is_active() {
            return self.claim_in_callback();
        }
        committers.give_way(lock, host);
        // Dropped when the lock is held again.
        let counted = committers.enter();
        lock.without_to_wait(host, |released| self.wait(released.as_ref(), &counted))
    }

    /// The same where claims may belong to operations that no thread works on, and that somebody has to finish.
    ///
    /// `finish` finishes those that are in the way. It is called with the lock held, and may give it up in between. Such
    /// operations begin under the lock, too. So when `finish` has returned and this call joins the queue, before the lock is
    /// given up again, it waits for none of them.
    pub fn claim_finishing<H: HostLock>(
        &self,
        committers: &Committers,
        lock: &GlobalLock,
        host: &H,
        finish: impl Fn(),
    ) -> Vec<Claim> {
        if let Some(claims) = self.try_claim() {
            return claims;
        }
        finish();
        if let Some(claims) = self.try_claim() {
            return claims;
        }
        if UserCallbackScope::is_active() {
            return self.claim_in_callback();
        }
        committers.give_way(lock, host);
        finish();
        // Dropped when the lock is held again.
        let counted = committers.enter();
        let queued: Vec<_> =
            self.list.iter().map(|(claims, area, what)| claims.queue_up(area, *what)).collect();
        lock.without_to_wait(host, |released| {
            let Some(released) = released else {
                drop(queued);
                return self.claim_in_callback();
            };
            queued.into_iter().map(|queued| queued.wait(&released, &counted)).collect()
        })
    }

    /// Whether this claim is one that would have to be waited for.
    pub fn has_to_wait_for(&self, claim: &Claim) -> bool {
        self.list.iter().any(|(claims, area, what)| claims.would_wait_for(area, *what, claim))
    }

    /// Claims everything without waiting, or nothing. Allowed everywhere.
    pub fn try_claim(&self) -> Option<Vec<Claim>> {
        self.list.iter().map(|(claims, area, what)| claims.try_claim(area, *what)).collect()
    }

    /// Waits for one claim after the other.
    ///
    /// `counted` was made while the global lock was held, and is kept until it is held again.
    pub(crate) fn wait(&self, released: Option<&Released<'_>>, counted: &Committing<'_>) -> Vec<Claim> {
        let Some(released) = released else { return self.claim_in_callback() };
        let claim = |(claims, area, what): &(Arc<Claims>, _, _)| claims.claim(area, *what, released, counted);
        self.list.iter().map(claim).collect()
    }

    fn claim_in_callback(&self) -> Vec<Claim> {
        self.list.iter().map(|(claims, area, what)| claims.claim_in_callback(area, *what)).collect()
    }
}
