#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lesson/condition.h"
#include "core/lesson/prose.h"
#include "core/session/session.h"

namespace headscope {

/// What a step points at: a control of the window, or a part of the map of a stage.
struct LessonFocus {
  int line = 0;
  std::string text;  ///< As it stands in the lesson.
  enum class Kind { control, cell, row, column, head };
  Kind kind = Kind::control;
  const Setting* setting = nullptr;  ///< The setting of a control.
  StagePlace stage;                  ///< The stage of a cell, a row or a column.
  std::string row, column;           ///< Tokens or indices, as in conditions.
  HeadPlace head;                    ///< The head, by layer and head.
};

/// What is said if the learner does something that is not what was asked for.
struct WrongAnswer {
  Condition when;
  Prose says;
};

/// A question that is answered by doing.
struct LessonQuestion {
  int line = 0;  ///< The line of the file on which it begins.
  Prose asks;
  Condition expect;
  std::vector<WrongAnswer> wrong;
  Prose hint;    ///< May be empty.
  Prose reveal;  ///< The answer and its reason.
  /// The session that shows the answer. Empty if the learner has to find it without being shown.
  std::optional<Session> shown;
  std::string lacks;  ///< What that session needs and what is not there, as a message.
};

/// What the text of a step relies on, which a check computes.
struct LessonClaim {
  int line = 0;
  std::string text;
  Condition holds;
};

/// What a step shows.
struct LessonScene {
  LessonScene() = default;
  LessonScene(Session shown) : session(std::move(shown)) {}

  Session session;
  /// What the scene needs and what is not there, such as a model, as a message. The session is then that of
  /// the step before. Empty if nothing is missing.
  std::string lacks;
  bool is_unread = false;  ///< Its words, or those of the scene that it changes, have a mistake.
  std::shared_ptr<const std::string>
      picture;  ///< The PNG file that shows what is missing. Null if there is none.
};

/// A step without a scene of its own has that of the step before.
struct LessonStep : LessonScene {
  int line = 0;
  std::string title;
  Prose says;
  bool has_scene = false;  ///< It has a scene of its own.
  int scene_line = 0;      ///< The line on which that begins, or else that of the step.
  std::vector<LessonFocus> focus;
  std::vector<LessonClaim> claims;
  /// The settings whose controls the step leaves out of the panel, and those that it shows but locks.
  std::vector<const Setting*> hidden, locked;
  std::vector<PageName> pages;  ///< The pages that the step keeps to. Empty for all.
  std::optional<LessonQuestion> question;

  bool hides(const Setting& setting) const { return has(hidden, setting); }
  bool locks(const Setting& setting) const { return has(locked, setting); }
  bool keeps(PageName page) const { return pages.empty() || std::ranges::find(pages, page) != pages.end(); }

 private:
  static bool has(const std::vector<const Setting*>& settings, const Setting& setting) {
    return std::ranges::find(settings, setting.key, &Setting::key) != settings.end();
  }
};

/// A text in steps that moves the program to what it speaks of. Immutable once it has been read.
struct Lesson {
  std::string name;  ///< The name of its file without the extension.
  std::string file;  ///< The file that it was read from. Empty for the program's own.
  std::string text;  ///< The contents of that file.
  std::string title;
  Prose summary;  ///< What it is about: the text above the first step.
  std::vector<LessonStep> steps;

  /// What opens it again: its file or, if it is the program's own, its name.
  const std::string& id() const { return file.empty() ? name : file; }
};

/// How far a learner has come: the last step that was reached in each lesson, from 1, by Lesson::id().
using LessonProgress = std::map<std::string, int>;

/// What a list shows about one of the user's own lessons.
struct OwnLesson {
  std::string file;
  std::string title;
  std::string about;        ///< The beginning of what stands above its first step, in one line.
  int n_steps = 0;          ///< 0 if that is not known.
  bool is_refused = false;  ///< It could not be read when it was last opened.
  bool operator==(const OwnLesson&) const = default;
};

/// A lesson as it is in assets/lessons. The build puts these files into the program.
struct LessonFile {
  std::string_view name;
  std::string_view text;
};

/// The lessons of the program in the order in which they are best read: their names begin with numbers.
std::span<const LessonFile> lesson_files();

/// The lesson with this name, or null if there is none.
const LessonFile* lesson_file(std::string_view name);

}  // namespace headscope
