#include "core/engine/request.h"

#include <algorithm>
#include <cmath>

#include "core/engine/given_model.h"
#include "core/engine/memory_estimate.h"
#include "core/text/number_text.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

/// `vocabulary` is the number of words of a trained model; 0 stands for those of the sentences.
int max_tokens(const Request& request, int vocabulary) {
  const MinimalPass pass(request, vocabulary);
  const auto fits = [&](int n) { return pass.bytes(n) <= static_cast<double>(request.max_bytes); };
  constexpr int more_than_any_text = 1 << 20;
  int low = 0;
  int high = more_than_any_text;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  const int most = request.architecture.max_tokens();
  return most > 0 ? std::min(low, most) : low;
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
  request.sentence = session.sentence;
  request.target = session.target;
  request.batch = session.batch;
  request.sequence = session.sequence;
  request.tokenizer = session.tokenizer;
  request.architecture = session.architecture;
  request.attention = session.attention;
  request.model = session.model;
  request.texts = session.texts;
  request.interventions = session.interventions;
  request.given = session.given;
  if (session.interventions.take_from_compared() && !session.compared.empty())
    request.donor.push_back(request_of(with_subject(session, session.compared.front())));
  const bool lists_words = !session.model && session.tokenizer == TokenizerKind::word &&
                           session.architecture.output_layer != OutputLayer::none;
  if (lists_words) request.output_words = session.output_words;
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

Texts texts_of(const Request& request) {
  return tokenize_texts({request.sentence, request.target, request.batch, request.tokenizer,
                         model_tokenizers(request.tokenizer, request.model)},
                        request.texts);
}

bool same_weights(const Request& a, const Request& b) {
  return a.architecture == b.architecture && a.tokenizer == b.tokenizer && a.model == b.model;
}

int max_tokens(const Request& request) {
  return max_tokens(request, texts_of(request));
}

int max_tokens(const Request& request, const Texts& texts) {
  return max_tokens(request, vocabulary_of(request, texts));
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

}  // namespace headscope
