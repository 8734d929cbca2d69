#include "core/engine/engine.h"

#include <chrono>
#include <mutex>
#include <new>
#include <string>

#include "core/model/forward.h"
#include "core/tensor/parallel.h"

namespace headscope {
namespace {

using Tokens = std::vector<Token>;

/// Hands a trace's memory back for the next pass when the trace goes.
std::shared_ptr<const ForwardBuffers> recycled(std::unique_ptr<ForwardBuffers> buffers,
                                               const std::shared_ptr<BufferStore>& store) {
  return {buffers.release(), [store](ForwardBuffers* gone) {
            store->give_back(std::move(gone->memory));
            delete gone;
          }};
}

std::string megabytes(std::size_t bytes) {
  return std::to_string(bytes >> 20U) + " MiB";
}

Result<Tokens> checked_tokens(const Request& request, TooLong too_long, int& in_sentence) {
  Tokens tokens = tokenize(request.sentence, request.tokenizer);
  in_sentence = static_cast<int>(tokens.size());
  if (tokens.empty()) return failure("the sentence has no words: type at least one");
  const int most = max_tokens(request.architecture, request.max_bytes);
  if (in_sentence > most) {
    const std::string reason = std::to_string(in_sentence) + " tokens, but with these sizes " +
                               std::to_string(most) + " fit into the " + megabytes(request.max_bytes) +
                               " that a pass may keep";
    if (too_long == TooLong::refuse || most == 0) {
      return failure("the sentence has " + reason + ": shorten it, or use fewer heads or a smaller d_model");
    }
    tokens.resize(static_cast<std::size_t>(most));
  }
  if (request.tokenizer == TokenizerKind::seed1) {
    for (const Token& token : tokens) {
      if (token.id < seed1_vocabulary) continue;
      return failure("“" + token.text + "” has the id " + std::to_string(token.id) +
                     ", but this preset's table has " + std::to_string(seed1_vocabulary) +
                     " rows: use at most " + std::to_string(seed1_vocabulary) +
                     " words, or the usual tokenizer");
    }
  }
  return tokens;
}

}  // namespace

struct Engine::State {
  explicit State(int n_threads) : pool(n_threads) {}

  TaskPool pool;
  std::shared_ptr<BufferStore> store = std::make_shared<BufferStore>();
  std::shared_ptr<const Model> model;  ///< the one last used

  void use_model(const Request& request);
  void fill_input(const Tokens& tokens, ForwardBuffers& buffers);
};

void Engine::State::use_model(const Request& request) {
  const int vocabulary = request.tokenizer == TokenizerKind::seed1 ? seed1_vocabulary : 0;
  if (model && model->architecture == request.architecture && model->embedding_table.rows() == vocabulary) {
    return;
  }
  model.reset();  // so that two sets of weights are never held at once by the engine itself
  model = std::make_shared<const Model>(random_model(request.architecture, vocabulary));
}

void Engine::State::fill_input(const Tokens& tokens, ForwardBuffers& buffers) {
  const ForwardShape& s = buffers.shape;
  const auto width = static_cast<std::size_t>(s.d_model);
  const bool with_positions = model->architecture.positions != Positions::none;
  if (with_positions) {
    sinusoidal_positions(Eigen::Map<Matrix>(buffers.positions, s.n_tokens, s.d_model));
  }
  const auto one_token = [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const std::span<float> row(buffers.embedding + i * width, width);
    if (model->embedding_table.size() > 0) {
      Eigen::Map<RowVector>(row.data(), s.d_model) = model->embedding_table.row(tokens[i].id);
    } else {
      word_embedding(tokens[i].lookup, model->architecture.seed, row);
    }
    const float* position = buffers.positions + i * width;
    float* input = buffers.input + i * width;
    for (std::size_t d = 0; d < width; ++d) input[d] = with_positions ? row[d] + position[d] : row[d];
  };
  constexpr std::size_t worth_threads = 100'000;
  if (tokens.size() * width < worth_threads) {
    for (int i = 0; i < s.n_tokens; ++i) one_token(i);
  } else {
    pool.for_each(s.n_tokens, one_token);
  }
}

Engine::Engine(int n_threads) : state_(std::make_unique<State>(n_threads)) {}
Engine::~Engine() = default;

int Engine::n_threads() const {
  return state_->pool.size();
}

Result<std::shared_ptr<const Trace>> Engine::compute(const Request& request, TooLong too_long,
                                                     const std::atomic<bool>* stop) try {
  if (auto ok = validate(request.architecture); !ok) return tl::unexpected(ok.error());
  Trace::Parts parts;
  auto tokens = checked_tokens(request, too_long, parts.tokens_in_sentence);
  if (!tokens) return tl::unexpected(tokens.error());
  parts.tokens = std::move(*tokens);
  const int n = static_cast<int>(parts.tokens.size());
  auto mask =
      combine(request.attention.mask, request.attention.mask_value, n, n, request.architecture.n_heads);
  if (!mask) return tl::unexpected(mask.error());
  parts.mask = std::move(*mask);
  parts.options = request.attention;
  state_->use_model(request);
  parts.model = state_->model;

  const bool mask_changes_scores = !parts.mask.visible.empty() || !parts.mask.added.empty();
  const ForwardShape shape = forward_shape(request.architecture, n, mask_changes_scores);
  auto buffers = std::make_unique<ForwardBuffers>(shape, state_->store->take(shape.floats()));
  state_->fill_input(parts.tokens, *buffers);
  const auto start = std::chrono::steady_clock::now();
  const bool complete =
      attention_forward(parts.model->packed, parts.options, parts.mask, *buffers, state_->pool, stop);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  parts.milliseconds = time.count();
  parts.buffers = recycled(std::move(buffers), state_->store);
  if (!complete) return nullptr;
  return std::make_shared<const Trace>(std::move(parts));
} catch (const std::bad_alloc&) {
  return failure(
      "not enough memory for this pass: shorten the sentence, or use fewer heads or a smaller d_model");
}

}  // namespace headscope
