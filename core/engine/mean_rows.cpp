#include "core/engine/mean_rows.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "core/engine/search.h"
#include "core/engine/study_texts.h"

namespace headscope {
namespace {

/// The texts over which a request averages.
Result<StudyTexts> averaged_texts(const Request& request) {
  const std::vector<SearchedLine> given = lines_to_search(request.interventions.mean_over);
  const bool has_task = request.model && !request.model->task.empty();
  if (given.empty())
    return study_texts(has_task ? MeasuredOn::task : MeasuredOn::random, request.architecture, request.model);
  if (request.architecture.has_cross())
    return failure("texts for a mean have no targets, which this model needs beside them: leave them out");
  StudyTexts texts;
  texts.tokenizer = request.tokenizer;
  for (const SearchedLine& line : given) texts.all.push_back({line.text, {}});
  return texts;
}

/// Sums of the rows of stages over all tokens.
class AddedRows {
 public:
  explicit AddedRows(const std::vector<StageId>& stages) {
    for (const StageId& stage : stages) sums_[stage];
  }

  Result<void> add(const Trace& trace) {
    for (auto& [stage, sum] : sums_) {
      if (const std::string why = trace.why_absent(stage); !why.empty())
        return failure(path(stage) + ": " + why);
      const Extent size = trace.extent(stage);
      const StageNumbers rows = trace.read(stage, {0, 0, size.rows, size.cols});
      if (sum.size() < static_cast<std::size_t>(size.rows)) sum.resize(static_cast<std::size_t>(size.rows));
      for (int row = 0; row < size.rows; ++row) {
        Sum& at_position = sum[static_cast<std::size_t>(row)];
        at_position.numbers.resize(static_cast<std::size_t>(size.cols), 0.0);
        ++at_position.n_rows;
        for (int col = 0; col < size.cols; ++col)
          at_position.numbers[static_cast<std::size_t>(col)] += static_cast<double>(rows.view(row, col));
      }
    }
    return trace.check_files();
  }

  MeanRows means() const {
    MeanRows means;
    for (const auto& [stage, positions] : sums_) {
      MeanOfStage& mean = means[stage];
      Sum all;
      for (const Sum& sum : positions) {
        mean.at_position.push_back(mean_of(sum));
        all.numbers.resize(sum.numbers.size(), 0.0);
        std::ranges::transform(all.numbers, sum.numbers, all.numbers.begin(), std::plus<>());
        all.n_rows += sum.n_rows;
      }
      mean.of_all = mean_of(all);
    }
    return means;
  }

 private:
  struct Sum {
    std::vector<double> numbers;
    int n_rows = 0;
  };
  static std::vector<float> mean_of(const Sum& sum) {
    std::vector<float> mean;
    mean.reserve(sum.numbers.size());
    for (const double number : sum.numbers) mean.push_back(static_cast<float>(number / sum.n_rows));
    return mean;
  }

  std::map<StageId, std::vector<Sum>> sums_;  ///< For each position.
};

}  // namespace

std::vector<StageId> averaged_stages(const Request& request) {
  std::vector<StageId> stages;
  for (const Patch& patch : request.interventions.patches) {
    if (is_mean(patch.source)) stages.push_back(canonical(request.architecture, patch.stage));
  }
  return stages;
}

Result<std::shared_ptr<const MeanRows>> mean_rows(
    const Request& request, const std::vector<StageId>& stages,
    const std::function<Result<std::shared_ptr<const Trace>>(const Request&)>& compute) {
  if (stages.empty()) return std::make_shared<const MeanRows>();
  if (request.model && request.model->is_capture())
    return failure("a capture holds only one text, so there is no mean over others: choose zero or a factor");
  const auto texts = averaged_texts(request);
  if (!texts) return failure("the mean of rows: " + texts.error().message);
  Request own = for_other_texts(request);
  own.interventions = {};
  own.tokenizer = texts->tokenizer;
  // Layers above the stages need not be computed.
  const auto is_in_layer = [](const StageId& stage) {
    return shape_of(stage.kind).scope >= StageScope::layer;
  };
  if (!request.architecture.has_cross() && std::ranges::all_of(stages, is_in_layer))
    own.last_layer = std::ranges::max(stages, {}, &StageId::layer).layer;
  AddedRows sums(stages);
  for (std::size_t i = 0; i < texts->all.size(); ++i) {
    own.sentence = texts->all[i].sentence;
    own.target = texts->all[i].target;
    const auto trace = compute(own);
    const auto failed = [&](const std::string& why) {
      return failure("text " + std::to_string(i + 1) + " of a mean: " + why);
    };
    if (!trace) return failed(trace.error().message);
    if (*trace == nullptr) return nullptr;
    if (auto ok = sums.add(**trace); !ok) return failed(ok.error().message);
  }
  return std::make_shared<const MeanRows>(sums.means());
}

}  // namespace headscope
