#include "app/parts/relative_controls.h"

#include <optional>

#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "core/session/settings.h"

namespace headscope {

void relative_controls(Frame& frame) {
  Architecture a = frame.session.architecture;
  if (a.positions != Positions::relative) return;
  bool has_buckets = a.relative_buckets.has_value();
  if (toggle(frame.ui, "Distances share buckets", has_buckets,
             setting("architecture.relative_buckets").sentence)) {
    constexpr int of_t5 = 32;
    a.relative_buckets = has_buckets ? std::optional(of_t5) : std::nullopt;
    frame.emit(SetArchitecture{a});
  }
  if (!frame.session.architecture.relative_buckets) return;
  using Limits = ArchitectureLimits;
  int half = *frame.session.architecture.relative_buckets / 2;
  if (slider_int(frame.ui, "buckets for each direction", half,
                 {Limits::min_relative_buckets / 2, Limits::max_relative_buckets / 2, 1, true},
                 setting("architecture.relative_buckets").sentence)) {
    a = frame.session.architecture;
    a.relative_buckets = 2 * half;
    frame.emit(SetArchitecture{a});
  }
}

}  // namespace headscope
