#include "tests/gui/monkey/random_events.h"

#include <algorithm>
#include <array>

#include "core/session/presets.h"
#include "tests/gui/monkey/random_files.h"
#include "tests/gui/monkey/random_settings.h"
#include "tests/gui/monkey/random_text.h"
#include "tests/unit/session/with.h"

namespace headscope::monkey {
namespace {

std::string at(const char* what, Point p) {
  return std::string(what) + " " + std::to_string(p.x) + ", " + std::to_string(p.y);
}

std::string sized(const char* what, PixelSize size) {
  return std::string(what) + " " + std::to_string(size.width) + " × " + std::to_string(size.height);
}

/// Never returns a modifier. keys() adds modifiers to the chord that it presses.
Key random_key(Dice& dice) {
  switch (dice.whole(0, 3)) {
    case 0:
      return static_cast<Key>(dice.whole(static_cast<int>(Key::a), static_cast<int>(Key::z)));
    case 1:
      return static_cast<Key>(dice.whole(static_cast<int>(Key::f1), static_cast<int>(Key::f12)));
    case 2: {
      constexpr std::array others{Key::space,        Key::minus,         Key::equal,     Key::slash,
                                  Key::left_bracket, Key::right_bracket, Key::digit_1,   Key::digit_0,
                                  Key::keypad_add,   Key::keypad_enter,  Key::apostrophe};
      return dice.of(others);
    }
    default:
      return static_cast<Key>(dice.whole(static_cast<int>(Key::escape), static_cast<int>(Key::end)));
  }
}

}  // namespace

RandomEvents::RandomEvents(AppDriver& driver, Dice& dice, std::filesystem::path folder)
    : driver_(driver), dice_(dice), folder_(std::move(folder)) {}

std::string RandomEvents::act() {
  // Random paths must not be typed into the folder of the file dialog.
  driver_.app().screen().export_form.folder = folder_.string();
  using Kind = std::string (RandomEvents::*)();
  struct Weighted {
    Kind act;
    int weight;
  };
  static constexpr std::array<Weighted, 14> kinds{{{&RandomEvents::keys, 16},
                                                   {&RandomEvents::clicks, 30},
                                                   {&RandomEvents::drags, 8},
                                                   {&RandomEvents::turns_wheel, 8},
                                                   {&RandomEvents::types, 8},
                                                   {&RandomEvents::pastes, 3},
                                                   {&RandomEvents::runs_command, 20},
                                                   {&RandomEvents::changes_window, 4},
                                                   {&RandomEvents::changes_model, 3},
                                                   {&RandomEvents::changes_settings, 6},
                                                   {&RandomEvents::trains, 2},
                                                   {&RandomEvents::drops_file, 1},
                                                   {&RandomEvents::exports, 1},
                                                   {&RandomEvents::steps_through_history, 6}}};
  int all = 0;
  for (const Weighted& kind : kinds) all += kind.weight;
  int left = dice_.whole(0, all - 1);
  std::size_t chosen = 0;
  for (; left >= kinds[chosen].weight; ++chosen) left -= kinds[chosen].weight;
  return (this->*kinds[chosen].act)();
}

/// A point where something is drawn, or any point, possibly outside the window.
Point RandomEvents::place() {
  const ImDrawData* data = ImGui::GetDrawData();
  if (data != nullptr && data->TotalVtxCount > 0 && !dice_.one_in(4)) {
    int vertex = dice_.whole(0, data->TotalVtxCount - 1);
    for (int i = 0; i < data->CmdListsCount; ++i) {
      const ImVector<ImDrawVert>& vertices = data->CmdLists[i]->VtxBuffer;
      if (vertex < vertices.Size) return {vertices[vertex].pos.x + 1.0F, vertices[vertex].pos.y + 1.0F};
      vertex -= vertices.Size;
    }
  }
  const PixelSize size = driver_.window().framebuffer_size();
  return {dice_.real(-5.0F, static_cast<float>(size.width) + 5.0F),
          dice_.real(-5.0F, static_cast<float>(size.height) + 5.0F)};
}

std::string RandomEvents::keys() {
  const Chord chord{random_key(dice_), dice_.one_in(4), dice_.one_in(4), dice_.one_in(8)};
  driver_.window().press(chord);
  return "key " + chord_name(chord);
}

std::string RandomEvents::clicks() {
  const Point p = place();
  const auto button = static_cast<MouseButton>(dice_.one_in(6) ? dice_.whole(1, 2) : 0);
  const bool with_ctrl = dice_.one_in(8);
  if (with_ctrl) driver_.window().key_down(Key::left_control);
  for (int i = dice_.one_in(6) ? 2 : 1; i > 0; --i) driver_.window().click(p.x, p.y, button);
  if (with_ctrl) driver_.window().key_up(Key::left_control);
  return at(button == MouseButton::left ? "click" : "click of another button", p);
}

std::string RandomEvents::drags() {
  const Point from = place();
  const Point to = place();
  driver_.window().drag(from, to);
  return at("drag", from) + at(" to", to);
}

std::string RandomEvents::turns_wheel() {
  const Point p = place();
  const bool with_ctrl = dice_.coin();
  const float turns = dice_.one_in(10) ? dice_.real(-1000.0F, 1000.0F) : dice_.real(-2.0F, 2.0F);
  driver_.window().mouse_move(p.x, p.y);
  if (with_ctrl) driver_.window().key_down(Key::left_control);
  driver_.window().mouse_wheel(dice_.one_in(5) ? turns : 0.0F, turns);
  if (with_ctrl) driver_.window().key_up(Key::left_control);
  return at("wheel", p) + " by " + std::to_string(turns);
}

std::string RandomEvents::types() {
  const std::string text = random_text(dice_);
  if (dice_.coin()) driver_.window().press(command(CommandId::edit_sentence).chord);
  driver_.window().type(text);
  return "type " + readable(text);
}

std::string RandomEvents::pastes() {
  const std::string text = random_paste(dice_);
  if (!dice_.one_in(4)) driver_.window().press(command(CommandId::edit_sentence).chord);
  if (!dice_.one_in(4)) driver_.window().press({Key::a, true});
  driver_.window().set_clipboard(text);
  driver_.window().press({Key::v, true});
  return "paste " + readable(text);
}

std::string RandomEvents::runs_command() {
  const Command& chosen = dice_.of(all_commands());
  // Files are written one by one beside the window. Many at once would only wait for each other.
  if (chosen.group == std::string("File") && !dice_.one_in(10)) return "no file";
  if (dice_.coin()) {
    driver_.window().press(chosen.chord);
  } else {
    driver_.app().run(chosen.id);
  }
  return "command " + std::string(chosen.name);
}

std::string RandomEvents::changes_window() {
  if (dice_.one_in(3)) {
    const float factor = dice_.real(0.5F, 2.0F);
    driver_.app().zoom_interface(factor);
    return "interface scale times " + std::to_string(factor);
  }
  constexpr std::array<PixelSize, 4> usual{{{1280, 800}, {1920, 1080}, {3840, 2160}, {320, 240}}};
  const PixelSize size =
      dice_.coin() ? dice_.of(usual) : PixelSize{dice_.log_uniform(1, 7680), dice_.log_uniform(1, 4320)};
  driver_.window().resize(size);
  return sized("window", size);
}

std::string RandomEvents::changes_model() {
  if (dice_.coin()) {
    constexpr std::array models{CommandId::open_pronouns, CommandId::open_copying, CommandId::open_reversing,
                                CommandId::open_untrained};
    const CommandId model = dice_.of(models);
    driver_.app().run(model);
    return "model: " + std::string(command(model).name);
  }
  if (dice_.coin()) {
    const std::vector<Preset> all = presets();
    const Preset& preset = dice_.of(all);
    driver_.app().apply(load_preset(preset.name));
    return "preset " + preset.name;
  }
  driver_.app().apply(
      test::with(driver_.session(), random_architecture(dice_, driver_.session().architecture)));
  return "sizes";
}

std::string RandomEvents::changes_settings() {
  const Action action = random_action(dice_, driver_.session());
  driver_.app().apply(action);
  return "action " + std::to_string(action.index());
}

std::string RandomEvents::trains() {
  constexpr std::array orders{CommandId::train, CommandId::train, CommandId::train_step,
                              CommandId::train_reset, CommandId::show_latest_weights};
  const auto progress = driver_.app().scene().training.progress;
  if (progress && !progress->kept.empty() && dice_.coin()) {
    driver_.app().apply(ShowWeights{dice_.of(progress->kept)});
    return "look back";
  }
  const CommandId order = dice_.of(orders);
  driver_.app().run(order);
  return "training: " + std::string(command(order).name);
}

std::string RandomEvents::drops_file() {
  const int n = driver_.app().trace() ? driver_.trace().n_tokens() : 1;
  const std::filesystem::path file = random_file(dice_, folder_, n);
  driver_.window().drop_file(file.string());
  return "drop " + file.filename().string();
}

std::string RandomEvents::exports() {
  ExportRequest request;
  request.kind = static_cast<ExportKind>(dice_.whole(0, 5));
  request.format = static_cast<FileType>(dice_.whole(0, 2));
  request.scale = dice_.one_in(10) ? 4 : 1;
  request.folder = dice_.one_in(10) ? (folder_ / "not there").string() : folder_.string();
  driver_.app().start_export(request);
  return "export of kind " + std::to_string(static_cast<int>(request.kind));
}

std::string RandomEvents::steps_through_history() {
  const bool back = dice_.coin();
  const int n = dice_.log_uniform(1, 20);
  for (int i = 0; i < n; ++i) {
    if (back && driver_.app().can_undo()) driver_.app().undo();
    if (!back && driver_.app().can_redo()) driver_.app().redo();
  }
  return (back ? "undo " : "redo ") + std::to_string(n);
}

}  // namespace headscope::monkey
