// Fuzzes a session's JSON, and the settings that are kept between runs, which contain a session.

#include <algorithm>

#include "app/shell/settings.h"
#include "core/io/json_text.h"
#include "core/session/repair.h"
#include "core/session/session.h"
#include "core/session/setting_json.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_session(std::string_view json) {
  const auto session = session_from_json(json);
  if (!session) return fuzzing::require_readable(session.error().message);
  require(repaired(*session, Session{}) == *session, "a session that was read needs no repair");
  const std::string written = to_json(*session);
  require(fuzzing::is_utf8(written), "a session's JSON is UTF-8");
  const auto again = session_from_json(written);
  require(again.has_value(), "a session that was written can be read");
  require(*again == *session, "a session read back is the same");
  require(to_json(*again) == written, "a session read back is written the same");
}

void check_architecture(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return fuzzing::require_readable(json.error().message);
  const auto architecture = architecture_from_json(*json);
  if (!architecture) return fuzzing::require_readable(architecture.error().message);
  const auto again = architecture_from_json(architecture_to_json(*architecture));
  require(again && *again == *architecture, "an architecture read back is the same");
}

void check_settings(std::string_view json) {
  constexpr const char* file_name = "settings.json";
  constexpr const char* written_name = "written.json";
  fuzzing::put(file_name, json);
  const LoadedSettings loaded = load_settings(std::filesystem::path(file_name));
  if (!loaded.complaint.empty()) fuzzing::require_readable(loaded.complaint);
  require(save_settings(loaded.settings, fuzzing::scratch() / written_name).has_value(),
          "settings that were read can be kept");
  const LoadedSettings again = load_settings(fuzzing::scratch() / written_name);
  require(again.settings.session == loaded.settings.session, "a session that is kept stays the same");
  require(again.settings.export_folder == loaded.settings.export_folder, "a folder that is kept stays");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view input = fuzzing::text_of(data, size);
  fuzzing::scratch();
  check_session(input);
  fuzzing::next_work();
  check_architecture(input);
  fuzzing::next_work();
  check_settings(input);
  return 0;
}
