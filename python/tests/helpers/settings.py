"""Settings of the connector that must not change what is read or written, by names for the output of tests."""

from __future__ import annotations

BY_NAME = {
    "one thread": {"BYPASS_VOL_NTHREADS": "1"},
    "four threads": {"BYPASS_VOL_NTHREADS": "4"},
    "many threads": {"BYPASS_VOL_NTHREADS": "64"},
    "many threads, small cache": {"BYPASS_VOL_NTHREADS": "64", "BYPASS_VOL_CACHE": "20000"},
    "no pool": {"BYPASS_VOL_NO_TPOOL": "true"},
    "no cache": {"BYPASS_VOL_CACHE": "0"},
    "tiny cache": {"BYPASS_VOL_CACHE": "5000"},
    "huge cache": {"BYPASS_VOL_CACHE": str(1 << 40)},
    "tiny pieces": {"BYPASS_VOL_IO_SIZE": "512"},
    "huge pieces": {"BYPASS_VOL_IO_SIZE": str(1 << 40)},
    "usual thresholds": {"BYPASS_VOL_SMALL_READ": "512"},
    "small reads to HDF5": {"BYPASS_VOL_SMALL_READ": "2000"},
    "disabled": {"BYPASS_VOL_DISABLE": "1"},
}
