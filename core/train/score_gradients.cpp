#include "core/train/score_gradients.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/model/model.h"
#include "core/model/parameters.h"
#include "core/tasks/task.h"
#include "core/tensor/parallel.h"
#include "core/tensor/random.h"
#include "core/train/batch.h"
#include "core/train/network.h"
#include "core/train/trainer.h"

namespace headscope {
namespace {

/// Draws the sentences and splits them into shards.
std::vector<Shard> sentences_of(const Task& task) {
  constexpr std::uint64_t gradient_seed = 7;
  RandomStream random(gradient_seed, "gradients of scores");
  std::vector<Example> examples;
  examples.reserve(n_gradient_sentences);
  for (int i = 0; i < n_gradient_sentences; ++i) examples.push_back(task.draw(random, Split::held_out));
  std::vector<LossPart> parts = task.parts();
  for (LossPart& part : parts) part.weight = part.is_attention_loss ? 0.0F : part.weight;
  constexpr int n_shards = 8;
  return shards_of(examples, parts, n_shards);
}

Slices<GradientNorms> reached(const std::vector<Shard>& shards, std::size_t n_parts, const Architecture& a,
                              int vocabulary, std::span<const float> parameters) {
  const ParameterLayout layout = layout_of(a, vocabulary);
  ScoreGradients sums;
  Network<float> network(layout, &sums);
  AlignedVector<float> ignored(layout.size, 0.0F);
  GradientNorms found;
  for (const Shard& shard : shards) {
    found.loss += network.forward_backward(shard, n_parts, parameters.data(), ignored.data()).loss;
    co_yield static_cast<double>(&shard - shards.data() + 1) / static_cast<double>(shards.size());
  }
  for (const HeadId& id : heads_of(a)) {
    const ScoreGradientSums& sum = sums.of(id);
    found.heads.push_back({id, std::sqrt(sum.weights), std::sqrt(sum.scores)});
  }
  co_return found;
}

}  // namespace

Slices<Result<ScoreGradientStudy>> score_gradient_study(const TrainedModel& trained) {
  const auto kind = parse_task_name(trained.task);
  if (!kind) co_return failure("the model was trained for no task");
  const Task& learned = task(*kind);
  if (learned.vocabulary().words() != trained.vocabulary.words())
    co_return failure("the model's words differ from those of its task");
  const Architecture& a = trained.model.architecture;
  if (auto ok = check_trainable(learned, a); !ok) co_return tl::unexpected(ok.error());
  const int vocabulary = learned.vocabulary().size();
  const ParameterLayout layout = layout_of(a, vocabulary);
  const std::vector<Shard> shards = sentences_of(learned);
  Architecture undivided = a;
  undivided.score_scale = 1.0F;
  ThreadPool pool(1);
  const std::vector<float> own = parameters_of(trained.model, layout);
  const std::vector<float> untrained = parameters_of(random_model(a, vocabulary, pool), layout);
  ScoreGradientStudy study;
  study.steps = trained.steps;
  struct Part {
    const Architecture& architecture;
    const std::vector<float>& parameters;
    GradientNorms& found;
  };
  const std::array parts{Part{a, own, study.divided}, Part{undivided, own, study.undivided},
                         Part{a, untrained, study.untrained_divided},
                         Part{undivided, untrained, study.untrained_undivided}};
  double n_done = 0.0;
  for (const Part& part : parts) {
    auto found = reached(shards, learned.parts().size(), part.architecture, vocabulary, part.parameters);
    while (found.next()) co_yield (n_done + found.share()) / static_cast<double>(parts.size());
    part.found = found.take();
    ++n_done;
  }
  co_return study;
}

}  // namespace headscope
