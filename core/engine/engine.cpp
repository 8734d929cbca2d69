#include "core/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <string>

#include "core/engine/given_model.h"
#include "core/engine/inputs.h"
#include "core/engine/make_pass_edits.h"
#include "core/engine/request.h"
#include "core/model/pass.h"
#include "core/model/trained_model.h"
#include "core/system/machine_memory.h"
#include "core/tasks/task.h"
#include "core/tensor/parallel.h"
#include "core/trace/given_stage.h"
#include "core/trace/trace.h"
#include "core/train/attention.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

/// Whether two requests differ in nothing but their texts.
bool differ_in_texts(const Request& a, const Request& b) {
  Request same = a;
  same.sentence = b.sentence;
  same.texts = b.texts;
  return same == b;
}

int common_beginning(const std::vector<Token>& a, const std::vector<Token>& b) {
  const auto is_same = [](const Token& x, const Token& y) {
    return x.id == y.id && x.segment == y.segment && x.lookup == y.lookup;
  };
  return static_cast<int>(std::ranges::mismatch(a, b, is_same).in1 - a.begin());
}

/// What the task of a trained model asks of each row of the last stack of a pass. Empty if the model has no
/// task or its words differ from those of its task. `source` and `target` hold the model's ids and no
/// padding.
TaskRows task_rows(const TrainedModel& model, std::span<const Token> source, std::span<const Token> target) {
  const auto kind = parse_task_name(model.task);
  if (!kind) return {};
  const Task& learned = task(*kind);
  if (learned.vocabulary().words() != model.vocabulary.words()) return {};
  const std::vector<int> source_ids = ids_of(source);
  const std::vector<int> target_ids = ids_of(target);
  TaskRows rows = learned.rows(source_ids, target_ids);
  rows.trained_on = learned.trained_on();
  const Architecture& a = model.model.architecture;
  // Wherever the weights come from: a session may be saved while its model is still learning.
  const bool is_learning = model.steps < training_recipe(*kind).quick_steps;
  if (learned.teaches_head()) rows.taught = TaughtHead{a.n_layers - 1, taught_head, is_learning};
  return rows;
}

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

/// A pass that takes longer than this publishes its finished part at this interval.
constexpr Milliseconds between_partial_traces{30.0};

/// The limit for random weights that are kept for later passes.
constexpr double max_weight_bytes = 256.0 * (1U << 20U);

/// Returns the memory of a trace to the store when the trace is released.
std::shared_ptr<PassBuffers> recycled(std::unique_ptr<PassBuffers> buffers,
                                      const std::shared_ptr<BufferPool>& store) {
  return {buffers.release(), [store](PassBuffers* released) {
            store->release(std::move(released->memory));
            delete released;
          }};
}

bool changes_scores(const CombinedMask& mask) {
  return !mask.visible.empty() || !mask.added.empty();
}

/// Whether the mask hides cells that then have no weight, whatever their scores are.
bool hides_cells(const CombinedMask& mask) {
  return !mask.visible.empty() && mask.value == MaskValue::minus_infinity;
}

PassShape shape_of(const Request& request, const ReadInputs& inputs, const Trace::Parts& parts) {
  const PassMasks& masks = *parts.masks;
  PassShape shape;
  shape.graph = parts.graph;
  if (request.last_layer) {
    Architecture first_layers = request.architecture;
    first_layers.n_layers = *request.last_layer + 1;
    for (int* const own : {&first_layers.foreign.encoder_layers, &first_layers.foreign.decoder_layers})
      *own = std::min(*own, first_layers.n_layers);
    shape.graph = std::make_shared<const Graph>(first_layers, parts.options);
  }
  shape.n_source = static_cast<int>(inputs.tokens.size());
  shape.n_target = static_cast<int>(inputs.target_tokens.size());
  const bool predicts = parts.unembedding != nullptr && !request.last_layer;
  shape.vocabulary = predicts ? static_cast<int>(parts.unembedding->words.size()) : 0;
  shape.mask_changes_scores = changes_scores(masks.source) || changes_scores(masks.sliding_source);
  shape.target_mask_changes_scores = changes_scores(masks.target) || changes_scores(masks.sliding_target);
  shape.cross_mask_changes_scores = changes_scores(masks.cross);
  const bool over_keys = request.attention.softmax == SoftmaxAxis::keys;
  shape.mask_hides = over_keys && (hides_cells(masks.source) || hides_cells(masks.sliding_source));
  shape.target_mask_hides = over_keys && (hides_cells(masks.target) || hides_cells(masks.sliding_target));
  shape.cross_mask_hides = over_keys && hides_cells(masks.cross);
  shape.edits_rows = !request.given.empty() || !request.interventions.patches.empty();
  // A large vocabulary times a long text must not displace everything else.
  constexpr std::size_t share_for_predictions = 4;
  const std::size_t max_floats = request.max_bytes / sizeof(float);
  const std::size_t predictions =
      2 * static_cast<std::size_t>(shape.n_tokens(request.architecture.last_stack())) *
      static_cast<std::size_t>(shape.vocabulary);
  if (over_keys) shape.kept = Retention::layer_inputs;
  shape.keeps_predictions =
      shape.vocabulary <= many_words ||
      (predictions <= max_floats / share_for_predictions && shape.peak_floats() <= max_floats);
  if (over_keys) shape.kept = max_kept(shape, max_floats);
  return shape;
}

/// The number of first rows that a new pass shares with a finished pass of another text, or 0. `parts` are
/// those of the new pass; they must be complete except for the numbers in the buffers.
int n_shared_rows(const Trace& before, const Request& request_before, const Request& request,
                  const Trace::Parts& parts) {
  if (!before.complete() || !request.batch.empty() || !request.donor.empty()) return 0;
  // Without a trained model, the words to predict are those of the text.
  if (!request.model && request.architecture.output_layer != OutputLayer::none) return 0;
  const bool has_edits = before.edits() != nullptr || parts.edits != nullptr || !request.given.empty();
  if (has_edits || request.attention.softmax != SoftmaxAxis::keys) return 0;
  if (&before.model() != parts.model.get() || !differ_in_texts(request, request_before)) return 0;
  // At least the last row is computed.
  const int n =
      std::min(common_beginning(before.tokens(), parts.tokens), static_cast<int>(parts.tokens.size()) - 1);
  const PassInputs inputs = before.pass_inputs();
  const bool shares =
      n > 0 && has_same_first_rows(before.kept(), inputs.masks, *parts.buffers, *parts.masks, n);
  return shares ? n : 0;
}

}  // namespace

struct Engine::State {
  explicit State(int n_threads) : pool(n_threads) {}

  ThreadPool pool;
  std::shared_ptr<BufferPool> store = std::make_shared<BufferPool>();
  std::shared_ptr<const Model> model;  ///< The model used last.
  /// Models with random weights, the most recently used one first.
  std::vector<std::shared_ptr<const Model>> drawn;
  GivenModels given;

  /// The last finished pass for as long as something else holds it, and its request. If a text is edited, the
  /// rows of the tokens before the first change are taken from this pass.
  std::weak_ptr<const Trace> before;
  Request request_before;

  Request donor_request;
  std::shared_ptr<const Trace> donor;  ///< The pass from which interventions take numbers.

  /// The means of rows that interventions took last, and the request for them.
  Request means_request;
  std::shared_ptr<const MeanRows> means;

  /// For a model with its own tokenizer. It is the same for every text.
  std::shared_ptr<const Unembedding> unembedding;
  ModelRef unembedding_of;

  std::shared_ptr<const Unembedding> words_of(const Request& request, const ReadInputs& inputs,
                                              const Texts& texts) {
    if (!request.model || !request.model->is_foreign())
      return headscope::unembedding_of(request, *model, inputs, texts);
    if (unembedding_of.get() != request.model.get()) {
      unembedding = headscope::unembedding_of(request, *model, inputs, texts);
      unembedding_of = request.model;
    }
    return unembedding;
  }
  /// Returns false if drawing the weights was stopped.
  bool use_model(const Request& request, const StopFlags* stop) {
    if (request.model) {
      model = {request.model.shared(), &request.model->model};
      return true;
    }
    const int vocabulary = request.tokenizer == TokenizerKind::seed1 ? seed1_vocabulary : 0;
    const auto is_asked_for = [&](const std::shared_ptr<const Model>& known) {
      return known->architecture == request.architecture && known->embedding_table.n_rows() == vocabulary;
    };
    const auto known = std::ranges::find_if(drawn, is_asked_for);
    if (known != drawn.end()) {
      std::rotate(drawn.begin(), known, known + 1);
      model = drawn.front();
      return true;
    }
    model.reset();
    drop_other_weights(model_bytes(request.architecture));
    auto made = std::make_shared<const Model>(
        random_model(request.architecture, vocabulary, pool, stop == nullptr ? nullptr : &stop->weights));
    if (stop != nullptr && stop->weights) return false;
    drawn.insert(drawn.begin(), made);
    model = std::move(made);
    return true;
  }
  template <class Compute>
  Slices<Result<std::shared_ptr<const MeanRows>>> means_of(const Request& request, Compute compute);
  /// Keeps small weights, because compared subjects take turns. The engine itself never holds two large ones
  /// at once.
  void drop_other_weights(double bytes) {
    for (std::size_t kept = 0; kept < drawn.size(); ++kept) {
      bytes += model_bytes(drawn[kept]->architecture);
      if (bytes > max_weight_bytes || kept == max_compared) drawn.resize(kept);
    }
  }
};

/// The means of the rows that the interventions of a request take. They are computed anew only if the texts,
/// the model or its options have changed, or for a stage that was not among the last ones. Null if it was
/// stopped.
template <class Compute>
Slices<Result<std::shared_ptr<const MeanRows>>> Engine::State::means_of(const Request& request,
                                                                        Compute compute) {
  const AveragedStages expected = averaged_stages(request);
  if (expected.stages.empty()) co_return std::make_shared<const MeanRows>();
  Request without_text = without_own_texts(request);
  without_text.sentence.clear();
  without_text.target.clear();
  without_text.interventions.heads.clear();
  const bool is_known = means != nullptr && means_request == without_text && has_all(*means, expected);
  if (is_known && !(request.model && request.model->has_changed())) co_return means;
  auto averaging = mean_rows(request, expected, compute);
  while (averaging.next()) co_yield averaging.share();
  auto found = averaging.take();
  if (found && *found != nullptr) {
    means = *found;
    means_request = std::move(without_text);
  }
  co_return found;
}

Engine::Engine(int n_threads) : state_(std::make_unique<State>(n_threads)) {}
Engine::~Engine() = default;

int Engine::n_threads() const {
  return state_->pool.size();
}

Slices<Result<std::shared_ptr<const Trace>>> Engine::pass(const Request& request, TooLong too_long,
                                                          const StopFlags* stop,
                                                          const OnPartialTrace& on_partial) {
  ensure(validate(request.architecture));
  // Weights that would not fit in memory with everything else are refused before they are drawn.
  const bool is_opened = request.model && request.model->is_foreign();
  ensure(check_memory(
      weights_bytes(request), "a model of this size",
      is_opened ? "open a smaller one of its family" : "use fewer layers or a smaller d_model or d_ff"));
  if (request.model && request.model->model.architecture != request.architecture) {
    co_return failure("the trained weights do not match the requested architecture");
  }
  // These passes have no donor, so they come before it.
  auto averaging =
      state_->means_of(request, [&](const Request& other) { return slices(other, TooLong::refuse, stop); });
  while (averaging.next()) co_yield 0.0;
  const auto means = averaging.take().value();
  if (means == nullptr) co_return nullptr;
  // The donor of the previous pass is often requested itself.
  if (request.donor.empty() || (state_->donor && !state_->donor->check_files())) state_->donor.reset();
  if (state_->donor && state_->donor_request == request) co_return state_->donor;
  if (!request.donor.empty() && (!state_->donor || !(state_->donor_request == request.donor.front()))) {
    auto computing = slices(request.donor.front(), too_long, stop);
    while (computing.next()) co_yield 0.0;
    auto donor = computing.take();
    if (!donor) co_return failure("the held subject: " + donor.error().message);
    if (*donor == nullptr) co_return nullptr;
    state_->donor = std::move(*donor);
    state_->donor_request = request.donor.front();
  }
  const Texts texts = texts_of(request);
  ReadInputs inputs = read_inputs(request, texts, too_long);
  co_yield 0.0;
  if (!state_->use_model(request, stop)) co_return nullptr;
  Trace::Parts parts;
  parts.given = request.given;
  if (!request.last_layer) parts.unembedding = state_->words_of(request, inputs, texts);
  const auto n_words = parts.unembedding ? static_cast<int>(parts.unembedding->words.size()) : 0;
  ensure(check_given(request.given, {.architecture = request.architecture,
                                     .table_rows = state_->model->embedding_table.n_rows(),
                                     .n_words = n_words,
                                     .n_source = static_cast<int>(inputs.tokens.size()),
                                     .n_target = static_cast<int>(inputs.target_tokens.size())}));
  parts.model = state_->given.with(state_->model, request.given);
  parts.is_given = gives_heads(request.architecture, request.given);
  parts.options = with_documents(request.attention, inputs);
  if (request.architecture.linear_attention) parts.options = without_softmax(parts.options);
  co_yield 0.0;
  parts.graph = std::make_shared<const Graph>(request.architecture, parts.options,
                                              parts.model->embedding_table.exists());
  parts.masks = std::make_shared<const PassMasks>(combined_masks(parts.options, *parts.model, inputs));
  ensure(check_linear_pass(request, *parts.masks));
  if (!given_parameters(request.given).empty())
    parts.unembedding = unembedding_of(request, *parts.model, inputs, texts);  // may be the table's
  parts.unembedding = with_unembedding(parts.unembedding, request.given);
  // Another model may have left no room for it before.
  if (parts.unembedding) parts.unembedding->linear->reserve_packed_memory();
  const PassShape shape = shape_of(request, inputs, parts);
  parts.edits = make_pass_edits(request, inputs, state_->donor.get(), *means);
  if (state_->donor) {
    if (auto ok = state_->donor->check_files(); !ok)
      co_return failure("the held subject: " + ok.error().message);
  }
  parts.tokens = std::move(inputs.tokens);
  parts.target_tokens = std::move(inputs.target_tokens);
  parts.n_sentence_tokens = inputs.n_sentence_tokens;
  parts.batch = inputs.batch;
  co_yield 0.0;
  if (request.model) {
    const auto n = parts.tokens.size() - static_cast<std::size_t>(parts.batch.n_padded);
    if (!request.last_layer)
      parts.task_rows = task_rows(*request.model, std::span(parts.tokens).first(n), parts.target_tokens);
    parts.files = request.model->files;
  }
  co_yield 0.0;

  const auto buffers =
      recycled(std::make_unique<PassBuffers>(shape, state_->store->take(shape.floats())), state_->store);
  parts.buffers = buffers;
  if (!parts.model->captured) {
    const Architecture& a = request.architecture;
    look_up(*parts.model, parts.tokens, a.first_stack(), *buffers, state_->pool);
    if (a.has_cross()) look_up(*parts.model, parts.target_tokens, Stack::decoder, *buffers, state_->pool);
  }

  const Clock::time_point start = Clock::now();
  Clock::time_point last_partial = start;
  // Publishes the finished part of a pass that takes long. The parts that a partial trace shows are not
  // written again.
  const auto layer_done = [&](int layers) {
    const auto now = Clock::now();
    if (!on_partial || now - last_partial < between_partial_traces) return;
    last_partial = now;
    Trace::Parts partial = parts;
    partial.layers_done = layers;
    partial.complete = false;
    partial.milliseconds = Milliseconds(now - start).count();
    const auto trace = std::make_shared<const Trace>(std::move(partial));
    if (trace->check_files()) on_partial(trace);
  };
  static const Linear no_unembedding;
  PassInputs pass{*parts.model, parts.options, *parts.masks,
                  parts.unembedding ? *parts.unembedding->linear : no_unembedding};
  pass.edits = parts.edits.get();
  const std::atomic<bool>* const stopped = stop == nullptr ? nullptr : &stop->pass;
  std::shared_ptr<const Trace> before = state_->before.lock();
  const int n_shared = before ? n_shared_rows(*before, state_->request_before, request, parts) : 0;
  if (n_shared == 0) before.reset();
  auto layers = n_shared > 0 ? forward_extend(pass, before->kept(), n_shared, *buffers, state_->pool, stopped)
                             : forward(pass, *buffers, state_->pool, stopped);
  for (int n_done = 1; layers.next(); ++n_done) {
    layer_done(n_done);
    co_yield layers.share();
  }
  const bool complete = layers.take();
  parts.milliseconds = Milliseconds(Clock::now() - start).count();
  if (!complete) co_return nullptr;
  if (request.last_layer) {
    parts.layers_done = *request.last_layer + 1;
    parts.complete = false;
  }
  auto trace = std::make_shared<const Trace>(std::move(parts));
  ensure(trace->check_files());
  state_->before = trace;
  state_->request_before = request;
  co_return trace;
}

Slices<Result<std::shared_ptr<const Trace>>> Engine::slices(Request request, TooLong too_long,
                                                            const StopFlags* stop,
                                                            OnPartialTrace on_partial) {
  auto computing = pass(request, too_long, stop, on_partial);
  bool has_memory = true;
  for (bool has_more = true; has_more;) {
    try {
      has_more = computing.next();
    } catch (const std::bad_alloc&) {
      has_memory = has_more = false;
    }
    if (has_more) co_yield computing.share();
  }
  if (has_memory) co_return computing.take();
  const bool is_opened = request.model && request.model->is_foreign();
  co_return failure(std::string("not enough memory for this pass: shorten the sentence, or ") +
                    (is_opened ? "open a smaller model" : "use fewer heads or a smaller d_model"));
}

}  // namespace headscope
