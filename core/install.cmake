# Installs core/ as a CMake package for other programs: its libraries, its headers and the files that
# find_package(headscope) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/headscope)

get_property(rooms DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
list(FILTER rooms EXCLUDE REGEX "^headscope_headers_")
foreach(target IN LISTS rooms)
  string(REGEX REPLACE "^headscope_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
endforeach()
install(TARGETS ${rooms} EXPORT headscope ARCHIVE COMPONENT development)
install(EXPORT headscope NAMESPACE headscope:: FILE headscopeTargets.cmake DESTINATION ${package_folder}
        COMPONENT development)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/headscope/core
        COMPONENT development FILES_MATCHING PATTERN "*.h")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/headscopeConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES headscopeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/headscopeConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)
install(FILES dependencies.cmake RENAME headscopeDependencies.cmake DESTINATION ${package_folder}
        COMPONENT development)
