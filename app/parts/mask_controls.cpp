#include "app/parts/mask_controls.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/parts/how_read.h"
#include "app/parts/place_picker.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/session/settings.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

/// With two stacks each kind of attention has a mask of its own: which one this is, and how to get at the
/// others.
void whose_mask(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!a.has_cross() || !a.has_self()) return;
  static const std::array<std::string, 3> names{"encoder", "decoder", "cross"};
  int which = attention_index(frame.session.selection);
  if (segmented(frame.ui, "whose mask", names, which,
                "Each kind of attention has its own mask: the encoder's, the decoder's over its own tokens, "
                "and the decoder's over the encoder")) {
    frame.emit(place_of_attention(which, frame.session.selection));
  }
  if (which == 2) {
    paragraph(frame.ui, "Rows are the target's queries, columns the source's keys. Some texts transpose it.",
              frame.ui.theme().quiet);
  }
}

/// A rule that takes a number, while it is on.
struct CountedRule {
  const char* name;
  const char* number;  ///< what the slider calls it
  std::optional<int> MaskSpec::*count;
  int first;  ///< its number when it is switched on
  int least;
  const char* tooltip;
};

void counted_rule(Frame& frame, const CountedRule& rule) {
  const char* const tooltip = rule.tooltip;
  AttentionOptions options = frame.session.attention;
  auto& count = selected_mask(frame.session, options).*rule.count;
  bool on = count.has_value();
  if (toggle(frame.ui, rule.name, on, tooltip)) {
    count = on ? std::optional<int>(rule.first) : std::nullopt;
    frame.emit(SetAttention{options});
  }
  if (!count) return;
  const int n = frame.trace ? frame.trace->n_tokens() : rule.first + 1;
  const int most = std::max({n - 1, *count, rule.least + 1});
  if (slider_int(frame.ui, rule.number, *count, {rule.least, most, 1, false}, tooltip))
    frame.emit(SetAttention{options});
}

/// The first keys that the window, where there is one, does not hide.
void first_keys(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  MaskSpec& mask = selected_mask(frame.session, options);
  if (!mask.window) return;
  int first = mask.first_keys.value_or(0);
  const int n = frame.trace ? frame.trace->n_tokens() : 1;
  if (!slider_int(frame.ui, "first keys always seen", first, {0, std::max(n, first), 1, false},
                  setting("attention.first_keys").sentence)) {
    return;
  }
  mask.first_keys = first > 0 ? std::optional(first) : std::nullopt;
  frame.emit(SetAttention{options});
}

/// The model's own window hides keys, too, whatever the mask says.
void window_of_model(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!a.sliding_window || frame.session.selection.attention == AttentionKind::cross) return;
  const std::string global =
      a.global_every ? "; 1 layer in " + std::to_string(*a.global_every) + " is global" : "";
  paragraph(frame.ui, "the model has one of " + counted(*a.sliding_window, "key") + global,
            frame.ui.theme().quiet);
}

void counted_rules(Frame& frame) {
  constexpr std::array rules{
      CountedRule{"Sliding window", "width", &MaskSpec::window, 2, 0, setting("attention.window").sentence},
      CountedRule{"Blocks", "tokens in a block", &MaskSpec::block, 4, 1, setting("attention.block").sentence},
      CountedRule{"Dilated", "every so many keys", &MaskSpec::dilation, 2, 1,
                  setting("attention.dilation").sentence}};
  for (const CountedRule& rule : rules) {
    counted_rule(frame, rule);
    if (rule.count != &MaskSpec::window) continue;
    first_keys(frame);
    window_of_model(frame);
  }
}

/// Documents that end with a full stop, and those that were given by their first tokens.
void document_mask(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  MaskSpec& mask = selected_mask(frame.session, options);
  bool on = !mask.separator.empty() || !mask.documents.empty();
  constexpr const char* usual_separator = ".";
  if (toggle(frame.ui, "Documents", on, setting("attention.documents").sentence)) {
    mask.separator = on ? usual_separator : "";
    mask.documents.clear();
    frame.emit(SetAttention{options});
  }
  if (!mask.separator.empty())
    text(frame.ui, "each ends with “" + mask.separator + "”", Font::sans, text_size::small,
         frame.ui.theme().quiet);
  if (mask.documents.empty()) return;
  std::string firsts;
  for (const int first : mask.documents) firsts += (firsts.empty() ? "" : ", ") + std::to_string(first);
  text(frame.ui, "further ones begin at token " + firsts, Font::sans, text_size::small,
       frame.ui.theme().quiet);
}

void prefix_mask(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  auto& prefix = selected_mask(frame.session, options).prefix;
  bool on = prefix.has_value();
  constexpr int first_length = 3;
  if (toggle(frame.ui, "Prefix", on, setting("attention.prefix").sentence)) {
    set_prefix(selected_mask(frame.session, options), on ? std::optional<int>(first_length) : std::nullopt);
    frame.emit(SetAttention{options});
  }
  if (!prefix) return;
  const int n = frame.trace ? frame.trace->n_tokens() : first_length;
  if (slider_int(frame.ui, "length", *prefix, {0, std::max({n, *prefix, 1}), 1, false},
                 setting("attention.prefix").sentence)) {
    frame.emit(SetAttention{options});
  }
}

void padding_mask(Frame& frame) {
  bool on = frame.screen.padding_mode;
  if (toggle(frame.ui, "Pad by clicking tokens", on,
             "While this is on, clicking a token of the sentence pads it: no query may attend to it")) {
    frame.emit(CommandId::toggle_padding_clicks);
  }
  AttentionOptions options = frame.session.attention;
  MaskSpec& mask = selected_mask(frame.session, options);
  if (mask.padding.empty()) return;
  const std::size_t n = mask.padding.size();
  text(frame.ui, std::to_string(n) + (n == 1 ? " token padded" : " tokens padded"), Font::sans,
       text_size::small, frame.ui.theme().quiet);
  ImGui::SameLine();
  if (link(frame.ui, "none##padding", "Remove all padding")) {
    mask.padding.clear();
    frame.emit(SetAttention{options});
  }
}

void painted_mask(Frame& frame) {
  bool on = frame.screen.paint_mode;
  if (toggle(frame.ui, "Paint the mask", on,
             "While this is on, drag over a map of scores or weights to hide cells or show them again")) {
    frame.emit(CommandId::toggle_paint);
  }
  AttentionOptions options = frame.session.attention;
  const std::size_t n = selected_mask(frame.session, options).painted.size();
  if (n == 0) return;
  text(frame.ui, std::to_string(n) + (n == 1 ? " cell hidden" : " cells hidden"), Font::sans,
       text_size::small, frame.ui.theme().quiet);
  ImGui::SameLine();
  if (link(frame.ui, "none##painted", "Clear all painted cells")) frame.emit(ClearPainted{});
}

void loaded_mask(Frame& frame) {
  AttentionOptions options = frame.session.attention;
  auto& masks = selected_mask(frame.session, options).loaded;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    text(frame.ui, "from " + masks[i]->name, Font::sans, text_size::small, frame.ui.theme().quiet);
    ImGui::SameLine();
    if (link(frame.ui, "remove", "Remove this mask")) {
      AttentionOptions without = options;
      auto& fewer = selected_mask(frame.session, without).loaded;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      frame.emit(SetAttention{without});
    }
    paragraph(frame.ui, how_read(*masks[i]), frame.ui.theme().quiet);
    if (link(frame.ui, "swap axes", "Transpose it: some texts write [keys, queries]")) {
      AttentionOptions swapped = options;
      auto& mask = selected_mask(frame.session, swapped).loaded[i];
      mask = std::make_shared<const LoadedMask>(transposed(*mask));
      frame.emit(SetAttention{swapped});
    }
    ImGui::PopID();
  }
}

void mask_value(Frame& frame) {
  if (frame.session.architecture.linear_attention) return;  // what is hidden leaves the sums, whatever it is
  AttentionOptions options = frame.session.attention;
  static const std::array<std::string, 3> names{"−∞", "−1e9", "a number"};
  constexpr std::array values{MaskValue::minus_infinity, MaskValue::minus_1e9, 0.0F};
  const auto* usual = std::find(values.begin(), values.end(), options.mask_value);
  int chosen = static_cast<int>(std::min<std::ptrdiff_t>(usual - values.begin(), values.size() - 1));
  const bool any_number = chosen == values.size() - 1;
  text(frame.ui, "hidden cells", Font::sans, text_size::body, frame.ui.theme().text);
  if (segmented(frame.ui, "mask value", names, chosen, setting("attention.mask_value").sentence)) {
    options.mask_value = values[static_cast<std::size_t>(chosen)];
    frame.emit(SetAttention{options});
  }
  if (!any_number) return;
  if (decimal_field(frame.ui, "mask value", options.mask_value, setting("attention.mask_value").sentence))
    frame.emit(SetAttention{options});
  // Scores are rarely greater: softmax gives what is so far below them no weight that could be seen.
  constexpr float far_below_scores = -30.0F;
  if (frame.session.attention.mask_value > far_below_scores &&
      selected_mask(frame.session, options).hides_anything()) {
    notice(frame.ui,
           number_text(frame.session.attention.mask_value) +
               " is a score like any other, so hidden cells still get some attention. Only a number far "
               "below all scores hides them.",
           NoticeKind::warning);
  }
}

/// Says what happens in rows that see nothing: what the stored weights hold.
void empty_rows(Frame& frame) {
  if (!frame.trace || frame.session.attention.softmax == SoftmaxAxis::queries) return;
  const std::vector<int>& rows =
      frame.screen.empty_rows_of(frame.trace, selected_stage(frame, StageKind::weights));
  if (rows.empty()) return;
  const std::string who =
      "“" + frame.trace->label(selected_stage(frame, StageKind::weights), Axis::query_tokens, rows.front()) +
      "”" + (rows.size() > 1 ? " and " + std::to_string(rows.size() - 1) + " more" : "");
  // Under −∞ there is nothing to give weight to; under any number, what sees nothing sees all alike.
  const bool all_zero = std::isinf(frame.trace->mask(selected_stage(frame, StageKind::weights)).value);
  const bool has_sink = frame.trace->architecture().sinks;
  notice(frame.ui,
         who + (all_zero && has_sink ? ": every key is hidden at −∞, so the sink takes all of the attention."
                : all_zero ? ": every key is hidden at −∞, so all weights are 0 (PyTorch gives NaN here)."
                           : ": every key is hidden at " + number_text(frame.session.attention.mask_value) +
                                 ", so all scores are equal and the weights uniform."),
         NoticeKind::information);
}

}  // namespace

void mask_controls(Frame& frame) {
  section(frame.ui, "Mask");
  whose_mask(frame);
  AttentionOptions options = frame.session.attention;
  MaskSpec& mask = selected_mask(frame.session, options);
  if (toggle(frame.ui, "Causal", mask.causal, setting("attention.causal").sentence)) {
    set_causal(mask, mask.causal);
    frame.emit(SetAttention{options});
  }
  counted_rules(frame);
  prefix_mask(frame);
  if (frame.session.selection.attention == AttentionKind::self) document_mask(frame);
  padding_mask(frame);
  painted_mask(frame);
  loaded_mask(frame);
  mask_value(frame);
  empty_rows(frame);
}

}  // namespace headscope
