#pragma once

#include <optional>
#include <string>

#include "core/session/session.h"

namespace headscope {

/// Width and height of the page, in figure units, and pixels per unit of a PNG (1 to 4).
struct FigureSize {
  int width = 960;
  int height = 800;
  int scale = 2;
};

/// Which figure of a session.
struct FigureChoice {
  std::optional<StageKind> stage = StageKind::weights;  ///< nothing: all stages of one head on a page
  std::optional<int> head = 0;                          ///< nothing: all heads, one stage
  StageId place;                                        ///< stack, layer and attention of either
  std::optional<int> row;  ///< its label marked; with `column`, the cell outlined
  std::optional<int> column;
  bool diagram = false;  ///< the model's diagram instead, the layer of `place` unfolded

  /// The stage of the figure, or one of its stages.
  StageId main_stage() const {
    StageId id = place;
    id.kind = stage.value_or(StageKind::weights);
    id.head = head.value_or(0);
    return normalized(id);
  }
  /// The default page size: all stages need a taller one.
  FigureSize usual_size() const {
    FigureSize size;
    if (!stage && !diagram) size.height = 1360;
    return size;
  }
};

/// The shell command that reproduces a figure, every argument quoted where the shell needs it: what exported
/// figures carry in their metadata. Names only what differs from default_session(). A batch is written to the
/// program by printf, so that the command needs no file; see can_be_piped().
std::string render_command_text(const Session& session, const FigureChoice& figure, const FigureSize& size,
                                const std::string& out);

/// Whether reading a session's batch from lines gives the same batch: a sentence without words would be left
/// out.
bool can_be_piped(const std::vector<std::string>& batch);

/// One word of a shell: as it is where it is plain, otherwise in single quotes, and where it holds control
/// characters or bytes that are no UTF-8, which not every file that carries a command can hold, as $'\x1b'.
std::string shell_quoted(const std::string& word);

}  // namespace headscope
