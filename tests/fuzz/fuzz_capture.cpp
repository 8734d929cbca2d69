// Fuzzes captured attention. The input is the header of a safetensors file, a NUL and the file's data; the
// header alone is also read as CircuitsVis's JSON, and the whole input as .npy and as .pt. If a capture
// opens, its pass is computed: all numbers must be finite, except in masked scores, and weights must not be
// negative.

#include <cmath>

#include "core/checkpoint/capture.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/session/action.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_pass(const Session& session) {
  Engine engine(1);
  const auto trace = engine.compute(request_of(session));
  if (!trace) return fuzzing::require_readable(trace.error().message);
  for (const StageId& stage : (*trace)->stages()) {
    const bool may_hide = stage.kind == StageKind::masked;
    const StageNumbers numbers =
        (*trace)->read(stage, {0, 0, (*trace)->extent(stage).rows, (*trace)->extent(stage).cols});
    for (int row = 0; row < numbers.view.rows; ++row) {
      for (const float number : numbers.view.row(row)) {
        require(!std::isnan(number) && (may_hide || std::isfinite(number)), "numbers are finite");
        require(stage.kind != StageKind::weights || number >= 0.0F, "weights are not negative");
      }
    }
  }
}

void check_file(const char* name) {
  const auto described = describe_capture(name);
  fuzzing::next_work();
  const auto model = open_capture(name, name);
  fuzzing::next_work();
  require(described.has_value() || !model.has_value(), "a capture that opens can be described");
  if (!model) return fuzzing::require_readable(model.error().message);
  constexpr double max_cells = 1e6;
  const CapturedAttention& captured = *(*model)->model.captured;
  if (static_cast<double>(captured.n_queries) * captured.n_keys * (*model)->model.architecture.n_heads >
      max_cells)
    return;
  check_pass(reduce(default_session(), opening_action(*model)));
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const auto parts = fuzzing::parts_of(fuzzing::text_of(data, size), 2);
  fuzzing::scratch();
  fuzzing::put("c.json", parts[0]);
  check_file("c.json");
  fuzzing::put("c.safetensors",
               fuzzing::length_bytes(parts[0].size()) + std::string(parts[0]) + std::string(parts[1]));
  check_file("c.safetensors");
  for (const char* const name : {"c.npy", "c.pt"}) {
    fuzzing::put(name, fuzzing::text_of(data, size));
    is_capture(name);
    fuzzing::next_work();
    check_file(name);
  }
  return 0;
}
