# find_package(headscope) provides headscope::core, the engine without a window, and its rooms as headscope::tensor and
# so on. Headers are included as "core/engine/engine.h".
include(${CMAKE_CURRENT_LIST_DIR}/headscopeDependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/headscopeTargets.cmake)
