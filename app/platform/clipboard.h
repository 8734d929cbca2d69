#pragma once

#include <functional>
#include <string>

#include "core/result.h"

namespace headscope {

/// Sanitises text for a field: well-formed UTF-8 without control characters. Tabs, and in a one-line field
/// line breaks, become spaces; ImGui would drop line breaks and join the words.
std::string text_for_field(const std::string& text, bool keeps_lines = false);

/// The clipboard of ImGui's text fields, which exchanges the text that they show instead of their stand-ins
/// (WidgetCharacters). Must outlive the ImGui context.
class Clipboard {
 public:
  Clipboard() = default;
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;
  virtual ~Clipboard() = default;
  /// The error says what to do.
  virtual Result<std::string> get() const = 0;
  virtual void set(const std::string& text) = 0;

  /// Whether the next field has several lines, so that pasted text keeps its line breaks.
  void keep_lines(bool keeps) { keeps_lines_ = keeps; }

  /// Makes this the clipboard of the current ImGui context.
  void install();

  /// The clipboard of the current ImGui context. It keeps the lines and tabs that tables need. Null if the
  /// context has none.
  static Clipboard* current();

  /// The text. An error is reported like a rejected edit.
  std::string text() const;

 private:
  static const char* get_for_imgui(Clipboard& clipboard);
  static void set_for_imgui(Clipboard& clipboard, const char* text);
  bool keeps_lines_ = false;
  std::string handed_out_;  ///< ImGui reads it until the next call
};

/// Puts a PNG file on the desktop's clipboard. GLFW supports only text, and a window system asks the owner of
/// a picture for it at every paste. Therefore another program keeps the picture, even after this program has
/// ended: wl-copy on Wayland and xclip on X11. Waits at most a few seconds until that program has the
/// picture. The error says what is missing and what to install. May be called from any thread.
Result<void> copy_picture_to_desktop(const std::string& png);

/// The text on the clipboard of the X server that DISPLAY names; empty if there is none. GLFW would wait for
/// the clipboard's owner indefinitely. This fails after a second without data, after ten seconds in total, or
/// beyond 64 MiB. Calls `meanwhile` repeatedly, because the owner may be this process.
Result<std::string> read_x11_clipboard(const std::function<void()>& meanwhile);

}  // namespace headscope
