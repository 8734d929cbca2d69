#include "core/engine/request.h"

#include <algorithm>
#include <cmath>

#include "core/engine/given_model.h"
#include "core/model/parameters.h"
#include "core/model/stage.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

/// The shape of the pass that keeps the least for a request.
PassShape minimal_shape(const Request& request) {
  PassShape shape;
  // Every part that options may add is counted.
  AttentionOptions dropping;
  dropping.train = true;
  shape.graph = std::make_shared<const Graph>(request.architecture, dropping);
  shape.mask_changes_scores = true;
  shape.target_mask_changes_scores = true;
  shape.cross_mask_changes_scores = true;
  const bool needs_maps = request.attention.softmax == SoftmaxAxis::queries;
  shape.kept = needs_maps ? Retention::everything : Retention::layer_inputs;
  shape.edits_rows = !request.given.empty() || !request.interventions.patches.empty();
  return shape;
}

double bytes_of(PassShape shape, int vocabulary, int n_tokens) {
  shape.n_source = n_tokens;
  shape.n_target = n_tokens;
  if (shape.architecture().output_layer != OutputLayer::none)
    shape.vocabulary = vocabulary > 0 ? vocabulary : 2 * n_tokens;
  shape.keeps_predictions = shape.vocabulary <= many_words;
  return static_cast<double>(shape.peak_floats()) * sizeof(float);
}

/// −∞ hides a cell, and 0 changes nothing, so neither counts.
bool adds_numbers(const CombinedMask& mask) {
  return std::ranges::any_of(mask.added,
                             [](float number) { return std::isfinite(number) && number != 0.0F; });
}

Result<void> check_given_scores(const GivenNumbers& given) {
  for (const GivenMatrix& each : given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    if (!id || id->kind != StageKind::raw) continue;
    const auto least = std::ranges::min_element(each.numbers->values);
    if (least == each.numbers->values.end() || *least >= 0.0F) continue;
    return failure(
        "'" + each.path + "' is given " + number_text(*least) +
        ", but linear attention divides each score by its row's sum, so no score may be negative: give numbers of 0 or more, or turn linear attention off");
  }
  return {};
}

}  // namespace

Request without_own_texts(Request request) {
  for (MaskSpec* mask :
       {&request.attention.mask, &request.attention.target_mask, &request.attention.cross_mask}) {
    mask->padding.clear();
    mask->painted.clear();
    mask->loaded.clear();
  }
  request.attention.train = false;
  request.batch.clear();
  request.sequence = 0;
  request.donor.clear();
  std::erase_if(request.interventions.heads,
                [](const HeadChange& change) { return change.pattern == Pattern::compared; });
  request.interventions.patches.clear();
  request.interventions.weights.clear();
  request.given = given_parameters(request.given);
  request.texts = {};
  return request;
}

Request request_of(const Session& session) {
  Request request;
  static_cast<PassRecipe&>(request) = session;
  if (session.interventions.take_from_compared() && !session.compared.empty())
    request.donor.push_back(request_of(with_subject(session, session.compared.front())));
  const bool lists_words = !session.model && session.tokenizer == TokenizerKind::word &&
                           session.architecture.output_layer != OutputLayer::none;
  if (!lists_words) request.output_words.clear();
  // Fields that have no effect must not make two requests differ.
  if (!request.interventions.uses_means()) request.interventions.mean_over.clear();
  if (!request.architecture.has_cross()) {
    request.target.clear();
    request.texts = session.texts.without_target();
    request.attention.target_mask = {};
    request.attention.cross_mask = {};
  }
  if (request.architecture.linear_attention) request.attention = without_softmax(request.attention);
  if (!request.attention.has_dropout()) {
    request.attention.train = false;
    request.attention.dropout = AttentionOptions{}.dropout;
    request.attention.dropout_seed = 0;
  }
  return request;
}

bool same_weights(const Request& a, const Request& b) {
  return a.architecture == b.architecture && a.tokenizer == b.tokenizer && a.model == b.model;
}

int max_tokens(const Request& request) {
  return max_tokens(request, texts_of(request));
}

int max_tokens(const Request& request, const Texts& texts) {
  const PassShape shape = minimal_shape(request);
  const int vocabulary = vocabulary_of(request, texts);
  constexpr int more_than_any_text = 1 << 20;
  int low = 0;
  int high = more_than_any_text;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    const bool fits = bytes_of(shape, vocabulary, middle) <= static_cast<double>(request.max_bytes);
    (fits ? low : high) = middle;
  }
  const int most = request.architecture.max_tokens();
  return most > 0 ? std::min(low, most) : low;
}

bool has_room_for(int n_tokens, const Request& request, const Texts& texts) {
  const int most = request.architecture.max_tokens();
  return (most == 0 || n_tokens <= most) && pass_bytes(request, vocabulary_of(request, texts), n_tokens) <=
                                                static_cast<double>(request.max_bytes);
}

AttentionOptions without_softmax(AttentionOptions options) {
  options.scale = true;
  options.temperature = 1.0F;
  options.mask_value = MaskValue::minus_infinity;
  return options;
}

Result<void> check_linear_pass(const Request& request, const PassMasks& masks) {
  if (!request.architecture.linear_attention) return {};
  if (request.attention.softmax == SoftmaxAxis::queries)
    return usage_error(
        "linear attention has no softmax that could run over queries: choose softmax over keys, or turn linear attention off");
  for (const CombinedMask* mask :
       {&masks.source, &masks.target, &masks.cross, &masks.sliding_source, &masks.sliding_target}) {
    if (!adds_numbers(*mask)) continue;
    return failure(
        "a mask file adds numbers to the scores, but linear attention has no softmax that would turn them into factors: use a boolean mask, or a float mask that holds only 0 and −∞");
  }
  return check_given_scores(request.given);
}

double pass_bytes(const Request& request, int vocabulary, int n_tokens) {
  return bytes_of(minimal_shape(request), vocabulary, n_tokens);
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

double memory_of(const Request& request) {
  const Texts texts = texts_of(request);
  const int n_tokens = std::max(longest_text(texts, request.batch.size()), 1);
  return weights_bytes(request) + pass_bytes(request, vocabulary_of(request, texts), n_tokens);
}

Result<void> check_kept(double bytes, std::size_t limit, const std::string& what, const std::string& advice) {
  if (bytes <= static_cast<double>(limit)) return {};
  constexpr double mebibyte = 1024.0 * 1024.0;
  const auto mebibytes = [](double size) { return grouped(std::llround(size / mebibyte)) + " MiB"; };
  return failure(what + " take " + mebibytes(bytes) + ", but a pass may use at most " +
                 mebibytes(static_cast<double>(limit)) + ": " + advice);
}

}  // namespace headscope
