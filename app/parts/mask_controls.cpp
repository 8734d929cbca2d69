#include <algorithm>
#include <array>
#include <cmath>

#include "app/parts/setting_groups.h"
#include "app/parts/stage_picker.h"
#include "app/widgets/controls.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

void mask_note(Frame& frame, const std::string& said) {
  text(frame.ui, said, Font::sans, text_size::small, frame.ui.theme().quiet);
}

/// With two stacks, each kind of attention has a separate mask. Says which one this is, and links to the
/// others.
void mask_scope_note(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!a.has_cross() || !a.has_self()) return;
  static const std::array<std::string, 3> names{"encoder", "decoder", "cross"};
  int which = attention_index(frame.session.selection);
  if (segmented(
          frame.ui, "whose mask", names, which,
          "Each kind of attention has its own mask: the encoder's, the decoder's over its own tokens, and the decoder's over the encoder")) {
    frame.emit(place_of_attention(which, frame.session.selection));
  }
  if (which == 2) {
    paragraph(frame.ui,
              "Rows are the target's queries, columns are the source's keys. Some texts transpose them.");
  }
}

/// Says that the model's sliding window also hides keys, whatever the mask is.
void sliding_window_note(Frame& frame) {
  const Architecture& a = frame.session.architecture;
  if (!a.sliding_window || frame.session.selection.attention == AttentionKind::cross) return;
  std::string global;
  if (!a.foreign.windowed_layers.empty()) {
    global = a.has_sliding_window(frame.session.selection.layer) ? "" : "; this layer is global";
  } else if (a.global_every) {
    global = "; 1 layer in " + std::to_string(*a.global_every) + " is global";
  }
  paragraph(frame.ui, "the model itself has one of " + count_text(*a.sliding_window, "key") + global);
}

/// The controls for documents, which end with a full stop or are given by their first tokens.
void document_mask(Frame& frame) {
  if (frame.session.selection.attention != AttentionKind::self) return;
  const MaskSpec& mask = selected_mask(frame.session, frame.session.attention);
  bool on = !mask.separator.empty() || !mask.documents.empty();
  const std::string default_separator = ".";
  if (toggle(frame.ui, "Documents", on, setting("attention.documents").sentence)) {
    const Setting& separator = of_selected_mask(frame.session, setting("attention.separator"));
    const Setting& documents = of_selected_mask(frame.session, setting("attention.documents"));
    frame.emit(ChangeSettings{
        {{separator.key, on ? default_separator : std::string()}, {documents.key, std::monostate()}}});
  }
  if (!mask.separator.empty()) mask_note(frame, "each ends with “" + mask.separator + "”");
  if (mask.documents.empty()) return;
  std::string firsts;
  for (const int first : mask.documents) firsts += (firsts.empty() ? "" : ", ") + std::to_string(first);
  mask_note(frame, "further documents begin at token " + firsts);
}

/// The switch of a click mode that changes the mask, and how much it has marked, with a link that clears
/// that. Returns true if the link was clicked.
bool marking(Frame& frame, ClickMode mode, CommandId command, const char* label, const char* tooltip,
             const std::string& marked, const char* clears) {
  bool on = frame.screen.is(mode);
  if (toggle(frame.ui, label, on, tooltip)) frame.emit(command);
  if (marked.empty()) return false;
  mask_note(frame, marked);
  ImGui::SameLine();
  return link(frame.ui, ("none##" + std::string(label)).c_str(), clears);
}

void padding_mask(Frame& frame) {
  const std::size_t n = selected_mask(frame.session, frame.session.attention).padding.size();
  if (marking(frame, ClickMode::padding, CommandId::toggle_padding_clicks, "Pad by clicking tokens",
              "While this is on, clicking a token of the sentence pads it: no query may attend to it",
              n == 0 ? "" : std::to_string(n) + (n == 1 ? " token padded" : " tokens padded"),
              "Remove all padding"))
    change_setting(frame, of_selected_mask(frame.session, setting("attention.padding")), std::monostate());
}

void painted_mask(Frame& frame) {
  const std::size_t n = selected_mask(frame.session, frame.session.attention).painted.size();
  if (marking(frame, ClickMode::painting, CommandId::toggle_paint, "Paint the mask",
              "While this is on, drag over a map of scores or weights to hide cells or show them again",
              n == 0 ? "" : std::to_string(n) + (n == 1 ? " cell hidden" : " cells hidden"),
              "Clear all painted cells"))
    frame.emit(clear_painted());
}

void loaded_mask(Frame& frame) {
  const auto& masks = selected_mask(frame.session, frame.session.attention).loaded;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    mask_note(frame, "from " + masks[i]->name);
    ImGui::SameLine();
    if (link(frame.ui, "remove", "Remove this mask")) {
      auto fewer = masks;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      frame.emit(set_mask_files(std::move(fewer)));
    }
    paragraph(frame.ui, mask_interpretation(*masks[i]));
    if (link(frame.ui, "swap axes", "Transpose it: some texts write [keys, queries]")) {
      auto swapped = masks;
      swapped[i] = std::make_shared<const LoadedMask>(transposed(*masks[i]));
      frame.emit(set_mask_files(std::move(swapped)));
    }
    ImGui::PopID();
  }
}

void mask_value(Frame& frame) {
  // Linear attention leaves hidden cells out of its sums, whatever their value.
  if (frame.session.architecture.linear_attention) return;
  static const std::array<std::string, 3> names{"−∞", "−1e9", "a number"};
  constexpr std::array values{MaskValue::minus_infinity, MaskValue::minus_1e9, 0.0F};
  const Setting& hidden = setting("attention.mask_value");
  float value = frame.session.attention.mask_value;
  const auto* usual = std::find(values.begin(), values.end(), value);
  int chosen = static_cast<int>(std::min<std::ptrdiff_t>(usual - values.begin(), values.size() - 1));
  const bool any_number = chosen == values.size() - 1;
  text(frame.ui, "hidden cells", Font::sans, text_size::body, frame.ui.theme().text);
  if (segmented(frame.ui, "mask value", names, chosen, hidden.sentence))
    change_setting(frame, hidden, static_cast<double>(values[static_cast<std::size_t>(chosen)]));
  if (!any_number) return;
  if (decimal_field(frame.ui, "mask value", value, hidden.sentence))
    change_setting(frame, hidden, static_cast<double>(value));
  // Scores are rarely greater than this magnitude, so softmax gives a cell this far below them no visible
  // weight.
  constexpr float far_below_scores = -30.0F;
  const bool hides = selected_mask(frame.session, frame.session.attention).hides_anything();
  if (frame.session.attention.mask_value > far_below_scores && hides) {
    notice(
        frame.ui,
        number_text(static_cast<double>(frame.session.attention.mask_value)) +
            " is a score like any other, so hidden cells still get some attention. Only a number far below all scores hides them.",
        NoticeKind::warning);
  }
}

/// Explains what the stored weights are in rows that see no key.
void empty_rows_notice(Frame& frame) {
  if (!frame.trace || frame.session.attention.softmax == SoftmaxAxis::queries) return;
  const std::vector<int>& rows =
      frame.screen.empty_rows_of(frame.trace, selected_stage(frame, StageKind::weights));
  if (rows.empty()) return;
  const std::string who = quoted_word(frame.trace->label(selected_stage(frame, StageKind::weights),
                                                         Axis::query_tokens, rows.front())) +
                          (rows.size() > 1 ? " and " + std::to_string(rows.size() - 1) + " more" : "");
  // Under −∞, no key can get weight. Under a finite mask value, a row that sees nothing attends to all keys
  // equally.
  const bool all_zero = std::isinf(frame.trace->mask(selected_stage(frame, StageKind::weights)).value);
  const bool has_sink = frame.trace->architecture().sinks;
  notice(frame.ui,
         who + (all_zero && has_sink ? ": every key is hidden at −∞, so the sink takes all of the attention."
                : all_zero ? ": every key is hidden at −∞, so all weights are 0 (PyTorch gives NaN here)."
                           : ": every key is hidden at " + number_text(frame.session.attention.mask_value) +
                                 ", so all scores are equal and the weights uniform."),
         NoticeKind::information);
}

/// Explains what it means that a trained decoder attends to later tokens.
void lookahead_warning(Frame& frame) {
  const Session& session = frame.session;
  const StageId place = selected_stage(frame, StageKind::weights);
  const MaskSpec& mask = selected_mask(session, session.attention);
  const bool looks_ahead =
      place.stack == Stack::decoder && place.attention == AttentionKind::self && !mask.causal && !mask.prefix;
  if (!session.model || !looks_ahead) return;
  notice(frame.ui,
         "Without the causal mask, tokens attend to later ones, which the model never saw in training.",
         NoticeKind::information);
}

void with_and_without_mask(Frame& frame) {
  if (selected_mask(frame.session, frame.session.attention) == MaskSpec{}) return;
  compare_link(frame, "Compare with and without this mask",
               "Shows the same without this mask, as A, beside what you see", unmasked_variant);
}

constexpr std::array mask_panel{
    PanelItem{nullptr, mask_scope_note, "encoder decoder cross"},
    item("attention.window"),
    item("attention.first_keys"),
    PanelItem{nullptr, sliding_window_note},
    item("attention.block"),
    item("attention.dilation"),
    item("attention.prefix"),
    item("attention.documents", document_mask, "Documents"),
    item("attention.padding", padding_mask, "Pad by clicking tokens"),
    item("attention.painted", painted_mask, "Paint the mask"),
    item("attention.mask_files", loaded_mask, "from a file"),
    item("attention.mask_value", mask_value, "hidden cells"),
    PanelItem{nullptr, with_and_without_mask, "compare without the mask"},
    PanelItem{nullptr, lookahead_warning},
    PanelItem{nullptr, empty_rows_notice},
};

}  // namespace

std::span<const PanelItem> mask_items() {
  return mask_panel;
}

std::string mask_summary(const Session& session) {
  const MaskSpec& mask = selected_mask(session, session.attention);
  std::string words;
  if (mask.causal) add_word(words, "causal");
  if (mask.window) add_word(words, "window " + std::to_string(*mask.window));
  if (mask.window && mask.first_keys) add_word(words, "first " + std::to_string(*mask.first_keys));
  if (mask.prefix) add_word(words, "prefix " + std::to_string(*mask.prefix));
  if (mask.block) add_word(words, "blocks of " + std::to_string(*mask.block));
  if (mask.dilation) add_word(words, "dilated by " + std::to_string(*mask.dilation));
  if (!mask.separator.empty() || !mask.documents.empty()) add_word(words, "documents");
  if (!mask.padding.empty()) add_word(words, std::to_string(mask.padding.size()) + " padded");
  if (!mask.painted.empty()) add_word(words, "painted");
  if (!mask.loaded.empty()) add_word(words, "from a file");
  return words.empty() ? "none" : words;
}

std::string mask_interpretation(const LoadedMask& mask) {
  const bool rows_are_queries = mask.axes.find('i') < mask.axes.find('j');
  const std::string axes =
      rows_are_queries ? "Rows are queries, columns are keys" : "Rows are keys, columns are queries";
  if (mask.additive) return axes + "; its numbers are added to the scores.";
  return axes + "; 1 means “may attend”. In a boolean mask of nn.MultiheadAttention, True hides.";
}

}  // namespace headscope
