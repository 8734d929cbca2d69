#pragma once

#include <variant>

#include "core/session/session.h"

namespace headscope {

/// Everything that a key or a button can request, except a new value in the session. The record of each
/// command, with its name, its key and its action, is in shell/commands.cpp.
enum class CommandId {
  undo,
  redo,
  open_file,
  save_scene,
  save_scene_as,
  export_figure,
  export_window,
  export_csv,
  export_npy,
  export_sheet,
  export_worksheet,
  copy_figure,
  copy_numbers,
  copy_link,
  open_pronouns,
  open_stories,
  open_copying,
  open_reversing,
  open_untrained,
  known_words,
  search_sentences,
  train,
  train_step,
  train_reset,
  train_newest,
  play_film,
  previous_head,
  next_head,
  head_left,
  head_right,
  head_above,
  head_below,
  previous_layer,
  next_layer,
  next_attention,
  previous_stage,
  next_stage,
  previous_token,
  next_token,
  toggle_causal,
  toggle_train,
  toggle_difference,
  hold,
  release,
  swap_held,
  toggle_head_off,
  edit_numbers,
  toggle_paint,
  toggle_padding_clicks,
  toggle_cover,
  toggle_cover_mode,
  toggle_numbers,
  toggle_theme,
  new_seed,
  unpin,
  edit_sentence,
  palette,
  toggle_controls,
  toggle_inspector,
  present,
  black_out,
  presented_next,
  presented_back,
  lesson_next,
  lesson_back,
  lesson_return,
  lesson_leave,
  lesson_add_step,
  lesson_reload,
  fit_diagram,
  toggle_motion,
  kept_sessions,
  larger,
  smaller,
  usual_size,
  help,
  quit
};

/// What a key can do: carry out a command or open a view.
using CommandOrView = std::variant<CommandId, PageName>;

}  // namespace headscope
