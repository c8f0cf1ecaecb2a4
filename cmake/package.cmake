# What is installed and packaged, and the target that builds only that.
#   bin/kernsweep  libexec/kernsweep/kernsweep-slot{,.so,.py}  lib/kernsweep/packs/*.so
#   share/kernsweep/sweeps  share/kernsweep/report/page.html  share/kernsweep/python/kernsweep
#   bin/kernsweep-check-gpu  libexec/kernsweep/tests/*  include/kernsweep  lib/cmake/Kernsweep
# A program finds the rest relative to itself, so the tree works wherever it is unpacked.

# kernsweep_runtime: everything that a sweep needs and no test. ./kernsweep builds it; ./test builds `all`
# in the same folder and reuses every object.
add_custom_target(kernsweep_runtime)
get_property(packs GLOBAL PROPERTY KERNSWEEP_PACKS)
foreach(target kernsweep kernsweep-slot kernsweep-slot-python ${packs})
  if(TARGET ${target})
    add_dependencies(kernsweep_runtime ${target})
  endif()
endforeach()

include(${CMAKE_CURRENT_LIST_DIR}/report_page.cmake)

# In the .tar.gz, lib/kernsweep has libraries (cmake/bundle.cmake), which take precedence over the system's.
# Programs have an RPATH, not the newer RUNPATH: it also applies to what libraries need in turn, and
# LD_LIBRARY_PATH does not override it. Packs have a RUNPATH, which LD_LIBRARY_PATH overrides, so that a
# sweep can choose its BLAS by it.
function(ks_program target folder library_folder)
  if(NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${library_folder}"
                        BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  install(TARGETS ${target} RUNTIME DESTINATION ${folder} ${ARGN} LIBRARY DESTINATION ${folder} ${ARGN})
endfunction()
ks_program(kernsweep bin ../lib/kernsweep)
configure_file(deploy/check_gpu.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kernsweep-check-gpu COPYONLY)
install(PROGRAMS deploy/check_gpu.sh DESTINATION bin RENAME kernsweep-check-gpu)
ks_program(kernsweep-slot libexec/kernsweep ../../lib/kernsweep)
ks_program(kernsweep-slot-python libexec/kernsweep ../../lib/kernsweep)
if(TARGET kernsweep-slot-python)
  install(FILES worker/slot/python/kernsweep-slot.py DESTINATION libexec/kernsweep)
endif()
# Tests for machines that can only be reached with a package; they are there when `all_tests` was built.
get_property(tests GLOBAL PROPERTY KERNSWEEP_TESTS_TO_GO)
foreach(test ${tests})
  ks_program(${test} libexec/kernsweep/tests ../../../lib/kernsweep OPTIONAL)
endforeach()
foreach(pack ${packs})
  set_target_properties(${pack} PROPERTIES INSTALL_RPATH "$ORIGIN/.." BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${pack} PRIVATE -Wl,--enable-new-dtags)
endforeach()
install(DIRECTORY sweeps/ DESTINATION share/kernsweep/sweeps
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.csv" PATTERN "*.json" PATTERN "*.py")
# The build tree has them in the same place as an installation.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/kernsweep)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/sweeps ${PROJECT_BINARY_DIR}/share/kernsweep/sweeps SYMBOLIC)
# The Python package, for sweeps of kernsweep.engines: slots search it last (kernsweep-slot.py). A wheel has
# it twice, because the measuring Python may belong to another environment.
install(DIRECTORY python/ DESTINATION share/kernsweep/python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python ${PROJECT_BINARY_DIR}/share/kernsweep/python SYMBOLIC)
file(GLOB pack_headers kernels/api/*.h kernels/api/*.hpp)
install(FILES ${pack_headers} DESTINATION include/kernsweep)
# Packs outside this tree are built with these; the build tree works as well as an installation.
foreach(file KernsweepConfig.cmake kernsweep_pack.cmake pack_index.cpp.in)
  configure_file(cmake/${file} lib/cmake/Kernsweep/${file} COPYONLY)
  install(FILES cmake/${file} DESTINATION lib/cmake/Kernsweep)
endforeach()
include(CMakePackageConfigHelpers)
write_basic_package_version_file(lib/cmake/Kernsweep/KernsweepConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/lib/cmake/Kernsweep/KernsweepConfigVersion.cmake
        DESTINATION lib/cmake/Kernsweep)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/kernels/api ${PROJECT_BINARY_DIR}/include/kernsweep SYMBOLIC)
install(DIRECTORY docs DESTINATION share/doc/kernsweep FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
foreach(file README.md CHANGELOG.md LICENSE)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${file})
    install(FILES ${file} DESTINATION share/doc/kernsweep)
  endif()
endforeach()

# For the wheel (pyproject.toml), which includes libraries as the .tar.gz does.
install(SCRIPT cmake/bundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)

# The BLAS libraries are data to a sweep, opened by file name: recommended, never linked.
set(recommends "")
file(STRINGS cmake/packages.txt lines REGEX "^run ")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/packages.txt)
foreach(line ${lines})
  string(REGEX REPLACE "^.*\\| *" "" names "${line}")
  separate_arguments(names)
  list(APPEND recommends ${names})
endforeach()
list(JOIN recommends ", " CPACK_DEBIAN_PACKAGE_RECOMMENDS)

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME kernsweep)
set(CPACK_PACKAGE_VENDOR "The Kernsweep authors")
set(CPACK_PACKAGE_CONTACT "The Kernsweep authors <kernsweep@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
    "Sweeps kernel variants, threads, data types and library settings, measures each point alone in a clean
process, verifies it, and stores it in an SQLite database that says how every number was obtained.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PACKAGE_FILE_NAME
    ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
# The .deb goes to /usr; the .tar.gz has one folder that runs from anywhere.
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_each.cmake)
include(CPack)
