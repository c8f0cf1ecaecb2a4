# One static library per room. Includes are written from the root of the tree ("shared/base/result.hpp"),
# so that every #include names the room it enters; tests/tidy checks who may enter which.

# ks_room(NAME SOURCES a.cpp ... [DEPENDS lib ...] [OPTIMIZE 1|2] [COMPUTES]): DEPENDS are public. OPTIMIZE:
# how far a release goes where the usual -O3 gains nothing that a user sees and takes time to build: 2 for
# what decides and remembers, 1 for what reads from a person or writes to one. COMPUTES: tests spend their
# time in the room, so sanitizers get it optimised; all other rooms without, which compiles in half the time.
function(ks_room name)
  cmake_parse_arguments(room "COMPUTES" "OPTIMIZE" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${room_SOURCES})
  if(KERNSWEEP_SANITIZE AND NOT room_COMPUTES)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  if(room_OPTIMIZE)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O${room_OPTIMIZE}>)
  endif()
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${room_DEPENDS})
endfunction()

# ks_replaceable(SOURCE ...): tests replace these files by stand-ins, so each stays a separate object when
# the others of its room are compiled together.
function(ks_replaceable)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

include(cmake/kernsweep_pack.cmake)

# ks_loops(NAME SET ISA BYTES FLAG ...): for ks_pack, its LOOPS for one instruction set.
function(ks_loops name set isa bytes)
  add_library(pack_${name}_${set} OBJECT ${pack_LOOPS})
  set_target_properties(pack_${name}_${set} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
  target_compile_options(pack_${name}_${set} PRIVATE -O3 -ffp-contract=fast ${ARGN})
  target_compile_definitions(pack_${name}_${set} PRIVATE KERNSWEEP_SET=${set} KERNSWEEP_ISA="${isa}"
                                                         KERNSWEEP_VECTOR_BYTES=${bytes})
  target_include_directories(pack_${name}_${set} PRIVATE ${PROJECT_SOURCE_DIR})
  target_sources(pack_${name} PRIVATE $<TARGET_OBJECTS:pack_${name}_${set}>)
endfunction()

# ks_pack(NAME SOURCES ... [FAMILIES ...] [LOOPS a.cpp ...] [DEPENDS ...] [APART a.cpp ...]): a shared
# object behind kernels/api, loaded by a slot at run time. FAMILIES: all of its families; NAME by default.
# LOOPS: sources that are compiled once for each instruction set (kernels/cpu/libraries/of_isa.hpp). By
# default, ISO C++ keeps gcc from fusing a * b + c.
# A kernel is compiled as its user reads it, each source separately. Several are compiled as one if nothing
# is measured (clang-tidy, sanitizers, another processor), and with TOGETHER: for a pack whose sources only
# start code of others. APART: sources that never share an object, because their unnamed namespaces have
# names that other sources of the pack have too.
function(ks_pack name)
  cmake_parse_arguments(pack "TOGETHER" "" "SOURCES;FAMILIES;LOOPS;DEPENDS;APART" ${ARGN})
  if(NOT pack_FAMILIES)
    set(pack_FAMILIES ${name})
  endif()
  add_library(pack_${name} MODULE ${pack_SOURCES})
  if(pack_LOOPS)
    ks_loops(${name} Baseline baseline 16)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      ks_loops(${name} Avx2 avx2 32 -mavx2 -mfma)
      ks_loops(${name} Avx512 avx512f 64 -mavx512f -mfma -mprefer-vector-width=512)
    endif()
  endif()
  set(together OFF)
  if(CMAKE_UNITY_BUILD OR (pack_TOGETHER AND CMAKE_BUILD_TYPE STREQUAL "Release"))
    set(together ON)
  endif()
  set_target_properties(pack_${name} PROPERTIES UNITY_BUILD ${together})
  if(KERNSWEEP_FUZZ STREQUAL "rooms")  # no fuzz target opens a pack
    target_compile_options(pack_${name} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
  set_source_files_properties(${pack_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_include_directories(pack_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(pack_${name} PRIVATE ${pack_DEPENDS})
  target_compile_definitions(pack_${name} PRIVATE KERNSWEEP_PACK_VERSION="${PROJECT_VERSION}")
  kernsweep_pack_target(pack_${name} ${name} FAMILIES ${pack_FAMILIES})
  set_target_properties(pack_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${KERNSWEEP_PACK_DIR})
  install(TARGETS pack_${name} LIBRARY DESTINATION lib/kernsweep/packs)
  set_property(GLOBAL APPEND PROPERTY KERNSWEEP_PACKS pack_${name})
endfunction()

# all_tests: every program that a test starts, without benchmarks; `all` includes them too.
if(KERNSWEEP_TESTS)
  add_custom_target(all_tests)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# ks_needs(NAME DATA): at the end of a folder, writes for tests/kept_results.py what NAME opens and reads:
# what it depends on besides what it links, its folder of sources, and DATA.
function(ks_needs name data)
  set(needs "")
  get_property(opened TARGET ${name} PROPERTY MANUALLY_ADDED_DEPENDENCIES)
  foreach(target ${opened})
    get_target_property(type ${target} TYPE)
    if(type MATCHES "LIBRARY|EXECUTABLE")
      string(APPEND needs "opens $<TARGET_FILE:${target}>\n")
    endif()
  endforeach()
  foreach(path ${CMAKE_CURRENT_SOURCE_DIR} ${data})
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND needs "reads ${path}\n")
  endforeach()
  if(CMAKE_CROSSCOMPILING)
    string(APPEND needs "trusts ${KERNSWEEP_SYSROOT}\n")
  endif()
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.needs CONTENT "${needs}")
endfunction()

# ks_test(NAME SOURCES ... [DEPENDS ...] [LABELS ...] [DATA ...] [OPTIMIZED]): a GoogleTest program, which is
# one of ctest's tests: 2,500 processes take twenty times as long as the programs do. DATA: what it reads
# outside of its folder. OPTIMIZED: it computes much itself. Sanitizers and a busy machine stretch times: the
# limit of each test in it is generous.
function(ks_test name)
  cmake_parse_arguments(test "OPTIMIZED" "" "SOURCES;DEPENDS;LABELS;DATA" ${ARGN})
  add_executable(${name} ${test_SOURCES})
  add_dependencies(all_tests ${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${test_DEPENDS} ks_golden_text GTest::gmock
                        GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  # Tests are built more often than run. Several sources are compiled as one and without optimisation: that
  # takes less than half as long. What they test belongs to other targets, and is built as everywhere.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
  if(KERNSWEEP_FUZZ STREQUAL "rooms")  # libFuzzer follows what the rooms do: a fifth less to compile here
    target_compile_options(${name} PRIVATE -fno-sanitize=fuzzer-no-link)
  endif()
  if(NOT test_OPTIMIZED)
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O0>)
    if(KERNSWEEP_SANITIZE MATCHES "undefined")
      target_compile_options(${name} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  if(NOT test_LABELS)
    set(test_LABELS unit)
  endif()
  # Tests of kernels start further processes, which an emulator cannot do once other tests have made threads.
  set(how "")
  if(CMAKE_CROSSCOMPILING AND "kernels" IN_LIST test_LABELS)
    set(how --alone)
  endif()
  set(limit 300)
  if(KERNSWEEP_SANITIZE OR CMAKE_CROSSCOMPILING)
    set(limit 600)
    list(APPEND how --needs ${CMAKE_CURRENT_BINARY_DIR}/${name}.needs)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL ks_needs ${name} [[${test_DATA}]])")
  endif()
  list(TRANSFORM test_DATA PREPEND ${PROJECT_SOURCE_DIR}/ REGEX "^[^/]" OUTPUT_VARIABLE data)
  math(EXPR of_all "3 * ${limit}")
  # Python by its file: CMake would start the target by the emulator.
  add_test(NAME ${name}
           COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tests/run_program.py
                   ${how} ${name} ${limit} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}>)
  set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" TIMEOUT ${of_all} SKIP_RETURN_CODE 77
                       PROCESSORS ${KERNSWEEP_COMPUTES} REQUIRED_FILES "${data}")
endfunction()
