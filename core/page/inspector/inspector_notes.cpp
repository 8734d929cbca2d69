#include "core/page/inspector/inspector_notes.h"

namespace headscope {
namespace {

/// Notes the effect of a causal mask on a model that was trained without one.
void cannot_see(PageText& page, const PageInputs& in, int query) {
  const Session& session = in.session;
  const bool reads_both_ways = session.architecture.stacks == Stacks::encoder && !session.task.empty();
  const int after = in.trace->n_tokens() - in.trace->batch().n_padded - 1 - query;
  if (!reads_both_ways || !session.attention.mask.causal || after <= 0) return;
  const std::string word = in.trace->label(in.at(StageKind::weights), Axis::query_tokens, query);
  page.notice(
      "The causal mask hides the " + (after == 1 ? "word" : std::to_string(after) + " words") + " after “" +
      word +
      "” in every layer. Its row is the same whatever these words are, so it cannot use them. This model was trained without the mask.");
}

}  // namespace

void notes_on_answer(PageText& page, const PageInputs& in, int query) {
  cannot_see(page, in, query);
  const AttentionOptions& attention = in.session.attention;
  if (attention.drops()) {
    page.notice(
        "Dropout is on: some weights are dropped at random, so the model answers worse than it could.");
  }
  const bool sees_ahead = !attention.mask.causal && !attention.mask.prefix;
  if (in.session.architecture.stacks == Stacks::decoder && sees_ahead) {
    page.notice(
        "This model was trained with the causal mask: without it, a token sees the words it should predict.");
  }
}

void closing_words(PageText& page, const PageInputs& in) {
  page.divider();
  page.paragraph(
      in.is_untrained()
          ? "Untrained: the weights are random, so these patterns mean nothing about language. Even when trained, attention shows where a head reads, not on its own why the model answers as it does."
          : "Attention shows where a head reads, not on its own why the model answers as it does.");
}

}  // namespace headscope
