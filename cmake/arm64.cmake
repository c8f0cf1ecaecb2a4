# Toolchain: compiles for arm64 on another processor with Debian's cross compiler, against the folder that
# tests/arm64/make_sysroot.sh makes, and runs programs under qemu.
#   cmake --preset arm64 -DKERNSWEEP_SYSROOT=FOLDER
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KERNSWEEP_SYSROOT)
set(CMAKE_SYSROOT ${KERNSWEEP_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # protoc and Python are this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${KERNSWEEP_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${KERNSWEEP_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${KERNSWEEP_SYSROOT}/usr/share/pkgconfig)
# Packs open BLAS libraries by name; only an installation creates the alternatives that lead to them.
set(libraries /usr/lib/aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64 -L ${KERNSWEEP_SYSROOT}
    -E LD_LIBRARY_PATH=${libraries}:${libraries}/openblas-pthread:${libraries}/blis-pthread)
