#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/parts/frame.h"
#include "app/widgets/text.h"

namespace headscope {

/// What a message offers to do: at once, or one of several by a menu.
struct MessageLink {
  struct Entry {
    std::string name;  ///< in the menu
    std::function<void(Frame&)> act;
  };
  std::string label, tooltip;
  std::vector<Entry> entries;
};

/// What is to be known of the state of the window, as long as that state lasts.
struct Message {
  std::string text;
  NoticeKind kind = NoticeKind::information;
  std::vector<MessageLink> links;
};

/// The most important first: why there is no newer pass, why training stopped, what programs that crashed
/// have left, what is given by hand, what is changed inside the pass. What the page in view says itself is
/// not among them.
std::vector<Message> messages(const Frame& frame);

}  // namespace headscope
