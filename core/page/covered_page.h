#pragma once

#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Whether numbers of a stage are covered and still to be found.
bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Why a page is not shown: its pictures would tell numbers that an exercise hides. Empty where they tell
/// none, and for pages whose maps leave covered cells empty themselves.
std::string reason_covered(const PageInputs& in, PageName name, PageTools& tools);

/// The head of the selected attention whose weights are covered, so that what is measured on them would tell
/// them.
std::optional<HeadPlace> covered_head(const PageInputs& in, PageTools& tools);

/// Whether cells of a view's page can be covered one by one.
bool can_cover_in(View view);

}  // namespace headscope
