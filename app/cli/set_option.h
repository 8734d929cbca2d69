#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/resource_loader.h"
#include "core/model/interventions.h"
#include "core/result.h"
#include "core/session/setting.h"
#include "core/session/settings.h"

namespace headscope {

/// Parses the value of a setting's option into a session. A usage error names the option, the value and what
/// is valid. See parse_shared_option() and session_options.h for settings whose option is shared or names a
/// file.
void parse_setting(const Setting& setting, const std::string& given, Session& session);

/// Parses an option that several settings share (core/session/settings.h) into a session: --no-bias,
/// --colors, --range or --transfer, with values separated by commas. A usage error names the option, the
/// value and what is valid. See mask_options.h for masks, which count tokens and name files.
void parse_shared_option(const SharedOption& option, const std::string& given, Session& session);

/// Applies the values of --set KEY=VALUE for the selection, covers and comparison, which come after all other
/// options. KEY is the key of a setting in scene files, and VALUE is written as by value_text(). Later values
/// override earlier ones, and nothing else is adjusted. Refuses values that do not fit the session.
Session apply_selection_values(const std::vector<std::string>& words, Session session);

/// Fails for a setting that also has its own option in the command, and for one that does not belong to a
/// subject if the words come after --against.
void check_set_options(const CommandOptions& options, bool is_against);

/// Whether one of the words sets what is selected.
bool sets_selection(const std::vector<std::string>& words);

/// Applies the settings of the subject in the same way, refusing those with options of their own kind
/// (models, mask files), and then numbers given by hand: PATH=NUMBERS, PATH=@FILE, or none, which clears
/// earlier ones. Refuses paths that cannot be given, with similar ones, and numbers that cannot be read or do
/// not fit.
Session apply_set_options(const std::vector<std::string>& words, const ResourceLoader& loader,
                          Session session);

/// The values of --set from which apply_set_options() restores these numbers exactly.
std::vector<std::string> set_option_values(const GivenNumbers& given);

/// Reads a matrix from a file: .npy, or text (core/io/matrix_text.h).
Result<OwnedMatrix> read_number_file(const std::string& file);

}  // namespace headscope
