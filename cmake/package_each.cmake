# Read by CPack once for each kind of package.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/bundle.cmake)
else()
  set(CPACK_PRE_BUILD_SCRIPTS "")
endif()
