#include "core/engine/inputs.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/model/positions.h"
#include "core/session/presets.h"

namespace headscope {
namespace {

using Tokens = std::vector<Token>;

std::string megabytes(std::size_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

const Tokens& source_of(const Request& request, const Texts& texts) {
  return request.batch.empty() ? texts.sentence() : texts.of_batch(request.sequence);
}

/// Shortens the tokens to `most`: keeps the first tokens, followed by those that the model's tokenizer adds
/// at the end of every text.
void cut(int max_count, Tokens& tokens) {
  const auto is_added = [](const Token& token) {
    return token.is_special && token.span.begin == token.span.end;
  };
  const auto last = std::find_if_not(tokens.rbegin(), tokens.rend(), is_added).base();
  const std::ptrdiff_t n_added = tokens.end() - last;
  const auto n = static_cast<std::ptrdiff_t>(max_count);
  if (n_added >= n) return tokens.resize(static_cast<std::size_t>(max_count));
  tokens.erase(tokens.begin() + (n - n_added), last);
}

/// Cuts a sentence that is too long, or refuses it.
void fit(const Request& request, TooLong too_long, const char* which, int max_count, Tokens& tokens) {
  if (tokens.empty()) refuse(failure(std::string("the ") + which + " has no words: type at least one"));
  if (static_cast<int>(tokens.size()) <= max_count) return;
  std::string limit = std::to_string(max_count) + " is the most that fits in the " +
                      megabytes(request.max_bytes) + " that a pass of these sizes may use";
  const bool ends_positions = max_count == request.architecture.max_tokens();
  if (ends_positions) limit = "the model's positions end at " + std::to_string(max_count);
  if (too_long == TooLong::refuse || max_count == 0) {
    refuse(failure(std::string("the ") + which + " has " + std::to_string(tokens.size()) + " tokens, but " +
                   limit + ": shorten it" +
                   (ends_positions ? "" : ", or use fewer heads, fewer layers or a smaller d_model")));
  }
  cut(max_count, tokens);
}

/// Reduces the padding to what is left after a sequence was cut.
void cut_padding(std::size_t n_before, ReadInputs& inputs) {
  const auto n_cut = static_cast<int>(n_before - inputs.tokens.size());
  inputs.batch.n_padded = std::max(inputs.batch.n_padded - n_cut, 0);
}

void check_table(const Request& request, const Tokens& tokens) {
  if (request.tokenizer != TokenizerKind::seed1) return;
  for (const Token& token : tokens) {
    if (token.id < seed1_vocabulary) continue;
    refuse(failure(quoted_word(token.text) + " has id " + std::to_string(token.id) +
                   ", but this preset's table has " + std::to_string(seed1_vocabulary) +
                   " rows: use at most " + std::to_string(seed1_vocabulary) +
                   " words, or the word tokenizer"));
  }
}

/// Checks the ids, because they may be typed, and because a tokenizer may know more pieces than the table has
/// rows.
void check_ids(const Request& request, const Tokens& tokens) {
  if (!request.model || !request.model->is_foreign()) return;
  const int n = request.model->vocabulary.size();
  const auto wrong =
      std::ranges::find_if(tokens, [n](const Token& token) { return token.id < 0 || token.id >= n; });
  if (wrong == tokens.end()) return;
  // A text that the tokenizer refuses is a single token without an id, whose text gives the reason.
  const bool is_refused = request.tokenizer == TokenizerKind::model && wrong->id < 0;
  if (is_refused) refuse(failure("the model's tokenizer cannot read this text: " + wrong->text));
  const std::string& problem = request.model->tokenizer_error;
  std::string message = quoted_word(wrong->text) + " is not an id from 0 to " + std::to_string(n - 1);
  if (wrong->id < 0 && !problem.empty())
    message += ", and this model reads only ids, because its tokenizer cannot be read: " + problem;
  refuse(failure(message));
}

/// Whether options ask for other weights than those with which a model is opened.
bool request_other_weights(const AttentionOptions& options, const TrainedModel& model) {
  const AttentionOptions opened = initial_attention(model);
  const auto mask = [&](const AttentionOptions& of) -> const MaskSpec& {
    const Architecture& a = model.model.architecture;
    return mask_of(of, a.stacks, a.last_stack(), a.has_cross() ? AttentionKind::cross : AttentionKind::self);
  };
  return options.has_dropout() || options.scale != opened.scale ||
         options.temperature != opened.temperature || options.softmax != opened.softmax ||
         options.mask_value != opened.mask_value || !(mask(options) == mask(opened));
}

/// Whether a request changes numbers of the capture, or numbers from which nothing is computed.
bool edits_captured(const Request& request) {
  const Interventions& edits = request.interventions;
  const bool has_captured_weights = request.architecture.has_captured_weights();
  const bool edits_rows = std::ranges::any_of(edits.patches, [&](const Patch& patch) {
    return has_captured_weights ? patch.stage.kind != StageKind::output
                                : info(patch.stage.kind).scope != StageScope::head;
  });
  const bool gives = std::ranges::any_of(request.given.all, [&](const GivenMatrix& given) {
    const auto stage = parse_path(given.path);
    return has_captured_weights || !stage || info(stage->kind).scope != StageScope::head;
  });
  const bool edits_weights =
      !edits.weights.empty() || std::ranges::any_of(edits.heads, [](const HeadChange& change) {
        return change.pattern != Pattern::own;
      });
  return edits_rows || gives || (has_captured_weights && edits_weights);
}

/// Checks that a request is possible with a capture, which has the numbers of only one text, and whose
/// weights, if it has any, no option can change.
void check_captured(const Request& request, const ReadInputs& inputs) {
  if (!request.model || !request.model->is_capture()) return;
  const CapturedAttention& captured = *request.model->model.captured;
  const Tokens& asking = request.architecture.has_cross() ? inputs.target_tokens : inputs.tokens;
  const bool is_own_text = static_cast<int>(asking.size()) == captured.n_queries &&
                           static_cast<int>(inputs.tokens.size()) == captured.n_keys;
  if (!is_own_text)
    refuse(failure("a capture has the attention of its own text, which cannot be changed: undo, or open '" +
                   request.model->name + "' again"));
  if (edits_captured(request))
    refuse(failure(
        "what a capture has cannot be replaced by other numbers: undo, or open a model, which computes what "
        "follows from them"));
  if (request.architecture.has_captured_weights() && request_other_weights(request.attention, *request.model))
    refuse(failure(
        "the weights of this capture were computed by another program, so masks, scale and temperature do not change them: undo, or leave these options out"));
}

void pad_to_batch(const Request& request, const Texts& texts, ReadInputs& inputs) {
  if (request.batch.empty()) return;
  inputs.batch.n_sequences = static_cast<int>(request.batch.size());
  inputs.batch.sequence = request.sequence;
  const std::size_t n_before = inputs.tokens.size();
  pad(texts.batch().padded_length, request.tokenizer, inputs.tokens);
  inputs.batch.n_padded = static_cast<int>(inputs.tokens.size() - n_before);
}

/// Hides the last keys of the source that are padding.
MaskSpec with_padding(MaskSpec spec, const ReadInputs& inputs) {
  const int n = static_cast<int>(inputs.tokens.size());
  for (int key = n - inputs.batch.n_padded; key < n; ++key) spec.padding.push_back(key);
  std::sort(spec.padding.begin(), spec.padding.end());
  return spec;
}

std::vector<DistanceBiases> biases(const Model& model, Stack stack, std::size_t n_tokens) {
  const Architecture& a = model.architecture;
  if (!a.has_score_biases() || a.foreign.disentangled) return {};
  std::vector<DistanceBiases> all(
      static_cast<std::size_t>(a.has_per_layer_bias_tables() ? a.layers_of(stack) : 1));
  for (std::size_t layer = 0; layer < all.size(); ++layer) {
    const Matrix& table = model.position_biases(stack, static_cast<int>(layer));
    for (int head = 0; head < a.n_heads; ++head)
      all[layer].push_back(distance_biases(a, table, stack, head, static_cast<int>(n_tokens)));
  }
  return all;
}

/// The masks and biases of the attentions between so many tokens: of all queries, or of one `row` of the last
/// stack.
PassMasks masks_of(const Model& model, const AttentionOptions& options, MaskSizes sizes, int n_source,
                   int n_target, std::optional<int> row = {}) {
  const Architecture& a = model.architecture;
  PassMasks masks;
  const auto combined = [&](const MaskSpec& spec, int n_queries, int n_keys, int offset, CombinedMask& mask) {
    sizes.n_queries = row ? 1 : n_queries;
    sizes.n_keys = n_keys;
    sizes.query_offset = offset + row.value_or(0);
    mask = combine(spec, options.mask_value, sizes).value();
    mask.first = row.value_or(0);
  };
  // Layers with and without a sliding window have separate masks. Cross-attention has no window.
  const auto self = [&](Stack stack, const MaskSpec& spec, int n, CombinedMask& plain, CombinedMask& sliding,
                        std::vector<DistanceBiases>& of_distances) {
    if (!a.has_self() || (row && stack != a.last_stack())) return;
    combined(spec, n, n, 0, plain);
    sizes.sliding = a.sliding_window;
    if (a.sliding_window) combined(spec, n, n, 0, sliding);
    sizes.sliding.reset();
    of_distances = biases(model, stack, static_cast<std::size_t>(n));
  };
  self(a.first_stack(), options.mask, n_source, masks.source, masks.sliding_source, masks.source_biases);
  if (a.has_cross()) {
    self(Stack::decoder, options.target_mask, n_target, masks.target, masks.sliding_target,
         masks.target_biases);
    combined(options.cross_mask, n_target, n_source, options.query_offset, masks.cross);
  }
  return masks;
}

void embed(const Model& model, const Token& token, std::span<float> row) {
  if (model.embedding_table.exists()) {
    Matrix made;
    const auto factor = static_cast<float>(model.architecture.embedding_factor());
    Eigen::Map<RowVector>(row.data(), static_cast<Eigen::Index>(row.size())) =
        factor * eigen(model.embedding_table.rows(token.id, 1, made)).row(0);
  } else {
    draw_word_embedding(token.lookup, model.architecture.seed, row);
  }
}

/// The vocabulary, in which a placeholder that stands for a word of the sentence is replaced by that word.
std::vector<std::string> words_of(const TrainedModel& model, const ReadInputs& inputs) {
  std::vector<std::string> words = model.predicted();
  if (!model.class_names.empty()) return words;
  for (const Tokens* tokens : {&inputs.tokens, &inputs.target_tokens}) {
    for (const Token& token : *tokens) {
      if (model.vocabulary.is_placeholder(token.id)) words[static_cast<std::size_t>(token.id)] = token.lookup;
    }
  }
  return words;
}

void look_up_positions(const Model& model, Stack stack, const Tokens& tokens, const RowRange& range,
                       float* out) {
  Eigen::Map<Matrix> rows(out, range.size(), model.architecture.embedding_width());
  switch (model.architecture.positions) {
    case Positions::sinusoidal:
    case Positions::split:
      return wave_positions(model.architecture, rows, range.first);
    default: {
      const std::vector<int> of_tokens = position_rows(model.architecture, tokens, range.first);
      const Matrix& table = model.position_rows(stack);
      for (int i = 0; i < range.size(); ++i) rows.row(i) = table.row(of_tokens[static_cast<std::size_t>(i)]);
    }
  }
}

void look_up_layers(const Model& model, const Token& token, float* row) {
  const LayerInputs& inputs = *model.architecture.foreign.layer_inputs;
  Matrix made;
  const MatrixView found = model.layer_table.rows(inputs.row_of(token.id), 1, made);
  for (int i = 0; i < found.cols; ++i) row[i] = inputs.factor() * found(0, i);
}

}  // namespace

ReadInputs read_inputs(const Request& request, const Texts& texts, TooLong too_long) {
  ReadInputs inputs;
  const bool two = request.architecture.has_cross();
  inputs.tokens = source_of(request, texts);
  if (two) inputs.target_tokens = texts.target();
  if (inputs.tokens.empty()) refuse(failure("the sentence has no words: type at least one"));
  pad_to_batch(request, texts, inputs);
  if (request.model) {
    request.model->vocabulary.assign_ids(inputs.tokens);
    request.model->vocabulary.assign_ids(inputs.target_tokens);
  }
  inputs.n_sentence_tokens = static_cast<int>(std::max(inputs.tokens.size(), inputs.target_tokens.size()));
  const int longest = inputs.n_sentence_tokens;
  const int max_count = has_room_for(longest, request, texts) ? longest : max_tokens(request, texts);
  const std::size_t n_before = inputs.tokens.size();
  fit(request, too_long, "sentence", max_count, inputs.tokens);
  cut_padding(n_before, inputs);
  if (two) fit(request, too_long, "target", max_count, inputs.target_tokens);
  for (const Tokens* tokens : {&inputs.tokens, &inputs.target_tokens}) {
    check_table(request, *tokens);
    check_ids(request, *tokens);
  }
  check_captured(request, inputs);
  // The words of the other sentences can be predicted as well.
  check_table(request, texts.batch().largest);
  return inputs;
}

AttentionOptions with_documents(AttentionOptions options, const ReadInputs& inputs) {
  const auto add = [](MaskSpec& spec, const Tokens& tokens) {
    if (spec.separator.empty()) return;
    std::vector<int> ends;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].text == spec.separator || tokens[i].lookup == spec.separator)
        ends.push_back(static_cast<int>(i));
    }
    add_documents(spec, ends, static_cast<int>(tokens.size()));
  };
  add(options.mask, inputs.tokens);
  add(options.target_mask, inputs.target_tokens);
  return options;
}

PassMasks combined_masks(AttentionOptions options, const Model& model, const ReadInputs& inputs) {
  MaskSizes sizes;
  sizes.n_heads = model.architecture.n_heads;
  sizes.n_sequences = inputs.batch.n_sequences;
  sizes.sequence = inputs.batch.sequence;
  options.mask = with_padding(std::move(options.mask), inputs);
  options.cross_mask = with_padding(std::move(options.cross_mask), inputs);
  return masks_of(model, options, sizes, static_cast<int>(inputs.tokens.size()),
                  static_cast<int>(inputs.target_tokens.size()));
}

PassMasks masks_after_pass(const Trace& trace, int row) {
  const bool two = trace.architecture().has_cross();
  // Only masks that were loaded can fail.
  return masks_of(trace.model(), trace.options(), {}, two ? trace.kept().shape.n_source : row + 1, row + 1,
                  row);
}

std::shared_ptr<const Unembedding> unembedding_of(const Request& request, const Model& model,
                                                  const ReadInputs& inputs, const Texts& texts) {
  const Architecture& a = request.architecture;
  if (a.output_layer == OutputLayer::none) return nullptr;
  auto result = std::make_shared<Unembedding>();
  if (request.model) {
    result->words = words_of(*request.model, inputs);
    const auto in_memory = std::make_shared<PackedMemoryBudget>(std::numeric_limits<double>::infinity());
    result->linear = model.unembedding ? model.unembedding : tied_unembedding(model, in_memory);
    return result;
  }
  // All sequences of a batch choose from the same words.
  Tokens firsts = listed_words(request.output_words);
  const bool listed = !firsts.empty();
  if (!listed) firsts = distinct_words(texts.batch(), inputs.tokens, inputs.target_tokens);
  for (const Token& token : firsts) result->words.push_back(listed ? token.text : token.lookup);
  Matrix rows(static_cast<Eigen::Index>(firsts.size()), a.output_width());
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::span<float> row(&rows(static_cast<Eigen::Index>(i), 0),
                               static_cast<std::size_t>(a.output_width()));
    if (a.output_layer == OutputLayer::tied) {
      embed(model, firsts[i], row);
      for (float& number : row) number *= static_cast<float>(a.foreign.output_factor / a.embedding_factor());
    } else {
      draw_word_unembedding(firsts[i].lookup, a.seed, row);
    }
  }
  RowVector bias = RowVector::Zero(rows.rows());
  if (a.has_output_bias()) {
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      bias[i] = draw_word_unembedding_bias(firsts[static_cast<std::size_t>(i)].lookup, a.seed, a.d_model);
    }
  }
  result->linear = std::make_shared<const Linear>(rows.transpose(), std::move(bias));
  return result;
}

void look_up(const Model& model, const Tokens& tokens, Stack stack, PassBuffers& buffers, ThreadPool& pool) {
  const auto width = static_cast<std::size_t>(model.architecture.embedding_width());
  const RowRange range = buffers.shape.stored_rows({StageKind::input, stack});
  float* const embeddings = buffers.at({StageKind::embedding, stack});
  float* const segments = buffers.at({StageKind::segments, stack});
  float* const of_layers = buffers.at({StageKind::layer_embedding, stack});
  const auto layers_width = static_cast<std::size_t>(model.architecture.all_layer_inputs_width());
  const Matrix& segments_table = table_of(model, {.kind = StageKind::segments_table});
  if (float* const positions = buffers.at({StageKind::positions, stack}))
    look_up_positions(model, stack, tokens, range, positions);
  const auto one_token = [&](int index) {
    const std::size_t first = static_cast<std::size_t>(index) * width;
    const Token& token = tokens[static_cast<std::size_t>(index)];
    embed(model, token, {embeddings + first, width});
    if (of_layers != nullptr)
      look_up_layers(model, token, of_layers + static_cast<std::size_t>(index) * layers_width);
    if (segments != nullptr) std::copy_n(segments_table.row(token.segment).data(), width, segments + first);
  };
  constexpr std::size_t worth_threads = 100'000;
  if (tokens.size() * width < worth_threads) {
    for (int i = 0; i < range.size(); ++i) one_token(i);
  } else {
    pool.for_each(range.size(), one_token);
  }
}

}  // namespace headscope
