#include "app/shell/app_palette.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/stage_picker.h"
#include "app/shell/app.h"
#include "app/shell/commands.h"
#include "app/shell/view_record.h"
#include "core/lesson/lessons.h"
#include "core/lesson/read_lesson.h"
#include "core/page/page_record.h"
#include "core/session/names.h"

namespace headscope {
namespace {

std::vector<PaletteCommand> commands_of_palette(const App& app) {
  std::vector<PaletteCommand> listed;
  listed.reserve(all_commands().size());
  for (const Command& command : all_commands()) {
    if (command.is(CommandId::palette) || !is_enabled(app, command.id)) continue;
    PaletteCommand& entry = listed.emplace_back();
    entry.name = command.name;
    entry.shortcut = command.keys();
    entry.also = command.also;
    if (const auto* page = std::get_if<PageName>(&command.id)) {
      const PageRecord& about = page_record(*page);
      const Workspace workspace = about.workspace.value_or(Workspace::explore);
      entry.group = "Page";
      entry.also += " " + std::string(title_of(workspace)) + " " + std::string(name_of_choice(*page));
      entry.about = about.purpose;
      entry.does = opening(*page, app);
    } else {
      entry.group = command.group;
      entry.does = RunCommand{static_cast<int>(std::get<CommandId>(command.id))};
    }
  }
  return listed;
}

/// The program's lessons, and the user's own lessons that could be read.
std::vector<PaletteLesson> lessons_of_palette(const App& app) {
  std::vector<PaletteLesson> lessons;
  for (const LessonFile& file : lesson_files()) {
    std::string name(file.name);
    LessonOutline outline = outline_of_lesson(name, file.text);
    std::string headings;
    for (const std::string& step : outline.steps) headings += step + " ";
    lessons.push_back({std::move(name), std::move(outline.title), std::move(headings)});
  }
  for (const OwnLesson& own : app.screen().scenes.own_lessons)
    if (!own.is_refused)
      lessons.push_back({own.file, own.title, "own " + std::filesystem::path(own.file).stem().string()});
  return lessons;
}

/// The models of the steps that undo can return to, the latest first, with each source listed once. Bundled
/// models are left out because they have separate commands.
std::vector<ModelValue> models_before(const App& app) {
  std::vector<ModelValue> models;
  const auto is_known = [&](const ModelValue& model) {
    const auto same = [&](const ModelValue& other) { return other && other->source == model->source; };
    return same(app.session().model) || std::ranges::any_of(models, same);
  };
  const std::vector<History::Step>& past = app.scene().history.past();
  for (auto step = past.rbegin(); step != past.rend(); ++step) {
    const ModelValue& model = (*step)->model;
    if (!model || model->steps == 0 || model->name == model->task || is_known(model)) continue;
    models.push_back(model);
  }
  return models;
}

}  // namespace

std::shared_ptr<const Palette> palette_of(const App& app) {
  PaletteInputs in{app.session(), commands_of_palette(app), {}, lessons_of_palette(app), models_before(app)};
  if (app.trace()) {
    for (const bool parameters : {false, true}) {
      const auto kinds = pickable_stages(*app.trace(), app.session().selection, parameters);
      in.stages.insert(in.stages.end(), kinds.begin(), kinds.end());
    }
  }
  return std::make_shared<const Palette>(in);
}

}  // namespace headscope
