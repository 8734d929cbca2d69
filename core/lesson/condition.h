#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/measures/measure.h"
#include "core/result.h"
#include "core/session/setting.h"
#include "core/trace/trace.h"

namespace headscope {

/// A reference to a stage in a lesson: its path, or its name at a head (“1.0”) or at the selected place.
struct StagePlace {
  StageId id;
  bool has_place = false;         ///< `id` is complete.
  std::optional<HeadIndex> head;  ///< The layer and head at the selected stack and attention.

  /// Resolves the reference in a session.
  StageId in(const Session& session) const;
};
/// Parses the name or path of a stage. Errors say what is possible.
Result<StagePlace> stage_place(std::string_view name);

/// What a condition is evaluated against: a session and its pass. The pass is null while there is none, or
/// while the screen shows that of an earlier session.
struct ConditionContext {
  const Session& session;
  const Trace* trace = nullptr;
};

/// The row or column of a stage by name: a token (“it”), an occurrence of a token counted from 0 (“the:1”), a
/// word that can be predicted, or an index. Empty if the stage has none of that name.
std::optional<int> row_named(const Trace& trace, const StageId& stage, std::string_view word);
std::optional<int> column_named(const Trace& trace, const StageId& stage, std::string_view word);

struct ConditionSubject;

/// One comparison, such as `weights(1.0, it, street) > 0.8`.
struct ConditionTerm {
  enum class Relation { is, is_not, less, less_equal, greater, greater_equal, contains };
  const ConditionSubject* subject = nullptr;
  StagePlace stage;                  ///< Of a number of the pass.
  const Setting* setting = nullptr;  ///< Of a setting.
  HeadMeasure measure = HeadMeasure::entropy;
  std::vector<std::string> words;  ///< The arguments in brackets, except for the head.
  Relation relation = Relation::is;
  /// The value to compare the subject with.
  std::variant<bool, double, std::string> value;
};

/// A conjunction of comparisons: what a question expects, or a wrong answer.
///
///     setting attention.causal = on        any setting by its key (core/session), =, !=, <, <=, >, >=
///     setting sentence contains wide       a text, or a part of it
///     page = heads, stage = weights        what is shown
///     head = 1.0, row = it, cell = it street      what is selected; a cell is the pinned one
///     weights(1.0, it, street) > 0.8       a number of a stage: head, row, column; also by its path
///     strongest(1.0, it) = street          the key with the greatest weight of a row
///     entropy(1.0) < 0.3                   any measure of a head
///     steps > 100                          the steps of training of the weights that are shown
///     held > 0                             the number of compared subjects
///     cover = answered                     every covered cell was answered correctly; none, open
///
/// Comparisons are joined by “and”. Without a head, numbers are those of the selected one.
using Condition = std::vector<ConditionTerm>;

/// Returns an example of every kind of comparison, separated by commas.
std::string possible_conditions();

/// Parses a condition. Errors say which part cannot be parsed and what is possible.
Result<Condition> read_condition(std::string_view text);

/// The condition that the changes since the session `before` meet: selected cells, rows, heads, stages and
/// pages, and changed settings, except picture options. Empty if a condition can express none of them.
std::string condition_from_changes(const Session& before, const ConditionContext& now);

/// Whether it refers to the selected head or layer.
bool asks_for_head(const Condition& condition);
/// Whether it refers to a setting with a control in the panel.
bool mentions_setting(const Condition& condition);

/// Whether something that it asks for, other than a text that is being typed, has changed since the session
/// `before`, but not to what is expected. A number that moves towards that is no attempt, unless it jumped
/// there from the session `last`, which is null while it is dragged.
bool is_attempted(const Condition& condition, const Session& before, const ConditionContext& now,
                  const Session* last = nullptr);

/// Whether it is met by finding something in the pictures, not only by changing the session.
bool is_met_by_finding(const Condition& condition);

/// The first thing that a condition names and the pass does not have, such as a token. Empty if it has
/// everything. If the learner can supply things, what the condition itself requires, such as a token of a
/// sentence to type, is not missing. `seen` must have a pass.
std::optional<std::string> first_missing(const Condition& condition, const ConditionContext& seen,
                                         bool can_supply = false);

/// Evaluates the condition. A comparison with a missing token, head or stage is false.
bool holds(const Condition& condition, const ConditionContext& seen);

}  // namespace headscope
