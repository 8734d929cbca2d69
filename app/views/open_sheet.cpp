#include <string>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "app/imgui/keys.h"
#include "app/parts/folder_list.h"
#include "app/views/sheets.h"
#include "app/widgets/controls.h"
#include "app/widgets/sheet.h"
#include "app/widgets/text.h"
#include "app/widgets/text_input.h"

namespace headscope {
namespace {

constexpr float open_sheet_width = 620.0F;
constexpr float open_sheet_height = 560.0F;

/// The field for the folder that is listed, or for a file in it. Returns true if the user ends it with Enter.
bool path_line(Frame& frame) {
  OpenForm& form = frame.screen.open_form;
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  if (ImGui::IsWindowAppearing()) frame.ui.give_keyboard_to_next_item();
  text_input(frame.ui, "path", form.folder,
             {.hint = "a folder, or a file with its folder", .selects_all = true});
  const bool entered = ImGui::IsItemDeactivated() && key_held(Key::enter);
  tooltip_for_item(frame.ui, "The folder that is listed, or the file to open; ~ is your home folder");
  return entered;
}

void open(Frame& frame, const std::string& file) {
  frame.screen.opens_file = file;
  frame.screen.open_form.open = false;
}

}  // namespace

void open_sheet(Frame& frame) {
  OpenForm& form = frame.screen.open_form;
  if (!form.open) return;
  Ui& ui = frame.ui;
  const Sheet sheet(ui, "open", form.open, open_sheet_width, open_sheet_height);
  text(ui, "Open", Font::sans_bold, text_size::title, ui.theme().text);
  paragraph(
      ui,
      "A scene, a lesson (NAME.md), a picture that Headscope made, the folder of a model, a GGUF file, a mask, or the weights of an attention module. You can also drop it on the window.",
      ui.theme().quiet);
  const bool entered = path_line(frame);
  const FolderChoice choice = folder_list(ui, form.listing, true);
  if (!choice.folder.empty()) form.folder = choice.folder;
  if (!choice.file.empty()) return open(frame, choice.file);
  // A path that cannot be listed as a folder is taken for a file.
  const bool is_listed = !form.folder.empty() && form.listing.folder == form.folder;
  const bool can_open = is_listed && (form.listing.is_model || !form.listing.problem.empty());
  ImGui::BeginDisabled(is_listed && !can_open);
  const bool is_pressed = button(ui, "Open", "Opens the model in this folder, or the file of this name",
                                 "Enter", ButtonLook::primary);
  ImGui::EndDisabled();
  form.is_entered = form.is_entered || is_pressed || entered;
  if (is_listed && std::exchange(form.is_entered, false) && can_open) return open(frame, form.folder);
  ImGui::SameLine();
  if (button(ui, "Cancel", "Leave everything as it is (Esc)")) form.open = false;
}

}  // namespace headscope
