#include "app/cli/session_masks.h"

#include <algorithm>
#include <utility>

#include "app/cli/mask_options.h"
#include "app/cli/option_values.h"
#include "app/cli/own_attention_option.h"
#include "core/session/repair.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

Result<void> add_masks(const std::vector<std::string>& given, const MaskOption& option, MaskSpec& target) {
  if (given.empty()) return {};
  // A prefix mask includes a causal one, so it replaces a decoder's default mask.
  if (std::ranges::any_of(given, [](const std::string& mask) { return mask.starts_with("prefix:"); })) {
    target.causal = false;
  }
  auto masks = with_masks(target, given, option);
  if (!masks) return tl::unexpected(masks.error());
  target = std::move(*masks);
  return {};
}

}  // namespace

Result<void> read_masks(const CommandOptions& o, const Sources& sources, Session& session) {
  AttentionOptions& attention = session.attention;
  session.texts = texts_of(session);
  const int s = n_source_tokens(session);
  const int t = n_target_tokens(session);
  const auto& target_masks = o.texts("--target-mask");
  const auto& cross_masks = o.texts("--cross-mask");
  auto parsed = MaskAxes::parse(o.mask_axes);
  if (!parsed) return tl::unexpected(parsed.error());
  MaskAxes& axes = *parsed;
  if (has_own_attention(o)) {
    const bool given = !target_masks.empty() || !cross_masks.empty();
    if (given || (o.has(setting("target")) && !session.architecture.has_cross())) {
      return usage_error(
          "--target, --target-mask and --cross-mask are for two stacks: --mask applies to your own attention, whatever the source of the keys");
    }
  }
  // A model of cross-attention alone has one mask, which either option names.
  if (!session.architecture.has_self()) {
    if (!target_masks.empty())
      return usage_error(
          "--target-mask is for self-attention, which --stacks cross does not have: use --mask");
    auto ok =
        add_masks(o.texts("--mask"), {"--mask", t, s, false, &axes, sources.mask}, attention.cross_mask);
    if (ok)
      ok = add_masks(cross_masks, {"--cross-mask", t, s, false, &axes, sources.mask}, attention.cross_mask);
    return ok ? axes.check_used() : ok;
  }
  auto ok = add_masks(o.texts("--mask"), {"--mask", s, s, true, &axes, sources.mask}, attention.mask);
  if (!ok) return ok;
  if (!session.architecture.has_cross()) {
    const bool given = !target_masks.empty() || !cross_masks.empty() || o.has(setting("target"));
    if (given) {
      return usage_error(
          "--target, --target-mask and --cross-mask need --stacks encoder-decoder or cross: a single stack has only one sentence");
    }
    return axes.check_used();
  }
  ok = add_masks(target_masks, {"--target-mask", t, t, true, &axes, sources.mask}, attention.target_mask);
  if (ok)
    ok = add_masks(cross_masks, {"--cross-mask", t, s, false, &axes, sources.mask}, attention.cross_mask);
  return ok ? axes.check_used() : ok;
}

}  // namespace headscope
