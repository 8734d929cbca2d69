#include <array>

#include "app/parts/setting_groups.h"
#include "app/widgets/controls.h"
#include "app/widgets/text.h"
#include "core/engine/opening.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

void softmax_notice(Frame& frame) {
  const bool over_queries = frame.session.attention.softmax == SoftmaxAxis::queries;
  if (!over_queries || frame.session.architecture.linear_attention) return;
  notice(
      frame.ui,
      "A common mistake: now columns sum to 1, and rows need not. Outputs are no longer averages of values.",
      NoticeKind::warning);
}

void with_and_without_scale(Frame& frame) {
  if (!frame.session.attention.scale) return;
  if (!link(frame.ui, "Compare with and without scaling",
            "Shows the same without scaling, as A, beside what you see"))
    return;
  frame.emit(Hold{unscaled_twin(frame.session)});
  frame.emit(SetView{PageName::compare});
}

constexpr std::array attention_panel{
    item("attention.scale"),          PanelItem{nullptr, with_and_without_scale, "compare without scaling"},
    item("architecture.score_scale"), item("architecture.d_head"),
    item("architecture.d_value"),     item("architecture.kv_heads"),
    item("architecture.kv_latent"),   item("architecture.linear_attention"),
    item("architecture.softcap"),     item("architecture.sinks"),
    item("architecture.qk_norm"),     item("architecture.output_gate"),
    item("attention.softmax"),        PanelItem{nullptr, softmax_notice},
    item("attention.train"),          item("attention.dropout"),
    item("attention.dropout_seed"),
};

std::string scale_words(const Session& session) {
  if (!session.attention.scale) return "not scaled";
  const float own = session.architecture.score_scale;
  return own > 0.0F ? "scaled by " + number_text(static_cast<double>(own)) : "scaled by 1/√d_k";
}

}  // namespace

std::span<const PanelItem> attention_items() {
  return attention_panel;
}

std::string attention_words(const Session& session) {
  const Architecture& a = session.architecture;
  WordList words;
  words.add(a.linear_attention ? "linear" : scale_words(session));
  if (a.d_head) words.add("d_head " + std::to_string(*a.d_head));
  if (a.d_value) words.add("d_value " + std::to_string(*a.d_value));
  if (a.shares_keys()) words.add(a.kv_heads() == 1 ? "multi-query" : "grouped-query");
  if (a.kv_latent) words.add("latent " + std::to_string(*a.kv_latent));
  if (a.softcap > 0.0F) words.add("softcap " + number_text(static_cast<double>(a.softcap)));
  if (a.sinks) words.add("sinks");
  if (a.qk_norm) words.add("norm of queries and keys");
  if (a.output_gate) words.add("gate");
  if (session.attention.softmax == SoftmaxAxis::queries) words.add("softmax over queries");
  if (session.attention.train)
    words.add("dropout " + number_text(static_cast<double>(session.attention.dropout)));
  return words.text("");
}

}  // namespace headscope
