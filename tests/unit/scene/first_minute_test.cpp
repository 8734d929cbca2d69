#include "core/scene/first_minute.h"

#include <gtest/gtest.h>

#include "core/scene/update.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

using State = FirstMinute::State;

TEST(FirstMinute, WhatASceneShowsIsDone) {
  const FirstMinute offered = FirstMinute::offered();
  Scene scene = start(default_session()).scene;
  EXPECT_EQ(observed(offered, scene), offered);
  scene = update(scene, Edit{SetSentence{"the street was too WIDE"}}).scene;
  const FirstMinute written = observed(offered, scene);
  EXPECT_EQ(written.at(FirstStep::write_wide), State::done);
  EXPECT_EQ(written.at(FirstStep::mask), State::open);
  scene = update(scene, Edit{set_to("attention.causal", true)}).scene;
  scene = update(scene, Undo{}).scene;
  EXPECT_EQ(observed(written, scene), written) << "it is not so any more, and nobody saw it";
  scene = update(scene, Redo{}).scene;
  EXPECT_EQ(observed(written, scene).at(FirstStep::mask), State::done);
}

TEST(FirstMinute, WhatWasDismissedStaysSo) {
  Scene scene = start(default_session()).scene;
  scene = update(scene, Edit{SetSentence{"wide"}}).scene;
  EXPECT_EQ(observed(FirstMinute(), scene), FirstMinute());
  EXPECT_FALSE(FirstMinute().is_open());
}

}  // namespace
}  // namespace headscope
