#pragma once

#include "core/session/session.h"

namespace headscope {

/// Returns `after`, which must differ from `before` only in its sentences or tokenizer, with the selection,
/// the pin, and padding and painted cells moved along with their tokens. Those whose tokens are gone are
/// removed.
Session with_tokens_followed(const Session& before, Session after);

}  // namespace headscope
