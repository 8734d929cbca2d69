#include "core/engine/request.h"

#include <algorithm>

#include "core/engine/linear_limits.h"
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

/// Bytes a cell that the mask of each attention takes, which every pass keeps.
double mask_bytes(const Request& request) {
  const AttentionOptions& options = request.attention;
  const bool pads = !request.batch.empty();
  const auto bytes_of = [](bool hides) { return hides ? 1.0 : 0.0; };
  const double sliding = bytes_of(request.architecture.sliding_window.has_value());
  const double source = bytes_of(pads || options.mask.hides_anything()) + sliding;
  if (!request.architecture.has_cross()) return source;
  return source + sliding + bytes_of(options.target_mask.hides_anything()) +
         bytes_of(pads || options.cross_mask.hides_anything());
}

/// `vocabulary`: the words of a trained model; 0: those of the sentences.
int max_tokens(const Request& request, int vocabulary) {
  const Architecture& architecture = request.architecture;
  const bool needs_maps = request.attention.softmax == SoftmaxAxis::queries;
  const Kept least = needs_maps ? Kept::everything : Kept::layer_inputs;
  const double a_cell = mask_bytes(request);
  const auto fits = [&](int n) {
    PassShape shape = largest_shape(architecture, n, vocabulary, least);
    shape.gives_input = !request.given.empty() || !request.interventions.patches.empty();
    const auto floats = static_cast<double>(shape.peak_floats());
    const double bytes = floats * sizeof(float) + a_cell * static_cast<double>(n) * static_cast<double>(n);
    return bytes <= static_cast<double>(request.max_bytes);
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

}  // namespace

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
  if (session.interventions.take_from_held() && !session.held.empty())
    request.donor.push_back(request_of(with_subject(session, session.held.front())));
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
  if (request.architecture.linear_attention) request.attention = without_softmax(request.attention);
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
  return max_tokens(request, vocabulary);
}

}  // namespace headscope
