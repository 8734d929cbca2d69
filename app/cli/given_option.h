#pragma once

#include <string>
#include <vector>

#include "app/cli/sources.h"
#include "core/model/given_numbers.h"
#include "core/result.h"

namespace headscope {

/// Reads the values of --set (PATH=NUMBERS, PATH=@FILE or none) into a session whose sizes are known. Without
/// words, only checks the numbers that the session already has. Fails for a path that cannot be given, naming
/// similar paths, and for numbers that cannot be read or do not fit.
Result<void> read_given(const std::vector<std::string>& words, const Sources& sources, Session& session);

/// The words that read_given() reads back as these numbers, exact to the last bit.
std::vector<std::string> given_words(const GivenNumbers& given);

/// Reads a matrix from a file: .npy, or text (core/io/matrix_text.h).
Result<OwnedMatrix> read_numbers(const std::string& file);

}  // namespace headscope
