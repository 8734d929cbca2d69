#pragma once

#include "core/scene/effect.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"

namespace headscope {

struct Update {
  Scene scene;
  Effects effects;
};

/// The scene that a program begins with.
Update start(Session session);

/// The only way in which the state changes. Pure: the same events from the same scene on give the same scenes
/// and effects, so that a recorded list of events replays what a person saw.
Update update(const Scene& scene, const Event& event);

}  // namespace headscope
