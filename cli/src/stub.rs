//! `h5bypass stub`: makes the regular file that stands for a Zarr directory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use stub::Stub;
use zarr::Container;

use crate::args::StubArgs;
use crate::connector::ZARR;
use crate::explain::wording::printable;

/// Makes the stub and says so.
pub(crate) fn stub(args: &StubArgs) -> Result<ExitCode> {
    let container = &args.directory;
    if !container.is_dir() {
        let why = if container.exists() { "is not a directory" } else { "no such directory" };
        bail!("{}: {why}", shown(container));
    }
    if !Container::exists(container) {
        bail!("{}: is not a Zarr directory: it has no zarr.json, .zgroup or .zarray", shown(container));
    }
    let name = args.name.clone().unwrap_or_else(|| default_name(container));
    let said = Stub::new(ZARR, &seen_from(&name, container)?)?;
    let is_new = match name.symlink_metadata() {
        Err(_) => true,
        Ok(there) if there.is_dir() => bail!("{}: is a directory", shown(&name)),
        // A damaged stub is replaced, too: that is what its error message advises.
        Ok(_) if matches!(Stub::read(&name), Ok(None)) => {
            bail!("{}: exists and is not a stub; refusing to overwrite it", shown(&name))
        }
        Ok(_) => false,
    };
    if is_new {
        said.create(&name)?;
    } else {
        said.replace(&name)?;
    }
    println!("{} stands for {}", shown(&name), shown(container));
    Ok(ExitCode::SUCCESS)
}

/// The container's path, seen from the folder of the stub.
fn seen_from(name: &Path, container: &Path) -> Result<PathBuf> {
    let folder = parent(name);
    let folder = folder.canonicalize().with_context(|| format!("{}: its directory", shown(name)))?;
    // A symbolic link to the container stays what it is.
    let real = match container.file_name() {
        Some(last) => parent(container).canonicalize().map(|parent| parent.join(last)),
        None => container.canonicalize(),
    };
    let real = real.with_context(|| shown(container))?;
    match real.strip_prefix(&folder) {
        Ok(inside) if !inside.as_os_str().is_empty() => Ok(inside.to_owned()),
        _ => bail!(
            "{}: a stub leads only to a directory beside it or below it, and {} is not\n  \
             choose a name in {}",
            shown(name),
            shown(container),
            shown(real.parent().unwrap_or(&real))
        ),
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// `weather.nc` for `weather.nc.zarr`, and `weather.h5` for `weather.zarr`.
fn default_name(container: &Path) -> PathBuf {
    // `dir/` and `dir/.` are `dir`.
    let container: PathBuf = container.components().collect();
    let ends_in_zarr = container.extension().is_some_and(|extension| extension == "zarr");
    let name = if ends_in_zarr { container.with_extension("") } else { container };
    if ends_in_zarr && name.extension().is_some() {
        return name;
    }
    let mut name = name.into_os_string();
    name.push(".h5");
    name.into()
}

fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found() {
        for (container, name) in [
            ("weather.zarr", "weather.h5"),
            ("a/weather.nc.zarr", "a/weather.nc"),
            ("weather.zarr/", "weather.h5"),
            ("./weather.zarr", "./weather.h5"),
            ("weather", "weather.h5"),
            ("v1.2", "v1.2.h5"),
        ] {
            assert_eq!(default_name(Path::new(container)), Path::new(name), "{container}");
        }
    }
}
