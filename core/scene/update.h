#pragma once

#include "core/scene/effect.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

struct Update {
  Scene scene;
  Effects effects;
};

/// The scene and effects with which a program begins.
Update start(Session session);

/// Computes the next scene. This is the only way in which the state changes. It is a pure function: the same
/// events applied to the same scene give the same scenes and effects, so a recorded list of events replays
/// what a user saw.
Update update(const Scene& scene, const Event& event);

/// Whether update() may take longer than one frame, because a text before or after the event is long.
bool takes_long(const Scene& scene, const Event& event);

}  // namespace headscope
