# find_package(Kernsweep) for packs outside Kernsweep's tree. CMAKE_PREFIX_PATH is the folder that has
# Kernsweep's bin/: of an installation, of the unpacked .tar.gz, or of a build.
#   Kernsweep::pack                      the headers kernsweep/pack.h and kernsweep/pack.hpp, and C++20
#   kernsweep_add_pack(NAME SOURCE ... [FAMILIES name ...])
#     the target NAME, which builds the pack NAME.so; FAMILIES as in kernsweep_pack_target()
get_filename_component(_kernsweep_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH)
get_filename_component(Kernsweep_INCLUDE_DIR "${_kernsweep_here}/../../../include" ABSOLUTE)
if(NOT EXISTS "${Kernsweep_INCLUDE_DIR}/kernsweep/pack.hpp")
  set(Kernsweep_FOUND FALSE)
  set(Kernsweep_NOT_FOUND_MESSAGE
      "${Kernsweep_INCLUDE_DIR}/kernsweep has no pack.hpp: reinstall Kernsweep")
  return()
endif()
include("${_kernsweep_here}/kernsweep_pack.cmake")
if(NOT TARGET Kernsweep::pack)
  add_library(Kernsweep::pack INTERFACE IMPORTED)
  set_target_properties(Kernsweep::pack PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${Kernsweep_INCLUDE_DIR}"
                        INTERFACE_COMPILE_FEATURES cxx_std_20)
endif()

function(kernsweep_add_pack name)
  get_property(_several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT _several)
    message(WARNING "CMAKE_BUILD_TYPE is empty: the kernels of ${name} are compiled without optimisation; "
                    "write set(CMAKE_BUILD_TYPE Release) before project(), or -D CMAKE_BUILD_TYPE=Release")
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 pack "" "" "FAMILIES")
  add_library(${name} MODULE ${pack_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE Kernsweep::pack)
  kernsweep_pack_target(${name} ${name} FAMILIES ${pack_FAMILIES})
endfunction()
