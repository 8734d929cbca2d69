#include "app/platform/clipboard.h"

#include "app/imgui/imgui_compat.h"
#include "core/text/utf8.h"

namespace headscope {

std::string single_line(const std::string& text) {
  std::string line;
  line.reserve(text.size());
  for (const char c : valid_utf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\t') {
      line += ' ';
    } else if (byte >= 0x20 && byte != 0x7F) {
      line += c;
    }
  }
  return line;
}

const char* Clipboard::get_for_imgui(Clipboard& clipboard) {
  clipboard.handed_out_ = single_line(clipboard.get());
  return clipboard.handed_out_.c_str();
}

std::string Clipboard::whole_text() {
#if IMGUI_VERSION_NUM >= 19110
  const void* const clipboard = ImGui::GetPlatformIO().Platform_ClipboardUserData;
#else
  const void* const clipboard = ImGui::GetIO().ClipboardUserData;
#endif
  return clipboard == nullptr ? std::string() : static_cast<const Clipboard*>(clipboard)->get();
}

void Clipboard::install() {
#if IMGUI_VERSION_NUM >= 19110
  ImGuiPlatformIO& io = ImGui::GetPlatformIO();
  io.Platform_ClipboardUserData = this;
  io.Platform_GetClipboardTextFn = [](ImGuiContext*) {
    return get_for_imgui(*static_cast<Clipboard*>(ImGui::GetPlatformIO().Platform_ClipboardUserData));
  };
  io.Platform_SetClipboardTextFn = [](ImGuiContext*, const char* text) {
    static_cast<Clipboard*>(ImGui::GetPlatformIO().Platform_ClipboardUserData)->set(text);
  };
#else
  ImGuiIO& io = ImGui::GetIO();
  io.ClipboardUserData = this;
  io.GetClipboardTextFn = [](void* clipboard) { return get_for_imgui(*static_cast<Clipboard*>(clipboard)); };
  io.SetClipboardTextFn = [](void* clipboard, const char* text) {
    static_cast<Clipboard*>(clipboard)->set(text);
  };
#endif
}

}  // namespace headscope
