#pragma once

#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Whether numbers of a stage are covered and still to be found.
bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Whether a page's pictures tell numbers of the covered stage.
bool lines_tell_covered(const PageInputs& in);
bool scale_tells_covered(const PageInputs& in);
bool comparison_tells_covered(const PageInputs& in);
bool split_tells_covered(const PageInputs& in);
bool tiles_tell_covered(const PageInputs& in);
bool predictions_tell_covered(const PageInputs& in);

/// Says why a page is not shown: its pictures, as `tells_covered` finds, would tell numbers that an exercise
/// hides. Empty where they tell none, and for pages whose maps leave covered cells empty themselves (null).
std::string reason_covered(const PageInputs& in, bool (*tells_covered)(const PageInputs&), PageTools& tools);

/// The head of the selected attention whose weights are covered, so that what is measured on them would tell
/// them.
std::optional<HeadPlace> covered_head(const PageInputs& in, PageTools& tools);

}  // namespace headscope
