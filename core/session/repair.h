#pragma once

#include "core/session/session.h"

namespace headscope {

/// How many rows or columns an axis of a stage has in this session; 0 where the sizes do not hold together.
int axis_size(const Session& session, const StageId& id, Axis axis);

/// Whether the model has this place; how many rows and columns it has is for axis_size() to say.
bool is_in_model(const Architecture& architecture, const StageId& stage);

/// The words that a final linear layer predicts, in the order of its columns: those of the sentences, each
/// once.
std::vector<std::string> predicted_words(const Session& session);

/// The (source) sentence's tokens, filled up to the batch's length where there is a batch, and the target's.
std::vector<Token> source_tokens(const Session& session);
std::vector<Token> target_tokens(const Session& session);

/// Their counts.
int n_source_tokens(const Session& session);
int n_target_tokens(const Session& session);

/// Tokens of both sentences, filled up to the batch's length.
struct TokenCounts {
  int source = 0;
  int target = 0;
};
TokenCounts token_counts(const Texts& texts);

/// The part of repaired() that a setting's own description says: valid UTF-8, finite, within its limits,
/// indices that exist, sorted and unique; the sentence is one of the batch, and a fixed range goes from low
/// to high. Leaves the tokens of the mended texts in the session.
void repair_settings(Session& session, const Session& fallback);

/// The session with what has no meaning mended, and nothing else changed:
/// - the texts are valid UTF-8; token, padding, painted cells and pin lie inside it, sorted and unique;
/// - the selected stack, layer, attention and head exist; the pin's cell exists, its stage is normalized;
/// - covered cells are those of a stage that exists;
/// - numbers are finite (those that are not come from `fallback`), those that are no sizes of
///   the architecture are within their limits, a fixed range goes from low to high.
/// Sizes of the architecture stay as asked, because the screen must say what is wrong with them.
/// repaired(repaired(s)) = repaired(s).
Session repaired(Session session, const Session& fallback);

}  // namespace headscope
