"""The build backend (PEP 517): runs cargo, and puts what it made into a wheel. Only the standard library is needed.

    python backend/h5bypass_build.py wheel DIRECTORY    what `cargo xtask wheel` runs
    python backend/h5bypass_build.py sdist DIRECTORY

Variables:
    H5BYPASS_BUILT     a directory with the plugins and the command; nothing is built then
    CARGO              the cargo to run
    CARGO_TARGET_DIR   where cargo builds (default: the workspace's target/)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import elf
import materials
import project
import source_archive
from wheel_file import WheelFile

PLUGINS = ["libh5bypass_vol.so", "libh5stats_vol.so", "libh5zarr_vol.so", "libh5mirror_vol.so"]
PROGRAM = "h5bypass"
CRATES = ["h5bypass_vol", "h5stats_vol", "h5zarr_vol", "h5mirror_vol", "h5bypass"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds everything, and gives the name of the wheel."""
    built = Path(os.environ["H5BYPASS_BUILT"]) if "H5BYPASS_BUILT" in os.environ else cargo_build()
    with tempfile.TemporaryDirectory() as scratch:
        files = [stripped(built / name, Path(scratch)) for name in [*PLUGINS, PROGRAM]]
        tag = f"py3-none-{elf.platform_tag(files)}"
        version = project.version()
        wheel = WheelFile(Path(wheel_directory) / f"{project.NAME}-{version}-{tag}.whl", f"{project.NAME}-{version}.dist-info")
        package = project.HERE / "src" / project.NAME
        for path in sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                wheel.add(path.relative_to(package.parent).as_posix(), path.read_bytes())
        for path in files[:-1]:
            wheel.add(f"{project.NAME}/plugin/{path.name}", path.read_bytes(), executable=True)
        wheel.add(f"{project.NAME}/bin/{PROGRAM}", files[-1].read_bytes(), executable=True)
    for name, text in materials.of_wheel(CRATES).items():
        wheel.add_info(name, text)
    wheel.add_info("METADATA", project.metadata())
    wheel.add_info("entry_points.txt", project.entry_points())
    wheel.add_info("WHEEL", f"Wheel-Version: 1.0\nGenerator: {project.NAME}_build {version}\nRoot-Is-Purelib: false\nTag: {tag}\n")
    return wheel.write()


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip asks before it builds: without this, it would build to find out."""
    folder = Path(metadata_directory) / f"{project.NAME}-{project.version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(project.metadata())
    (folder / "entry_points.txt").write_text(project.entry_points())
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    """Packs the sources, and gives the name of the archive."""
    return source_archive.write(Path(sdist_directory))


def cargo_build() -> Path:
    """Builds in release mode: where the products are."""
    cargo = os.environ.get("CARGO", "cargo")
    if shutil.which(cargo) is None:
        raise SystemExit(
            "h5bypass: to build from source, Rust (https://rustup.rs) and a C compiler are needed, and there is no `cargo` in PATH"
        )
    packages = [part for crate in CRATES for part in ("--package", crate)]
    subprocess.run([cargo, "build", "--release", "--locked", *packages], cwd=project.workspace(), check=True)
    target = os.environ.get("CARGO_TARGET_DIR") or "target"
    return project.workspace() / target / "release"


def stripped(file: Path, scratch: Path) -> Path:
    """A copy without the tables of lines and symbols, which are seven eighths of it; as it is where there is no `strip`."""
    copy = scratch / file.name
    shutil.copyfile(file, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", str(copy)], check=True)
    return copy


if __name__ == "__main__":
    hooks = {"wheel": build_wheel, "sdist": build_sdist}
    if len(sys.argv) != 3 or sys.argv[1] not in hooks:
        sys.exit(__doc__)
    Path(sys.argv[2]).mkdir(parents=True, exist_ok=True)
    print(Path(sys.argv[2]) / hooks[sys.argv[1]](sys.argv[2]))
