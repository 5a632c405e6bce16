# Makes CMake believe that the compiler is an older clang.
set(CMAKE_CXX_COMPILER_VERSION 18.1.8)
