#include "core/scene/lesson_update.h"

#include <utility>

namespace headscope {
namespace {

/// Opens a session of the lesson, either at once or on a way that leads through all numbers in between.
void open_session(Scene& scene, const Session& session, Effects& effects) {
  LessonPlace& lesson = *scene.lesson;
  Session opened = session;
  opened.picture.theme = scene.session().picture.theme;  // The theme belongs to the window.
  lesson.motion.reset();
  scene.lacks_model.clear();
  if (moves_smoothly(scene.session(), opened)) {
    lesson.motion = LessonPlace::Motion{
        scene.history.step(), std::make_shared<const Session>(std::move(opened)), scene.history.step()};
    lesson.opened = lesson.motion->to;
    return;
  }
  leave_training(scene.training, effects);
  constexpr bool continues_gesture = false;
  scene.history.apply(OpenSession{std::move(opened)}, continues_gesture);
  lesson.opened = scene.history.step();
}

}  // namespace

bool has_left_scene(const Scene& scene) {
  if (!scene.lesson || scene.lesson->motion) return false;
  return scene.history.step() != scene.lesson->opened && scene.session() != *scene.lesson->opened;
}

void begin_lesson(Scene& scene, const LessonRead& event, Effects& effects) {
  if (!scene.lesson && scene.history.can_undo())
    effects.emplace_back(Say{"The lesson shows examples of its own. Undo brings back what was here.", false});
  scene.lesson = LessonPlace{at_step(begun(event.lesson), event.step), scene.history.step(), {}};
  return_to_step(scene, effects);
}

void go_to_step(Scene& scene, std::size_t step, Effects& effects) {
  if (!scene.lesson) return;
  LessonWalk& walk = scene.lesson->walk;
  const std::size_t before = walk.step;
  walk = at_step(std::move(walk), step);
  if (walk.step == before) return;
  const bool continues = walk.step == before + 1 && !walk.at().has_scene;
  if (!continues) return open_session(scene, walk.at().session, effects);
  scene.lesson->opened = scene.history.step();
}

void return_to_step(Scene& scene, Effects& effects) {
  if (!scene.lesson) return;
  const LessonWalk& walk = scene.lesson->walk;
  const auto& question = walk.at().question;
  const bool shows_answer = question && question->shown && walk.here().is_revealed;
  open_session(scene, shows_answer ? *question->shown : walk.at().session, effects);
}

void take_hint(Scene& scene) {
  if (scene.lesson) scene.lesson->walk.answered[scene.lesson->walk.step].has_hint = true;
}

void reveal_answer(Scene& scene, Effects& effects) {
  if (!scene.lesson || !scene.lesson->walk.at().question) return;
  LessonWalk& walk = scene.lesson->walk;
  walk.answered[walk.step].is_revealed = true;
  walk.wrong.reset();
  const auto& shown = walk.at().question->shown;
  if (shown) open_session(scene, *shown, effects);
}

void move_on(Scene& scene, double share) {
  if (!scene.lesson || !scene.lesson->motion) return;
  LessonPlace::Motion& motion = *scene.lesson->motion;
  // Undo, or anything that was opened meanwhile, has the last word.
  if (scene.history.step() != motion.at) return scene.lesson->motion.reset();
  const bool is_first = motion.share == 0.0;
  motion.share = share;
  scene.history.apply(ChangeSettings{changes_on_the_way(*motion.from, *motion.to, share)}, !is_first);
  motion.at = scene.history.step();
  if (share < 1.0) return;
  scene.lesson->motion.reset();
  scene.lesson->opened = scene.history.step();
}

void take_observed(Scene& scene, const LessonWalk& walk) {
  if (!scene.lesson || scene.lesson->walk.lesson != walk.lesson || scene.lesson->walk.step != walk.step)
    return;
  scene.lesson->walk = walk;
}

}  // namespace headscope
