//! Claims of whole datasets, in files that are open for writing.

use std::sync::Arc;

use global_lock::{Area, Claim, Claims, Use, Wanted};
use h5_vol::Host;

use crate::Bypass;
use crate::coherency::shared::Shared;

impl Bypass {
    /// Claims all of these datasets.
    pub(crate) fn claim_whole<'d>(
        &self,
        host: Host,
        datasets: impl IntoIterator<Item = &'d Arc<Shared>>,
        what: Use,
    ) -> Vec<Claim> {
        let whole = |shared: &Arc<Shared>| (Arc::clone(&shared.claims), Area::Everything, what);
        self.claim(host, datasets.into_iter().map(whole))
    }

    /// Claims what is wanted, and finishes requests that are in the way. The global lock may be given up meanwhile.
    pub(crate) fn claim(
        &self,
        host: Host,
        wanted: impl IntoIterator<Item = (Arc<Claims>, Area, Use)>,
    ) -> Vec<Claim> {
        let wanted: Wanted = wanted.into_iter().collect();
        self.locks.claim(host, &wanted, || self.finish_in_the_way(host, &wanted))
    }
}
