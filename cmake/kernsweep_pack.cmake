# How to build a pack: our own packs (cmake/rooms.cmake) and packs outside this tree
# (KernsweepConfig.cmake).

# kernsweep_pack_target(TARGET NAME [FAMILIES name ...]): turns a MODULE library into the pack NAME.so,
# which exports only its one entry, has a build id, and has no missing library. FAMILIES: the names of all
# of its families, of A-Z a-z 0-9 _ . -, for an index in the file: a run of another family then does not
# load the pack.
function(kernsweep_pack_target target name)
  cmake_parse_arguments(PARSE_ARGV 2 pack "" "" "FAMILIES")
  foreach(family ${pack_FAMILIES})
    if(NOT family MATCHES "^[A-Za-z0-9_.-]+$")
      message(FATAL_ERROR "FAMILIES of ${name}: '${family}' has characters besides A-Z a-z 0-9 _ . -; "
                          "rename the family, or leave out FAMILIES")
    endif()
  endforeach()
  if(pack_FAMILIES)
    list(JOIN pack_FAMILIES "\\\\n" KERNSWEEP_FAMILIES)
    set(index ${CMAKE_CURRENT_BINARY_DIR}/${name}_index.cpp)
    configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/pack_index.cpp.in ${index} @ONLY)
    target_sources(${target} PRIVATE ${index})
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name}
                        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                        POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE
    KERNSWEEP_PACK_BUILD="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}")
  target_link_options(${target} PRIVATE -Wl,--build-id)
  if(NOT KERNSWEEP_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    # A missing library is found here, not on loading; the program provides a sanitizer's functions.
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
