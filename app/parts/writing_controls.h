#pragma once

#include "app/parts/frame.h"

namespace headscope {

/// Whether the model predicts the next word.
bool writes_words(Frame& frame);

/// The controls for choosing the next word, and the buttons that continue the text with it, if the model
/// writes_words(). Returns whether a word was appended in this frame.
bool writing_controls(Frame& frame);

/// The controls for how words are sampled, `room` ImGui pixels wide: in one line as high as a slider or, if
/// that is too narrow, in two. Draws nothing if words are not sampled.
void sampling_controls(Frame& frame, float room);
/// The narrowest room for one line of them, in units.
inline constexpr float min_sampling_width = 600.0F;

/// A button that opens a model that writes, where the present one does not.
void open_writer_button(Frame& frame);

}  // namespace headscope
