#include "app/platform/clipboard.h"

#include <string_view>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "app/platform/widget_characters.h"
#include "core/text/utf8.h"

namespace headscope {
std::string text_for_field(const std::string& text, bool keeps_lines) {
  std::string kept;
  kept.reserve(text.size());
  for (const char c : valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t') {
      kept += c == '\n' && keeps_lines ? '\n' : ' ';
    } else if (byte >= 0x20 && byte != 0x7F) {
      kept += c;
    }
  }
  return kept;
}

std::string Clipboard::text() const {
  Result<std::string> text = get();
  if (text) return std::move(*text);
  WidgetCharacters::current().refuse(text.error().message);
  return {};
}

const char* Clipboard::get_for_imgui(Clipboard& clipboard) {
  WidgetCharacters& characters = WidgetCharacters::current();
  bool fits = true;
  clipboard.handed_out_ = characters.held(text_for_field(clipboard.text(), clipboard.keeps_lines_), &fits);
  if (!fits) {
    clipboard.handed_out_.clear();
    characters.refuse();
  }
  return clipboard.handed_out_.c_str();
}

void Clipboard::set_for_imgui(Clipboard& clipboard, const char* text) {
  clipboard.set(WidgetCharacters::current().shown(std::string_view(text)));
}

Clipboard* Clipboard::current() {
#if IMGUI_VERSION_NUM >= 19110
  return static_cast<Clipboard*>(ImGui::GetPlatformIO().Platform_ClipboardUserData);
#else
  return static_cast<Clipboard*>(ImGui::GetIO().ClipboardUserData);
#endif
}

void Clipboard::install() {
#if IMGUI_VERSION_NUM >= 19110
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_ClipboardUserData = this;
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) { return get_for_imgui(*current()); };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) { set_for_imgui(*current(), text); };
#else
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = this;
  io.GetClipboardTextFn = [](void* clipboard) { return get_for_imgui(*static_cast<Clipboard*>(clipboard)); };
  io.SetClipboardTextFn = [](void* clipboard, const char* text) {
    set_for_imgui(*static_cast<Clipboard*>(clipboard), text);
  };
#endif
}

}  // namespace headscope
