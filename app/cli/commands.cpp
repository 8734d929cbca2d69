#include "app/cli/commands.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <utility>

#include "app/cli/option_values.h"
#include "core/engine/engine.h"
#include "core/engine/memory_estimate.h"
#include "core/model/trained_model.h"
#include "core/system/model_places.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr int always_computed = 8192;
/// The most multiplications of attention in a pass of a longer text, which take about a second.
constexpr double most_multiplications = 2e10;

/// The number of multiplications in attention for each pair of a query and a key. Linear attention has no
/// pairs.
double multiplications_of_pair(const Architecture& a) {
  if (a.linear_attention) return 0.0;
  const double attentions = a.has_cross() && a.has_self() ? 3.0 : 1.0;
  return attentions * a.n_layers * a.n_heads * (a.head_width() + a.value_width());
}

Result<std::shared_ptr<const Trace>> computed_by(Engine& engine, const Session& session) {
  if (texts_of(session).sentence().empty()) {
    return wrong_value("--sentence", session.sentence, "it has no words: give at least one");
  }
  const Request request = request_of(session);
  const int context = request.architecture.most_tokens();
  const bool is_cut = session.model && session.model->is_foreign() && context == max_tokens(request);
  if (!is_cut) {
    if (auto ok = check_length(request); !ok) return tl::unexpected(ok.error());
  }
  auto trace = engine.compute(request, is_cut ? TooLong::cut : TooLong::refuse);
  if (trace && (*trace)->tokens_in_sentence() > context && is_cut) {
    std::cerr << "headscope: the text has " << grouped((*trace)->tokens_in_sentence())
              << " tokens, and the model reads the first " << grouped(context) << '\n';
  }
  const std::string overflow = trace ? overflow_text(**trace) : "";
  if (!overflow.empty()) std::cerr << "headscope: " << overflow << '\n';
  return trace;
}

}  // namespace

void take_name(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  options.named = arguments.front();
  arguments.erase(arguments.begin());
}

bool opens_in_window(const CommandOptions& options) {
  const bool has_display = !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
  return options.named && !options.checks && !options.prints && !options.out && has_display;
}

Result<std::shared_ptr<const Trace>> computed_trace(const Session& session) {
  Engine engine;
  return computed_by(engine, session);
}

Result<std::vector<std::shared_ptr<const Trace>>> computed_passes(const Session& session) {
  Engine engine;
  std::vector<std::shared_ptr<const Trace>> passes;
  std::vector<Request> requests;
  for (const Session& subject : subjects_of(session)) {
    const Request request = request_of(subject);
    if (const auto known = std::ranges::find(requests, request); known != requests.end()) {
      passes.push_back(passes[static_cast<std::size_t>(known - requests.begin())]);
      requests.push_back(request);
      continue;
    }
    requests.push_back(request);
    auto pass = computed_by(engine, subject);
    if (!pass && !passes.empty())
      return tl::unexpected(Error{pass.error().kind, "after --against: " + pass.error().message});
    if (!pass) return tl::unexpected(pass.error());
    passes.push_back(std::move(*pass));
  }
  return passes;
}

int most_tokens_on_command_line(const Request& request) {
  const int fitting = max_tokens(request);
  const double of_pair = multiplications_of_pair(request.architecture);
  if (of_pair <= 0.0) return fitting;
  const double in_time = std::floor(std::sqrt(most_multiplications / of_pair));
  return std::min(fitting, static_cast<int>(std::max(in_time, static_cast<double>(always_computed))));
}

Result<void> check_length(const Request& request) {
  const int n = longest_text(texts_of(request), request.batch.size());
  const int most = most_tokens_on_command_line(request);
  if (n <= most || most == max_tokens(request)) return {};  // the engine reports what does not fit
  return failure("the sentence has " + grouped(n) +
                 " tokens: on the command line, this model computes at most " + grouped(most) +
                 ", as each looks at all others: shorten it, or use fewer heads or layers");
}

}  // namespace headscope
