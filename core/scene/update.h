#pragma once

#include "core/scene/effect.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

struct Update {
  Scene scene;
  Effects effects;
};

/// The initial scene and effects of a program.
Update start(Session session);

/// Computes the next scene. All changes of state go through here. Pure: equal events applied to equal scenes
/// give equal scenes and effects, so a recording of events replays what a user saw.
Update update(const Scene& scene, const Event& event);

/// Whether update() may take longer than a frame, because the text before or after the event is long.
bool may_block_frame(const Scene& scene, const Event& event);

}  // namespace headscope
