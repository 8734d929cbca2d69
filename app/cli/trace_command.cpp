#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"
#include "core/engine/export.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_fits =
    "the whole trace goes into F.safetensors or a folder; with --stage, one stage into F.npy or F.csv";

Result<void> check_out(const std::string& out, bool one_stage) {
  std::error_code unknown;
  const fs::file_status status = fs::status(out, unknown);
  const std::string extension = fs::path(out).extension();
  if (out.empty()) return wrong_value("--out", out, what_fits);
  const std::string name = fs::path(out).filename();
  if (name == ".safetensors" || name == ".npy" || name == ".csv") {
    return wrong_value("--out", out, "a name is missing before " + name);
  }
  if (one_stage) {
    if (extension == ".npy" || extension == ".csv") return {};
    return wrong_value("--out", out, "with --stage it ends in .npy or .csv");
  }
  const bool exists = fs::exists(status) && !fs::is_regular_file(status);
  const bool is_new_folder = !fs::exists(status) && extension.empty();
  if (exists || is_new_folder || extension == ".safetensors") return {};
  return wrong_value("--out", out, what_fits);
}

/// Options that say something about a module's weights only.
Result<void> check_no_module(const CommandOptions& o) {
  const bool given = o.input || o.key_input || o.value_input || o.format;
  if (!given) return {};
  return usage_error(
      "--input, --key-input, --value-input and --format need --weights F.safetensors, the module "
      "that they are for");
}

}  // namespace

Result<void> run_trace(const CommandOptions& o, std::ostream&) {
  const std::string out = o.out.value_or("");
  const bool one_stage = o.stage.has_value();
  if (o.weights) return run_module_trace(o);
  if (auto ok = check_no_module(o); !ok) return ok;
  if (auto ok = check_out(out, one_stage); !ok) return ok;
  if (!one_stage && o.head) {
    return usage_error("--head " + *o.head + " needs --stage: which stage of this head?");
  }
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto id = stage_id_of(o, *session);
  if (!id) return tl::unexpected(id.error());
  const auto trace = computed_trace(*session);
  if (!trace) return tl::unexpected(trace.error());
  if (one_stage) {
    if (auto ok = check_stage(**trace, *id); !ok) return ok;
  }
  return one_stage ? write_stage(**trace, *id, out) : write_trace(**trace, out, to_json(*session));
}

}  // namespace headscope
