#include "app/cli/commands.h"

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <utility>

#include "app/cli/option_values.h"
#include "core/engine/engine.h"
#include "core/engine/request.h"
#include "core/model/trained_model.h"
#include "core/system/process.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr int always_computed = 8192;
/// The maximum number of multiplications in attention for a longer text: about a second.
constexpr double max_multiplications = 2e10;

/// The number of multiplications in attention for each pair of a query and a key. Linear attention has no
/// pairs.
double multiplications_of_pair(const Architecture& a) {
  if (a.linear_attention) return 0.0;
  const double attentions = a.has_cross() && a.has_self() ? 3.0 : 1.0;
  double widths = 0.0;
  for (int layer = 0; layer < a.n_layers; ++layer) widths += a.head_width(layer) + a.value_width(layer);
  return attentions * a.n_heads * widths;
}

std::shared_ptr<const Trace> compute_with(Engine& engine, const Session& session) {
  if (texts_of(session).sentence().empty())
    refuse(invalid_value("--sentence", session.sentence,
                         session.sentence.find_first_not_of(" \t\r\n") == std::string::npos
                             ? "it has no words: give at least one"
                             : "the model's tokenizer knows nothing of it: give other words"));
  const Request request = request_of(session);
  const int context = request.architecture.max_tokens();
  const bool is_cut = session.model && session.model->is_foreign() && context == max_tokens(request);
  if (!is_cut) ensure(check_length(request));
  auto trace = engine.compute(request, is_cut ? TooLong::cut : TooLong::refuse).value();
  if (trace->n_sentence_tokens() > context && is_cut) {
    std::cerr << "headscope: the text has " << grouped(trace->n_sentence_tokens())
              << " tokens, and the model reads the first " << grouped(context) << '\n';
  }
  const std::string overflow = overflow_text(*trace);
  if (!overflow.empty()) std::cerr << "headscope: " << overflow << '\n';
  return trace;
}

}  // namespace

void consume_name(CommandOptions& options, std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with("-")) return;
  options.named = arguments.front();
  arguments.erase(arguments.begin());
}

bool opens_in_window(const CommandOptions& options) {
  const bool has_display =
      !environment_variable("DISPLAY").empty() || !environment_variable("WAYLAND_DISPLAY").empty();
  return options.named && !options.is_on("--check") && !options.is_on("--print") && !options.has("--out") &&
         has_display;
}

Result<std::shared_ptr<const Trace>> compute_trace(const Session& session) {
  Engine engine;
  return result_of([&] { return compute_with(engine, session); });
}

Result<std::vector<std::shared_ptr<const Trace>>> compute_passes(const Session& session) {
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
    auto pass = result_of([&] { return compute_with(engine, subject); });
    if (!pass) return after(passes.empty() ? "" : "after --against: ", pass.error());
    passes.push_back(std::move(*pass));
  }
  return passes;
}

int max_command_line_tokens(const Request& request) {
  const int fitting = max_tokens(request);
  const double of_pair = multiplications_of_pair(request.architecture);
  if (of_pair <= 0.0) return fitting;
  const double in_time = std::floor(std::sqrt(max_multiplications / of_pair));
  return std::min(fitting, static_cast<int>(std::max(in_time, static_cast<double>(always_computed))));
}

Result<void> check_length(const Request& request) {
  const int n = longest_text(texts_of(request), request.batch.size());
  const int most = max_command_line_tokens(request);
  if (n <= most || most == max_tokens(request)) return {};  // the engine reports what does not fit
  return failure("the sentence has " + grouped(n) +
                 " tokens: on the command line, this model computes at most " + grouped(most) +
                 ", as each looks at all others: shorten it, or use fewer heads or layers");
}

}  // namespace headscope
