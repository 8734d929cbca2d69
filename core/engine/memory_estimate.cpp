#include "core/engine/memory_estimate.h"

#include <algorithm>
#include <cmath>

#include "core/engine/given_model.h"
#include "core/model/parameters.h"
#include "core/text/number_text.h"

namespace headscope {

MinimalPass::MinimalPass(const Request& request, int vocabulary) : vocabulary_(vocabulary) {
  // Every part that options may add is counted.
  AttentionOptions dropping;
  dropping.train = true;
  shape_.graph = std::make_shared<const Graph>(request.architecture, dropping);
  shape_.mask_changes_scores = true;
  shape_.target_mask_changes_scores = true;
  shape_.cross_mask_changes_scores = true;
  const bool needs_maps = request.attention.softmax == SoftmaxAxis::queries;
  shape_.kept = needs_maps ? Retention::everything : Retention::layer_inputs;
  shape_.edits_rows = !request.given.empty() || !request.interventions.patches.empty();
}

double MinimalPass::bytes(int n_tokens) const {
  PassShape shape = shape_;
  shape.n_source = n_tokens;
  shape.n_target = n_tokens;
  if (shape.architecture().output_layer != OutputLayer::none)
    shape.vocabulary = vocabulary_ > 0 ? vocabulary_ : 2 * n_tokens;
  shape.keeps_predictions = shape.vocabulary <= many_words;
  return static_cast<double>(shape.peak_floats()) * sizeof(float);
}

double pass_bytes(const Request& request, int vocabulary, int n_tokens) {
  return MinimalPass(request, vocabulary).bytes(n_tokens);
}

double weights_bytes(const Request& request) {
  const double all = model_bytes(request.architecture);
  const double own = request.model ? request.model->weights_bytes() : all;
  // Each table or layer that has given parts is copied: once in packed form, and once in between.
  double numbers = 0.0;
  for (const GivenMatrix& each : given_parameters(request.given).all)
    numbers += static_cast<double>(each.numbers->values.size());
  const double copies = 2.0 * numbers * request.architecture.n_heads * sizeof(float);
  const int vocabulary = request.model ? request.model->vocabulary.size() : 0;
  return own + std::min(copies, 2.0 * (all + word_table_bytes(request.architecture, vocabulary)));
}

int vocabulary_of(const Request& request, const Texts& texts) {
  if (request.model) return std::max(request.model->vocabulary.size(), request.architecture.foreign.classes);
  if (!request.output_words.empty()) return static_cast<int>(listed_words(request.output_words).size());
  const bool predicts_batch =
      !request.batch.empty() && request.architecture.output_layer != OutputLayer::none;
  return predicts_batch ? static_cast<int>(distinct_words(texts.batch(), {}, texts.target()).size()) : 0;
}

int longest_text(const Texts& texts, std::size_t n_sequences) {
  std::size_t longest = std::max(texts.sentence().size(), texts.target().size());
  for (std::size_t i = 0; i < n_sequences; ++i)
    longest = std::max(longest, texts.of_batch(static_cast<int>(i)).size());
  return static_cast<int>(longest);
}

MemoryEstimate memory_of(const Request& request) {
  const Texts texts = texts_of(request);
  const int n_tokens = std::max(longest_text(texts, request.batch.size()), 1);
  return {weights_bytes(request), pass_bytes(request, vocabulary_of(request, texts), n_tokens)};
}

Result<void> check_kept(double bytes, std::size_t limit, const std::string& what, const std::string& advice) {
  if (bytes <= static_cast<double>(limit)) return {};
  constexpr double mebibyte = 1024.0 * 1024.0;
  const auto mebibytes = [](double size) { return grouped(std::llround(size / mebibyte)) + " MiB"; };
  return failure(what + " take " + mebibytes(bytes) + ", but a pass may use at most " +
                 mebibytes(static_cast<double>(limit)) + ": " + advice);
}

}  // namespace headscope
