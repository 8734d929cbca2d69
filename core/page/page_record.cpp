#include "core/page/page_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/enum_count.h"
#include "core/page/compare/compare_page.h"
#include "core/page/decoding/decoding_page.h"
#include "core/page/heads/heads_page.h"
#include "core/page/lines/lines_page.h"
#include "core/page/pages.h"
#include "core/page/parts/covered.h"
#include "core/page/parts/map_panel.h"
#include "core/page/parts/page_builder.h"
#include "core/page/scale/scale_page.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/session/settings.h"
#include "core/text/letters.h"
#include "core/text/number_text.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

constexpr PageSteps watch_steps{
    [](const PageInputs& /*in*/, PageMemo& /*memo*/) { return last_watch_step; },
    [](const PageInputs& in, PageMemo& /*memo*/) { return in.session.watch_step; },
    [](const PageInputs& /*in*/, int step) -> Action { return set_to("watch.step", step); }, true};
constexpr PageSteps tile_steps{
    [](const PageInputs& in, PageMemo& /*memo*/) { return n_tiles_of(in); },
    [](const PageInputs& in, PageMemo& /*memo*/) { return in.session.tiles.step; },
    [](const PageInputs& /*in*/, int step) -> Action { return set_to("tiles.step", step); }};
constexpr PageSteps decoding_steps{
    n_decodable_tokens, [](const PageInputs& in, PageMemo& /*memo*/) { return in.session.decoding.step; },
    [](const PageInputs& /*in*/, int step) -> Action { return set_to("decoding.step", step); }};
constexpr PageSteps stage_steps{
    [](const PageInputs& in, PageMemo& /*memo*/) { return static_cast<int>(stages_on_page(in).size()); },
    [](const PageInputs& in, PageMemo& /*memo*/) {
      const std::vector<StageKind> stages = stages_on_page(in);
      const auto found = std::ranges::find(stages, in.session.selection.stage);
      return found == stages.end() ? 0 : static_cast<int>(found - stages.begin()) + 1;
    },
    [](const PageInputs& in, int step) -> Action {
      return select_stage(stages_on_page(in)[static_cast<std::size_t>(step) - 1]);
    }};
constexpr PageSteps diagram_steps{
    n_diagram_steps, diagram_step,
    [](const PageInputs& /*in*/, int step) -> Action { return set_to("diagram.step", step); }};

std::vector<Snapshot> snapshots_of(const PageInputs& in) {
  return in.training ? in.training->snapshots() : std::vector<Snapshot>();
}
constexpr PageSteps training_steps{
    .n = [](const PageInputs& in, PageMemo& /*memo*/) { return static_cast<int>(snapshots_of(in).size()); },
    .now =
        [](const PageInputs& in, PageMemo& /*memo*/) {
          const auto all = snapshots_of(in);
          return static_cast<int>(std::ranges::find(all, in.session.model.shared()) - all.begin()) + 1;
        },
    .to = [](const PageInputs& in, int step) -> Action {
      return ShowWeights{snapshots_of(in)[static_cast<std::size_t>(step) - 1]};
    },
    .pace = 0.15};

bool has_experts(const Session& session) {
  return session.architecture.foreign.experts.has_value();
}

constexpr std::array records{
    PageRecord{.name = PageName::explore,
               .title = "Map",
               .purpose = "Where does each word look?",
               .workspace = Workspace::explore,
               .figure = explore_page,
               .headline = map_headline,
               .stem = FileStem::stage,
               .follows_word = true,
               .can_cover = true},
    PageRecord{.name = PageName::lines,
               .title = "Lines",
               .purpose = "Where do the words look, as lines?",
               .workspace = Workspace::explore,
               .figure = lines_page,
               .headline = attention_headline,
               .stem = FileStem::layer,
               .follows_word = true,
               .draws_conclusions = true,
               .keywords = "arrows BertViz"},
    PageRecord{.name = PageName::stages,
               .title = "Step by step",
               .purpose = "How does a head get from the words to its output?",
               .workspace = Workspace::explore,
               .figure = stages_page,
               .headline = stages_headline,
               .stem = FileStem::head,
               .steps = stage_steps,
               .follows_word = true,
               .can_cover = true,
               .keywords = "stages all matrices Q K V formula computed"},
    PageRecord{.name = PageName::watch,
               .title = "Watch a row",
               .purpose = "How does a word find out where to look?",
               .workspace = Workspace::explore,
               .figure = watch_page,
               .headline = watch_headline,
               .stem = FileStem::head,
               .steps = watch_steps,
               .draws_conclusions = true,
               .keywords = "watch it play animate movie products sum softmax step"},
    PageRecord{.name = PageName::heads,
               .title = "Overview",
               .purpose = "What does each head do?",
               .workspace = Workspace::heads,
               .figure = heads_page,
               .headline = heads_headline,
               .numbers = heads_numbers,
               .stem = FileStem::stage_of_all_heads,
               .can_cover = true,
               .keywords = "all heads grid what is a head do roles"},
    PageRecord{.name = PageName::compare,
               .title = "Compare",
               .purpose = "What changes between two sentences, heads, masks or models?",
               .workspace = Workspace::heads,
               .figure = compare_page,
               .headline = compare_headline,
               .numbers = compare_numbers,
               .stem = FileStem::stage_of_all_heads,
               .has_tab = [](const Session& session) { return !session.compared.empty(); },
               .draws_conclusions = true,
               .keywords = "compare heads side by side two beside each other tired wide difference"},
    PageRecord{
        .name = PageName::effects,
        .title = "Effects",
        .purpose = "What would change without this head?",
        .workspace = Workspace::heads,
        .figure = effects_page,
        .headline = effects_headline,
        .numbers = effects_numbers,
        .follows_word = true,
        .draws_conclusions = true,
        .why_not_for_captures =
            "A capture has the attention of a model, not its answer, so it does not show what a head changes in the answer.",
        .keywords = "ablate knock out importance attribution"},
    PageRecord{.name = PageName::model,
               .title = "Diagram",
               .purpose = "What happens to a word inside the model?",
               .workspace = Workspace::model,
               .figure = model_page,
               .headline = model_headline,
               .steps = diagram_steps,
               .keywords = "architecture"},
    PageRecord{
        .name = PageName::positions,
        .title = "Positions",
        .purpose = "How does the model know the order of the words?",
        .workspace = Workspace::model,
        .figure = positions_page,
        .headline = positions_headline,
        .why_not_for_captures =
            "A capture has queries and keys as they are multiplied, and does not say how positions entered them.",
        .keywords = "rotary sinusoidal order encoding"},
    PageRecord{.name = PageName::experts,
               .title = "Experts",
               .purpose = "Which expert takes which word?",
               .workspace = Workspace::model,
               .figure = experts_page,
               .headline = experts_headline,
               .numbers = experts_numbers,
               .stem = FileStem::layer,
               .has_tab = has_experts,
               .follows_word = true,
               .draws_conclusions = true,
               .why_not_for_captures = "A capture has the attention of a model, not its experts.",
               .keywords = "mixture of experts MoE router top-k shared expert load"},
    PageRecord{.name = PageName::words,
               .title = "Predictions",
               .purpose = "Which words does the model expect, and how sure is it?",
               .workspace = Workspace::model,
               .figure = words_page,
               .headline = words_headline,
               .follows_word = true,
               .draws_conclusions = true,
               .why_not_for_captures = "A capture has the attention of a model, not its predictions.",
               .keywords = "logits probabilities next word output"},
    PageRecord{.name = PageName::train,
               .title = "Train",
               .purpose = "What has the model learned?",
               .workspace = Workspace::train,
               .figure = train_page,
               .headline = train_headline,
               .steps = training_steps,
               .why_not_for_captures =
                   "A capture has no parameters that could be trained. Open a model to watch one learn.",
               .keywords = "learn loss gradient smaller model sizes"},
    PageRecord{.name = PageName::by_hand,
               .title = "Attention by hand",
               .purpose = "What happens in a head, number by number?",
               .workspace = Workspace::ideas,
               .figure = by_hand_page,
               .headline = by_hand_headline,
               .can_cover = true,
               .keywords = "my own numbers Q K V matrix by hand 2x2 3x3 pencil exercise edit"},
    PageRecord{.name = PageName::scale,
               .title = "Why divide by √d_head?",
               .purpose = "Why are scores divided by √d_head?",
               .workspace = Workspace::ideas,
               .figure = scale_page,
               .headline = scale_headline,
               .numbers = scale_numbers,
               .stem = FileStem::head,
               .follows_word = true,
               .draws_conclusions = true,
               .keywords = "sqrt square root scaling variance saturated softmax why scale"},
    PageRecord{.name = PageName::split,
               .title = "Why several heads?",
               .purpose = "Why are several heads better than one?",
               .workspace = Workspace::ideas,
               .figure = split_page,
               .headline = split_headline,
               .stem = FileStem::layer,
               .follows_word = true,
               .draws_conclusions = true,
               .why_not_for_captures =
                   "A capture has no parameters, so it does not show how a row is split into the heads.",
               .keywords = "multi-head multihead attention"},
    PageRecord{
        .name = PageName::decoding,
        .title = "How does a model write?",
        .purpose = "How does a model write?",
        .workspace = Workspace::ideas,
        .figure = decoding_page,
        .headline = decoding_headline,
        .numbers = decoding_numbers,
        .stem = FileStem::head,
        .steps = decoding_steps,
        .draws_conclusions = true,
        .why_not_for_captures =
            "A capture has the attention of one text, which cannot be continued. Open a model that writes.",
        .keywords = "KV cache generate GPT write"},
    PageRecord{.name = PageName::tiles,
               .title = "How does FlashAttention work?",
               .purpose = "How does FlashAttention work?",
               .workspace = Workspace::ideas,
               .figure = tiled_softmax_page,
               .headline = tiled_softmax_headline,
               .numbers = tiled_softmax_numbers,
               .stem = FileStem::head,
               .steps = tile_steps,
               .has_tab = [](const Session& session) { return session.picture.details; },
               .draws_conclusions = true,
               .keywords = "flash attention memory online softmax"},
    PageRecord{.name = PageName::lessons,
               .title = "Lessons",
               .purpose = "Lessons that lead through the program step by step.",
               .workspace = Workspace::textbooks,
               .figure = lessons_page,
               .shows_session_pass = false,
               .keywords = "tutorial course learn teach exercises"},
    PageRecord{
        .name = PageName::textbooks,
        .title = "Textbooks",
        .purpose = "Worked examples of textbooks, whose printed numbers stand beside the computed ones.",
        .workspace = Workspace::textbooks,
        .figure = textbooks_page,
        .shows_session_pass = false,
        .keywords = "worked examples book"},
    PageRecord{.name = PageName::inspector,
               .title = "Inspector",
               .purpose = "How the selected number was computed.",
               .workspace = {},
               .figure = inspector_page,
               .stem = FileStem::head},
    PageRecord{.name = PageName::worksheet,
               .title = "Worksheet",
               .purpose = "An exercise for paper, with cells to fill in.",
               .workspace = {},
               .figure = [](const PageInputs& in, const PageSize& size,
                            PageTools& tools) { return worksheet_of(in, size.width, tools).page; }},
};
static_assert(records.size() == enum_count<PageName>, "one record for each page");
static_assert(std::ranges::all_of(records,
                                  [](const PageRecord& record) {
                                    return std::ranges::count(records, record.name, &PageRecord::name) == 1 &&
                                           record.workspace.has_value() == is_view(record.name);
                                  }),
              "each page once, and each view in a workspace");

/// Makes the page again while maps of one shape come out in different sizes: smaller cells leave room for
/// more labels, which in turn leave less room for the cells.
Page with_equal_maps(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  tools.memo.page = name;
  SharedCellSizes& maps = tools.memo.shared_cell_sizes[name];
  const bool is_known = maps.trace == in.trace && maps.picture == in.session.picture && maps.size == size &&
                        maps.fonts == tools.fonts;
  if (!is_known) maps = {in.trace, in.session.picture, size, tools.fonts, {}, {}};
  constexpr int max_attempts = 5;
  Page page;
  bool are_equal = false;
  for (int attempt = 0; attempt < max_attempts && !are_equal; ++attempt) {
    maps.found.clear();
    page = page_record(name).figure(in, size, tools);
    are_equal = true;
    // The cells of a shape that was drawn in several sizes are limited to the smallest one.
    for (const auto& [shape, cells] : maps.found) {
      if (cells.first == cells.second) continue;
      maps.most[shape] = cells.first;
      are_equal = false;
    }
  }
  return page;
}

/// The first overflow of the pass, or of one that it is compared with. Empty if there is none.
std::string overflow_of(const PageInputs& in) {
  std::string text = in.trace ? overflow_text(*in.trace) : "";
  for (const SubjectPass& each : in.compared)
    if (text.empty() && each.trace) text = overflow_text(*each.trace);
  return text;
}

/// Whether any number that the exercise of this page or another one asks for is still hidden.
bool hides_numbers(const PageInputs& in, PageTools& tools) {
  const auto& stage = in.session.cover.stage;
  return !in.other_pages.empty() || (stage && has_hidden_number(in, *stage, tools));
}

/// The headline as the heading of a printed page, with the space below it.
Page heading_of(const PageInputs& in, PageName name, float width, PageTools& tools) {
  PageBuilder text(in, tools, width);
  const Headline headline = headline_of(in, name, tools);
  text.line({text.bold(headline.question, page_size::title)});
  if (!headline.answer.empty()) text.say(headline.answer_text());
  text.space(page_size::spacing);
  return text.take();
}

}  // namespace

std::span<const PageRecord> page_records() {
  return records;
}

const PageRecord& page_record(PageName name) {
  return *std::ranges::find(records, name, &PageRecord::name);
}

std::string page_name_of(const std::string& title) {
  const auto has_title = [&](const PageRecord& record) {
    return to_lower_case(record.title) == to_lower_case(title);
  };
  const auto* found = std::ranges::find_if(records, has_title);
  return found == records.end() ? title : std::string(enum_name(found->name));
}

std::string_view why_empty(const Session& session, PageName name) {
  if (session.model && session.model->is_capture()) return page_record(name).why_not_for_captures;
  if (name != PageName::experts || has_experts(session)) return {};
  return session.architecture.d_ff == 0
             ? "This model has no experts and no feed-forward layer. Open the weights of a mixture of experts, such as Mixtral, OLMoE or Qwen2-MoE; no preset has experts."
             : "This model has no experts: in each layer, one feed-forward layer takes all words. Open the weights of a mixture of experts, such as Mixtral, OLMoE or Qwen2-MoE; presets have one feed-forward layer in their place.";
}

std::string_view title_of(Workspace workspace) {
  static constexpr auto titles =
      make_enum_table<Workspace, std::string_view>("Explore", "Heads", "Model", "Train", "Ideas", "Lessons");
  return titles[index_of(workspace)];
}

Workspace workspace_of(PageName view) {
  return page_record(view).workspace.value_or(Workspace::explore);
}

Headline headline_of(const PageInputs& in, PageName name, PageTools& tools) {
  const PageRecord& record = page_record(name);
  Headline headline;
  if (record.headline != nullptr && why_empty(in.session, name).empty() && overflow_of(in).empty())
    headline = record.headline(in, tools);
  if (headline.question.empty()) headline.question = record.purpose;
  if (in.is_asked || (record.shows_session_pass && hides_numbers(in, tools))) headline.answer.clear();
  return headline;
}

Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  const std::string_view nothing = why_empty(in.session, name);
  std::string reason = !nothing.empty()                      ? std::string(nothing)
                       : page_record(name).draws_conclusions ? overflow_of(in)
                                                             : "";
  if (reason.empty()) reason = reason_covered(in, name, tools);
  if (!reason.empty()) {
    PageBuilder instead(in, tools, size.width);
    return instead.instead(reason);
  }
  Page page = with_equal_maps(in, name, size, tools);
  append_marks(page, in, tools);
  return page;
}

namespace {

Page printed_with(PageMemo& memo, const PageInputs& shown, PageName name, const PageSize& size, float margin,
                  const MeasureText& measure, bool has_heading) {
  PageInputs in = shown;
  // On this page, the pinned cell is only the one that was typed last.
  if (name == PageName::by_hand) in.session.selection.pin.reset();
  PageTools tools{measure, 0, memo};
  const float width = size.width - 2.0F * margin;
  const Page above = has_heading ? heading_of(in, name, width, tools) : Page();
  const PageSize room{width, std::max(size.height - 2.0F * margin - above.figure.height, 1.0F)};
  Page page = page_of(in, name, room, tools);
  // Maps that share a colour range know it only after all of them have been drawn once.
  if (!memo.difference_ranges.empty() || name == PageName::compare) page = page_of(in, name, room, tools);
  Page printed;
  printed.figure = {size.width, 0.0F, in.theme().panel, {}};
  append(printed, above, margin, margin);
  append(printed, page, margin, margin + above.figure.height);
  printed.figure.width = std::max(size.width, std::ceil(page.figure.width + 2.0F * margin));
  float bottom = margin + above.figure.height + page.figure.height;
  const bool is_of_pass = page_record(name).shows_session_pass;
  // The page of effects states the changes itself.
  const std::string changed = is_of_pass && name != PageName::effects ? changes_sentences(*in.trace) : "";
  const bool is_untrained = is_of_pass && in.is_untrained() && name != PageName::inspector;
  const std::string overflow = is_of_pass && !page_record(name).draws_conclusions ? overflow_of(in) : "";
  if (is_untrained || !changed.empty() || !overflow.empty()) {
    PageBuilder note(in, tools, room.width);
    note.paragraph(overflow);
    if (is_untrained) note.paragraph("untrained: random weights");
    note.paragraph(changed);
    const Page notes = note.take();
    bottom += page_size::spacing;
    append(printed, notes, margin, bottom);
    bottom += notes.figure.height;
  }
  printed.figure.height = std::ceil(bottom + margin);
  return printed;
}

}  // namespace

Page printed_page(const PageInputs& in, PageName name, const PageSize& size, float margin,
                  const MeasureText& measure, bool has_heading) {
  PageMemo memo;
  return printed_with(memo, in, name, size, margin, measure, has_heading);
}

Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure, bool has_heading, bool fills_sheet) {
  const float margin = is_small_print(in.min_number) ? small_margin : usual_margin;
  ResultCache results;  // What the page shows is computed once for all widths.
  const auto as_wide_as = [&](float width) {
    PageMemo memo;
    std::swap(memo.results, results);
    Figure figure =
        printed_with(memo, in, name, {width, file_size.height}, margin, measure, has_heading).figure;
    std::swap(memo.results, results);
    return figure;
  };
  // Weighs the size of the text as much as the share of the sheet that the page covers.
  const auto use_of_sheet = [&](const Figure& figure) {
    const float zoom = std::min(file_size.width / figure.width, file_size.height / figure.height);
    return zoom * zoom * zoom * figure.width * figure.height;
  };
  Figure best = as_wide_as(file_size.width);
  const bool is_long = best.height > file_size.height;
  // Lists and printed tables become no lower on a wider page. On still wider ones, text would be too small.
  for (const float wider : {1.2F, 1.4F}) {
    if (!fills_sheet || !page_record(name).shows_session_pass || !is_long) break;
    Figure wide = as_wide_as(wider * file_size.width);
    if (wide.height <= wider * file_size.height && use_of_sheet(wide) > use_of_sheet(best))
      best = std::move(wide);
  }
  return best;
}

PageTranscript transcribe_page(const PageInputs& in) {
  const PageRecord& page = page_record(in.session.view);
  PageTranscript words;
  words.title = page.title;
  PageMemo memo;
  // Skips slow results instead of waiting for them.
  PageTools tools{{}, 0, memo, [](const Job&) {}};
  const Headline headline = headline_of(in, in.session.view, tools);
  words.purpose = headline.question;
  words.headline = headline.answer_text();
  if (!page.shows_session_pass || !why_empty(in.session, in.session.view).empty()) return words;
  const StageId stage = shown_weights(in);
  const Extent size = in.trace->extent(stage);
  const int query = in.session.selection.token.value_or(-1);
  if (query < 0 || query >= size.rows || size.cols == 0) {
    words.headline = "No token is selected.";
    return words;
  }
  const Selection& place = in.session.selection;
  const std::string token = in.trace->label(stage, Axis::query_tokens, query);
  words.caption = "Where " + quoted_word(token) + " looks: layer " + std::to_string(place.layer) + ", head " +
                  std::to_string(place.head);
  words.columns = {"Key", "Token", "Weight"};
  if (hides_weights_of(in, query, size.cols)) {
    words.headline = "The weights of this row are covered: type them.";
    return words;
  }
  const StageNumbers row = in.trace->read_row(stage, query);
  const std::span<const float> weights = row.view.row(0);
  constexpr std::size_t most = 64;
  for (const std::size_t key : listed_elements(weights, most, most))
    words.rows.push_back({std::to_string(key),
                          in.trace->full_label(stage, Axis::key_tokens, static_cast<int>(key)),
                          in.number(weights[key])});
  return words;
}

}  // namespace headscope
