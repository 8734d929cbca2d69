#pragma once

#include <string>
#include <string_view>

#include "core/model/interventions.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Format and parse interventions in the notation of options and JSON: a comma-separated list, or `none`. A
/// head is `1.2` (layer and head), or `decoder.1.2` or `cross.1.2` outside the self-attention of the first
/// stack. Parse errors name the item and say what it must be. repaired() checks that the heads exist.
std::string format_scales(const Session& session);    ///< Such as "1.2=0,0.1=0.5".
std::string format_patterns(const Session& session);  ///< Such as "1.2=uniform,0.0=held".
std::string format_weights(const Session& session);   ///< Head, row and column, such as "1.2:7.1=0.5".
std::string format_patches(const Session& session);   ///< Such as "encoder.layers.0.self.projected:7=zero".

Result<void> parse_scales(Session& session, std::string_view words);
Result<void> parse_patterns(Session& session, std::string_view words);
Result<void> parse_weights(Session& session, std::string_view words);
Result<void> parse_patches(Session& session, std::string_view words);

/// Formats a head in this notation.
std::string format_head(const Architecture& architecture, const HeadId& head);

}  // namespace headscope
