#include "app/cli/implied_layers.h"

#include <algorithm>

#include "core/session/settings.h"

namespace headscope {

bool implies_layers(std::string_view option, std::string_view value) {
  if (option == setting("architecture.stacks").option && value == name_of_choice(Stacks::cross)) return false;
  for (const Setting& each :
       {setting("architecture.stacks"), setting("architecture.layers"), setting("architecture.norm"),
        setting("architecture.d_ff"), setting("architecture.activation"), setting("architecture.norm_kind"),
        setting("architecture.block"), setting("architecture.gated")}) {
    if (each.option == option) return true;
  }
  return false;
}

void imply_layers(const CommandOptions& o, Architecture& a) {
  const bool is_attention_alone = a.d_ff == 0 && !a.residual && a.norm == Norm::none;
  const bool asks_for_layers = std::ranges::any_of(
      o.settings, [](const auto& given) { return implies_layers(given.first, given.second.back()); });
  if (!is_attention_alone || !asks_for_layers) return;
  const auto block = o.text(setting("architecture.block"));
  a.norm = !block || *block == name_of_choice(Block::sequential) ? Norm::post : Norm::pre;
  a.residual = true;
  a.d_ff = std::min(4 * a.d_model, ArchitectureLimits::max_d_ff);
}

Result<void> checked_sizes(const Architecture& architecture) {
  Architecture ungrouped = architecture;
  ungrouped.n_kv_heads.reset();
  const bool divides = architecture.d_head || architecture.d_model % std::max(architecture.n_heads, 1) == 0;
  const char* options = !divides ? "--d-model and --heads do not match: "
                        : !validate(architecture) && validate(ungrouped) ? "--kv-heads does not fit: "
                                                                         : "";
  return validate(architecture).map_error([&](const Error& error) {
    return Error{error.kind, options + error.message};
  });
}

}  // namespace headscope
