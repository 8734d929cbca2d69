#pragma once

#include <string>

namespace headscope {

/// Prepares text for a field: well-formed UTF-8 without control characters. Line breaks and tabs become
/// spaces, because every field has one line, and ImGui would drop them and join the words.
std::string single_line(const std::string& text);

/// The clipboard that ImGui's text fields use. It exchanges the text that fields show, not the stand-ins that
/// they hold (see WidgetCharacters). The implementation must outlive the ImGui context.
class Clipboard {
 public:
  Clipboard() = default;
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;
  virtual ~Clipboard() = default;
  virtual std::string get() const = 0;
  virtual void set(const std::string& text) = 0;

  /// Makes this the clipboard of the current ImGui context.
  void install();

  /// The clipboard of the current ImGui context. It keeps the lines and tabs that tables need. Null if the
  /// context has none.
  static Clipboard* current();

 private:
  static const char* get_for_imgui(Clipboard& clipboard);
  static void set_for_imgui(Clipboard& clipboard, const char* text);
  std::string handed_out_;  ///< ImGui reads it until the next call
};

}  // namespace headscope
