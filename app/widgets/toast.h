#pragma once

#include <deque>
#include <string>

#include "app/ui/ui.h"
#include "app/widgets/text.h"

namespace headscope {

/// Short messages that something was done, in the status line. One goes away by itself, or as the next one
/// comes; a warning stays until it is dismissed or another warning comes, and what comes in between is shown
/// before it for its time.
class Toasts {
 public:
  /// Without `seconds`: as long as it takes to read it.
  void push(std::string text, NoticeKind kind = NoticeKind::information, double seconds = 0.0);
  /// Lets the time pass in which one was shown; call once a frame.
  void pass_time(Ui& ui);
  bool empty() const { return toasts_.empty(); }
  /// Draws the newest at the cursor, cut at this width, with what dismisses a warning. What is cut is in its
  /// tooltip.
  void draw_line(Ui& ui, float width);
  /// Draws the newest over everything, at the bottom: where no line is in sight that shows it.
  void draw_over(Ui& ui);
  /// Until one goes away; negative when there is none that does. pass_time() passes it to Ui::wake_in().
  double seconds_left() const;

 private:
  struct Toast {
    std::string text;
    NoticeKind kind;
    double seconds;      ///< that it is shown for, unless it stays
    double age = 0.0;    ///< for which it has been shown
    bool shown = false;  ///< its time begins with the first frame that shows it
    bool stays() const { return kind == NoticeKind::warning; }
  };
  std::deque<Toast> toasts_;
};

}  // namespace headscope
