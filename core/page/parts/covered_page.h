#pragma once

#include <optional>
#include <string>

#include "core/page/page_inputs.h"
#include "core/session/shown_figure.h"

namespace headscope {

/// Whether a stage has covered numbers that have not been found yet.
bool has_hidden_number(const PageInputs& in, const StageId& stage, PageTools& tools);

/// Each of these returns whether a page's pictures reveal numbers of the covered stage.
bool lines_reveal_covered(const PageInputs& in);
bool scale_reveals_covered(const PageInputs& in);
bool comparison_reveals_covered(const PageInputs& in);
bool split_reveals_covered(const PageInputs& in);
bool tiles_reveal_covered(const PageInputs& in);
bool watch_reveals_covered(const PageInputs& in);
bool predictions_reveal_covered(const PageInputs& in);
bool effects_reveal_covered(const PageInputs& in);

/// Explains why a page is not shown: according to `reveals_covered`, its pictures would reveal numbers that
/// an exercise hides. Empty if they reveal none. `reveals_covered` is null for pages whose maps leave covered
/// cells empty; the result is then empty, too.
std::string reason_covered(const PageInputs& in, bool (*reveals_covered)(const PageInputs&),
                           PageTools& tools);

/// The head of the selected attention whose weights are covered. Measures of these weights would reveal them.
/// Empty if there is none.
std::optional<HeadIndex> covered_head(const PageInputs& in, PageTools& tools);

}  // namespace headscope
