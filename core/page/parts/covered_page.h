#pragma once

#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Whether a stage has covered numbers that have not been found yet.
bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Each of these returns whether a page's pictures reveal numbers of the covered stage.
bool lines_tell_covered(const PageInputs& in);
bool scale_tells_covered(const PageInputs& in);
bool comparison_tells_covered(const PageInputs& in);
bool split_tells_covered(const PageInputs& in);
bool tiles_tell_covered(const PageInputs& in);
bool watch_tells_covered(const PageInputs& in);
bool predictions_tell_covered(const PageInputs& in);
bool effects_tell_covered(const PageInputs& in);

/// Explains why a page is not shown: according to `tells_covered`, its pictures would reveal numbers that an
/// exercise hides. Empty if they reveal none. `tells_covered` is null for pages whose maps leave covered
/// cells empty; the result is then empty, too.
std::string reason_covered(const PageInputs& in, bool (*tells_covered)(const PageInputs&), PageTools& tools);

/// The head of the selected attention whose weights are covered. Measures of these weights would reveal them.
/// Empty if there is none.
std::optional<HeadPlace> covered_head(const PageInputs& in, PageTools& tools);

}  // namespace headscope
