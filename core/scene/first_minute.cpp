#include "core/scene/first_minute.h"

#include <algorithm>

namespace headscope {
namespace {

bool shows(const Scene& scene, FirstStep step) {
  const Session& session = scene.session();
  switch (step) {
    case FirstStep::write_wide: {
      const Texts texts = texts_of(session);
      return std::ranges::find(texts.sentence(), "wide", &Token::lookup) != texts.sentence().end();
    }
    case FirstStep::mask:
      // A decoder without an encoder is always causal.
      return session.attention.mask.causal && session.architecture.stacks != Stacks::decoder;
    case FirstStep::train:
      return scene.training.was_asked_for;
  }
  return false;
}

}  // namespace

FirstMinute FirstMinute::offered() {
  FirstMinute minute;
  minute.steps.fill(State::open);
  return minute;
}

bool FirstMinute::is_open() const {
  return std::ranges::find(steps, State::open) != steps.end();
}

FirstMinute observed(FirstMinute minute, const Scene& scene) {
  for (std::size_t i = 0; i < minute.steps.size(); ++i) {
    FirstMinute::State& state = minute.steps[i];
    if (state == FirstMinute::State::open && shows(scene, static_cast<FirstStep>(i)))
      state = FirstMinute::State::done;
  }
  return minute;
}

}  // namespace headscope
