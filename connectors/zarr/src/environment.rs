//! The connector's environment variables.

use h5_shadow::{Failure, Outcome};
use settings::ZARR_CACHE;

/// Sets what the environment asks for. A value that is not valid is an error that names the variable: a container is not opened then.
pub(crate) fn apply() -> Outcome<()> {
    let value = std::env::var_os(ZARR_CACHE.name).unwrap_or_default();
    h5_shadow::set_cache_capacity(cache_bytes(&value.to_string_lossy())?);
    Ok(())
}

/// Bytes of decoded chunks that are kept; `None` if the variable is not set.
fn cache_bytes(value: &str) -> Outcome<Option<usize>> {
    let value = value.trim();
    if value.is_empty() {
        return Ok(None);
    }
    let bytes = settings::size(value).and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map(Some).ok_or_else(|| Failure::new(ZARR_CACHE.fault(value).to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_and_others_are_refused() {
        assert_eq!(cache_bytes(""), Ok(None));
        assert_eq!(cache_bytes("0"), Ok(Some(0)));
        assert_eq!(cache_bytes(" 8M "), Ok(Some(8 << 20)));
        let failure = cache_bytes("lots").unwrap_err().to_string();
        assert!(failure.contains("ZARR_VOL_CACHE='lots'"), "{failure}");
    }
}
