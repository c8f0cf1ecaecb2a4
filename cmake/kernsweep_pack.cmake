# How a pack is built: our own ones (cmake/rooms.cmake), and those outside of this tree
# (KernsweepConfig.cmake).

# kernsweep_pack_target(TARGET NAME): makes of a MODULE library the pack NAME.so, which shows nothing but its
# one entry, has a build id, and misses no library.
function(kernsweep_pack_target target name)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name}
                        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                        POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(${target} PRIVATE
    KERNSWEEP_PACK_BUILD="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}")
  target_link_options(${target} PRIVATE -Wl,--build-id)
  if(NOT KERNSWEEP_SANITIZE AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    # A missing library is found here, not on loading; a sanitizer's functions are the program's.
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
