#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measures/measured_heads.h"
#include "core/page/page_inputs.h"

namespace headscope {

/// The measures of the heads of the selected attention.
struct HeadValues {
  std::optional<MeasuredHeads> heads;
  std::string on;                         ///< "this sentence", "200 held-out sentences of its task"
  std::string absent;                     ///< Why there are no values. Empty if there are.
  bool is_random = false;                 ///< The weights are random, so whatever stands out was not learned.
  std::optional<HeadIndex> covered = {};  ///< Measures of this head would reveal its covered weights.
  std::optional<HeadIndex> taught = {};  ///< The head that was trained to do what it does. Empty if none was.
  bool hides_roles = false;  ///< Whether an open question asks for a head, which the roles would answer.
};

/// Measures the heads on the texts that the session asks for.
HeadValues head_values(const PageInputs& in, PageTools& tools);
/// Measures the heads on this sentence if that is cheap. Otherwise, returns no values.
HeadValues cheap_head_values(const PageInputs& in, PageTools& tools);

/// The heads on the page: those of the selected attention that pass the session's filter, in its order, which
/// is stable. If the text is too long to be measured, only the heads of the selected layer.
std::vector<HeadIndex> shown_heads(const PageInputs& in, const HeadValues& values);

/// For example, "0.98", "0.998" for what two decimals would round to 1, or "3.2" for a distance. "—" if there
/// is no value.
std::string measure_text(HeadMeasure measure, const std::optional<double>& value);

/// The role that stands out for a head. Empty for random weights, which must not be labelled.
std::optional<StrongestRole> learned_role(const HeadValues& values, const HeadIndex& place);

/// What a head does, as text beside its picture.
struct RoleWords {
  std::string title;   ///< such as "no clear pattern" if no role stands out
  std::string tag;     ///< the same in one or two words, for narrow spaces
  std::string number;  ///< the share of attention that the role takes; empty if none stands out
};

/// The words for a measure of a head. A mean over few rows says so: "induction (n = 2)".
RoleWords measure_words(const HeadValues& values, HeadMeasure measure, const std::optional<double>& value);

/// The words for a head in which no role stands out.
inline const RoleWords no_role{"no clear pattern", "mixed", {}};

/// The words for the learned role of a head. Empty for random weights, which must not be labelled, and while
/// a cover hides the head.
RoleWords role_words(const HeadValues& values, const HeadIndex& place);

/// What a head does, in sentences: "It looks from a pronoun at the noun that it stands for: 0.98 of its
/// attention.", "Measured on this sentence.". Says so if nothing stands out.
std::vector<std::string> head_sentences(const HeadIndex& place, const HeadValues& values);

}  // namespace headscope
