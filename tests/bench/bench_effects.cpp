// Measures how long it takes to compute the effect of every head on a prediction, compared with a pass of the
// same model.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

#include "core/checkpoint/model_folder.h"
#include "core/engine/engine.h"
#include "core/engine/opening.h"
#include "core/engine/part_effects.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

double median(std::vector<double> times) {
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

template <class Work>
double milliseconds(const Work& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Times {
  double pass = 0.0, effects = 0.0;
};

/// Measures a pass and the effects alternately, so that both run under the same load.
Times measured(const Request& request, int rounds) {
  Engine engine;
  std::vector<double> passes;
  std::vector<double> effects;
  for (int round = 0; round <= rounds; ++round) {
    const auto trace = engine.compute(request);
    if (!trace) throw std::runtime_error(trace.error().message);
    const double milliseconds_of_pass = (*trace)->milliseconds();
    const double all = milliseconds([&] {
      if (!part_effects(**trace, {(*trace)->n_tokens() - 1, 0})) throw std::runtime_error("given up");
    });
    if (round == 0) continue;  // The first round warms up.
    passes.push_back(milliseconds_of_pass);
    effects.push_back(all);
  }
  return {median(passes), median(effects)};
}

Request twelve_by_twelve() {
  Request request;
  for (int i = 0; i < 32; ++i) request.sentence += "word" + std::to_string(i) + " ";
  Architecture& a = request.architecture;
  a.n_layers = 12;
  a.n_heads = 12;
  a.d_model = 768;
  a.d_ff = 3072;
  a.norm = Norm::pre;
  a.residual = true;
  a.output_layer = OutputLayer::linear;
  return request;
}

int run(const std::string& models) {
  const auto model = open_model(models + "/pronouns", {});
  if (!model) throw std::runtime_error(model.error().message);
  Session session = reduce(default_session(), opening_action(*model));
  const Times pronouns = measured(request_of(session), 40);
  constexpr double max_milliseconds = 16.0;
  std::cout << "pronouns, 12 parts: " << pronouns.effects << " ms (target: within " << max_milliseconds
            << " ms: " << (pronouns.effects <= max_milliseconds ? "met" : "missed") << "), a pass "
            << pronouns.pass << " ms\n";
  const Times large = measured(twelve_by_twelve(), 7);
  // On average, half of the layers are computed again for a part.
  constexpr double max_per_part = 0.52;
  const double max_passes =
      max_per_part * static_cast<double>(parts_of(twelve_by_twelve().architecture).size());
  const double ratio = large.effects / large.pass;
  std::cout << "12 layers of 12 heads, d_model 768, 32 tokens: " << large.effects << " ms, a pass "
            << large.pass << " ms: " << ratio << " passes (target: less than " << max_passes << ": "
            << (ratio < max_passes ? "met" : "missed") << ")\n";
  return 0;
}

}  // namespace
}  // namespace headscope

int main(int argc, char** argv) {
  return headscope::run(argc > 1 ? argv[1] : "assets/models");
}
