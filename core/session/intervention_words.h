#pragma once

#include <string>
#include <string_view>

#include "core/model/interventions.h"
#include "core/result.h"
#include "core/session/session.h"

namespace headscope {

/// Interventions in the notation of their options and of the JSON: a list with commas, `none` for an empty
/// one. A head is `1.2`, layer and head; of another attention than the self-attention of the model's first
/// stack, `decoder.1.2` or `cross.1.2`.
/// Reading gives an error that names the item and what it must be; whether the model has such a head is for
/// repaired() to see.
std::string words_of_scales(const Session& session);    ///< "1.2=0,0.1=0.5"
std::string words_of_patterns(const Session& session);  ///< "1.2=uniform,0.0=held"
std::string words_of_weights(const Session& session);   ///< "1.2:7.1=0.5": head, row, column
std::string words_of_patches(const Session& session);   ///< "encoder.layers.0.self.projected:7=zero"

Result<void> read_scales(Session& session, std::string_view words);
Result<void> read_patterns(Session& session, std::string_view words);
Result<void> read_weights(Session& session, std::string_view words);
Result<void> read_patches(Session& session, std::string_view words);

/// A head as above.
std::string word_of_head(const Architecture& architecture, const HeadId& head);

}  // namespace headscope
