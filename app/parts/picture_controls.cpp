#include <array>

#include "app/parts/setting_groups.h"
#include "app/widgets/slider.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// Draws the slider for the share of each row that is drawn. Only the page with lines uses it.
void share_of_row(Frame& frame) {
  if (frame.session.view != PageName::lines) return;
  setting_control(frame, "lines.share");
}

constexpr std::array picture_panel{
    item("picture.details"),        item("picture.all_numbers"),       item("picture.numbers"),
    item("picture.range"),          item("picture.fixed_high"),        item("picture.transfer"),
    item("picture.gamma"),          item("picture.sequential"),        item("picture.diverging"),
    item("picture.line_threshold"), item("lines.share", share_of_row),
};

}  // namespace

std::span<const PanelItem> picture_items() {
  return picture_panel;
}

std::string picture_words(const Session& session) {
  const PictureOptions& picture = session.picture;
  WordList words;
  if (picture.range == RangeMode::fixed) {
    words.add(number_text(picture.fixed_low) + " to " + number_text(picture.fixed_high));
  } else if (picture.range != RangeMode::usual) {
    words.add(control::ranges[index_of(picture.range)]);
  }
  if (picture.transfer != Transfer::linear) words.add(control::transfers[index_of(picture.transfer)]);
  words.add(picture.numbers ? "numbers" : "no numbers");
  return words.text("");
}

}  // namespace headscope
