#include "core/engine/mean_rows.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "core/engine/search.h"
#include "core/engine/study_texts.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

/// The texts over which a request averages.
Result<StudyTexts> averaged_texts(const Request& request) {
  const std::vector<SearchLine> given = lines_to_search(request.interventions.mean_over);
  const bool has_task = request.model && !request.model->task.empty();
  if (given.empty())
    return study_texts(has_task ? MeasuredOn::task : MeasuredOn::random, request.architecture, request.model);
  if (request.architecture.has_cross())
    return failure("texts for a mean have no targets, which this model needs beside them: remove the texts");
  if (given.size() > max_mean_texts) {
    return failure("there are " + std::to_string(given.size()) + " texts, but at most " +
                   std::to_string(max_mean_texts) + " are averaged: give fewer");
  }
  StudyTexts texts;
  texts.tokenizer = request.tokenizer;
  for (const SearchLine& line : given) texts.all.push_back({line.text, {}});
  return texts;
}

/// Sums of the rows of stages over all tokens and, if wanted, over those at each position.
class AddedRows {
 public:
  explicit AddedRows(const AveragedStages& requested) : by_position_(requested.by_position) {
    for (const StageId& stage : requested.stages) sums_[stage];
  }

  Result<void> add(const Trace& trace, std::size_t max_bytes) {
    for (auto& [stage, sums] : sums_) {
      if (const std::string why = trace.why_absent(stage); !why.empty())
        return failure(path(stage) + ": " + why);
      const Extent size = trace.extent(stage);
      const std::size_t n = by_position_ ? static_cast<std::size_t>(size.rows) : 1;
      if (sums_.size() * n * static_cast<std::size_t>(size.cols) * sizeof(double) > max_bytes)
        return failure("the means at " + count_text(size.rows, "position") + " need more than " +
                       std::to_string(max_bytes >> 20U) +
                       " MiB: take shorter texts, or the mean over all tokens");
      if (sums.size() < n) sums.resize(n);
      const StageNumbers rows = trace.read(stage, {0, 0, size.rows, size.cols});
      for (int row = 0; row < size.rows; ++row)
        sums[by_position_ ? static_cast<std::size_t>(row) : 0].add(rows.view.row(row));
    }
    return trace.check_files();
  }

  MeanRows means() const {
    MeanRows means;
    for (const auto& [stage, sums] : sums_) {
      MeanOfStage& mean = means[stage];
      Sum all;
      for (const Sum& sum : sums) {
        if (by_position_) mean.at_position.push_back(sum.mean());
        all.numbers.resize(sum.numbers.size(), 0.0);
        std::ranges::transform(all.numbers, sum.numbers, all.numbers.begin(), std::plus<>());
        all.n_rows += sum.n_rows;
      }
      mean.of_all = all.mean();
    }
    return means;
  }

 private:
  struct Sum {
    std::vector<double> numbers;
    int n_rows = 0;

    void add(std::span<const float> row) {
      numbers.resize(row.size(), 0.0);
      for (std::size_t i = 0; i < row.size(); ++i) numbers[i] += static_cast<double>(row[i]);
      ++n_rows;
    }
    std::vector<float> mean() const {
      std::vector<float> mean;
      mean.reserve(numbers.size());
      for (const double number : numbers) mean.push_back(static_cast<float>(number / n_rows));
      return mean;
    }
  };

  bool by_position_;
  std::map<StageId, std::vector<Sum>> sums_;
};

}  // namespace

AveragedStages averaged_stages(const Request& request) {
  AveragedStages requested;
  for (const Patch& patch : request.interventions.patches) {
    if (!is_mean(patch.source)) continue;
    requested.stages.push_back(canonical(request.architecture, patch.stage));
    requested.by_position = requested.by_position || patch.source == PatchSource::position_mean;
  }
  std::ranges::sort(requested.stages);
  const auto repeated = std::ranges::unique(requested.stages);
  requested.stages.erase(repeated.begin(), repeated.end());
  return requested;
}

bool has_all(const MeanRows& means, const AveragedStages& requested) {
  return std::ranges::all_of(requested.stages, [&](const StageId& stage) {
    const auto mean = means.find(stage);
    return mean != means.end() && (!requested.by_position || !mean->second.at_position.empty());
  });
}

Slices<Result<std::shared_ptr<const MeanRows>>> mean_rows(
    const Request& request, AveragedStages requested,
    std::function<Slices<Result<std::shared_ptr<const Trace>>>(const Request&)> compute) {
  const std::vector<StageId>& stages = requested.stages;
  if (request.model && request.model->is_capture())
    co_return failure(
        "a capture holds only one text, so there is no mean over others: choose zero or a factor");
  const auto texts = averaged_texts(request);
  if (!texts) co_return failure("the mean of rows: " + texts.error().message);
  constexpr std::size_t share_for_means = 4;
  Request own = without_own_texts(request);
  own.interventions = {};
  own.tokenizer = texts->tokenizer;
  // Layers above the stages need not be computed.
  const auto is_in_layer = [](const StageId& stage) {
    return shape_of(stage.kind).scope >= StageScope::layer;
  };
  if (!request.architecture.has_cross() && std::ranges::all_of(stages, is_in_layer))
    own.last_layer = std::ranges::max(stages, {}, &StageId::layer).layer;
  AddedRows sums(requested);
  for (std::size_t i = 0; i < texts->all.size(); ++i) {
    own.sentence = texts->all[i].sentence;
    own.target = texts->all[i].target;
    auto pass = compute(own);
    while (pass.next()) co_yield static_cast<double>(i) / static_cast<double>(texts->all.size());
    const auto trace = pass.take();
    const auto failed = [&](const std::string& why) {
      return failure("text " + std::to_string(i + 1) + " of a mean: " + why);
    };
    if (!trace) co_return failed(trace.error().message);
    if (*trace == nullptr) co_return nullptr;
    if (auto ok = sums.add(**trace, request.max_bytes / share_for_means); !ok)
      co_return failed(ok.error().message);
  }
  co_return std::make_shared<const MeanRows>(sums.means());
}

}  // namespace headscope
