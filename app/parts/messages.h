#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/parts/frame.h"
#include "app/widgets/text.h"

namespace headscope {

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
