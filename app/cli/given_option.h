#pragma once

#include <string>
#include <vector>

#include "app/cli/sources.h"
#include "core/model/given_numbers.h"
#include "core/result.h"

namespace headscope {

/// What --set was given, PATH=NUMBERS, PATH=@FILE or none, into a session of these sizes. No words: only what
/// the session has is checked. Errors: a path that
/// cannot be given, with those that are near; numbers that cannot be read or do not fit.
Result<void> read_given(const std::vector<std::string>& words, const Sources& sources, Session& session);

/// The words that read_given() reads as these numbers, to the last bit.
std::vector<std::string> given_words(const GivenNumbers& given);

/// A matrix from a file: .npy, or text (core/io/matrix_text.h).
Result<OwnedMatrix> read_numbers(const std::string& file);

}  // namespace headscope
