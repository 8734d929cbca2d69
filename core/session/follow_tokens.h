#pragma once

#include "core/session/session.h"

namespace headscope {

/// `after`, which differs from `before` in its sentences or tokenizer only, with selection, pin, padding and
/// painted cells at the tokens that they were at; they go with tokens that went.
Session with_tokens_followed(const Session& before, Session after);

}  // namespace headscope
