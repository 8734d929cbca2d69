#include "app/parts/picture_controls.h"

#include <array>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/enum_count.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

void color_range(Frame& frame) {
  PictureOptions picture = frame.session.picture;
  static const auto ranges = one_for_each<RangeMode, std::string>("usual", "per row", "per map", "all heads", "fixed");
  int range = static_cast<int>(picture.range);
  if (combo(frame.ui, "colour range", ranges, range, setting("picture.range").sentence)) {
    picture.range = static_cast<RangeMode>(range);
    frame.emit(SetPicture{picture});
  }
  if (picture.range != RangeMode::fixed) return;
  auto high = static_cast<float>(picture.fixed_high);
  if (slider_float(frame.ui, "up to", high, {0.01F, 100.0F, 2, true},
                   setting("picture.fixed_high").sentence)) {
    picture.fixed_high = high;
    picture.fixed_low = 0.0;
    frame.emit(SetPicture{picture});
  }
}

void transfer(Frame& frame) {
  PictureOptions picture = frame.session.picture;
  static const auto transfers = one_for_each<Transfer, std::string>("linear", "log", "gamma");
  int chosen = static_cast<int>(picture.transfer);
  if (segmented(frame.ui, "transfer", transfers, chosen, setting("picture.transfer").sentence)) {
    picture.transfer = static_cast<Transfer>(chosen);
    frame.emit(SetPicture{picture});
  }
  if (picture.transfer != Transfer::gamma) return;
  if (slider_float(frame.ui, "gamma", picture.gamma, {0.2F, 2.0F, 2, true},
                   setting("picture.gamma").sentence)) {
    frame.emit(SetPicture{picture});
  }
}

void color_maps(Frame& frame) {
  PictureOptions picture = frame.session.picture;
  static const auto sequential =
      one_for_each<SequentialMap, std::string>("Headscope", "Viridis", "Cividis", "Grays");
  static const auto diverging =
      one_for_each<DivergingMap, std::string>("Headscope", "Blue–orange", "Purple–green");
  int first = static_cast<int>(picture.sequential);
  if (combo(frame.ui, "weights", sequential, first, setting("picture.sequential").sentence)) {
    picture.sequential = static_cast<SequentialMap>(first);
    frame.emit(SetPicture{picture});
  }
  int second = static_cast<int>(picture.diverging);
  if (combo(frame.ui, "signed", diverging, second, setting("picture.diverging").sentence)) {
    picture.diverging = static_cast<DivergingMap>(second);
    frame.emit(SetPicture{picture});
  }
}

}  // namespace

void picture_controls(Frame& frame) {
  section(frame.ui, "Picture");
  PictureOptions picture = frame.session.picture;
  if (toggle(frame.ui, "Numbers in cells", picture.numbers, setting("picture.numbers").sentence)) {
    frame.emit(SetPicture{picture});
  }
  color_range(frame);
  transfer(frame);
  color_maps(frame);
  picture = frame.session.picture;
  if (slider_float(frame.ui, "lines from", picture.line_threshold, {0.0F, 0.5F, 2, false},
                   setting("picture.line_threshold").sentence)) {
    frame.emit(SetPicture{picture});
  }
}

}  // namespace headscope
