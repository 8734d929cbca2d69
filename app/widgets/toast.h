#pragma once

#include <deque>
#include <string>

#include "app/ui/ui.h"
#include "app/widgets/text.h"

namespace headscope {

/// Notifications in the status line. One disappears by itself or when the next arrives. A warning stays until
/// it is dismissed, acknowledged or followed by another; messages that arrive meanwhile replace it for their
/// time.
class Toasts {
 public:
  /// By default, a message is shown for as long as it takes to read.
  void push(std::string text, NoticeKind kind = NoticeKind::information, double seconds = 0.0);
  /// Call this when the user has changed something: warnings then expire like messages.
  void answer();
  /// Advances the clock of the messages. Call this once per frame.
  void advance(Ui& ui);
  bool empty() const { return toasts_.empty(); }
  /// Whether the newest message is drawn over a sheet, so that the status line does not repeat it.
  bool is_over_sheet = false;
  /// Draws the newest message at the cursor, cut to `width`, with a link that dismisses a warning. The
  /// tooltip shows a cut message in full.
  void draw_line(Ui& ui, float width);
  /// Draws the newest message over everything else at the bottom, for views without a status line.
  void draw_over(Ui& ui);
  /// The time until a message disappears. Negative if none will. advance() passes it to Ui::wake_in().
  double seconds_left() const;

 private:
  struct Toast {
    std::string text;
    NoticeKind kind;
    double seconds;      ///< how long it is shown, unless it stays
    double age = 0.0;    ///< how long it has been shown
    bool shown = false;  ///< whether its time has begun, in the first frame that showed it
    bool answered = false;
    bool stays() const { return kind == NoticeKind::warning && !answered; }
  };
  std::deque<Toast> toasts_;
};

}  // namespace headscope
