#pragma once

#include <string>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/sources.h"
#include "core/model/given_numbers.h"
#include "core/result.h"

namespace headscope {

/// The settings whose values come before all other options, and those of what is selected, covered and
/// compared, which come after them.
enum class SettingPart { subject, selection };

/// Returns `session` with the values of --set KEY=VALUE for one part of the settings, where KEY is that of a
/// setting, as it stands in a scene's file, and VALUE is typed as value_text() writes it. Later values of a
/// key replace earlier ones. Nothing else is adjusted: fails for values that do not fit the session, and for
/// settings that have options of their own kind (models, mask files).
Result<Session> with_values(const std::vector<std::string>& words, SettingPart part, Session session);

/// Fails for a setting that also has its own option in the command, and for one that does not belong to a
/// subject if the words come after --against.
Result<void> check_values(const CommandOptions& options, bool is_against);

/// Whether one of the words sets what is selected.
bool sets_selection(const std::vector<std::string>& words);

/// The part of the subject, and then numbers given by hand: PATH=NUMBERS, PATH=@FILE, or none, which removes
/// those before it. Fails for a path that cannot be given, naming similar ones, and for numbers that cannot
/// be read or do not fit.
Result<Session> with_set(const std::vector<std::string>& words, const Sources& sources, Session session);

/// The words that with_set() reads back as these numbers, exact to the last bit.
std::vector<std::string> given_words(const GivenNumbers& given);

/// Reads a matrix from a file: .npy, or text (core/io/matrix_text.h).
Result<OwnedMatrix> read_numbers(const std::string& file);

}  // namespace headscope
