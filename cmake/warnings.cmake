# Warnings are errors: none is ever left.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow
                    "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor;-Wsuggest-override>"
                    -Wno-missing-field-initializers
                    -Werror -fno-omit-frame-pointer)
# Our assertions name files from the root of the tree, wherever it was built.
add_compile_options(-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-psabi -fdiagnostics-color=always)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" OR KERNSWEEP_SANITIZE)
    # gcc 12 reports these from inside the standard library once it has inlined it (GCC bugs 105329, 105562,
    # 105651).
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-maybe-uninitialized>")
  endif()
  if(CMAKE_UNITY_BUILD)
    # Takes a source that another one includes for a header.
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>")
  endif()
endif()

if(KERNSWEEP_FUZZ STREQUAL "rooms")
  add_compile_options(-fsanitize=fuzzer-no-link)  # libFuzzer follows what ran; the targets alone link it
endif()
if(KERNSWEEP_SANITIZE)
  add_compile_options(-fsanitize=${KERNSWEEP_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KERNSWEEP_SANITIZE})
  add_compile_definitions(KERNSWEEP_SANITIZED)  # the compilers do not agree on a name for it
endif()

find_program(KERNSWEEP_CCACHE ccache)
if(KERNSWEEP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${KERNSWEEP_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${KERNSWEEP_CCACHE})
endif()
find_program(KERNSWEEP_MOLD mold)
if(NOT CMAKE_CROSSCOMPILING AND KERNSWEEP_MOLD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_link_options(-fuse-ld=mold)
endif()
