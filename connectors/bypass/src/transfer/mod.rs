//! What a read and a write have in common.

pub(crate) mod short_run;
pub(crate) mod traced;
pub(crate) mod transfer_list;
