#include "app/parts/folder_list.h"

#include <algorithm>
#include <string>

#include "app/imgui/imgui_compat.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

std::string within(const FolderListing& listing, const std::string& name) {
  return listing.shown + (listing.shown.ends_with('/') ? "" : "/") + name;
}

}  // namespace

FolderChoice folder_list(Ui& ui, const FolderListing& listing, bool with_files) {
  FolderChoice choice;
  text(ui, listing.shown, Font::sans_bold, text_size::body, ui.theme().text);
  if (button(ui, "Up", "Opens the parent folder")) choice.folder = listing.parent;
  ImGui::SameLine();
  if (button(ui, "Home", "Your home folder")) choice.folder = "~";
  constexpr float below = 40.0F;
  begin_child("folders",
              ImVec2(0.0F, std::max(ui.px(below), ImGui::GetContentRegionAvail().y - ui.px(below))));
  if (!listing.problem.empty()) notice(ui, listing.problem, NoticeKind::warning);
  const bool is_empty = listing.names.empty() && (!with_files || listing.files.empty());
  if (listing.problem.empty() && is_empty) {
    paragraph(
        ui,
        with_files
            ? "Nothing here can be opened. Type the path of a model's folder above, or drop it on the window: it has a config.json, and weights in .safetensors or .gguf.\nModels that need no file are in the list of starting points, at the top of the settings."
            : "There are no folders in this one.");
  }
  for (const std::string& name : listing.names) {
    std::string label = name;
    label.append("/##folder ").append(name);
    if (text_button(ui, label.c_str(), "Opens this folder", true)) choice.folder = within(listing, name);
  }
  if (with_files) {
    for (const auto& [name, what] : listing.files) {
      std::string label = name;
      label.append("  ·  ").append(what).append("##file ").append(name);
      if (text_button(ui, label.c_str(), ("Opens this " + what).c_str(), true))
        choice.file = within(listing, name);
    }
  }
  end_child();
  return choice;
}

}  // namespace headscope
