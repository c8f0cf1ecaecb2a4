# Runs when everything is in the folder that becomes the .tar.gz (by CPack) or the wheel (the component
# `bundle` of its installation): adds what a machine with only a glibc needs.
#   lib/kernsweep/*.so.*                    libraries, under the names by which they are loaded
#   share/doc/kernsweep/licenses/PACKAGE    the terms of each package that something here comes from
#
# Adds everything that our programs and packs need, except glibc's own libraries, which belong to the
# machine's loader; and the BLAS libraries that sweeps open by name. It adds no Python: functions are
# measured in the user's own.
# Our programs find these libraries by an RPATH (cmake/package.cmake), which also applies to what their
# libraries need in turn. So a copy is identical to the file of the Debian package, and results measured
# with it carry the hash of that library.
# libstdc++ and libgcc_s are added too and take precedence, even over newer ones: so the tested version
# runs, and the loader cannot choose the newer of two. docs/guides/install.md says who removes them, and the
# effect.
if(CPACK_TEMPORARY_INSTALL_DIRECTORY)
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
else()
  set(root $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
endif()
set(of_glibc "^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|anl|mvec|nss_.*))\\.so(\\..*)?$")
# Large, and specific to one driver: a machine with a GPU has its own.
set(of_nvidia "^lib(cuda|cudart|cublas.*|cudnn.*|nvrtc.*|nvJitLink|nvidia-.*)\\.so(\\..*)?$")

function(files_of_package result package pattern)
  execute_process(COMMAND dpkg-query --listfiles ${package} OUTPUT_VARIABLE listed ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" listed "${listed}")
  list(FILTER listed INCLUDE REGEX "${pattern}")
  set(${result} ${listed} PARENT_SCOPE)
endfunction()

# package_of(RESULT FILE): a package may list a file under /lib, from before /lib became a link to /usr/lib.
function(package_of result file)
  file(REAL_PATH ${file} real)
  string(REGEX REPLACE "^/usr/" "/" short ${real})
  foreach(path ${real} ${short})
    execute_process(COMMAND dpkg-query --search ${path} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:, ]+)")
      set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "bundle: no Debian package holds ${file}, so nothing is known of its licence; make the"
                      " .tar.gz where all libraries come from Debian's packages, or a .deb (cpack -G DEB)")
endfunction()

# names_in(RESULT GROUP...): the packages of these groups of cmake/packages.txt.
function(names_in result)
  list(JOIN ARGN "|" groups)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/packages.txt lines REGEX "^(${groups}) ")
  list(TRANSFORM lines REPLACE "^.*\\| *" "")
  list(JOIN lines " " names)
  separate_arguments(names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

# take_terms(PACKAGE...): its copyright file, and the licences that this file refers to.
function(take_terms)
  set(folder ${root}/share/doc/kernsweep/licenses)
  foreach(package ${ARGN})
    set(terms /usr/share/doc/${package}/copyright)
    if(NOT EXISTS ${terms})
      message(FATAL_ERROR "bundle: ${terms} is missing, which must go along with files of ${package}: "
                          "apt-get install --reinstall ${package}")
    endif()
    file(REAL_PATH ${terms} real)
    file(COPY_FILE ${real} ${folder}/${package})
    file(STRINGS ${real} lines REGEX "/usr/share/common-licenses/")
    foreach(line ${lines})
      if(line MATCHES "/usr/share/common-licenses/([A-Za-z]+(-[0-9.]*[0-9])?)")
        file(REAL_PATH /usr/share/common-licenses/${CMAKE_MATCH_1} whole)
        if(EXISTS ${whole})
          file(COPY_FILE ${whole} ${folder}/common-licenses/${CMAKE_MATCH_1})
        endif()
      endif()
    endforeach()
  endforeach()
endfunction()

file(GLOB programs ${root}/bin/kernsweep ${root}/libexec/kernsweep/kernsweep-slot
     ${root}/libexec/kernsweep/tests/*)
file(GLOB packs ${root}/lib/kernsweep/packs/*.so ${root}/libexec/kernsweep/*.so)
set(opened "")  # by name, by sweeps
names_in(run run)
foreach(package ${run})
  files_of_package(blas ${package} "/lib(openblas|blis)\\.so\\.[0-9]+$")
  if(NOT blas)
    message(WARNING "bundle: ${package} is not installed; hosts without it can not sweep its library")
  endif()
  list(APPEND opened ${blas})
endforeach()
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} LIBRARIES ${opened} MODULES ${packs}
     RESOLVED_DEPENDENCIES_VAR needed UNRESOLVED_DEPENDENCIES_VAR missing
     PRE_EXCLUDE_REGEXES ${of_glibc} ${of_nvidia})
if(missing)
  message(FATAL_ERROR "bundle: this machine does not have ${missing}")
endif()

set(owners "")
file(MAKE_DIRECTORY ${root}/share/doc/kernsweep/licenses/common-licenses)
foreach(library ${needed} ${opened})
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} real)
  file(COPY_FILE ${real} ${root}/lib/kernsweep/${name})
  package_of(owner ${library})
  list(APPEND owners ${owner})
endforeach()
# What our own files contain: headers, static libraries, and the chart library of reports.
names_in(compiled build)
if(EXISTS ${root}/libexec/kernsweep/tests)
  list(APPEND compiled libgtest-dev)
endif()
list(FILTER compiled INCLUDE REGEX "-dev$|^node-")
foreach(package ${compiled})
  files_of_package(listed ${package} "/copyright$")
  if(listed)  # python3-dev may be missing: then there is no pack for it
    list(APPEND owners ${package})
  endif()
endforeach()
list(REMOVE_DUPLICATES owners)
take_terms(${owners})
list(LENGTH needed count)
message(STATUS "bundle: ${count} libraries and ${opened} brought along")
