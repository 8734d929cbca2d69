# The files of assets that are inside the program. The target of a room is called ${room_prefix} and its name.

# headscope_embed(ROOM HEADER FUNCTION FILES…) puts files of assets into the program unchanged.
function(headscope_embed room header function)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${source}
                     COMMAND ${CMAKE_COMMAND} -DOUT=${source} "-DFILES=${ARGN}" -DHEADER=${header}
                             -DFUNCTION=${function} -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake
                     DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed.cmake VERBATIM)
  target_sources(${room_prefix}${room} PRIVATE ${source})
endfunction()
file(GLOB example_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../assets/textbooks/*.json)
headscope_embed(textbook core/textbook/worked_examples.h example_files ${example_files})
file(GLOB preset_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../assets/presets/*.json)
headscope_embed(session core/session/presets.h preset_files ${preset_files})
file(GLOB table_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../assets/grammar/*.json)
headscope_embed(tasks core/tasks/grammar.h table_files ${table_files})
file(GLOB lesson_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../assets/lessons/*.md)
headscope_embed(lesson core/lesson/lesson.h lesson_files ${lesson_files})
file(GLOB capture_files CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../assets/capture/*.py)
headscope_embed(checkpoint core/checkpoint/capture.h capture_scripts ${capture_files})
