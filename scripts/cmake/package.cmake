# SPDX-License-Identifier: Apache-2.0
# Two Debian packages by cpack: libgarner0 with the shared library, libgarner-dev with the rest. For convenience on one's own
# machines; not made by Debian's rules.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME garner)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The garner authors <garner@localhost>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(garner_runtime_package libgarner${garner_ABI_VERSION})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${garner_runtime_package})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "The shared library.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgarner-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${garner_runtime_package} (= ${PROJECT_VERSION})")
if(GARNER_WITH_TBB)
  # For the archive alone.
  set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS libtbb-dev)
endif()
set(CPACK_COMPONENT_DEV_DESCRIPTION "Headers, archive, CMake package and pkg-config file.")

foreach(package IN ITEMS "runtime;${garner_runtime_package}" "dev;libgarner-dev")
  list(GET package 0 component)
  list(GET package 1 name)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} RENAME copyright COMPONENT ${component}
    EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
