// Prints the weights of head 1 for a sentence, one row per line.
#include <cstdio>

#include "core/engine/engine.h"

int main() {
  headscope::Request request;
  request.sentence = "the cat, the mat";
  headscope::Engine engine;
  const auto trace = engine.compute(request);
  if (!trace) return std::fprintf(stderr, "%s\n", trace.error().message.c_str()), 1;
  const auto weights = (*trace)->value({.kind = headscope::StageKind::weights, .head = 1});
  for (int row = 0; row < weights.rows; ++row, std::puts("")) {
    for (const float weight : weights.row(row)) std::printf("%.6f ", weight);
  }
}
