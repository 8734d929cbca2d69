#pragma once

#include "core/scene/effect.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

// What update() does with the events of a lesson. Without a lesson, these functions do nothing, except for
// begin_lesson().

/// Opens a lesson that was read.
void begin_lesson(Scene& scene, const LessonRead& event, Effects& effects);
/// Goes to a step. The next step leaves the session to the learner if it has no scene of its own.
void go_to_step(Scene& scene, std::size_t step, Effects& effects);
/// Opens the scene of the step again.
void return_to_step(Scene& scene, Effects& effects);
void take_hint(Scene& scene);
/// Tells the answer and opens the scene that shows it, if there is one.
void reveal_answer(Scene& scene, Effects& effects);
/// Moves the session to a share of its way to that of the step.
void move_on(Scene& scene, double share);
/// Takes over what was noticed about the question of the step.
void take_observed(Scene& scene, const LessonWalk& walk);

}  // namespace headscope
