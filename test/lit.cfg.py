# The suite of the whole project. A test is a file with RUN lines; what a
# machine may lack is a feature that a test names in REQUIRES. lit's own shell
# runs the lines, so there is no "if" that could leave a test without effect.
import os
import shutil

import lit.formats

config.name = "Gevo"
config.suffixes = [".c", ".cpp", ".cu", ".ll", ".mlir", ".ptx", ".py", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py", "lit.site.cfg.py"]
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)

build = config.gevo_build_root
cuda = config.gevo_cuda_path
plugin = os.path.join(build, "lib", "libGevo.so")
tools = [os.path.join(build, "bin"), config.gevo_llvm_tools]
config.environment["PATH"] = os.pathsep.join([*tools, config.environment["PATH"]])

# A setting of the developer's shell must not decide a test.
search_paths = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "CUDA_HOME")
for name in list(config.environment):
    if name.startswith("GEVO_") or name in search_paths:
        del config.environment[name]
config.environment["LC_ALL"] = "C"
# Machine code that one test had disassembled serves the others; that takes a
# third of a second of each kernel's first launch.
config.environment["GEVO_CACHE"] = os.path.join(build, "test", "cache")

if lit_config.maxIndividualTestTimeIsSupported[0]:
    lit_config.maxIndividualTestTime = 600

# The include folder is named although clang knows it: on a machine that has
# another CUDA's headers in a system folder, those would come first.
clangxx = os.path.join(config.gevo_llvm_tools, "clang++")
clangxx_cuda = " ".join(
    [
        clangxx,
        "-x cuda",
        f"--cuda-path={cuda}",
        f"-isystem {cuda}/include",
        "-Wno-unknown-cuda-version",
    ]
)
# A program brings along what sanitized libraries that it loads call.
host_cxx = clangxx
if config.gevo_sanitize:
    flags = [f"-fsanitize={config.gevo_sanitize}", "-fno-sanitize=function"]
    host_cxx = " ".join([clangxx, *flags])
    on_host = " ".join("-Xarch_host " + flag for flag in flags)
    clangxx_cuda += f" --start-no-unused-arguments {on_host} --end-no-unused-arguments"
config.substitutions += [
    # A whole program, linked with the shared runtime.
    (
        "%cuda_program",
        f"{clangxx_cuda} -O1 --offload-arch=sm_70 -Wall -Werror -L{cuda}/lib64 -Wl,-rpath,{cuda}/lib64 -lcudart",
    ),
    ("%clangxx_cuda", clangxx_cuda),
    # For programs of the host that load our libraries.
    ("%host_cxx", host_cxx),
    ("%opt_gevo", f"opt -load-pass-plugin={plugin}"),
    ("%gevo_plugin", plugin),
    ("%edit_set", f"{config.gevo_python} {config.test_source_root}/Inputs/edit-set.py {plugin}"),
    ("%lower_module", os.path.join(build, "test", "unit", "ir", "lower-module")),
    ("%cuda_libs", f"-L{cuda}/lib64 -Wl,-rpath,{cuda}/lib64 -lcudart"),
    # Without NVIDIA's headers, which take most of a compilation's time.
    ("%cuda_small", f"-nocudainc -I {config.gevo_source_root}"),
    ("%cuda_path", cuda),
    ("%gevo_src", config.gevo_source_root),
    ("%gevo_build", build),
    ("%cmake", config.gevo_cmake),
    ("%fuzz ", os.path.join(build, "fuzz", "")),
    ("%lit", config.gevo_lit),
    ("%python", config.gevo_python),
]


def have(*parts):
    return os.path.exists(os.path.join(*parts))


features = {
    # The CUDA tree: headers to compile with, NVIDIA's assembler, disassembler.
    "cuda": have(cuda, "include", "cuda.h"),
    "ptxas": have(cuda, "bin", "ptxas"),
    "nvdisasm": have(cuda, "bin", "nvdisasm"),
    # A whole CUDA program: needs what packs device code into the host object.
    "cuda-link": have(cuda, "bin", "ptxas") and have(cuda, "bin", "fatbinary"),
    "fuzzers": config.gevo_have_fuzzers,
    "llvm": config.gevo_have_llvm,
    "plugin": config.gevo_have_plugin,
    # gevo-search over ranks.
    "mpi": have(build, "lib", "libGevoMPI.so") and shutil.which("mpirun") is not None,
    "asan": "address" in config.gevo_sanitize,
}
config.available_features.update(name for name, there in features.items() if there)
