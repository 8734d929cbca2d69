#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "core/checkpoint/capture.h"
#include "core/system/atomic_file.h"

namespace headscope {

Result<void> run_capture(const CommandOptions& o, std::ostream& out) {
  const auto scripts = capture_scripts();
  if (!o.named) {
    out << "Attention of any model, computed on any machine, opens as a file of its numbers. These programs write\n"
           "such a file; “headscope capture NAME” prints one:\n\n"
           "  transformers  a model from Hugging Face: its attention weights and hidden states\n"
           "  pytorch       hooks for your own modules: their queries, keys and values\n";
    return {};
  }
  const auto found = std::ranges::find(scripts, *o.named, &CaptureScript::name);
  if (found == scripts.end()) {
    std::vector<std::string> names;
    for (const CaptureScript& script : scripts) names.emplace_back(script.name);
    return usage_error("there is no program “" + *o.named + "” to print: " + expected_text(*o.named, names) +
                       "transformers or pytorch");
  }
  if (o.out) return write_atomically(*o.out, std::string(found->text));
  out << found->text;
  return {};
}

}  // namespace headscope
