#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/engine/engine.h"
#include "core/model/pass.h"
#include "core/tensor/random.h"

namespace headscope {

using SharedTrace = std::shared_ptr<const Trace>;

inline Request request_for(std::string sentence, int d_model, int n_heads) {
  Request request;
  request.sentence = std::move(sentence);
  request.architecture.d_model = d_model;
  request.architecture.n_heads = n_heads;
  return request;
}

inline SharedTrace computed(Engine& engine, const Request& request) {
  auto trace = engine.compute(request, TooLong::refuse);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().message);
  return trace ? *trace : nullptr;
}

inline MatrixView stage(const Trace& trace, StageKind kind, int head = 0) {
  return trace.value(normalized({kind, Stack::encoder, 0, AttentionKind::self, head}));
}

inline std::vector<float> numbers(const MatrixView& view) {
  std::vector<float> values;
  for (int row = 0; row < view.rows; ++row) {
    values.insert(values.end(), view.row(row).begin(), view.row(row).end());
  }
  return values;
}

/// `n` different words.
inline std::string words(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) text += "word" + std::to_string(i) + " ";
  return text;
}

/// A whole number from `low` to `high`.
inline int pick(RandomStream& random, int low, int high) {
  return low + static_cast<int>(random.bits() % static_cast<std::uint64_t>(high - low + 1));
}

/// A request with random sizes, options and masks of every kind. It is always valid.
inline Request random_request(std::uint64_t seed) {
  RandomStream random(seed, "request");
  const int n_heads = pick(random, 1, 5);
  Request request = request_for(words(pick(random, 1, 70)), n_heads * pick(random, 1, 16), n_heads);
  Architecture& a = request.architecture;
  a.seed = random.bits();
  if (pick(random, 0, 2) == 0) a.d_head = pick(random, 1, 40);
  if (pick(random, 0, 2) == 0) a.d_value = pick(random, 1, 40);
  a.bias = {pick(random, 0, 1) == 1, pick(random, 0, 1) == 1, pick(random, 0, 1) == 1,
            pick(random, 0, 1) == 1};
  a.output_projection = pick(random, 0, 3) > 0;
  a.positions = pick(random, 0, 1) == 0 ? Positions::none : Positions::sinusoidal;
  a.init = static_cast<Init>(pick(random, 0, 2));
  AttentionOptions& attention = request.attention;
  attention.scale = pick(random, 0, 3) > 0;
  attention.temperature = random.uniform(0.3F, 3.0F);
  attention.mask.causal = pick(random, 0, 1) == 1;
  if (pick(random, 0, 2) == 0) attention.mask.window = pick(random, 0, 5);
  for (int i = pick(random, 0, 3); i > 0; --i) attention.mask.padding.push_back(i * 3);
  std::sort(attention.mask.padding.begin(), attention.mask.padding.end());
  for (int i = pick(random, 0, 4); i > 0; --i) {
    attention.mask.painted.push_back({pick(random, 0, 69), pick(random, 0, 69)});
  }
  std::sort(attention.mask.painted.begin(), attention.mask.painted.end());
  return request;
}

}  // namespace headscope
