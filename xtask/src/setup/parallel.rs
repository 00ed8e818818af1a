//! A parallel HDF5, which no wheel contains. It is built here from the source in the crate hdf5-metno-src, with MPI from PyPI.
//!
//! Only what the tests need is built, with little optimisation. It takes one to three minutes, once.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::headers::{self, NEWEST};
use super::stamp::Stamp;
use super::venv::Environment;
use crate::layout::Layout;
use crate::shell;

/// The options of the build. Without NDEBUG, native HDF5 itself fails one of its assertions.
const OPTIONS: [&str; 13] = [
    "-DCMAKE_BUILD_TYPE=Release",
    "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG",
    "-DBUILD_SHARED_LIBS=ON",
    "-DBUILD_STATIC_LIBS=OFF",
    "-DBUILD_TESTING=OFF",
    "-DHDF5_ENABLE_PARALLEL=ON",
    "-DHDF5_BUILD_TOOLS=OFF",
    "-DHDF5_BUILD_EXAMPLES=OFF",
    "-DHDF5_BUILD_HL_LIB=OFF",
    "-DHDF5_BUILD_CPP_LIB=OFF",
    "-DHDF5_BUILD_FORTRAN=OFF",
    "-DHDF5_ENABLE_SUBFILING_VFD=OFF",
    "-DHDF5_ENABLE_SZIP_SUPPORT=OFF",
];

/// An MPI and an HDF5 that was built with it.
#[derive(Debug)]
pub(crate) struct Parallel {
    mpi: PathBuf,
    source: PathBuf,
    build: PathBuf,
}

impl Parallel {
    /// Makes whatever is missing or out of date.
    pub(crate) fn make(layout: &Layout) -> Result<Self> {
        let environment = Environment {
            folder: layout.own().join("mpi-venv"),
            requirements: layout.python_sources().join("mpi/requirements.txt"),
            what: "installing MPICH, CMake and Ninja from PyPI",
        };
        environment.make(layout)?;
        let home = layout.own().join("parallel-hdf5");
        let parallel = Self {
            mpi: environment.folder.join("bin"),
            source: home.join("source"),
            build: home.join("build"),
        };
        let zlib = if has_zlib() { "ON" } else { "OFF" };
        let requirements = fs::read_to_string(&environment.requirements).context("cannot read a file")?;
        let recipe = format!("{}\n{}\n{OPTIONS:?}\nzlib {zlib}\n{requirements}", home.display(), NEWEST.hdf5);
        let stamp = Stamp::new(layout.own().join("parallel-hdf5.stamp"), recipe);
        if !stamp.covers(&parallel.libraries().join("libhdf5.so")) {
            stamp.revoke()?;
            shell::empty_folder(&home)?;
            headers::unpack(layout, &NEWEST, Path::new(""), &parallel.source)?;
            parallel.build(layout, zlib)?;
            stamp.grant()?;
        }
        Ok(parallel)
    }

    fn build(&self, layout: &Layout, zlib: &str) -> Result<()> {
        let mut configure = self.command("cmake")?;
        configure.args(["-G", "Ninja", "-S"]).arg(&self.source).arg("-B").arg(&self.build).args(OPTIONS);
        configure.arg(format!("-DMPI_C_COMPILER={}", self.mpi.join("mpicc").display()));
        configure.arg(format!("-DHDF5_ENABLE_ZLIB_SUPPORT={zlib}"));
        shell::run_step(layout, "setup-parallel-cmake", "configuring a parallel HDF5", &mut configure)?;

        let mut build = self.command("cmake")?;
        build.arg("--build").arg(&self.build).args(["--target", "hdf5-shared"]);
        shell::run_step(layout, "setup-parallel-build", "building a parallel HDF5", &mut build)
    }

    /// One of the programs that were installed with MPI, which finds the others.
    pub(crate) fn command(&self, program: &str) -> Result<Command> {
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([self.mpi.clone()].into_iter().chain(env::split_paths(&path)))
            .context("the path of MPI has a colon in it")?;
        let mut command = shell::command(self.mpi.join(program));
        command.env("PATH", path);
        Ok(command)
    }

    /// Compiles a C program that uses MPI and this HDF5.
    pub(crate) fn compile(&self, layout: &Layout, source: &Path, program: &Path) -> Result<()> {
        let mut compile = self.command("mpicc")?;
        compile.args(["-O1", "-g", "-Wall", "-Wextra", "-Werror"]);
        // HDF5's headers are not ours to be warned about.
        for folder in [self.source.join("src"), self.source.join("src/H5FDsubfiling"), self.build.join("src")]
        {
            compile.arg("-isystem").arg(folder);
        }
        compile.arg(source).arg("-o").arg(program).arg("-L").arg(self.libraries()).arg("-lhdf5");
        compile.arg(format!("-Wl,-rpath,{}", self.libraries().display()));
        shell::run_step(layout, "build-mpi", "compiling the program that uses MPI", &mut compile)
    }

    fn libraries(&self) -> PathBuf {
        self.build.join("bin")
    }
}

/// Whether there is a zlib to build with. Without one HDF5 has no gzip, and the tests use another filter.
fn has_zlib() -> bool {
    let mut compile = shell::command("cc");
    compile.args(["-E", "-include", "zlib.h", "-x", "c", "/dev/null", "-o", "/dev/null"]);
    compile.stderr(std::process::Stdio::null()).status().is_ok_and(|status| status.success())
}
