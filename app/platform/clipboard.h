#pragma once

#include <string>

namespace headscope {

/// Text on its way into a field: well-formed UTF-8, line breaks and tabs as spaces (every field has one line,
/// and ImGui would drop them and glue the words together), no other control characters.
std::string single_line(const std::string& text);

/// The clipboard that ImGui's text fields use, with what they show, whatever they hold for it
/// (WidgetCharacters). The implementation must outlive the ImGui context.
class Clipboard {
 public:
  Clipboard() = default;
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;
  virtual ~Clipboard() = default;
  virtual std::string get() const = 0;
  virtual void set(const std::string& text) = 0;

  /// Makes it the clipboard of the current ImGui context.
  void install();

  /// The clipboard of the current ImGui context, with its lines and tabs, as tables need them; null where it
  /// has none.
  static Clipboard* current();

 private:
  static const char* get_for_imgui(Clipboard& clipboard);
  static void set_for_imgui(Clipboard& clipboard, const char* text);
  std::string handed_out_;  ///< ImGui reads it until the next call
};

}  // namespace headscope
