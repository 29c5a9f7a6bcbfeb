# A recipe to start from, not yet tried: copy it into a repository of packages as packages/simreel/package.py, let `git` below name your clone, and
# `spack install simreel`. It builds from source with the libraries that Spack has, so x264 is in the process (ffmpeg +libx264).
from spack.package import *


class Simreel(CMakePackage, CudaPackage):
    """Headless renderer and video exporter for GPU simulations."""

    git = "file:///path/to/simreel"  # there is no public repository: the folder of your clone, or where you keep it

    license("MIT")

    version("main", branch="main")

    variant("mpi", default=False, description="Runs on several hosts")
    variant("shared", default=True, description="A shared library, which the Python package loads")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python", type="build")
    depends_on("cli11")
    depends_on("ffmpeg@5: +libx264")
    depends_on("fmt@9:")
    depends_on("hdf5@1.10: ~mpi")
    depends_on("intel-oneapi-tbb")
    depends_on("libdeflate")
    depends_on("libmicrohttpd")
    depends_on("libspng")
    depends_on("nlohmann-json@3.11:")
    depends_on("stb")
    depends_on("tomlplusplus@3.3:")
    depends_on("xxhash")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    conflicts("%gcc@:11", msg="C++20")
    conflicts("cuda@:12.3", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define("BUILD_TESTING", False),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SIMREEL_CUDA", "cuda"),
            self.define_from_variant("SIMREEL_MPI", "mpi"),
        ]
        if "+cuda" in self.spec:
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return args
