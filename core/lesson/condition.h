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

/// A stage as a lesson names it: by its path, or by its name at a head (“1.0”) or at the selected place.
struct StagePlace {
  StageId id;
  bool has_place = false;         ///< `id` is the whole path.
  std::optional<HeadPlace> head;  ///< The layer and head at the selected stack and attention.

  /// The stage that it means in a session.
  StageId in(const Session& session) const;
};
/// Reads the name or path of a stage. Errors say what is possible.
Result<StagePlace> stage_place(std::string_view name);

/// What a condition is asked of: a session, and its pass. Null if there is none yet, or if the pass on the
/// screen is still that of an earlier session.
struct Seen {
  const Session& session;
  const Trace* trace = nullptr;
};

/// The row or column of a stage that a word names: a token (“it”), the occurrence of a token counted from 0
/// (“the:1”), a word that can be predicted, or an index. Empty if the stage has none of that name.
std::optional<int> row_named(const Trace& trace, const StageId& stage, std::string_view word);
std::optional<int> column_named(const Trace& trace, const StageId& stage, std::string_view word);

struct ConditionSubject;

/// One comparison, such as `weights(1.0, it, street) > 0.8`.
struct ConditionTerm {
  enum class Relation { is, is_not, less, less_or_is, greater, greater_or_is, contains };
  const ConditionSubject* subject = nullptr;
  StagePlace stage;                  ///< Of a number of the pass.
  const Setting* setting = nullptr;  ///< Of a setting.
  HeadMeasure measure = HeadMeasure::entropy;
  std::vector<std::string> words;  ///< What is in the brackets, except for the head.
  Relation relation = Relation::is;
  /// What the subject is compared with.
  std::variant<bool, double, std::string> value;
};

/// What a question expects, or a wrong answer: comparisons that must all hold.
///
///     setting attention.causal = on        any setting by its key (core/session), =, !=, <, <=, >, >=
///     setting sentence contains wide       a text, or a part of it
///     page = heads, stage = weights        what is shown
///     head = 1.0, row = it, cell = it street      what is selected; a cell is the pinned one
///     weights(1.0, it, street) > 0.8       a number of a stage: head, row, column; also by its path
///     strongest(1.0, it) = street          the key with the greatest weight of a row
///     entropy(1.0) < 0.3                   any measure of a head
///     steps > 100                          the steps of training of the weights that are shown
///     held > 0                             how many subjects are held to be compared with
///     cover = answered                     every covered cell was filled in rightly; none, open
///
/// Several of them are joined by “and”. Without a head, numbers are those of the selected one.
struct Condition {
  std::vector<ConditionTerm> all;
};

/// Returns an example of every comparison that a condition can make, separated by commas.
std::string possible_conditions();

/// Reads a condition. Errors say which part cannot be understood and what is possible.
Result<Condition> read_condition(std::string_view text);

/// The condition that is met by what was done since the session `before`: a cell, a row, a head, a stage or a
/// page that was chosen, and settings that were changed, except those of how pictures look. Empty if nothing
/// was done that a condition can name.
std::string what_was_done(const Session& before, const Seen& now);

/// Whether one of its comparisons is with the selected head or layer.
bool asks_for_head(const Condition& condition);
/// Whether one of its comparisons is with a setting that has a control in the panel.
bool asks_for_setting(const Condition& condition);

/// Whether it is met by finding something in the pictures, and not only by changing the session.
bool is_met_by_finding(const Condition& condition);

/// The first thing that a condition names and that what is seen does not have, such as a token that is not in
/// the sentence. Empty if it has everything. `seen` must have a pass.
std::optional<std::string> lacking_in(const Condition& condition, const Seen& seen);

/// The same without what the condition itself expects somebody to bring in, such as a token of a sentence
/// that is to be typed.
std::optional<std::string> lacking_to_answer(const Condition& condition, const Seen& seen);

/// Whether all of it holds. What names a token, a head or a stage that is not there does not hold.
bool holds(const Condition& condition, const Seen& seen);

}  // namespace headscope
