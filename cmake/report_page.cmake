# The page of `kernsweep report`: share/kernsweep/report/page.html, one file with its style, its scripts and
# the chart library, into which the program puts the data. Included by cmake/package.cmake, and run as a
# script by the build: cmake -DSITE=... "-DLIBRARY=a.js b.js" "-DTERMS=..." -DOUT=... -P report_page.cmake
#
# The library is D3, as Debian packages it, one file per module (docs/decisions/0015-*). Without it,
# everything else is built, and `kernsweep report` says what to install.

# In the order of their dependencies.
set(d3_modules array path color format interpolate collection time time-format selection scale axis shape)
# Files of the page, in the order in which they are read.
set(page_scripts page_parts points chart answer filters lines heat roofline scaling strips judged troubles
    main)

if(CMAKE_SCRIPT_MODE_FILE)
  cmake_policy(VERSION 3.25)
  # read_all(RESULT FILE...): their concatenated texts.
  function(read_all result)
    set(all "")
    foreach(file ${ARGN})
      file(READ ${file} text)
      string(APPEND all "${text}\n")
    endforeach()
    set(${result} "${all}" PARENT_SCOPE)
  endfunction()

  separate_arguments(LIBRARY)
  list(TRANSFORM page_scripts REPLACE "(.+)" "${SITE}/\\1.js")
  file(READ ${SITE}/page.html page)
  read_all(style ${SITE}/style.css)
  read_all(script ${page_scripts})
  read_all(library ${LIBRARY})
  # All modules have one licence: the copyright of each, then the licence once.
  separate_arguments(TERMS)
  set(terms "")
  foreach(file ${TERMS})
    file(READ ${file} text)
    if(NOT text MATCHES "Upstream-Name: ([^\n]*)" OR NOT text MATCHES "\nLicense: BSD-3-[Cc]lause\n ")
      message(FATAL_ERROR "report_page: ${file} does not say whose the module is under which licence")
    endif()
    string(REGEX MATCH "Upstream-Name: ([^\n]*)" ignored "${text}")
    string(APPEND terms "${CMAKE_MATCH_1}: ")
    string(REGEX MATCH "Copyright: ([^\n]*)" ignored "${text}")
    string(APPEND terms "Copyright ${CMAKE_MATCH_1}\n")
    string(REGEX MATCH "\nLicense: BSD-3-[Cc]lause\n( [^\n]*\n)+" licence "${text}")
  endforeach()
  string(APPEND terms "${licence}")
  # Comments of a library that name a file to fetch would make a browser's tools request it.
  string(REGEX REPLACE "//# sourceMappingURL=[^\n]*" "" library "${library}")
  string(REPLACE "*/" "* /" terms "${terms}")
  foreach(part style library script)
    if("${${part}}" MATCHES "</script|<!--|%%kernsweep:")
      message(FATAL_ERROR "report_page: the ${part} has a text that would end its element")
    endif()
  endforeach()
  string(REPLACE "@STYLE@" "${style}" page "${page}")
  string(REPLACE "@LICENCE@" "/*\n${terms}*/" page "${page}")
  string(REPLACE "@LIBRARY@" "${library}" page "${page}")
  string(REPLACE "@SCRIPT@" "${script}" page "${page}")
  file(WRITE ${OUT} "${page}")
  return()
endif()

set(library "")
set(terms "")
foreach(module ${d3_modules})
  # From this machine, also if the build is for another one.
  find_file(KERNSWEEP_D3_${module} d3-${module}.min.js
            PATHS /usr/share/nodejs/d3-${module}/dist NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  find_file(KERNSWEEP_D3_${module}_TERMS copyright
            PATHS /usr/share/doc/node-d3-${module} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  list(APPEND library ${KERNSWEEP_D3_${module}})
  list(APPEND terms ${KERNSWEEP_D3_${module}_TERMS})
endforeach()
if("${library};${terms}" MATCHES "NOTFOUND")
  message(STATUS "D3 is not installed (cmake/packages.txt): `kernsweep report` will say so")
  return()
endif()
set(site ${PROJECT_SOURCE_DIR}/results/page/site)
set(page ${PROJECT_BINARY_DIR}/share/kernsweep/report/page.html)
list(TRANSFORM page_scripts REPLACE "(.+)" "${site}/\\1.js" OUTPUT_VARIABLE sources)
list(JOIN library " " library_words)
list(JOIN terms " " terms_words)
add_custom_command(
  OUTPUT ${page}
  COMMAND ${CMAKE_COMMAND} -DSITE=${site} "-DLIBRARY=${library_words}" "-DTERMS=${terms_words}"
          -DOUT=${page} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${sources} ${site}/page.html ${site}/style.css ${library} ${CMAKE_CURRENT_LIST_FILE}
  VERBATIM)
add_custom_target(report_page ALL DEPENDS ${page})
add_dependencies(kernsweep_runtime report_page)
install(FILES ${page} DESTINATION share/kernsweep/report)
