#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "core/engine/opening.h"
#include "core/figure/text_fit.h"
#include "core/model/trained_model.h"
#include "core/page/compare/compare_page.h"
#include "core/session/setting.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/trace/guess.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

bool differ_in_masks(const Session& session) {
  if (session.compared.empty()) return false;
  const AttentionOptions& a = session.compared.front().attention;
  const AttentionOptions& b = session.attention;
  return !(a.mask == b.mask && a.target_mask == b.target_mask && a.cross_mask == b.cross_mask);
}

/// Describes a subject: "causal · Layer 1, head 2 · pronouns". What is often compared comes first, because
/// the line may be cut. The model is named only if the subjects have several.
std::string about(const PageInputs& in, const Session& comparison) {
  const Session& session = in.session;
  const StageId stage = in.at(session.selection.stage);
  std::string text;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) text += (text.empty() ? "" : " · ") + words;
  };
  const MaskSpec& mask = selected_mask(session, session.attention);
  if (differ_in_masks(comparison) || mask.causal)
    add(mask.causal ? "causal mask" : mask.hides_anything() ? "masked" : "no mask");
  if (!session.attention.scale) add("not divided by √d_head");
  if (session.attention.temperature != 1.0F)
    add("temperature " + number_text(static_cast<double>(session.attention.temperature), 3));
  if (in.trace) add(changes_text(*in.trace));
  add(place_text(session.architecture, stage));
  const auto model = session.model.shared();
  const bool have_one_model = std::ranges::all_of(comparison.compared, [&](const Subject& compared) {
    return compared.model == comparison.model && compared.task == comparison.task;
  });
  if (in.is_untrained()) {
    add("random weights");
  } else if (!have_one_model) {
    add(model != nullptr ? model->title() : session.task);
  }
  if (session.architecture.linear_attention) add("linear");
  if (session.architecture.kv_latent) add("latent " + std::to_string(*session.architecture.kv_latent));
  return text;
}

constexpr std::string_view spaces = " \t\n\v\f\r";

/// The only word in which two sentences differ, found without splitting them, as they may be long.
std::optional<ChangedWord> single_difference(std::string_view a, std::string_view b) {
  const auto at =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  if (at == a.size() && at == b.size()) return std::nullopt;
  const std::string_view same = a.substr(0, at);
  const std::size_t begin = same.find_last_of(spaces) + 1;  // 0 if there is no space
  a.remove_prefix(begin);
  b.remove_prefix(begin);
  const auto n_same =
      static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin());
  const std::string_view rest = a.substr(a.size() - n_same);
  const std::string_view after = rest.substr(std::min(rest.find_first_of(spaces), rest.size()));
  a.remove_suffix(after.size());
  b.remove_suffix(after.size());
  const auto is_word = [](std::string_view text) {
    return !text.empty() && text.find_first_of(spaces) == std::string_view::npos;
  };
  if (!is_word(a) || !is_word(b)) return std::nullopt;
  std::string_view before = same.substr(0, begin);
  before = before.substr(0, before.find_last_not_of(spaces) + 1);
  before = before.substr(before.find_last_of(spaces) + 1);
  return ChangedWord{std::string(before), std::string(a), std::string(b),
                     after.find_first_not_of(spaces) == std::string_view::npos};
}

/// The first word of a sentence that another sentence does not have in the same place.
std::string differing_word(const std::string& sentence, const std::string& other) {
  const std::vector<Token> words = tokenize(sentence, TokenizerKind::word);
  const std::vector<Token> others = tokenize(other, TokenizerKind::word);
  const auto differs = std::ranges::mismatch(words, others, {}, &Token::lookup, &Token::lookup);
  return differs.in1 == words.end() ? "" : differs.in1->text;
}

}  // namespace

PageInputs inputs_of_subject(const PageInputs& in, int compared) {
  PageInputs alone = in;
  const auto index = static_cast<std::size_t>(std::max(compared, 0));
  const Subject& subject = compared == edited_subject ? in.session.subject() : in.session.compared[index];
  alone.session = with_subject(in.session, subject);
  alone.compared.clear();
  if (compared == edited_subject) return alone;
  const SubjectPass pass = index < in.compared.size() ? in.compared[index] : SubjectPass{};
  alone.trace = pass.trace;
  alone.trace_model = pass.trace_model;
  return alone;
}

std::string subject_name(int compared) {
  if (compared < 0) return "B";
  return compared == 0 ? "A" : "A" + std::to_string(compared + 1);
}

std::string what_differs(const Session& session) {
  if (session.compared.empty()) return {};
  Session a = with_subject(session, session.compared.front());
  const Session b = with_subject(session, session.subject());
  // These settings do not change any number of the pass.
  a.selection.token = b.selection.token;
  a.selection.pin = b.selection.pin;
  a.training = b.training;
  a.sampling = b.sampling;
  a.sequence = b.sequence;
  if (a.model != b.model) a.task = b.task;
  const auto names = differing_settings(a, b);
  return names_text({names.begin(), names.end()});
}

std::optional<ChangedWord> changed_word(const Session& session) {
  if (session.compared.size() != 1) return std::nullopt;
  auto changed = single_difference(session.compared.front().sentence, session.sentence);
  if (!changed) return std::nullopt;
  Session same = session;
  same.compared.front().sentence = session.sentence;
  return what_differs(same).empty() ? changed : std::nullopt;
}

std::string ChangedWord::place_of(const std::string& word) const {
  return "“" + (before.empty() ? "" : "… " + before + " ") + word + (is_last ? "" : " …") + "”";
}

bool differ_in_sentences(const Session& session) {
  return std::ranges::any_of(session.compared, [&](const Subject& compared) {
    return compared.sentence != session.sentence || compared.target != session.target ||
           compared.batch != session.batch;
  });
}

Page subject_caption(const PageInputs& in, PageTools& tools, int compared, const Session& comparison,
                     float width) {
  PageBuilder page(in, tools, width);
  const Theme& theme = page.theme();
  const std::optional<ChangedWord> changed = changed_word(comparison);
  const std::string words =
      changed ? changed->place_of(compared == edited_subject ? changed->in_b : changed->in_a) : "";
  constexpr float gap = 10.0F;
  std::string said = about(in, comparison);
  // The note on what the head was trained for is added only if it fits as a whole.
  if (in.trace && is_taught(*in.trace, in.at(in.session.selection.stage))) {
    const std::string whole = said + " · " + std::string(taught_head_note(*in.trace));
    const float taken = tools.measure(subject_name(compared), Font::sans_bold, page_size::title).width +
                        tools.measure(words, Font::sans, page_size::body).width +
                        tools.measure(whole, Font::sans, page_size::small).width + 3.0F * gap;
    if (taken <= width) said = whole;
  }
  page.line({{subject_name(compared), Font::sans_bold, page_size::title, theme.accent},
             {words, Font::sans, page_size::body, theme.text},
             page.muted(said)},
            gap);
  if (changed || !differ_in_sentences(comparison)) return page.take();
  const std::string sentences = in.session.architecture.has_cross()
                                    ? in.session.sentence + " → " + in.session.target
                                    : in.session.sentence;
  constexpr std::size_t most = 3;
  const std::vector<std::string> lines =
      wrapped_lines(sentences, width, Font::sans, page_size::body, tools.measure, most + 1);
  page.say(lines.size() <= most ? sentences : join_texts(std::span(lines).first(most), " ") + " …");
  return page.take();
}

Page difference_caption(const PageInputs& in, PageTools& tools, float width) {
  PageBuilder page(in, tools, width);
  const Session& session = in.session;
  const auto hides = [](const Session& each) { return selected_mask(each, each.attention).hides_anything(); };
  const bool is_share = info(session.selection.stage).is_share;
  // A weight that only one of the masks hides counts as 0; another hidden number has no difference.
  const bool hides_both = hides(session) && hides(with_subject(session, session.compared.front()));
  const auto lacks = [](const std::vector<int>& indices) {
    return std::ranges::find(indices, -1) != indices.end();
  };
  const Counterparts& cells = tools.memo.comparison[0].cells;
  const bool has_hatching = lacks(cells.rows) || lacks(cells.cols) || hides_both ||
                            (!is_share && differ_in_masks(session)) ||
                            !(session.model == session.compared.front().model);
  page.line({{"B − A", Font::sans_bold, page_size::title, page.theme().accent},
             page.muted(has_hatching ? "hatched: only in B, or hidden" : "")},
            10.0F);
  return page.take();
}

std::string notes_on_difference(const Session& session) {
  std::string notes;
  // A setting of the attention changes the weights of all layers.
  if (session.selection.layer > 0 && !(session.compared.front().attention == session.attention))
    notes = "Earlier layers change too, and with them this layer's queries and keys.";
  if (info(session.selection.stage).is_share && differ_in_masks(session))
    notes += std::string(notes.empty() ? "" : " ") +
             "Where only one of the masks hides a cell, its weight there counts as 0.";
  return notes;
}

std::vector<PossibleComparison> comparisons(const Session& session) {
  // Each A is made on demand, because another model tokenizes the texts again.
  const auto holds = [&session](auto make) {
    return [&session, make] {
      return std::vector<Action>{SetCompared{make(session)}, SetView{PageName::compare}};
    };
  };
  std::vector<PossibleComparison> all;
  const std::vector<HeadIndex>& picked = session.selection.heads;
  if (picked.size() > 1)
    all.push_back({"The picked heads " + head_name(picked[0]) + " and " + head_name(picked[1]),
                   [&session] { return default_comparison(session); }, true, true});
  Session alone = session;
  alone.selection.heads.clear();
  if (const auto example = paired_example(alone))
    all.push_back({"The sentence with “" + differing_word(example->sentence, session.sentence) + "”",
                   holds([example](const Session&) { return *example; }), false, true});
  if (const auto other = with_other_head(session))
    all.push_back(
        {"Another head, same sentence", holds([other](const Session&) { return *other; }), false, true});
  if (session.model && !session.model->is_capture())
    all.push_back({"The same model untrained", holds(untrained_variant)});
  const bool is_masked = !(selected_mask(session, session.attention) == MaskSpec{});
  if (is_masked) all.push_back({"The same without its mask", holds(unmasked_variant)});
  if (session.attention.scale) all.push_back({"The same without scaling", holds(unscaled_variant)});
  all.push_back({"What you change next", holds([](const Session&) { return std::optional<Subject>(); })});
  return all;
}

}  // namespace headscope
