# The CUDA compiler, if there is one, and kernels that it compiles into data of a pack.
#
# Not CMake's language CUDA: only kernels are compiled here, no host code, and CMake 3.25 does not know that
# nvcc 13 takes -std=c++20.

set(KERNSWEEP_CUDA AUTO CACHE STRING "the pack of CUDA kernels: ON, OFF, or AUTO (where there is an nvcc)")
set_property(CACHE KERNSWEEP_CUDA PROPERTY STRINGS AUTO ON OFF)
set(KERNSWEEP_NVCC_MIN 12.0)

# Machine code for each generation that sweeps target: sm_80 also runs on all other cards of 8.x (code runs
# on later minor versions of its major one), sm_90 on Hopper. The driver compiles PTX for cards without
# machine code here, so one PTX is enough: compute_90 for 10.x, 12.x and later; PTX of compute_80 would
# serve no further card. `compute_90a`, which no later card runs, is for files that request it:
# ARCHITECTURES of ks_fatbins.
#
# A sanitized build has the same architectures, so it can use the cached files of a release.
set(KERNSWEEP_CUDA_ARCHITECTURES
    -gencode=arch=compute_90,code=sm_90
    -gencode=arch=compute_80,code=sm_80
    -gencode=arch=compute_90,code=compute_90)

# ks_find_nvcc(RESULT): RESULT is true if the CUDA pack is to be built; KERNSWEEP_NVCC,
# KERNSWEEP_NVCC_VERSION and KERNSWEEP_CUDA_INCLUDE are set then. Searches CUDACXX, then PATH, then the
# folder of NVIDIA's installer.
function(ks_find_nvcc result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT KERNSWEEP_CUDA STREQUAL "AUTO" AND NOT KERNSWEEP_CUDA)
    message(STATUS "CUDA pack: not built (KERNSWEEP_CUDA is ${KERNSWEEP_CUDA})")
    return()
  endif()
  if(DEFINED ENV{CUDACXX})
    find_program(KERNSWEEP_NVCC NAMES $ENV{CUDACXX})
  endif()
  find_program(KERNSWEEP_NVCC NAMES nvcc)
  find_program(KERNSWEEP_NVCC NAMES nvcc PATHS /usr/local/cuda/bin NO_DEFAULT_PATH)
  set(missing "")
  if(NOT KERNSWEEP_NVCC)
    set(missing "no nvcc in CUDACXX, PATH or /usr/local/cuda/bin")
  else()
    execute_process(COMMAND ${KERNSWEEP_NVCC} --version OUTPUT_VARIABLE said ERROR_QUIET)
    set(version 0)
    if(said MATCHES "release ([0-9]+\\.[0-9]+)")
      set(version ${CMAKE_MATCH_1})
    endif()
    file(REAL_PATH ${KERNSWEEP_NVCC} real)
    get_filename_component(folder ${real} DIRECTORY)
    find_path(KERNSWEEP_CUDA_INCLUDE cuda.h HINTS ${folder}/../include)
    if(version VERSION_LESS KERNSWEEP_NVCC_MIN)
      set(missing "${KERNSWEEP_NVCC} is ${version}, older than ${KERNSWEEP_NVCC_MIN}")
    elseif(NOT KERNSWEEP_CUDA_INCLUDE)
      set(missing "no cuda.h next to ${KERNSWEEP_NVCC}")
    endif()
  endif()
  if(missing AND KERNSWEEP_CUDA STREQUAL "AUTO")
    message(STATUS "CUDA pack: not built (${missing})")
    return()
  elseif(missing)
    message(FATAL_ERROR "KERNSWEEP_CUDA is ${KERNSWEEP_CUDA}, but: ${missing}. Install the CUDA "
                        "Toolkit ${KERNSWEEP_NVCC_MIN} or later, name its nvcc in CUDACXX, or configure "
                        "with -DKERNSWEEP_CUDA=OFF.")
  endif()
  message(STATUS "CUDA pack: built with ${KERNSWEEP_NVCC} ${version}")
  set(KERNSWEEP_NVCC_VERSION ${version} PARENT_SCOPE)
  set(${result} TRUE PARENT_SCOPE)
endfunction()

# ks_fatbins(RESULT SOURCES a.cu ... [ARCHITECTURES -gencode...]): compiles each into a fat binary, a.fatbin
# in the current build folder; RESULT is the list of them. Not compressed, so that a test can read the names
# of the kernels in it. ccache treats --fatbin as linking and caches nothing; kept_fatbin.py does, if there
# is a Python. Kernels may call constexpr functions of the host, such as those of dtype.hpp. A kernel that
# spills registers is an error.
function(ks_fatbins result)
  cmake_parse_arguments(fatbins "" "" "SOURCES;ARCHITECTURES" ${ARGN})
  if(NOT fatbins_ARCHITECTURES)
    set(fatbins_ARCHITECTURES ${KERNSWEEP_CUDA_ARCHITECTURES})
  endif()
  set(kept "")
  find_program(KERNSWEEP_PYTHON3 NAMES python3 HINTS /usr/bin)  # the system's starts fastest
  if(KERNSWEEP_PYTHON3)
    set(kept ${KERNSWEEP_PYTHON3} -B ${PROJECT_SOURCE_DIR}/cmake/kept_fatbin.py)
  endif()
  set(made "")
  foreach(source ${fatbins_SOURCES})
    get_filename_component(name ${source} NAME_WE)
    set(out ${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin)
    set(keep ${kept})
    if(kept)
      list(APPEND keep ${out} ${out}.d)
    endif()
    add_custom_command(
      OUTPUT ${out}
      COMMAND ${keep} ${KERNSWEEP_NVCC} --fatbin -std=c++20 -O3 ${fatbins_ARCHITECTURES} --no-compress
              --expt-relaxed-constexpr
              -Werror all-warnings -Xptxas -Werror,-warn-spills,-warn-lmem-usage -I${PROJECT_SOURCE_DIR}
              -MD -MF ${out}.d -MT ${out} -o ${out} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPENDS ${source} ${KERNSWEEP_NVCC}
      DEPFILE ${out}.d
      COMMENT "Compiling CUDA kernels of ${source}"
      VERBATIM)
    list(APPEND made ${out})
  endforeach()
  set(${result} ${made} PARENT_SCOPE)
endfunction()
