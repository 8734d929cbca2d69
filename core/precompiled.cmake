# The compiler spends most of its time on headers and on templates that every file instantiates again. Therefore the
# headers that nearly every file of a room includes are precompiled once for all rooms that share them, and the files of
# a room are compiled eight at a time, few enough for a rebuild to take only seconds after an edit. Constants in
# different files of one room need different names for this reason. Sources still include everything that they use:
# tests/walls/includes builds each file by itself.
option(HEADSCOPE_JOINED "Precompile common headers, and compile the files of a room eight at a time" ON)
set(CMAKE_UNITY_BUILD ${HEADSCOPE_JOINED})

set(no_source ${CMAKE_CURRENT_BINARY_DIR}/no_source.cpp)
if(NOT EXISTS ${no_source})
  file(WRITE ${no_source} "")
endif()

# headscope_precompiled_headers(NAME LIBRARIES… HEADERS… [OPTIONS…]) defines a set of headers, the libraries that they
# belong to, and the compiler options that they are precompiled with.
function(headscope_precompiled_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 set "" "" "LIBRARIES;HEADERS;OPTIONS")
  if(HEADSCOPE_JOINED)
    add_library(headscope_headers_${name} OBJECT ${no_source})
    target_link_libraries(headscope_headers_${name} PRIVATE headscope_options ${set_LIBRARIES})
    target_precompile_headers(headscope_headers_${name} PRIVATE ${set_HEADERS})
    target_compile_options(headscope_headers_${name} PRIVATE ${set_OPTIONS})
    # A precompiled header records when its headers were written. One that was cached before a checkout would not
    # recognise them, and they would be defined twice.
    set_target_properties(headscope_headers_${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
    set_property(TARGET headscope_headers_${name} PROPERTY headscope_set "LIBRARIES;${set_LIBRARIES};HEADERS;${set_HEADERS}")
  endif()
endfunction()

# headscope_use_precompiled_headers(TARGET NAME [OPTIMISATION]). OPTIMISATION is the level of a target that asks for
# more than the build type does. GCC 13 and newer reject headers that were precompiled at a lower level, so such targets
# share a separate set.
function(headscope_use_precompiled_headers target name)
  if(NOT HEADSCOPE_JOINED)
    return()
  endif()
  if(ARGC GREATER 2 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    set(own "${name}${ARGV2}")
    if(NOT TARGET headscope_headers_${own})
      get_target_property(set headscope_headers_${name} headscope_set)
      headscope_precompiled_headers(${own} ${set} OPTIONS $<$<CONFIG:Release>:${ARGV2}>)
    endif()
    set(name ${own})
  endif()
  target_precompile_headers(${target} REUSE_FROM headscope_headers_${name})
endfunction()

set(standard_headers
    <algorithm> <array> <atomic> <charconv> <cmath> <compare> <concepts> <cstddef> <cstdint> <exception> <filesystem>
    <functional> <initializer_list> <limits> <map> <memory> <mutex> <new> <numeric> <optional> <set> <span> <string>
    <string_view> <system_error> <tl/expected.hpp> <type_traits> <unordered_map> <utility> <variant> <vector>)
set(pass_headers
    ${standard_headers} "${PROJECT_SOURCE_DIR}/core/model/pass.h" "${PROJECT_SOURCE_DIR}/core/text/number_text.h"
    "${PROJECT_SOURCE_DIR}/core/trace/trace.h")
set(page_headers
    ${pass_headers} "${PROJECT_SOURCE_DIR}/core/page/page.h"
    "${PROJECT_SOURCE_DIR}/core/page/parts/page_builder.h" "${PROJECT_SOURCE_DIR}/core/session/session.h"
    "${PROJECT_SOURCE_DIR}/core/session/settings.h")
headscope_precompiled_headers(pass LIBRARIES Eigen3::Eigen HEADERS ${pass_headers})
headscope_precompiled_headers(page LIBRARIES Eigen3::Eigen HEADERS ${page_headers})
headscope_precompiled_headers(standard HEADERS ${standard_headers})
