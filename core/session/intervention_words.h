#pragma once

#include <string>
#include <string_view>

#include "core/model/interventions.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Formats and reads interventions in the notation of their options and of JSON: a list with commas, or
/// `none` if it is empty. A head is written as `1.2`, layer and head, or as `decoder.1.2` or `cross.1.2` if
/// it does not belong to the self-attention of the model's first stack. Reading returns an error that names
/// the item and says what it must be. repaired() checks whether the model has such a head.
std::string words_of_scales(const Session& session);    ///< Such as "1.2=0,0.1=0.5".
std::string words_of_patterns(const Session& session);  ///< Such as "1.2=uniform,0.0=held".
std::string words_of_weights(const Session& session);   ///< Head, row and column, such as "1.2:7.1=0.5".
std::string words_of_patches(const Session& session);   ///< Such as "encoder.layers.0.self.projected:7=zero".

Result<void> read_scales(Session& session, std::string_view words);
Result<void> read_patterns(Session& session, std::string_view words);
Result<void> read_weights(Session& session, std::string_view words);
Result<void> read_patches(Session& session, std::string_view words);

/// Formats a head in this notation.
std::string word_of_head(const Architecture& architecture, const HeadId& head);

}  // namespace headscope
