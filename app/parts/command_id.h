#pragma once

namespace headscope {

/// Everything that a key or a button can request, other than a new value in the session. shell/commands.cpp
/// has the one record of each: its name, its key and what it does.
enum class CommandId {
  undo,
  redo,
  export_figure,
  export_window,
  export_csv,
  export_npy,
  export_sheet,
  view_explore,
  view_stages,
  view_heads,
  view_model,
  view_positions,
  view_words,
  view_split,
  view_train,
  open_pronouns,
  open_copying,
  open_reversing,
  open_untrained,
  known_words,
  train,
  train_step,
  train_reset,
  train_newest,
  previous_head,
  next_head,
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
  toggle_paint,
  toggle_padding_clicks,
  toggle_numbers,
  toggle_theme,
  new_seed,
  unpin,
  edit_sentence,
  larger,
  smaller,
  usual_size,
  help,
  quit
};

}  // namespace headscope
