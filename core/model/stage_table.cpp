#include <algorithm>
#include <array>
#include <utility>

#include "core/model/stage.h"

namespace headscope {
namespace {

using enum StageKind;
using enum StageScope;
using enum ParameterKind;

/// The first kind of each section. Kinds are in the order of computation, so a section ends where the next
/// one begins.
constexpr std::array sections{
    std::pair{embedding, PageSection::model_input},
    std::pair{layer_input, PageSection::layer_input},
    std::pair{latent, PageSection::projections},
    std::pair{raw, PageSection::scores},
    std::pair{weights, PageSection::weights},
    std::pair{concat, PageSection::model_width},
    std::pair{feed_forward_norm, PageSection::feed_forward},
    std::pair{layer_output, PageSection::none},
    std::pair{streams_end_projected, PageSection::model_output},
    std::pair{logits, PageSection::none},
};

/// The record of a parameter.
consteval StageInfo parameter(StageKind kind, StageScope scope, std::string_view name, Axis rows, Axis cols,
                              ParameterKind parameter, std::string_view symbol, std::string_view title,
                              std::string_view meaning, const StageTraits& traits = {}) {
  return {traits, kind, scope, name, rows, cols, parameter, symbol, title, meaning};
}

/// The record of a stage that a pass computes.
consteval StageInfo stage(StageKind kind, StageScope scope, std::string_view name, Axis rows, Axis cols,
                          std::string_view symbol, std::string_view title, std::string_view meaning,
                          const StageTraits& traits = {}) {
  StageInfo record = parameter(kind, scope, name, rows, cols, none, symbol, title, meaning, traits);
  for (const auto& [first, section] : sections)
    if (first <= kind) record.section = section;
  return record;
}

#define PARAMETER(kind, ...) parameter(kind, __VA_ARGS__),
#define STAGE(kind, ...) stage(kind, __VA_ARGS__),
constexpr std::array records{
#include "core/model/stage_records-inl.h"
};

static_assert(std::none_of(records.begin(), records.end(),
                           [](const StageInfo& record) {
                             return record.symbol.empty() || record.title.empty() || record.meaning.empty();
                           }),
              "the record of each kind of stage says what it is");

/// A record for each axis, in order.
constexpr auto axes = make_enum_table<Axis, AxisInfo>(
    AxisInfo{.name = "tokens", .letters = "t"}, AxisInfo{.name = "tokens", .letters = "s"},
    AxisInfo{"d_model", "d", "d_model"}, AxisInfo{"d_embedding", "e"}, AxisInfo{"d_model"},
    AxisInfo{"segments"}, AxisInfo{"d_head", "k", "d_head"}, AxisInfo{"d_value", "v", "d_value"},
    AxisInfo{"d_latent", "c", "kv_latent"}, AxisInfo{"d_rotary", "r"}, AxisInfo{"d_latent", "c"},
    AxisInfo{"d_model"}, AxisInfo{"d_model"}, AxisInfo{"d_head", "", "d_head"},
    AxisInfo{"d_head", "", "d_head"}, AxisInfo{"d_head", "k", "d_head"}, AxisInfo{"heads × d_value", "hv"},
    AxisInfo{"d_ff", "f", "d_ff"}, AxisInfo{"experts", "e"}, AxisInfo{"experts"}, AxisInfo{"d_ff", "f"},
    AxisInfo{"rows"}, AxisInfo{"vocabulary", "w"}, AxisInfo{"ids"}, AxisInfo{"positions"},
    AxisInfo{"dimensions"}, AxisInfo{"ids"}, AxisInfo{"d_layer", "l"}, AxisInfo{"layers × d_layer", "y"},
    AxisInfo{"streams", "a"}, AxisInfo{"streams × streams", "b"}, AxisInfo{"streams × d_model", "z"},
    AxisInfo{"rank", "r"}, AxisInfo{"distances", "p"});

}  // namespace

const StageInfo& info(StageKind kind) {
  return records[index_of(kind)];
}

std::span<const StageInfo> all_stage_kinds() {
  return records;
}

const AxisInfo& info(Axis axis) {
  return axes[index_of(axis)];
}

Axis axis_in(const Architecture& architecture, Axis axis) {
  const Axis embedding = architecture.has_embedding_projection() ? Axis::embedding : Axis::d_model;
  switch (axis) {
    case Axis::kv_input:
      return architecture.kv_latent ? Axis::latent : Axis::d_model;
    case Axis::query_input:
      return architecture.foreign.query_latent ? Axis::query_latent : Axis::d_model;
    case Axis::embedding:
      return embedding;
    case Axis::output_row:
      return architecture.has_output_transform() ? embedding : Axis::d_model;
    default:
      return axis;
  }
}

}  // namespace headscope
