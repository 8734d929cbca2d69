#include "core/engine/make_pass_edits.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/model/interventions.h"
#include "core/text/number_text.h"
#include "core/trace/number_source.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

/// Collects the edits of a pass.
class Editor {
 public:
  Editor(const EditedPass& pass, const std::vector<Patch>& patches, const Trace* donor, const MeanRows& means)
      : pass_(pass), patches_(patches), donor_(donor), means_(means) {}

  Result<void> change(const HeadChange& change) {
    HeadEdits& edits = edits_.at(change.place);
    edits.scale = change.scale;
    edits.is_uniform = change.pattern == Pattern::uniform;
    return change.pattern == Pattern::compared ? take_pattern(change.place, edits) : Result<void>();
  }

  void give(const GivenWeight& given) {
    const StageId stage = stage_in(given.place, StageKind::weights);
    if (given.cell.query >= n_tokens(stage, Axis::query_tokens)) return;
    if (given.cell.key >= n_tokens(stage, Axis::key_tokens)) return;
    edits_.at(given.place).weights.push_back(given);
  }

  Result<void> replace(const Patch& patch) {
    const StageId stage = canonical(pass_.architecture, patch.stage);
    const Axis axis = info(stage.kind).rows;
    if (patch.row >= n_tokens(stage, axis)) return {};
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
    return {};
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
    const bool is_target = pass_.architecture.has_cross() && stage.stack == Stack::decoder && !reads_encoder;
    return is_target ? pass_.target_tokens : pass_.tokens;
  }
  int n_tokens(const StageId& stage, Axis axis) const { return static_cast<int>(tokens(stage, axis).size()); }
  int width_of(const StageId& stage) const {
    return axis_length({.architecture = pass_.architecture}, stage, info(stage.kind).cols);
  }

  Result<void> check_donor(const StageId& stage) const {
    if (donor_ == nullptr) {
      return failure(
          "an intervention in " + path(stage) +
          " takes numbers from the held subject, but nothing is held: hold a subject (on the command line, --against of render or trace), or remove the intervention");
    }
    if (const std::string why = donor_->why_absent(stage); !why.empty()) {
      return failure("an intervention takes numbers from the held subject, which has no " + path(stage) +
                     ": " + why);
    }
    return {};
  }

  std::vector<int> counterparts(const StageId& stage, Axis axis) const {
    return counterpart_tokens(tokens(stage, axis), donor_->tokens(stage, axis));
  }

  Result<void> take_pattern(const HeadId& place, HeadEdits& edits) {
    const StageId stage = stage_in(place, StageKind::weights);
    if (auto ok = check_donor(stage); !ok) return ok;
    const std::vector<int> rows = counterparts(stage, Axis::query_tokens);
    const std::vector<int> cols = counterparts(stage, Axis::key_tokens);
    taken_bytes_ += rows.size() * cols.size() * sizeof(float);
    if (taken_bytes_ > pass_.max_bytes)
      return too_many_donor_numbers("weights", "take the weights of fewer heads");
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
    return {};
  }

  /// Copies a row of the donor, or every row with a counterpart.
  Result<void> take_rows(const StageId& stage, Axis axis, int row) {
    if (auto ok = check_donor(stage); !ok) return ok;
    const Extent size = donor_->extent(stage);
    const int width = width_of(stage);
    if (size.cols != width) {
      return failure("a row of " + path(stage) + " has " + std::to_string(size.cols) +
                     " numbers in the held subject, but " + std::to_string(width) +
                     " here: hold a model of the same sizes");
    }
    const std::vector<int> rows = counterparts(stage, axis);
    const auto take = [&](int own) {
      const StageNumbers numbers = donor_->read_row(stage, rows[static_cast<std::size_t>(own)]);
      const auto line = numbers.view.row(0);
      edits_.rows.push_back(
          {stage, own, PatchSource::compared, {line.begin(), line.end()}, 1.0F, row == every_row});
    };
    if (row != every_row) {
      if (rows[static_cast<std::size_t>(row)] < 0) {
        return failure("“" + display_word(tokens(stage, axis)[static_cast<std::size_t>(row)].text) +
                       "” (token " + std::to_string(row) +
                       ") has no counterpart in the held sentence: patch a token that both sentences have");
      }
      take(row);
      return {};
    }
    taken_bytes_ += rows.size() * static_cast<std::size_t>(width) * sizeof(float);
    if (taken_bytes_ > pass_.max_bytes) return too_many_donor_numbers("rows", "patch fewer rows");
    for (int own = 0; own < static_cast<int>(rows.size()); ++own)
      if (rows[static_cast<std::size_t>(own)] >= 0 && !has_own_patch(stage, own)) take(own);
    return {};
  }

  /// Takes the mean at the position of one row, or of each.
  Result<void> take_means(const StageId& stage, Axis axis, int row) {
    const std::vector<std::vector<float>>& means = means_.at(stage).at_position;
    const int n = n_tokens(stage, axis);
    if (row == every_row) {
      taken_bytes_ += static_cast<std::size_t>(n) * static_cast<std::size_t>(width_of(stage)) * sizeof(float);
      if (taken_bytes_ > pass_.max_bytes)
        return failure("the means of the rows at each position need more than " +
                       std::to_string(pass_.max_bytes >> 20U) +
                       " MiB: patch fewer rows, or take the mean over all tokens");
    }
    for (int own = row == every_row ? 0 : row; own < (row == every_row ? n : row + 1); ++own) {
      if (own >= std::ssize(means)) {
        return failure("no text of the mean has a token " + std::to_string(own) + ": the longest has " +
                       count_text(std::ssize(means), "token") +
                       "; give longer texts, or take the mean over all tokens");
      }
      if (row == every_row && has_own_patch(stage, own)) continue;
      edits_.rows.push_back({stage, own, PatchSource::position_mean, means[static_cast<std::size_t>(own)]});
    }
    return {};
  }

  bool has_own_patch(const StageId& stage, int row) const {
    return std::ranges::any_of(patches_, [&](const Patch& patch) {
      return patch.row == row && canonical(pass_.architecture, patch.stage) == stage;
    });
  }

  Result<void> too_many_donor_numbers(const std::string& what, const std::string& advice) const {
    return failure("the " + what + " that interventions take from the held subject need more than " +
                   std::to_string(pass_.max_bytes >> 20U) + " MiB: " + advice);
  }

  const EditedPass& pass_;
  const std::vector<Patch>& patches_;
  const Trace* donor_;
  const MeanRows& means_;
  PassEdits edits_;
  std::size_t taken_bytes_ = 0;
};

}  // namespace

Result<PassEdits> make_pass_edits(const Interventions& interventions, const EditedPass& pass,
                                  const Trace* donor, const MeanRows& means) {
  Editor editor(pass, interventions.patches, donor, means);
  for (const HeadChange& change : interventions.heads) {
    if (auto ok = editor.change(change); !ok) return tl::unexpected(ok.error());
  }
  for (const GivenWeight& given : interventions.weights) editor.give(given);
  for (const Patch& patch : interventions.patches) {
    if (auto ok = editor.replace(patch); !ok) return tl::unexpected(ok.error());
  }
  return editor.done();
}

void add_given_stages(const GivenNumbers& given, PassEdits& edits) {
  for (const GivenMatrix& each : given.all) {
    const std::optional<StageId> id = parse_path(each.path);
    if (!id || info(id->kind).is_parameter()) continue;
    if (id->kind == StageKind::raw) {
      edits.at(head_of(*id)).raw = each.numbers;
    } else {
      edits.given.push_back({*id, each.numbers});
    }
  }
}

}  // namespace headscope
