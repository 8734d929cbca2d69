#include "core/scene/update.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/checkpoint/language_model.h"
#include "core/checkpoint/model_folder.h"
#include "core/engine/opening.h"
#include "core/overloaded.h"
#include "core/scene/effect.h"
#include "core/scene/event.h"
#include "core/scene/scene.h"
#include "core/session/repair.h"
#include "core/session/setting.h"
#include "core/session/setting_change.h"
#include "core/text/texts.h"

namespace headscope {
namespace {

// Handlers of lesson events. Without a lesson, they do nothing, except for begin_lesson().

/// Applies the present theme, which belongs to the window, to a session.
Session in_present_theme(const Scene& scene, Session session) {
  session.picture.theme = scene.session().picture.theme;
  return session;
}

/// Opens a session of the lesson, at once or animated through its decimal settings.
void open_session(Scene& scene, const Session& session, Effects& effects) {
  LessonState& lesson = *scene.lesson;
  Session opened = in_present_theme(scene, session);
  lesson.motion.reset();
  scene.file_without_model.clear();
  if (can_animate(scene.session(), opened)) {
    lesson.motion = LessonState::Motion{
        scene.history.step(), std::make_shared<const Session>(std::move(opened)), scene.history.step()};
    lesson.opened = lesson.motion->to;
    return;
  }
  suspend_training(scene.training, effects);
  constexpr bool continues_gesture = false;
  scene.history.apply(OpenSession{std::move(opened)}, continues_gesture);
  lesson.opened = scene.history.step();
}

bool is_same_file(const LessonState& place, const Lesson& lesson) {
  return !lesson.file.empty() && place.walk.lesson->file == lesson.file;
}

/// The session of a step: its scene or, once its question has been answered, the scene of the answer.
const Session& session_of_step(const LessonWalk& walk) {
  const auto& question = walk.at().question;
  const bool is_answered = walk.here().is_revealed || walk.here().is_right;
  return is_answered && question && question->shown ? *question->shown : walk.at().session;
}

/// The cover of a step whose numbers the learner has found: that of the next step about the same text that
/// still asks for numbers, which this one must not reveal.
Cover cover_after(const LessonWalk& walk) {
  const Session& here = walk.at().session;
  for (std::size_t i = walk.step + 1; i < walk.answered.size(); ++i) {
    const Session& later = walk.lesson->steps[i].session;
    const bool is_asked = later.cover.stage && !walk.answered[i].is_right && !walk.answered[i].is_revealed;
    if (is_asked && later.sentence == here.sentence && later.target == here.target) return later.cover;
  }
  return {};
}

/// Opens the scene of the step.
void open_step(Scene& scene, Session shown, Effects& effects) {
  if (scene.lesson->walk.here().is_right) shown.cover = cover_after(scene.lesson->walk);
  open_session(scene, shown, effects);
}

/// Reopens the scene of the step: that of the answer if it was revealed, that of the question if the learner
/// found the answer.
void return_to_step(Scene& scene, Effects& effects) {
  if (!scene.lesson) return;
  const LessonWalk& walk = scene.lesson->walk;
  open_step(scene, walk.here().is_revealed ? session_of_step(walk) : walk.at().session, effects);
}

/// Whether a session has the texts, the weights and the given numbers of a scene.
bool is_of_scene(const Session& session, const Session& scene) {
  return session.sentence == scene.sentence && session.target == scene.target &&
         session.model == scene.model && session.given == scene.given;
}

bool is_of_lesson(const Session& session, const Lesson& lesson) {
  return std::ranges::any_of(lesson.steps, [&](const LessonStep& step) {
    const bool has_answer = step.question && step.question->shown;
    return is_of_scene(session, step.session) || (has_answer && is_of_scene(session, *step.question->shown));
  });
}

/// The undo step that session_to_save() is made from.
History::Step step_to_save(const Scene& scene) {
  if (!scene.lesson || scene.lesson->is_edited) return scene.history.step();
  const bool is_own = !is_of_lesson(scene.session(), *scene.lesson->walk.lesson);
  return is_own ? scene.history.step() : scene.lesson->before;
}

/// Closes the lesson and restores the session before it, unless the learner has started something else.
void leave_lesson(Scene& scene, Effects& effects) {
  const History::Step kept = step_to_save(scene);
  scene.lesson.reset();
  if (kept == scene.history.step() || *kept == scene.session()) return;
  scene.file_without_model.clear();
  scene.history.apply(OpenSession{in_present_theme(scene, *kept)}, false);
  resume_matching_run(scene.training, scene.session(), effects);
}

/// Opens a lesson that was read. If its text is already open, keeps the undo and redo stacks of its versions.
void begin_lesson(Scene& scene, const LessonRead& event, Effects& effects) {
  if (!scene.lesson && scene.history.can_undo())
    effects.emplace_back(
        ShowMessage{"The lesson shows examples of its own. Undo brings back what was here.", false});
  LessonState opened;
  opened.walk = at_step(started(event.lesson), event.step);
  opened.before = step_to_save(scene);
  opened.opened = scene.history.step();
  if (scene.lesson && is_same_file(*scene.lesson, *event.lesson)) {
    opened.is_writing = scene.lesson->is_writing;
    opened.is_edited = scene.lesson->is_edited;
    effects.emplace_back(ShowMessage{"The file of the lesson was read again.", false});
    if (scene.lesson->walk.lesson->text == event.lesson->text) {
      opened.past = std::move(scene.lesson->past);
      opened.future = std::move(scene.lesson->future);
    }
  }
  scene.lesson = std::move(opened);
  return_to_step(scene, effects);
}

/// Shows the written step of an author's lesson. Keeps the session if it is the scene of the step, or if that
/// scene was open. If undo leads to the scene, undoes to it, so that a change of a lesson and the scene that
/// it opened are undone together.
void show_written(Scene& scene, const Session& open_before, Effects& effects) {
  LessonState& place = *scene.lesson;
  const Session target = in_present_theme(scene, place.walk.at().session);
  if (place.walk.at().session == open_before) return;
  place.motion.reset();
  const std::vector<History::Step>& past = scene.history.past();
  if (target == scene.session()) {
    place.opened = scene.history.step();
  } else if (!past.empty() && *past.back() == target) {
    scene.history.undo();
    resume_matching_run(scene.training, scene.session(), effects);
    place.opened = scene.history.step();
  } else {
    open_session(scene, place.walk.at().session, effects);
  }
}

/// Adopts a written version of an author's lesson. A text equal to the previous or next version is an undo or
/// redo.
void take_written(Scene& scene, const LessonWritten& event, Effects& effects) {
  using enum LessonWritten::Kind;
  if (event.kind == started) {
    scene.is_creating_lesson = false;
    scene.lesson = LessonState{};
    scene.lesson->is_edited = true;
    scene.lesson->walk = at_step(headscope::started(event.lesson), event.step);
    scene.lesson->opened = scene.history.step();
    return effects.push_back(ShowMessage{"Your lesson is kept in " + event.lesson->file + ".", false});
  }
  // The author may have closed the lesson, or opened another one, while it was written.
  if (!scene.lesson || !is_same_file(*scene.lesson, *event.lesson)) return;
  LessonState& place = *scene.lesson;
  LessonState::Version left{place.walk.lesson->text, place.walk.step, nullptr};
  const Session open_before = place.walk.at().session;
  place.is_writing = false;
  place.walk = at_step(headscope::started(event.lesson), event.step);
  show_written(scene, open_before, effects);
  left.at = scene.history.step();
  const auto leads_to = [&](const std::vector<LessonState::Version>& versions) {
    return !versions.empty() && versions.back().text == event.lesson->text;
  };
  if (event.lesson->text == left.text) return;
  if (leads_to(place.past)) {
    place.past.pop_back();
    return place.future.push_back(std::move(left));
  }
  if (leads_to(place.future)) {
    place.future.pop_back();
  } else {
    place.future.clear();
    scene.history.clear_redo();
  }
  constexpr std::size_t max_versions = 100;
  if (place.past.size() == max_versions) place.past.erase(place.past.begin());
  place.past.push_back(std::move(left));
  if (event.kind == step_added)
    effects.emplace_back(ShowMessage{"Step " + std::to_string(event.step + 1) +
                                     " was added. “Write this step”, below the lesson, opens its text."});
}

void refuse_writing(Scene& scene, const LessonWriteFailed& event, Effects& effects) {
  if (event.file.empty())
    scene.is_creating_lesson = false;
  else if (scene.lesson && scene.lesson->walk.lesson->file == event.file)
    scene.lesson->is_writing = false;
  effects.emplace_back(ShowMessage{event.problem, true});
}

/// The version of an author's lesson that undo or redo restores next. Null if the session is next.
const LessonState::Version* next_version(const Scene& scene,
                                         std::vector<LessonState::Version> LessonState::*versions) {
  if (!scene.lesson || ((*scene.lesson).*versions).empty()) return nullptr;
  const LessonState::Version& next = ((*scene.lesson).*versions).back();
  return next.at == scene.history.step() || *next.at == scene.session() ? &next : nullptr;
}

/// Goes to a step. The next step keeps the session if it has no scene of its own.
void go_to_step(Scene& scene, std::size_t step, Effects& effects) {
  if (!scene.lesson) return;
  LessonWalk& walk = scene.lesson->walk;
  const std::size_t before = walk.step;
  walk = at_step(std::move(walk), step);
  if (walk.step == before) return;
  const bool shows_answer = &session_of_step(walk) != &walk.at().session;
  const bool continues = walk.step == before + 1 && !walk.at().has_scene && !shows_answer;
  if (!continues) return open_step(scene, session_of_step(walk), effects);
  scene.lesson->opened = scene.history.step();
}

/// Reveals the answer and opens its scene, if there is one.
void reveal_answer(Scene& scene, Effects& effects) {
  if (!scene.lesson || !scene.lesson->walk.at().question) return;
  LessonWalk& walk = scene.lesson->walk;
  walk.answered[walk.step].is_revealed = true;
  walk.wrong.reset();
  walk.is_attempted = false;
  const auto& shown = walk.at().question->shown;
  if (shown) open_session(scene, *shown, effects);
}

/// Advances the animation to the step's scene to this share.
void move_on(Scene& scene, double share) {
  if (!scene.lesson || !scene.lesson->motion) return;
  LessonState::Motion& motion = *scene.lesson->motion;
  // Undo, or opening anything else, cancels the animation.
  if (scene.history.step() != motion.at) return scene.lesson->motion.reset();
  const bool is_first = motion.share == 0.0;
  motion.share = share;
  scene.history.apply(ChangeSettings{interpolated_changes(*motion.from, *motion.to, share)}, !is_first);
  motion.at = scene.history.step();
  if (share < 1.0) return;
  scene.lesson->motion.reset();
  scene.lesson->opened = scene.history.step();
}

/// Applies the evaluation of the step's question.
void take_observed(Scene& scene, const LessonWalk& walk) {
  if (!scene.lesson || scene.lesson->walk.lesson != walk.lesson || scene.lesson->walk.step != walk.step)
    return;
  scene.lesson->walk = walk;
}

constexpr bool same_gesture = true;
constexpr bool new_gesture = false;

/// Changes the sentence. If the selected token disappears during typing, selects the token that demonstrates
/// the task as soon as it exists, and until then the last word.
void type_sentence(Scene& scene, const SetSentence& action, bool continues) {
  const bool had_token = scene.session().selection.token.has_value();
  scene.history.apply(typed(scene.session(), action), continues);
  scene.lost_selected_token = scene.lost_selected_token || (had_token && !scene.session().selection.token);
  if (!scene.lost_selected_token) return;
  scene.lost_selected_token = !token_of_interest(scene.session());
  scene.history.apply(SelectToken{default_row(scene.session())}, same_gesture);
}

/// Announces a new compared subject that the page does not show.
void announce_compared(const Scene& scene, Effects& effects) {
  if (scene.session().interventions.take_from_compared()) {
    effects.emplace_back(ShowMessage{
        "This cannot be held while an intervention takes numbers from A. Remove the intervention first, or release A."});
    return;
  }
  if (scene.session().view == PageName::compare || scene.session().compared.empty()) return;
  effects.emplace_back(
      ShowMessage{"A is frozen, to compare with; B follows your edits. Compare shows both."});
}

/// Whether an action would change a setting that the step of a lesson hides or locks.
bool changes_what_is_kept(const Scene& scene, const Action& action) {
  const bool sets =
      std::holds_alternative<ChangeSettings>(action) || std::holds_alternative<RestoreDefaults>(action);
  if (!scene.lesson || !sets) return false;
  const LessonStep& step = scene.lesson->walk.at();
  std::vector<const Setting*> kept = step.hidden;
  kept.insert(kept.end(), step.locked.begin(), step.locked.end());
  if (kept.empty()) return false;
  const Session after = reduce(scene.session(), action);
  return std::ranges::any_of(kept, [&](const Setting* setting) {
    const Setting& of_mask = of_selected_mask(scene.session(), *setting);
    return !same_setting(*setting, scene.session(), after) || !same_setting(of_mask, scene.session(), after);
  });
}

void open_bundled(Scene& scene, const OpenBundled& event, Effects& effects);

/// The writing page opens a model that writes, in place of a bundled model that fills in words.
void bring_writer(Scene& scene, PageName before, Effects& effects) {
  const Session& session = scene.session();
  const bool predicts_masked_words = session.architecture.last_stack() == Stack::encoder;
  if (session.view != PageName::decoding || before == PageName::decoding || !predicts_masked_words) return;
  if (scene.lesson || !session.model || !is_bundled(session.model->name)) return;
  if (scene.opens == default_writing_model) return;
  scene.opens_only_for_page = true;
  open_bundled(scene, {std::string(default_writing_model)}, effects);
}

/// Follows the newest snapshot, or looks back.
void set_follows(Scene& scene, bool follows) {
  scene.training.follows = follows;
  scene.pushed.follows = follows;
}

void edit(Scene& scene, const Edit& event, Effects& effects) {
  const PageName page_before = scene.session().view;
  const Action& action = event.action;
  // The learner's edit cancels the animation of a lesson.
  if (scene.lesson) scene.lesson->motion.reset();
  if (const auto* typed = std::get_if<SetSentence>(&action)) {
    return type_sentence(scene, *typed, event.continues);
  }
  if (std::holds_alternative<ShowWeights>(action)) set_follows(scene, false);  // A snapshot was chosen.
  if (std::holds_alternative<OpenModel>(action)) suspend_training(scene.training, effects);
  if (std::holds_alternative<SelectToken>(action)) scene.lost_selected_token = false;
  if (changes_what_is_kept(scene, action))
    return effects.push_back(ShowMessage{"The lesson keeps this setting as it is during this step", true});
  if (const auto* settings = std::get_if<ChangeSettings>(&action)) {
    if (const auto changed = with_changes(scene.session(), settings->changes); !changed)
      return effects.push_back(ShowMessage{"Nothing was changed: " + changed.error().message, true});
  }
  scene.history.apply(action, event.continues);
  const bool changes_compared =
      std::holds_alternative<SetCompared>(action) || std::holds_alternative<SwapCompared>(action);
  const bool is_refused = changes_compared && scene.session().interventions.take_from_compared();
  if (std::holds_alternative<SetCompared>(action) || is_refused) announce_compared(scene, effects);
  if (std::holds_alternative<SetView>(action)) bring_writer(scene, page_before, effects);
  // The running training may not belong to the compared weights.
  if (std::holds_alternative<SwapCompared>(action))
    resume_matching_run(scene.training, scene.session(), effects);
}

constexpr const char* trained_from_scratch =
    "Training has started over from random weights. Undo brings back the trained ones.";

/// Replaces trained weights with random ones as a single undo step. Returns false if there are none.
bool begin_with_random_weights(Scene& scene) {
  const Session& session = scene.session();
  if (!can_train(session) || !session.model || session.model->steps == 0) return false;
  const std::shared_ptr<const Corpus> corpus = open_corpus(session);
  scene.history.apply(train_from_scratch(corpus ? untrained_model(session.architecture, corpus) : nullptr),
                      new_gesture);
  return true;
}

/// If training would start from scratch, replaces the trained weights and announces it, however training was
/// requested.
void restart_with_message(Scene& scene, Effects& effects) {
  if (starts_from_scratch(scene.training, scene.session()) && begin_with_random_weights(scene))
    effects.emplace_back(ShowMessage{trained_from_scratch});
}

/// Opens a model, or random weights if it is null. `training`, if not empty, overrides the training settings
/// of its task.
void open_model(Scene& scene, const ModelRef& model, Effects& effects,
                const std::optional<TrainingSettings>& training = {}) {
  suspend_training(scene.training, effects);
  scene.file_without_model.clear();
  OpenModel action = model ? opening_action(model) : OpenModel{nullptr};
  if (training) action.training = training;
  scene.history.apply(action, new_gesture);
  const Session& opened = scene.session();
  if (!model || model->is_capture()) return;
  const Texts texts = texts_of(opened);
  const std::vector<Token>& tokens = opened.architecture.has_cross() ? texts.target() : texts.sentence();
  const auto selected = opened.selection.token.value_or(-1);
  const bool is_known = selected >= 0 && selected < static_cast<int>(tokens.size());
  if (is_known && is_word(tokens[static_cast<std::size_t>(selected)])) return;
  scene.history.apply(SelectToken{default_row(opened)}, same_gesture);
}

void open_bundled(Scene& scene, const OpenBundled& event, Effects& effects) {
  scene.opens.clear();
  const bool for_page = std::exchange(scene.opens_only_for_page, false);
  if (event.name.empty()) return open_model(scene, nullptr, effects);
  const auto read = scene.training.bundled.find(event.name);
  if (read != scene.training.bundled.end() && read->second) {
    open_model(scene, read->second, effects);
    return;
  }
  scene.opens_only_for_page = for_page;
  scene.opens = event.name;
  scene.training.loading = event.name;
  effects.emplace_back(event);
}

void take_bundled(Scene& scene, const BundledRead& event, Effects& effects) {
  scene.training.bundled[event.name] = event.model;
  if (scene.training.loading == event.name) scene.training.loading.clear();
  if (scene.opens != event.name) return;
  scene.opens.clear();
  const bool for_page = std::exchange(scene.opens_only_for_page, false);
  if (for_page && scene.session().view != PageName::decoding) return;
  if (event.model) {
    open_model(scene, event.model, effects);
  } else {
    effects.emplace_back(ShowMessage{event.problem, true});
  }
}

void open_scene(Scene& scene, const SceneRead& event, Effects& effects) {
  Session opened = in_present_theme(scene, event.session);
  // Otherwise, the bundled weights of the task would be mistaken for the scene's own.
  if (!event.has_model) opened.task.clear();
  suspend_training(scene.training, effects);
  scene.history.apply(OpenSession{std::move(opened)}, new_gesture);
  scene.file_without_model = event.has_model ? "" : event.path;
  effects.emplace_back(SceneOpened{event.path});
  std::string said = "Opened " + event.path;
  if (!event.complaint.empty()) said += ". " + event.complaint;
  if (!event.has_model)
    said += ". Random weights stand in for the model. If it is in another folder, open that folder";
  effects.emplace_back(ShowMessage{std::move(said), !event.complaint.empty()});
}

void open_read_model(Scene& scene, const ModelRead& event, Effects& effects) {
  open_model(scene, event.model, effects, event.training);
  if (event.model->corpus) scene.history.apply(SetView{PageName::train}, new_gesture);
  const std::string unknown = unsupported_parts_text(*event.model);
  const std::string said = "Opened " + event.path;
  effects.emplace_back(unknown.empty() ? ShowMessage{said} : ShowMessage{said + ". " + unknown, true});
}

void open_recovery(Scene& scene, const SceneRead& event, Effects& effects) {
  suspend_training(scene.training, effects);
  scene.history.apply(OpenSession{event.session}, new_gesture);
  if (event.has_model)
    effects.emplace_back(
        AdoptRecovery{event.path});  // Otherwise, the folder still holds weights that could not be read.
  if (!event.complaint.empty()) effects.emplace_back(ShowMessage{event.complaint, true});
}

void add_mask(Scene& scene, const MaskRead& event, Effects& effects) {
  auto masks = selected_mask(scene.session(), scene.session().attention).loaded;
  masks.push_back(event.mask);
  scene.history.apply(set_mask_files(std::move(masks)), new_gesture);
  effects.emplace_back(ShowMessage{"Mask loaded from " + event.path + ". " + event.note});
}

/// Shows weights without an undo step: the history records only the changes of the user.
void show(Scene& scene, const ModelRef& model) {
  if (model) scene.history.apply(ShowWeights{model}, same_gesture);
}

/// Whether the session shows one of the last pushed captures.
bool shows_pushed(const Scene& scene) {
  const ModelRef& model = scene.session().model;
  const auto* source = model ? std::get_if<FolderSource>(&model->source) : nullptr;
  return source != nullptr && source->series > 0 && source->series == scene.pushed.series;
}

/// Whether a capture continues the previous one: same text and size.
bool continues(const TrainedModel& before, const TrainedModel& capture) {
  const bool has_same_mask =
      before.mask && capture.mask ? *before.mask == *capture.mask : before.mask == capture.mask;
  return has_same_mask && before.text == capture.text && before.target_text == capture.target_text &&
         before.vocabulary.words() == capture.vocabulary.words() &&
         before.model.architecture == capture.model.architecture;
}

/// Adopts a pushed capture. The next one of the shown series waits for ShowNewest; any other is opened as one
/// undo step, at the selected place.
void take_pushed(Scene& scene, const TrainedModel& capture, Effects& effects) {
  CaptureSeries& pushed = scene.pushed;
  const bool is_next = pushed.newest && continues(*pushed.newest, capture);
  const bool is_shown = is_next && shows_pushed(scene);
  if (!is_next) {
    constexpr double max_bytes = 512.0 * (1U << 20U);
    const double fit = max_bytes / std::max(capture.resident_bytes(), 1.0);
    const double most = std::clamp(fit, 2.0, static_cast<double>(TrainingProgress::max_kept));
    pushed = {pushed.series + 1, SnapshotHistory(static_cast<std::size_t>(most)), nullptr};
  }
  auto step = std::make_shared<TrainedModel>(capture);
  step->steps = is_next ? pushed.newest->steps + 1 : 0;
  std::get<FolderSource>(step->source).series = pushed.series;
  pushed.newest = step;
  if (pushed.kept.accepts(step->steps)) pushed.kept.keep(step);
  if (is_shown) return;
  pushed.follows = true;
  const Session& now = scene.session();
  Session next = reduce(now, opening_action(pushed.newest));
  next.view = now.view;
  next.selection.layer = now.selection.layer;
  next.selection.head = now.selection.head;
  edit(scene, Edit{OpenSession{repaired(std::move(next), now)}}, effects);
}

/// Reserves the open lesson's file for writing. Returns false if it cannot be written now.
bool begins_to_write(Scene& scene, Effects& effects) {
  if (!scene.lesson || scene.lesson->walk.lesson->file.empty()) return false;
  scene.lesson->is_edited = true;
  const bool waits = std::exchange(scene.lesson->is_writing, true);
  if (waits) effects.emplace_back(ShowMessage{"The lesson is still being written: try again in a moment"});
  return !waits;
}

void change_lesson(Scene& scene, const ChangeLesson& event, Effects& effects) {
  if (!begins_to_write(scene, effects)) return;
  const Lesson& lesson = *scene.lesson->walk.lesson;
  effects.emplace_back(WriteLesson{lesson.file, lesson.text, event.text, event.step});
}

/// Writes the present session into the step of the open lesson, or into a new one after it.
void write_step(Scene& scene, bool is_new, Effects& effects) {
  if (!begins_to_write(scene, effects)) return;
  const LessonWalk& walk = scene.lesson->walk;
  effects.emplace_back(
      WriteStep{walk.lesson->file, walk.lesson->text, walk.step + (is_new ? 1 : 0), is_new, scene.session()});
}

/// Undoes or redoes the last change of the author's lesson, or a step of the session.
void take_back(Scene& scene, std::vector<LessonState::Version> LessonState::*versions,
               void (History::*step)(), Effects& effects) {
  if (const auto* version = next_version(scene, versions))
    return change_lesson(scene, {version->text, version->step}, effects);
  (scene.history.*step)();
  resume_matching_run(scene.training, scene.session(), effects);
}

void obey(Scene& scene, SceneOrder order, Effects& effects) {
  switch (order) {
    case SceneOrder::undo:
      return take_back(scene, &LessonState::past, &History::undo, effects);
    case SceneOrder::redo:
      return take_back(scene, &LessonState::future, &History::redo, effects);
    case SceneOrder::toggle_training:
      restart_with_message(scene, effects);
      return toggle_training(scene.training, scene.session(), effects);
    case SceneOrder::step_training:
      restart_with_message(scene, effects);
      return step_training(scene.training, scene.session(), effects);
    case SceneOrder::reset_training:
      begin_with_random_weights(scene);
      return reset_training(scene.training, scene.session(), effects);
    case SceneOrder::follow_newest:
      return set_follows(scene, true);
    case SceneOrder::show_newest:
      if (is_behind(scene)) show(scene, newest_of(scene));
      return;
    case SceneOrder::restore_step_scene:
      return return_to_step(scene, effects);
    case SceneOrder::close_lesson:
      return leave_lesson(scene, effects);
    case SceneOrder::show_hint:
      if (scene.lesson) scene.lesson->walk.answered[scene.lesson->walk.step].has_hint = true;
      return;
    case SceneOrder::reveal_answer:
      return reveal_answer(scene, effects);
    case SceneOrder::edit_lesson:
      if (scene.lesson) scene.lesson->is_edited = !scene.lesson->walk.lesson->file.empty();
      return;
    case SceneOrder::add_step:
      return write_step(scene, true, effects);
    case SceneOrder::set_step_scene:
      return write_step(scene, false, effects);
  }
}

void handle_event(Scene& scene, const Event& event, Effects& effects) {
  TrainingPlan& training = scene.training;
  const Overloaded handle{
      [&](const Edit& e) {
        const History::Step before = scene.history.step();
        edit(scene, e, effects);
        if (scene.lesson && scene.history.step() != before) scene.lesson->future.clear();
      },
      [&](SceneOrder order) { obey(scene, order, effects); },
      [&](const OpenBundled& e) { open_bundled(scene, e, effects); },
      [&](const LessonRead& e) { begin_lesson(scene, e, effects); },
      [&](const LessonWritten& e) { take_written(scene, e, effects); },
      [&](const LessonWriteFailed& e) { refuse_writing(scene, e, effects); },
      [&](const CreateLesson& e) {
        if (std::exchange(scene.is_creating_lesson, true)) return;
        effects.emplace_back(WriteNewLesson{e.folder, e.introduction, scene.session()});
      },
      [&](const ChangeLesson& e) { change_lesson(scene, e, effects); },
      [&](const GoToStep& e) { go_to_step(scene, e.step, effects); },
      [&](const LessonAnimated& e) { move_on(scene, e.share); },
      [&](const LessonObserved& e) { take_observed(scene, e); },
      [&](const OpenFile& e) {
        effects.emplace_back(ReadFile{e.path, scene.file_without_model});
      },
      [&](const OpenText& e) {
        // Another training would distort the measured time of a step.
        if (training.progress && training.progress->state == TrainingState::running)
          effects.emplace_back(TrainingCommand{.kind = TrainingCommand::Kind::pause});
        effects.emplace_back(e);
      },
      [&](const BundledRead& e) { take_bundled(scene, e, effects); },
      [&](const SceneRead& e) { (e.is_recovery ? open_recovery : open_scene)(scene, e, effects); },
      [&](const ModelRead& e) { open_read_model(scene, e, effects); },
      [&](const MaskRead& e) { add_mask(scene, e, effects); },
      // These are carried out as they are.
      [&]<AlternativeOf<Effect> Same>(const Same& e) { effects.emplace_back(e); },
      [&](const TrainingProgressed& e) { apply_progress(training, e); },
      [&](const CapturePushed& e) { take_pushed(scene, *e, effects); },
  };
  std::visit(handle, event);
}

/// Shows weights in a session with a task and no weights, as soon as there are any.
void settle(Scene& scene, Effects& effects) {
  reconcile_training(scene.training, scene.session(), effects);
  if (scene.session().model) return;
  if (is_behind(scene)) return show(scene, newest_of(scene));
  show(scene, known_weights(scene.training, scene.session()));
}

bool is_long(const Session& session) {
  return is_long_subject(session) || std::ranges::any_of(session.compared, is_long_subject);
}

bool brings_long_text(const Action& action) {
  const Overloaded brings{
      [](const SetSentence& a) { return is_long_text(a.sentence.size()); },
      [](const SetChoices& a) {
        return std::ranges::any_of(
            a.sentences, [](const SetSentence& each) { return is_long_text(each.sentence.size()); });
      },
      [](const SetTarget& a) { return is_long_text(a.target.size()); },
      [](const SetBatch& a) { return is_long_text(bytes_of(a.sentences)); },
      [](const OpenModel& a) { return is_long_text(a.example.size() + a.example_target.size()); },
      [](const OpenSession& a) { return is_long(a.session); },
      [](const auto&) { return false; },
  };
  return std::visit(brings, static_cast<const AnyAction&>(action));
}

}  // namespace

Session session_to_save(const Scene& scene) {
  return in_present_theme(scene, *step_to_save(scene));
}

bool has_changed_scene(const Scene& scene) {
  if (!scene.lesson || scene.lesson->motion) return false;
  return scene.history.step() != scene.lesson->opened && scene.session() != *scene.lesson->opened;
}

bool can_undo(const Scene& scene) {
  return scene.history.can_undo() || next_version(scene, &LessonState::past) != nullptr;
}

bool can_redo(const Scene& scene) {
  return scene.history.can_redo() || next_version(scene, &LessonState::future) != nullptr;
}

Snapshot newest_of(const Scene& scene) {
  const TrainingPlan& plan = scene.training;
  if (plan.run) return plan.progress ? plan.progress->newest : nullptr;
  return shows_pushed(scene) ? scene.pushed.newest : nullptr;
}

bool is_behind(const Scene& scene) {
  const Snapshot newest = newest_of(scene);
  if (!newest) return false;
  const ModelRef& shown = scene.session().model;
  const bool follows = scene.training.run ? scene.training.follows : scene.pushed.follows;
  return !shown || (follows && shown != ModelRef(newest));
}

bool shows_expected_weights(const Scene& scene) {
  const TrainingPlan& plan = scene.training;
  if (!scene.opens.empty()) return false;
  if (!can_train(scene.session())) return !is_behind(scene);
  if (!plan.run && scene.session().model) return true;
  if (!plan.progress) return false;
  return plan.progress->state == TrainingState::running || !plan.progress->newest || !is_behind(scene);
}

Update start(Session session) {
  Update first{Scene(std::move(session)), {}};
  settle(first.scene, first.effects);
  return first;
}

Update update(const Scene& scene, const Event& event) {
  Update next{scene, {}};
  handle_event(next.scene, event, next.effects);
  settle(next.scene, next.effects);
  return next;
}

bool may_block_frame(const Scene& scene, const Event& event) {
  const auto ends_long = [](const std::vector<History::Step>& steps) {
    return !steps.empty() && is_long(*steps.back());
  };
  const auto has_long_step = [](const std::shared_ptr<const Lesson>& lesson) {
    return lesson &&
           std::ranges::any_of(lesson->steps, [](const LessonStep& step) { return is_long(step.session); });
  };
  const History& history = scene.history;
  if (is_long(history.present()) || ends_long(history.past()) || ends_long(history.future())) return true;
  if (scene.lesson && has_long_step(scene.lesson->walk.lesson)) return true;
  const Overloaded brings{
      [](const SceneRead& e) { return is_long(e.session); },
      [&](const LessonWritten& e) { return has_long_step(e.lesson); },
      [&](const LessonRead& e) { return has_long_step(e.lesson); },
      [](const Edit& e) { return brings_long_text(e.action); },
      [](const CapturePushed& e) { return is_long_text(e->text.size() + e->target_text.size()); },
      [](const auto&) { return false; },
  };
  return std::visit(brings, static_cast<const AnyEvent&>(event));
}

}  // namespace headscope
