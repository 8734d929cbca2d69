#include "core/engine/make_pass_edits.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/engine/head_study.h"
#include "core/engine/search.h"
#include "core/model/interventions.h"
#include "core/model/stage.h"
#include "core/text/number_text.h"
#include "core/trace/number_source.h"

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

/// A sum of rows.
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
/// Sums of the rows of each stage over all tokens or, by position, over those at each position.
using StageSums = std::map<StageId, std::vector<Sum>>;

void add_rows(const Trace& trace, bool by_position, std::size_t max_bytes, StageSums& all) {
  for (auto& [stage, sums] : all) {
    if (const std::string why = trace.why_absent(stage); !why.empty())
      refuse(failure(path(stage) + ": " + why));
    const Extent size = trace.extent(stage);
    const std::size_t n = by_position ? static_cast<std::size_t>(size.rows) : 1;
    if (all.size() * n * static_cast<std::size_t>(size.cols) * sizeof(double) > max_bytes)
      refuse(failure("the means at " + count_text(size.rows, "position") + " need more than " +
                     std::to_string(max_bytes >> 20U) +
                     " MiB: take shorter texts, or the mean over all tokens"));
    if (sums.size() < n) sums.resize(n);
    const StageNumbers rows = trace.read(stage, {0, 0, size.rows, size.cols});
    for (int row = 0; row < size.rows; ++row)
      sums[by_position ? static_cast<std::size_t>(row) : 0].add(rows.view.row(row));
  }
  ensure(trace.check_files());
}

MeanRows means_of(const StageSums& all_sums, bool by_position) {
  MeanRows means;
  for (const auto& [stage, sums] : all_sums) {
    MeanOfStage& mean = means[stage];
    Sum all;
    for (const Sum& sum : sums) {
      if (by_position) mean.at_position.push_back(sum.mean());
      all.numbers.resize(sum.numbers.size(), 0.0);
      std::ranges::transform(all.numbers, sum.numbers, all.numbers.begin(), std::plus<>());
      all.n_rows += sum.n_rows;
    }
    mean.of_all = all.mean();
  }
  return means;
}

/// Collects the edits of a pass.
class Editor {
 public:
  Editor(const Request& request, const ReadInputs& inputs, const Trace* donor, const MeanRows& means)
      : request_(request), inputs_(inputs), donor_(donor), means_(means) {}

  void change(const HeadChange& change) {
    HeadEdits& edits = edits_.at(change.place);
    edits.scale = change.scale;
    edits.is_uniform = change.pattern == Pattern::uniform;
    if (change.pattern == Pattern::compared) take_pattern(change.place, edits);
  }

  void give(const GivenWeight& given) {
    const StageId stage = stage_in(given.place, StageKind::weights);
    if (given.cell.query >= n_tokens(stage, Axis::query_tokens)) return;
    if (given.cell.key >= n_tokens(stage, Axis::key_tokens)) return;
    edits_.at(given.place).weights.push_back(given);
  }

  void replace(const Patch& patch) {
    const StageId stage = canonical(request_.architecture, patch.stage);
    const Axis axis = info(stage.kind).rows;
    if (patch.row >= n_tokens(stage, axis)) return;
    RowEdit edit{stage, patch.row, patch.source, {}, patch.factor};
    switch (patch.source) {
      case PatchSource::zero:
        edit.numbers.resize(static_cast<std::size_t>(width_of(stage)), 0.0F);
        break;
      case PatchSource::scaled:
        break;
      case PatchSource::mean:
        edit.numbers = means_.at(stage).of_all;
        break;
      case PatchSource::position_mean:
        return take_means(stage, axis, patch.row);
      case PatchSource::compared:
        return take_rows(stage, axis, patch.row);
    }
    edits_.rows.push_back(std::move(edit));
  }

  PassEdits done() {
    for (PassEdits::AttentionEdits& attention : edits_.attentions) {
      for (HeadEdits& head : attention.heads)
        std::ranges::sort(head.weights, {}, [](const GivenWeight& given) { return given.cell; });
    }
    return std::move(edits_);
  }

 private:
  const std::vector<Token>& tokens(const StageId& stage, Axis axis) const {
    const bool reads_encoder = axis == Axis::key_tokens && stage.attention == AttentionKind::cross;
    const bool is_target =
        request_.architecture.has_cross() && stage.stack == Stack::decoder && !reads_encoder;
    return is_target ? inputs_.target_tokens : inputs_.tokens;
  }
  int n_tokens(const StageId& stage, Axis axis) const { return static_cast<int>(tokens(stage, axis).size()); }
  int width_of(const StageId& stage) const {
    return axis_length({.architecture = request_.architecture}, stage, info(stage.kind).cols);
  }

  void check_donor(const StageId& stage) const {
    if (donor_ == nullptr)
      refuse(failure(
          "an intervention in " + path(stage) +
          " takes numbers from the held subject, but nothing is held: hold a subject (on the command line, --against of render or trace), or remove the intervention"));
    if (const std::string why = donor_->why_absent(stage); !why.empty())
      refuse(failure("an intervention takes numbers from the held subject, which has no " + path(stage) +
                     ": " + why));
  }

  std::vector<int> counterparts(const StageId& stage, Axis axis) const {
    return counterpart_tokens(tokens(stage, axis), donor_->tokens(stage, axis));
  }

  void take_pattern(const HeadId& place, HeadEdits& edits) {
    const StageId stage = stage_in(place, StageKind::weights);
    check_donor(stage);
    const std::vector<int> rows = counterparts(stage, Axis::query_tokens);
    const std::vector<int> cols = counterparts(stage, Axis::key_tokens);
    taken_bytes_ += rows.size() * cols.size() * sizeof(float);
    check_bytes("weights", "take the weights of fewer heads");
    edits.n_keys = static_cast<int>(cols.size());
    edits.pattern.reserve(rows.size() * cols.size());
    const int n_cols = donor_->extent(stage).cols;
    for (const int row : rows) {
      if (row < 0) {
        edits.pattern.insert(edits.pattern.end(), cols.size(), std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      const StageNumbers numbers = donor_->read(stage, {row, 0, 1, n_cols});
      for (const int col : cols) edits.pattern.push_back(col < 0 ? 0.0F : numbers.view(0, col));
    }
  }

  /// Copies a row of the donor, or every row with a counterpart.
  void take_rows(const StageId& stage, Axis axis, int row) {
    check_donor(stage);
    const Extent size = donor_->extent(stage);
    const int width = width_of(stage);
    if (size.cols != width)
      refuse(failure("a row of " + path(stage) + " has " + std::to_string(size.cols) +
                     " numbers in the held subject, but " + std::to_string(width) +
                     " here: hold a model of the same sizes"));
    const std::vector<int> rows = counterparts(stage, axis);
    const auto take = [&](int own) {
      const StageNumbers numbers = donor_->read_row(stage, rows[static_cast<std::size_t>(own)]);
      const auto line = numbers.view.row(0);
      edits_.rows.push_back(
          {stage, own, PatchSource::compared, {line.begin(), line.end()}, 1.0F, row == every_row});
    };
    if (row != every_row) {
      if (rows[static_cast<std::size_t>(row)] < 0)
        refuse(failure(quoted_word(tokens(stage, axis)[static_cast<std::size_t>(row)].text) + " (token " +
                       std::to_string(row) +
                       ") has no counterpart in the held sentence: patch a token that both sentences have"));
      return take(row);
    }
    taken_bytes_ += rows.size() * static_cast<std::size_t>(width) * sizeof(float);
    check_bytes("rows", "patch fewer rows");
    for (int own = 0; own < static_cast<int>(rows.size()); ++own)
      if (rows[static_cast<std::size_t>(own)] >= 0 && !has_own_patch(stage, own)) take(own);
  }

  /// Takes the mean at the position of one row, or of each.
  void take_means(const StageId& stage, Axis axis, int row) {
    const std::vector<std::vector<float>>& means = means_.at(stage).at_position;
    const int n = n_tokens(stage, axis);
    if (row == every_row) {
      taken_bytes_ += static_cast<std::size_t>(n) * static_cast<std::size_t>(width_of(stage)) * sizeof(float);
      if (taken_bytes_ > max_bytes_)
        refuse(failure("the means of the rows at each position need more than " +
                       std::to_string(max_bytes_ >> 20U) +
                       " MiB: patch fewer rows, or take the mean over all tokens"));
    }
    for (int own = row == every_row ? 0 : row; own < (row == every_row ? n : row + 1); ++own) {
      if (own >= std::ssize(means))
        refuse(failure("no text of the mean has a token " + std::to_string(own) + ": the longest has " +
                       count_text(std::ssize(means), "token") +
                       "; give longer texts, or take the mean over all tokens"));
      if (row == every_row && has_own_patch(stage, own)) continue;
      edits_.rows.push_back({stage, own, PatchSource::position_mean, means[static_cast<std::size_t>(own)]});
    }
  }

  bool has_own_patch(const StageId& stage, int row) const {
    return std::ranges::any_of(request_.interventions.patches, [&](const Patch& patch) {
      return patch.row == row && canonical(request_.architecture, patch.stage) == stage;
    });
  }

  void check_bytes(const std::string& what, const std::string& advice) const {
    if (taken_bytes_ > max_bytes_)
      refuse(failure("the " + what + " that interventions take from the held subject need more than " +
                     std::to_string(max_bytes_ >> 20U) + " MiB: " + advice));
  }

  const Request& request_;
  const ReadInputs& inputs_;
  const Trace* donor_;
  const MeanRows& means_;
  PassEdits edits_;
  /// The limit for numbers from the donor and means.
  std::size_t max_bytes_ = request_.max_bytes / 4;
  std::size_t taken_bytes_ = 0;
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
  const auto is_in_layer = [](const StageId& stage) { return info(stage.kind).scope >= StageScope::layer; };
  if (!request.architecture.has_cross() && std::ranges::all_of(stages, is_in_layer))
    own.last_layer = std::ranges::max(stages, {}, &StageId::layer).layer;
  StageSums sums;
  for (const StageId& stage : stages) sums[stage];
  for (std::size_t i = 0; i < texts->all.size(); ++i) {
    own.sentence = texts->all[i].sentence;
    own.target = texts->all[i].target;
    auto pass = compute(own);
    while (pass.next()) co_yield static_cast<double>(i) / static_cast<double>(texts->all.size());
    const bool has_all_rows =
        result_of("text " + std::to_string(i + 1) + " of a mean: ", [&] {
          const auto trace = pass.take().value();
          if (trace) add_rows(*trace, requested.by_position, request.max_bytes / share_for_means, sums);
          return trace != nullptr;
        }).value();
    if (!has_all_rows) co_return nullptr;
  }
  co_return std::make_shared<const MeanRows>(means_of(sums, requested.by_position));
}

std::shared_ptr<const PassEdits> make_pass_edits(const Request& request, const ReadInputs& inputs,
                                                 const Trace* donor, const MeanRows& means) {
  if (request.interventions.empty() && request.given.empty()) return nullptr;
  Editor editor(request, inputs, donor, means);
  for (const HeadChange& change : request.interventions.heads) editor.change(change);
  for (const GivenWeight& given : request.interventions.weights) editor.give(given);
  for (const Patch& patch : request.interventions.patches) editor.replace(patch);
  PassEdits edits = editor.done();
  for (const GivenMatrix& each : request.given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    if (!id || info(id->kind).is_parameter()) continue;
    if (id->kind == StageKind::raw) {
      edits.at(head_of(*id)).raw = each.numbers;
    } else {
      edits.given.push_back({*id, each.numbers});
    }
  }
  return edits.empty() ? nullptr : std::make_shared<const PassEdits>(std::move(edits));
}

}  // namespace headscope
