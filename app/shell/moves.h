#pragma once

#include <vector>

#include "core/trace/trace.h"

namespace headscope {

class App;
struct Session;

/// The stages that steps go through at the selected head, and which of them is selected.
struct StageSteps {
  std::vector<StageId> all;
  int at = 0;  ///< The number of stages if the pass does not have the selected one.
};
StageSteps stage_steps(const Trace& trace, const Session& session);

// Functions that move the selection to a neighbour. After the last one comes the first, unless stated
// otherwise.

void move_head(App& app, int by);
/// Moves on the page of all heads.
void move_on_heads(App& app, int right, int down);
/// Moves through the pass stage by stage and layer by layer, or box by box in the model's diagram. While the
/// page is presented, it stops at the first and the last stage.
void move_stage(App& app, int by);
/// Stops at the first and the last.
void move_token(App& app, int by);
void move_layer(App& app, int by);
/// Goes to another step of the lesson. There is none after the last one.
void move_lesson(App& app, int by);
/// Moves through a presentation: the steps of the lesson or of the page, or the stages of the pass. Reports
/// when the first or the last is reached.
void move_presented(App& app, int by);
/// Moves from the encoder to the decoder, to cross-attention, and back to the encoder.
void next_attention(App& app);

}  // namespace headscope
