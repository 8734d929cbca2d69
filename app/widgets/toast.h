#pragma once

#include <deque>
#include <string>

#include "app/ui/ui.h"
#include "app/widgets/text.h"

namespace headscope {

/// Short messages about what was done, shown in the status line. A message disappears by itself or when the
/// next one arrives. A warning stays until it is dismissed, answered or followed by another warning; messages
/// that arrive in the meantime are shown in its place for their time.
class Toasts {
 public:
  /// Without `seconds`, the message is shown for as long as it takes to read it.
  void push(std::string text, NoticeKind kind = NoticeKind::information, double seconds = 0.0);
  /// Call this when the user has changed something. Warnings then stay only as long as it takes to read them.
  void answer();
  /// Advances the time of the messages. Call this once per frame.
  void pass_time(Ui& ui);
  bool empty() const { return toasts_.empty(); }
  /// Whether the newest message is drawn over a sheet in this frame, so that no line below it repeats it.
  bool stands_over = false;
  /// Draws the newest message at the cursor, cut to `width`, with a link that dismisses a warning. The
  /// tooltip shows a cut message in full.
  void draw_line(Ui& ui, float width);
  /// Draws the newest message over everything else at the bottom, for views without a status line.
  void draw_over(Ui& ui);
  /// The time until a message disappears. Negative if none will. pass_time() passes it to Ui::wake_in().
  double seconds_left() const;

 private:
  struct Toast {
    std::string text;
    NoticeKind kind;
    double seconds;      ///< how long it is shown, unless it stays
    double age = 0.0;    ///< how long it has been shown
    bool shown = false;  ///< its time begins with the first frame that shows it
    bool answered = false;
    bool stays() const { return kind == NoticeKind::warning && !answered; }
  };
  std::deque<Toast> toasts_;
};

}  // namespace headscope
