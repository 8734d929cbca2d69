#include "app/parts/model_controls.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/parts/page_part.h"
#include "app/parts/training_status.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"
#include "core/checkpoint/model_folder.h"
#include "core/model/trained_model.h"
#include "core/page/pages.h"
#include "core/session/presets.h"
#include "core/tasks/task.h"
#include "core/text/number_text.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

constexpr int n_bundled = static_cast<int>(bundled_models.size());

bool is_by_hand(const Preset& preset) {
  return !preset.session.given.empty();
}

/// The presets in the order of the list: first those whose numbers the user types, then the architectures.
const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> all = [] {
    std::vector<Preset> sorted = presets();
    std::stable_partition(sorted.begin(), sorted.end(), is_by_hand);
    return sorted;
  }();
  return all;
}

/// The index of the starting point that the session still matches, with the bundled models first; −1 if it
/// matches none.
int starting_point(const Session& session) {
  if (session.model || !session.task.empty()) {
    const auto found = std::ranges::find_if(bundled_models, [&](const BundledModel& each) {
      return session.model && session.model->name == each.name;
    });
    return found == bundled_models.end() ? -1 : static_cast<int>(found - bundled_models.begin());
  }
  const auto found = std::ranges::find_if(all_presets(), [&](const Preset& preset) {
    return preset.session.architecture == session.architecture &&
           preset.session.tokenizer == session.tokenizer &&
           preset.session.given.empty() == session.given.empty();
  });
  return found == all_presets().end() ? -1 : n_bundled + static_cast<int>(found - all_presets().begin());
}

/// The worked example whose numbers are given in the session. Null if there is none.
const WorkedExample* example_of(const Session& session) {
  const WorkedExample* example = session.given.empty() ? nullptr : worked_example(session.textbook);
  const bool has_numbers = example != nullptr && std::ranges::any_of(example->cases, [&](const auto& each) {
                             return each.session.given == session.given;
                           });
  return has_numbers ? example : nullptr;
}

/// The name of a session that matches no starting point.
std::string custom_name(const Frame& frame) {
  const Session& session = frame.session;
  if (const auto kind = parse_task_name(session.task)) {
    const std::string title(task(*kind).title());
    const bool is_from_folder = session.model && !session.model->name.empty();
    const bool is_random = !session.model || session.model->steps == 0;
    if (is_random && !frame.shows_snapshot()) return title + ", untrained";
    const bool is_own = is_from_folder && !frame.shows_snapshot() && !frame.training;
    return title + (is_own ? ", your own" : ", " + count_text(session.model->steps, "step"));
  }
  if (const WorkedExample* example = example_of(session)) return "Textbook: " + example->heading;
  if (session.model) return session.model->title();
  return session.given.empty() ? "Untrained, own settings" : "Your own numbers";
}

/// A subtitle short enough for the list: “Random · Single attention head”.
std::string subtitle(const Preset& preset) {
  return preset.document.empty() ? "Random weights" : "Random · " + preset.document;
}

std::string where_from(const Preset& preset) {
  if (!preset.session.given.empty()) return "By hand";
  return "Random weights" + (preset.document.empty() ? "" : ", from “" + preset.document + "”");
}

/// Describes the starting point.
void starting_point_text(Frame& frame, int point) {
  if (point < n_bundled) return paragraph(frame.ui, "Untrained: random weights, with the settings below.");
  const Preset& preset = all_presets()[static_cast<std::size_t>(point - n_bundled)];
  paragraph(frame.ui, where_from(preset) + ". " + preset.summary);
  lesson_link(frame, preset.lesson, text_size::small);
  if (!preset.differs.empty()) notice(frame.ui, preset.differs, NoticeKind::information);
}

/// The lines in the list of starting points, and what each does when it is chosen.
struct StartingPoints {
  std::vector<std::string> names, subtitles, headings;
  std::vector<std::function<void(Frame&)>> opens;

  void add(std::string name, std::string subtitle, std::string heading, std::function<void(Frame&)> open) {
    names.push_back(std::move(name));
    subtitles.push_back(std::move(subtitle));
    headings.push_back(std::ranges::find(headings, heading) == headings.end() ? std::move(heading) : "");
    opens.push_back(std::move(open));
  }
};

void add_bundled(StartingPoints& list) {
  for (const BundledModel& model : bundled_models)
    list.add(std::string(model.title) + " (trained)", std::string(model.about), "Trained",
             [name = model.name](Frame& frame) { frame.send(OpenBundled{std::string(name)}); });
}

void add_presets(StartingPoints& list) {
  for (const Preset& preset : all_presets())
    list.add(preset.title, is_by_hand(preset) ? preset.summary : subtitle(preset),
             is_by_hand(preset) ? "By hand" : "Architectures, untrained",
             [&preset](Frame& frame) { frame.emit(load_preset(preset.name)); });
}

void add_files(const Frame& frame, StartingPoints& list) {
  for (const std::string& file : frame.screen.scenes.recent) {
    const std::filesystem::path path(file);
    list.add(path.stem().string(), path.parent_path().string(), "Recent scenes",
             [file](Frame& at) { at.screen.opens_file = file; });
  }
  const std::vector<DiscoveredModel>& shelf = frame.screen.shelf;
  for (const DiscoveredModel& model : shelf)
    list.add(model.name, model.problem.empty() ? model.about : "Cannot be opened: " + model.problem,
             "On this computer", [path = model.path.string()](Frame& at) { at.screen.opens_file = path; });
  list.add(
      "Open a model, a scene or a figure…",
      shelf.empty() ? "Download a model with “hf download openai-community/gpt2”, and it is listed here"
                    : "A folder written by Hugging Face's programs, a GGUF file, or a file of this program",
      shelf.empty() ? "On this computer" : "From a file", [](Frame& at) { at.emit(CommandId::open_file); });
}

/// Describes a model of another program: "GPT-2 with the weights of openai-community/gpt2: 12 layers of 12
/// heads, …"
std::string foreign_model_summary(const TrainedModel& model) {
  const Architecture& a = model.model.architecture;
  if (model.is_capture()) {
    return "Attention that another program computed: " + layers_text(a) + " of " +
           count_text(a.n_heads, "head") + " for one text. The file " +
           (a.has_captured_weights() ? "has the weights themselves, so no setting changes them."
                                     : "has queries and keys, so you can change masks and temperature.");
  }
  const std::string origin = model.trained_on.empty()
                                 ? model.family + " with the weights of " + model.title() + ": "
                                 : model.trained_on + " It has ";
  std::string text = origin + layers_text(a) + " of " + count_text(a.n_heads, "head") + ", " +
                     count_text(model.vocabulary.size(), "token") +
                     ". Its sizes are fixed; you can change masks, temperature and interventions.";
  if (!model.tokenizer) text += " No tokenizer could be read, so sentences are ids.";
  return text;
}

/// Describes trained weights: "Trained for 1,200 steps, knows 5,014 words. Gets 97 % of pronouns right in new
/// sentences of its own kind."
std::string training_summary(const Session& session) {
  const TrainedModel& model = *session.model;
  if (model.is_foreign()) return foreign_model_summary(model);
  std::string said = "Trained for " + count_text(model.steps, "step") + ", knows " +
                     count_text(model.vocabulary.n_ordinary(), "word");
  if (const std::string right = accuracy_text(model); !right.empty()) said += ". Gets " + right;
  if (!model.name.empty() && !is_bundled(model.name)) said += ". From " + model.name;
  return said + ".";
}

void weights_links(Frame& frame) {
  if (frame.session.model && frame.session.model->is_capture()) return;
  if (link(frame.ui, "Untrained", "Random weights for the same architecture", text_size::control,
           ButtonStyle::quiet)) {
    frame.emit(CommandId::open_untrained);
  }
  if (!parse_task_name(frame.session.task)) return;
  continue_line(frame.ui.px(14.0F), link_width(frame.ui, "What it knows"));
  command_link(frame, "What it knows", "Its words, and sentences to try", CommandId::known_words,
               text_size::control, ButtonStyle::quiet);
}

/// Explains, on the training page, what a change of sizes will do. The progress of the training is shown on
/// that page itself.
const char* training_hint(const Session& session) {
  if (corpus_of(session.model))
    return "The text determines the pieces, and you choose the size beside Train; you can also change masks, temperature and interventions.";
  return session.model && session.model->steps > 0
             ? "With other sizes, norms or positions, the model is trained again from random weights. Undo brings these weights back."
             : "Other sizes, norms or positions start again from random weights.";
}

/// The state of the weights, with links to train them or return to random ones. Its height is the same in
/// every state of training and on every page, so nothing moves under the mouse.
void weights_status(Frame& frame) {
  const Session& session = frame.session;
  if (!session.model && session.task.empty()) return;
  constexpr float min_room = 62.0F;
  const Ui& ui = frame.ui;
  const float top = ImGui::GetCursorPosY();
  float room = ui.px(min_room);
  if (session.model && !frame.training)
    room = std::max(room, paragraph_height(ui, training_summary(session)));
  if (session.view == PageName::train) {
    paragraph(frame.ui, training_hint(session));
  } else if (frame.training) {
    training_status(frame);
  } else if (session.model) {
    paragraph(frame.ui, training_summary(session));
  }
  ImGui::SetCursorPosY(top + room + ImGui::GetStyle().ItemSpacing.y);
  weights_links(frame);
}

/// A link that opens a small head whose numbers the user types, or only its page if such a head is already
/// open. Draws nothing if such a head is in view.
void custom_numbers_link(Frame& frame) {
  const bool is_open = frame.trace && is_small_enough(*frame.trace);
  if (is_open && frame.session.view == PageName::by_hand) return;
  if (!link(
          frame.ui, "Your own numbers",
          frame
              .with_keys(
                  "Replaces this sentence and its model by one head of two words, all of whose numbers you can edit; undo brings both back",
                  PageName::by_hand)
              .c_str(),
          text_size::control, ButtonStyle::quiet))
    return;
  if (is_open) return frame.emit(PageName::by_hand);
  const auto smallest = std::ranges::find(all_presets(), PageName::by_hand,
                                          [](const Preset& preset) { return preset.session.view; });
  frame.emit(load_preset(smallest->name));
}

/// The defaults, without weights if the session's weights have been removed.
Subject reachable_defaults(const Session& session, Subject defaults) {
  if (!session.model && session.task.empty() && !defaults.task.empty()) {
    defaults.model = nullptr;
    defaults.task.clear();
  }
  return defaults;
}

}  // namespace

bool has_models_in_bar(const Ui& ui) {
  constexpr float least = 600.0F;
  return ImGui::GetIO().DisplaySize.x >= ui.px(least);
}

void model_menu(Frame& frame, float width) {
  const InlineChild part("model", {width, frame.ui.px(28.0F)});
  StartingPoints list;
  const int point = starting_point(frame.session);
  int selected = std::max(point, 0);
  // A custom session is listed first, so that the list opens at its beginning.
  if (point < 0) list.add(custom_name(frame), "Current settings", "As it is now", [](Frame&) {});
  add_bundled(list);
  add_presets(list);
  list.add("From a textbook…", "Worked examples with their printed numbers", "Textbooks",
           [](Frame& at) { at.emit(SetView{PageName::textbooks}); });
  add_files(frame, list);
  const int before = selected;
  const std::string about =
      (frame.session.model ? training_summary(frame.session) + "\n" : "") +
      "Choose a trained model, an architecture with random weights, or numbers of your own.";
  const bool chosen =
      combo(frame.ui, "##model", list.names, selected, about.c_str(), list.subtitles, list.headings);
  if (chosen && selected != before) list.opens[static_cast<std::size_t>(selected)](frame);
}

void model_controls(Frame& frame) {
  const float top = ImGui::GetCursorPosY();
  if (!has_models_in_bar(frame.ui)) model_menu(frame, ImGui::GetContentRegionAvail().x);
  const bool is_random = !frame.session.model && frame.session.task.empty();
  if (is_random) starting_point_text(frame, starting_point(frame.session));
  weights_status(frame);
  custom_numbers_link(frame);
  // Other settings may have shorter descriptions. While the mouse is on the panel, its height never shrinks,
  // so that neither a drag nor a click brings another slider under the mouse.
  float& room = frame.screen.settings.model_height;
  const float used = ImGui::GetCursorPosY() - top;
  const bool is_under_mouse = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  room = is_under_mouse ? std::max(room, used) : used;
  ImGui::SetCursorPosY(top + room);
}

void remember_defaults(Frame& frame) {
  SettingsPanel& panel = frame.screen.settings;
  const Session& session = frame.session;
  if (corpus_of(session.model) || (session.model && !session.model->name.empty())) {
    if (panel.defaults && panel.defaults->model == session.model) return;
    panel.defaults = defaults_of(session, session.model);
    panel.of = session.model->title();
    return;
  }
  if (!session.task.empty()) {
    if (panel.defaults && panel.defaults->task != session.task) panel.defaults.reset();
    return;
  }
  const int point = session.model ? -1 : starting_point(session);
  if (point < n_bundled) return;
  const Preset& preset = all_presets()[static_cast<std::size_t>(point - n_bundled)];
  if (panel.defaults && panel.of == preset.name) return;
  panel.defaults = preset.session.subject();
  panel.of = preset.name;
}

void defaults_button(Frame& frame) {
  const SettingsPanel& panel = frame.screen.settings;
  std::optional<Subject> of;
  if (panel.defaults) of = reachable_defaults(frame.session, *panel.defaults);
  const bool differs = of && !(with_defaults(frame.session.subject(), *of) == frame.session.subject());
  const std::string tooltip =
      !of ? "Open a model or a starting point first: the original settings are unknown"
      : differs
          ? "Undoes all changes to the settings of “" + panel.of +
                "”: its sizes, weights, masks and attention, interventions and numbers given by hand. The sentence and the picture stay as they are"
          : "Nothing differs from “" + panel.of + "”";
  if (text_button(frame.ui, "Back to this model's defaults", tooltip.c_str(), differs))
    frame.emit(RestoreDefaults{*of});
}

}  // namespace headscope
