#include "core/engine/request.h"

#include <algorithm>

#include "core/model/pass.h"

namespace headscope {
namespace {

/// A pass of so many tokens with every part that options may add to it.
PassShape largest_shape(const Architecture& architecture, int n_tokens, int vocabulary, Kept kept) {
  PassShape shape;
  shape.architecture = architecture;
  shape.n_source = n_tokens;
  shape.n_target = n_tokens;
  if (architecture.output_layer != OutputLayer::none)
    shape.vocabulary = vocabulary > 0 ? vocabulary : 2 * n_tokens;
  shape.mask_changes_scores = true;
  shape.target_mask_changes_scores = true;
  shape.cross_mask_changes_scores = true;
  shape.drops = true;
  shape.kept = kept;
  return shape;
}

}  // namespace

Request request_of(const Session& session) {
  Request request{session.sentence,
                  session.target,
                  session.batch,
                  session.sequence,
                  session.tokenizer,
                  session.architecture,
                  session.attention,
                  default_trace_bytes,
                  session.model,
                  {},
                  false,
                  session.texts};
  const bool lists_words = !session.model && session.tokenizer == TokenizerKind::word &&
                           session.architecture.output_layer != OutputLayer::none;
  if (lists_words) request.output_words = session.output_words;
  // Unused fields must not make two requests differ.
  if (!request.architecture.has_cross()) {
    request.target.clear();
    request.texts = session.texts.without_target();
    request.attention.target_mask = {};
    request.attention.cross_mask = {};
  }
  if (!request.attention.drops()) {
    request.attention.train = false;
    request.attention.dropout = AttentionOptions{}.dropout;
    request.attention.dropout_seed = 0;
  }
  return request;
}

Texts texts_of(const Request& request) {
  return tokenized({request.sentence, request.target, request.batch, request.tokenizer}, request.texts);
}

bool same_weights(const Request& a, const Request& b) {
  return a.architecture == b.architecture && a.tokenizer == b.tokenizer && a.model == b.model;
}

int max_tokens(const Architecture& architecture, std::size_t max_bytes, int vocabulary, Kept kept) {
  const auto fits = [&](int n) {
    return static_cast<double>(largest_shape(architecture, n, vocabulary, kept).peak_floats()) *
               sizeof(float) <=
           static_cast<double>(max_bytes);
  };
  constexpr int more_than_any_text = 1 << 20;
  int low = 0;
  int high = more_than_any_text;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  const bool has_table = architecture.positions == Positions::learned;
  return has_table ? std::min(low, learned_positions) : low;
}

Kept least_kept(const Request& request) {
  const bool needs_maps = request.attention.softmax == SoftmaxAxis::queries;
  return request.may_keep_less && !needs_maps ? Kept::layer_inputs : Kept::everything;
}

int max_tokens(const Request& request) {
  return max_tokens(request, texts_of(request));
}

int max_tokens(const Request& request, const Texts& texts) {
  int vocabulary = 0;
  if (request.model) {
    vocabulary = request.model->vocabulary.size();
  } else if (!request.output_words.empty()) {
    vocabulary = static_cast<int>(listed_words(request.output_words).size());
  } else if (!request.batch.empty() && request.architecture.output_layer != OutputLayer::none) {
    vocabulary = static_cast<int>(distinct_words(texts.batch(), {}, texts.target()).size());
  }
  return max_tokens(request.architecture, request.max_bytes, vocabulary, least_kept(request));
}

}  // namespace headscope
