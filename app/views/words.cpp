#include <algorithm>

#include "app/parts/page_part.h"
#include "app/parts/step_player.h"
#include "app/parts/writing_controls.h"
#include "app/views/page_views.h"
#include "app/widgets/controls.h"
#include "app/widgets/panel.h"
#include "core/page/pages.h"
#include "core/page/parts/answers.h"
#include "core/session/settings.h"

namespace headscope {
namespace {

/// Offers a final linear layer or, for a foreign model, whose weights it would replace, another model.
void offer_words(Frame& frame) {
  if (frame.session.model && frame.session.model->is_foreign()) return open_writer_button(frame);
  if (!button(frame.ui, "Add a final linear layer", "It shares the embeddings' weights (tied)", "",
              ButtonStyle::primary))
    return;
  frame.emit(set_to("architecture.output_layer", std::string(enum_name(OutputLayer::tied))));
}

/// Puts the model's mask in place of the selected token, which it then fills in.
void mask_token(Frame& frame) {
  const Session& session = frame.session;
  const std::vector<Token>& tokens = frame.trace->tokens();
  const auto selected = static_cast<std::size_t>(session.selection.token.value_or(0));
  const bool can_mask = frame.sentence == session.sentence && session.model &&
                        !session.model->mask_text.empty() && session.selection.token &&
                        session.tokenizer == TokenizerKind::model && selected < tokens.size();
  if (!can_mask) return;
  const Token& token = tokens[selected];
  const TextSpan span = token.span;
  if (token.is_special || span.begin == span.end || span.end > session.sentence.size()) return;
  const std::string& mask = session.model->mask_text;
  const std::string label = "Mask “" + display_word(token.text) + "”";
  if (!button(frame.ui, label.c_str(), ("Put " + mask + " in its place, for the model to fill in").c_str()))
    return;
  std::string masked = session.sentence;
  masked.replace(span.begin, span.end - span.begin, mask);
  frame.emit(SetSentence{std::move(masked)});
  frame.emit(SelectToken{static_cast<int>(selected)});
}

/// The controls for writing. If they fit, the sampling controls appear at the end of the same line, so that
/// nothing below moves.
void writing_line(Frame& frame) {
  const ImVec2 start = ImGui::GetCursorPos();
  writing_controls(frame);
  const float gap = frame.ui.px(16.0F);
  ImGui::SameLine(0.0F, gap);
  const float room = ImGui::GetContentRegionAvail().x;
  const bool shares = room >= frame.ui.px(min_sampling_width);
  if (!shares) ImGui::NewLine();
  sampling_controls(frame, shares ? room : ImGui::GetContentRegionAvail().x);
  const float bottom = start.y + frame.ui.px(slider_line_height) + ImGui::GetStyle().ItemSpacing.y;
  if (shares) ImGui::SetCursorPos({start.x, bottom});
}

}  // namespace

void words_view(Frame& frame) {
  const Panel panel(frame.ui, "words", ImGui::GetContentRegionAvail(), PanelScroll::vertical);
  const bool has_words = has_predictions(page_inputs(frame));
  if (has_words && predicts_masked_words(*frame.trace)) mask_token(frame);
  if (writes_words(frame)) writing_line(frame);
  const PageMouse mouse = draw_page(frame, PageName::words, ImGui::GetContentRegionAvail());
  const PageInputs& in = page_inputs(frame);
  if (!has_words && !predicts_words(in)) offer_words(frame);
  if (const auto* cells = mouse.on<StageCells>(); cells != nullptr && mouse.clicked) {
    frame.emit(SelectStage{cells->stage.kind});
  }
  if (const auto* token = mouse.on<TokenArea>(); token != nullptr && mouse.clicked) {
    const Stack stack = frame.trace->architecture().last_stack();
    const Selection& selection = frame.session.selection;
    if (selection.stack != stack) frame.emit(SelectPlace{stack, selection.layer, AttentionKind::self});
    frame.emit(SelectToken{token->place});
  }
  const auto cell = mouse.table_cell();
  if (cell) tooltip(frame.ui, describe_target(in, frame.screen.memo, *cell));
}

}  // namespace headscope
