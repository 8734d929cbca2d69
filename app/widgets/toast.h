#pragma once

#include <deque>
#include <string>

#include "app/ui/ui.h"
#include "app/widgets/text.h"

namespace headscope {

/// Short messages over the bottom of the window that go away by themselves.
class Toasts {
 public:
  void push(std::string text, NoticeKind kind = NoticeKind::information, double seconds = 4.0);
  /// Draws them above everything; call once a frame.
  void draw(Ui& ui);
  /// Until one goes away; negative when there is none. draw() passes it to Ui::wake_in().
  double seconds_left() const;

 private:
  struct Toast {
    std::string text;
    NoticeKind kind;
    double seconds;
    bool shown = false;  ///< its time begins with the first frame that shows it
  };
  std::deque<Toast> toasts_;
};

}  // namespace headscope
