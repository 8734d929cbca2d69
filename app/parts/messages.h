#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/parts/frame.h"
#include "app/widgets/text.h"

namespace headscope {

/// A state of the window in which clicks or changes have a special meaning. Its record is used by the chip in
/// the line of views, the status line and Escape.
struct Mode {
  const char* name;    ///< the text on its chip
  CommandId ends;      ///< the command that ends it, by a click on its chip or by Escape
  const char* ending;  ///< a sentence that says what ending it does
  const char* ended;   ///< the message in the status line afterwards; empty if there is none
  bool (*is_on)(const Session& session, const ScreenState& screen);
  std::string_view hint = {};  ///< what a click or change does in this mode
  /// Makes the hint if it names keys. Null otherwise.
  std::string (*hint_with_keys)(const Frame& frame) = nullptr;
  const char* brief;  ///< a shorter hint for a short line
};

std::span<const Mode> modes();
/// The mode that Escape would end. Null if the window is in none.
const Mode* mode_of(const Session& session, const ScreenState& screen);

/// An action that a message offers: run at once, or chosen from a menu if there are several.
struct MessageLink {
  struct MenuItem {
    std::string name;  ///< the text in the menu
    std::function<void(Frame&)> act;
  };
  std::string label, tooltip;
  std::vector<MenuItem> entries;
};

/// A message about the state of the window, shown as long as that state lasts.
struct Message {
  std::string text;
  NoticeKind kind = NoticeKind::information;
  std::vector<MessageLink> links;
  std::string brief = {};  ///< Stands for the text where there is little room.
};

/// The current messages, the most important first: why there is no newer pass, why training stopped, which
/// sessions crashed programs have left, which numbers are given by hand, and what is changed inside the pass.
/// Messages that the current page shows itself are not included.
std::vector<Message> messages(const Frame& frame);

}  // namespace headscope
