#pragma once

#include <string>
#include <string_view>

#include "core/model/interventions.h"
#include "core/session/session.h"

namespace headscope {

// Several values in one text, as options and JSON have them: a list, or `none`. Parsing throws an
// Error that names the wrong item and says what it must be, and then leaves the session unchanged. repaired()
// checks that what they name exists.

// A head is `1.2` (layer and head), or `decoder.1.2` or `cross.1.2` outside the self-attention of the first
// stack.
std::string format_scales(const Session& session);    ///< Such as "1.2=0,0.1=0.5".
std::string format_patterns(const Session& session);  ///< Such as "1.2=uniform,0.0=held".
std::string format_weights(const Session& session);   ///< Head, row and column, such as "1.2:7.1=0.5".
std::string format_patches(const Session& session);   ///< Such as "encoder.layers.0.self.projected:7=zero".
void parse_scales(Session& session, std::string_view words);
void parse_patterns(Session& session, std::string_view words);
void parse_weights(Session& session, std::string_view words);
void parse_patches(Session& session, std::string_view words);

/// The covered cells and their stage, such as "rows:2+cells:0.1,3.2@encoder.layers.0.self.heads.2.weights". A
/// missing stage means the selected one.
std::string format_cover(const Session& session);
void parse_cover(Session& session, std::string_view words);
/// The cells that were answered correctly, such as "0.1,3.2".
std::string format_answers(const Session& session);
void parse_answers(Session& session, std::string_view words);

/// The hidden keys, such as "first,punctuation".
std::string format_hidden_keys(const Session& session);
void parse_hidden_keys(Session& session, std::string_view words);
/// The picked tokens, such as "queries:3,5" or "keys:1".
std::string format_picked_tokens(const Session& session);
void parse_picked_tokens(Session& session, std::string_view words);

}  // namespace headscope
