#include "app/cli/trace_out.h"

#include <filesystem>

#include "app/cli/option_values.h"

namespace headscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* what_fits =
    "write the whole trace to F.safetensors or a folder, or a single --stage to F.npy or F.csv";

}  // namespace

Result<void> check_trace_out(const std::string& out, bool one_stage) {
  std::error_code unknown;
  const fs::file_status status = fs::status(out, unknown);
  const std::string extension = fs::path(out).extension();
  if (out.empty()) return wrong_value("--out", out, what_fits);
  const std::string name = fs::path(out).filename();
  if (name == ".safetensors" || name == ".npy" || name == ".csv") {
    return wrong_value("--out", out, "the file name has nothing before " + name);
  }
  if (one_stage) {
    if (extension == ".npy" || extension == ".csv") return {};
    return wrong_value("--out", out, "with --stage, the file name must end in .npy or .csv");
  }
  const bool exists = fs::exists(status) && !fs::is_regular_file(status);
  const bool is_new_folder = !fs::exists(status) && extension.empty();
  if (exists || is_new_folder || extension == ".safetensors") return {};
  return wrong_value("--out", out, what_fits);
}

}  // namespace headscope
