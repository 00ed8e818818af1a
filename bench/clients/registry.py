"""All cases, in the order of the table."""

from cases import (
    h5py_objects,
    h5py_reads,
    h5py_small_reads,
    h5py_writes,
    loaders,
    netcdf,
    pandas_frames,
    pytables,
    real,
    strings,
    virtual,
    xarray_datasets,
)

GROUPS = (
    h5py_small_reads.GROUP,
    h5py_reads.GROUP,
    h5py_objects.GROUP,
    h5py_writes.GROUP,
    strings.GROUP,
    virtual.GROUP,
    pytables.GROUP,
    pandas_frames.GROUP,
    netcdf.GROUP,
    xarray_datasets.GROUP,
    loaders.GROUP,
    real.GROUP,
)

CASES = {case.name: case for group in GROUPS for case in group.cases}
