#include "core/page/page_record.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/enum_count.h"
#include "core/page/by_hand/by_hand_page.h"
#include "core/page/compare/compare_page.h"
#include "core/page/decoding/decoding_page.h"
#include "core/page/effects/effects_page.h"
#include "core/page/explore/explore_page.h"
#include "core/page/heads/heads_page.h"
#include "core/page/inspector/inspector_page.h"
#include "core/page/lessons/lessons_page.h"
#include "core/page/lines/lines_page.h"
#include "core/page/model/model_page.h"
#include "core/page/parts/covered_page.h"
#include "core/page/parts/map_marks.h"
#include "core/page/parts/page_text.h"
#include "core/page/positions/positions_page.h"
#include "core/page/scale/scale_page.h"
#include "core/page/split/split_page.h"
#include "core/page/stages/stages_page.h"
#include "core/page/textbooks/textbooks_page.h"
#include "core/page/tiled_softmax/tiled_softmax_page.h"
#include "core/page/train/train_page.h"
#include "core/page/watch/watch_page.h"
#include "core/page/words/words_page.h"
#include "core/page/worksheet/worksheet_page.h"
#include "core/trace/intervention_text.h"
#include "core/trace/place_text.h"

namespace headscope {

namespace {

Page worksheet_alone(const PageInputs& in, const PageSize& size, PageTools& tools) {
  return worksheet_of(in, size.width, tools).page;
}

constexpr std::array records{
    PageRecord{.name = PageName::explore,
               .title = "Map",
               .purpose = "Where does each word look?",
               .workspace = Workspace::explore,
               .figure = explore_page,
               .stem = FileStem::stage,
               .can_cover = true},
    PageRecord{.name = PageName::lines,
               .title = "Lines",
               .purpose = "Attention as lines, of one head or of several at once.",
               .workspace = Workspace::explore,
               .figure = lines_page,
               .stem = FileStem::layer,
               .tells_covered = lines_tell_covered,
               .concludes = true,
               .also = "arrows BertViz"},
    PageRecord{.name = PageName::stages,
               .title = "Step by step",
               .purpose = "The way from the words to the output of one head.",
               .workspace = Workspace::explore,
               .figure = stages_page,
               .stem = FileStem::head,
               .can_cover = true,
               .also = "stages all matrices Q K V formula computed"},
    PageRecord{.name = PageName::watch,
               .title = "Watch a row",
               .purpose = "How one word's row is computed, from its query to its output.",
               .workspace = Workspace::explore,
               .figure = watch_page,
               .stem = FileStem::head,
               .tells_covered = watch_tells_covered,
               .concludes = true,
               .also = "watch it play animate movie products sum softmax step"},
    PageRecord{.name = PageName::heads,
               .title = "Overview",
               .purpose = "What does each head do?",
               .workspace = Workspace::heads,
               .figure = heads_page,
               .numbers = heads_numbers,
               .stem = FileStem::stage_of_all_heads,
               .can_cover = true,
               .also = "all heads grid what is a head do roles"},
    PageRecord{.name = PageName::compare,
               .title = "Compare",
               .purpose = "Two sentences, heads, masks or models side by side.",
               .workspace = Workspace::heads,
               .figure = compare_page,
               .numbers = compare_numbers,
               .stem = FileStem::stage_of_all_heads,
               .tells_covered = comparison_tells_covered,
               .concludes = true,
               .also = "compare heads side by side two beside each other tired wide difference"},
    PageRecord{
        .name = PageName::effects,
        .title = "Effects",
        .purpose = "What would change without this head?",
        .workspace = Workspace::heads,
        .figure = effects_page,
        .numbers = effects_numbers,
        .tells_covered = effects_tell_covered,
        .concludes = true,
        .beyond_capture =
            "A capture has the attention of a model, not its answer, so it does not show what a head changes in the answer.",
        .also = "ablate knock out importance attribution"},
    PageRecord{.name = PageName::model,
               .title = "Diagram",
               .purpose = "The whole model, box by box, with the numbers of each.",
               .workspace = Workspace::model,
               .figure = model_page,
               .also = "architecture"},
    PageRecord{
        .name = PageName::positions,
        .title = "Positions",
        .purpose = "How does the model know the order of the words?",
        .workspace = Workspace::model,
        .figure = positions_page,
        .beyond_capture =
            "A capture has queries and keys as they are multiplied, and does not say how positions entered them.",
        .also = "rotary sinusoidal order encoding"},
    PageRecord{.name = PageName::words,
               .title = "Predictions",
               .purpose = "Which words does the model expect, and how sure is it?",
               .workspace = Workspace::model,
               .figure = words_page,
               .tells_covered = predictions_tell_covered,
               .concludes = true,
               .beyond_capture = "A capture has the attention of a model, not its predictions.",
               .also = "logits probabilities next word output"},
    PageRecord{.name = PageName::train,
               .title = "Train",
               .purpose = "Watch the model learn, step by step.",
               .workspace = Workspace::train,
               .figure = train_page,
               .beyond_capture =
                   "A capture has no parameters that could be trained. Open a model to watch one learn.",
               .also = "learn loss gradient smaller model sizes"},
    PageRecord{.name = PageName::by_hand,
               .title = "Attention by hand",
               .purpose = "Every number of a small head, to compute with a pencil or to type over.",
               .workspace = Workspace::ideas,
               .figure = by_hand_page,
               .can_cover = true,
               .also = "my own numbers Q K V matrix by hand 2x2 3x3 pencil exercise edit"},
    PageRecord{.name = PageName::scale,
               .title = "Why divide by √d_k?",
               .purpose = "A row with and without the division, and what that does to learning.",
               .workspace = Workspace::ideas,
               .figure = scale_page,
               .numbers = scale_numbers,
               .stem = FileStem::head,
               .tells_covered = scale_tells_covered,
               .concludes = true,
               .also = "sqrt square root scaling variance saturated softmax why scale"},
    PageRecord{.name = PageName::split,
               .title = "Why several heads?",
               .purpose = "How a token's row is split, so that each head compares a different part of it.",
               .workspace = Workspace::ideas,
               .figure = split_page,
               .stem = FileStem::layer,
               .tells_covered = split_tells_covered,
               .concludes = true,
               .beyond_capture =
                   "A capture has no parameters, so it does not show how a row is split into the heads.",
               .also = "multi-head multihead attention"},
    PageRecord{
        .name = PageName::decoding,
        .title = "How does a model write?",
        .purpose = "One token at a time, with the keys and values of earlier tokens in a cache.",
        .workspace = Workspace::ideas,
        .figure = decoding_page,
        .numbers = decoding_numbers,
        .stem = FileStem::head,
        .concludes = true,
        .beyond_capture =
            "A capture has the attention of one text, which cannot be continued. Open a model that writes.",
        .also = "KV cache generate GPT write"},
    PageRecord{.name = PageName::tiles,
               .title = "How does FlashAttention work?",
               .purpose = "Softmax tile by tile, never with the whole map in memory.",
               .workspace = Workspace::ideas,
               .figure = tiled_softmax_page,
               .numbers = tiled_softmax_numbers,
               .stem = FileStem::head,
               .tells_covered = tiles_tell_covered,
               .concludes = true,
               .also = "flash attention memory online softmax"},
    PageRecord{.name = PageName::lessons,
               .title = "Lessons",
               .purpose = "Lessons that lead through the program step by step.",
               .workspace = Workspace::textbooks,
               .figure = lessons_page,
               .is_of_session = false,
               .also = "tutorial course learn teach exercises"},
    PageRecord{
        .name = PageName::textbooks,
        .title = "Textbooks",
        .purpose = "Worked examples of textbooks, whose printed numbers stand beside the computed ones.",
        .workspace = Workspace::textbooks,
        .figure = textbooks_page,
        .is_of_session = false,
        .also = "worked examples book"},
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
               .figure = worksheet_alone},
};
static_assert(records.size() == enum_count<PageName>, "one record for each page");
static_assert(std::ranges::all_of(records,
                                  [](const PageRecord& record) {
                                    return std::ranges::count(records, record.name, &PageRecord::name) == 1 &&
                                           record.workspace.has_value() == is_view(record.name);
                                  }),
              "each page once, and each view in a workspace");

}  // namespace

std::span<const PageRecord> page_records() {
  return records;
}

const PageRecord& page_record(PageName name) {
  return *std::ranges::find(records, name, &PageRecord::name);
}

std::string_view nothing_to_show(const Session& session, PageName name) {
  return session.model && session.model->is_capture() ? page_record(name).beyond_capture : std::string_view();
}

std::string_view title_of(Workspace workspace) {
  static constexpr auto titles =
      one_for_each<Workspace, std::string_view>("Explore", "Heads", "Model", "Train", "Ideas", "Lessons");
  return titles[index_of(workspace)];
}

Workspace workspace_of(PageName view) {
  return page_record(view).workspace.value_or(Workspace::explore);
}

namespace {

/// Limits the cells of each shape that was drawn in several sizes to the smallest size. Returns true if no
/// shape was.
bool limit_to_least(EqualMaps& maps) {
  bool are_equal = true;
  for (const auto& [shape, cells] : maps.found) {
    if (cells.least == cells.greatest) continue;
    maps.most[shape] = cells.least;
    are_equal = false;
  }
  return are_equal;
}

/// Makes the page, and makes it again while maps of the same shape come out in different sizes. Several
/// attempts may be needed because smaller cells leave room for more labels, which in turn leave less room for
/// the cells.
Page with_equal_maps(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  tools.memo.page = name;
  EqualMaps& maps = tools.memo.equal_maps[name];
  const bool is_known = maps.trace == in.trace && maps.picture == in.session.picture && maps.size == size &&
                        maps.fonts == tools.fonts;
  if (!is_known) maps = {in.trace, in.session.picture, size, tools.fonts, {}, {}};
  constexpr int most_attempts = 5;
  Page page;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    maps.found.clear();
    page = page_record(name).figure(in, size, tools);
    if (limit_to_least(maps)) break;
  }
  return page;
}

/// The first overflow of the pass, or of one that it is compared with. Empty if there is none.
std::string overflow_of(const PageInputs& in) {
  std::string text = in.trace ? overflow_text(*in.trace) : "";
  for (const SubjectPass& each : in.held)
    if (text.empty() && each.trace) text = overflow_text(*each.trace);
  return text;
}

}  // namespace

Page page_of(const PageInputs& in, PageName name, const PageSize& size, PageTools& tools) {
  const std::string_view nothing = nothing_to_show(in.session, name);
  std::string reason = !nothing.empty()              ? std::string(nothing)
                       : page_record(name).concludes ? overflow_of(in)
                                                     : "";
  if (reason.empty()) reason = reason_covered(in, page_record(name).tells_covered, tools);
  if (!reason.empty()) {
    PageText instead(in, tools, size.width);
    instead.paragraph(reason, {}, page_size::body);
    return instead.take();
  }
  Page page = with_equal_maps(in, name, size, tools);
  append_marks(page, in, tools);
  return page;
}

Page printed_page(const PageInputs& shown, PageName name, const PageSize& size, float margin,
                  const MeasureText& measure) {
  PageInputs in = shown;
  // On this page, the pinned cell is only the one that was typed last.
  if (name == PageName::by_hand) in.session.selection.pin.reset();
  PageMemo memo;
  PageTools tools{measure, 0, memo};
  const PageSize room{size.width - 2.0F * margin, size.height - 2.0F * margin};
  Page page = page_of(in, name, room, tools);
  // Maps that share a colour range know it only after all of them have been drawn once.
  if (!memo.held_ranges.empty() || name == PageName::compare) page = page_of(in, name, room, tools);
  Page printed;
  printed.figure = {size.width, 0.0F, theme_of(in.session.picture.theme).panel, {}};
  append(printed, page, margin, margin);
  printed.figure.width = std::max(size.width, std::ceil(page.figure.width + 2.0F * margin));
  float bottom = margin + page.figure.height;
  const bool is_of_pass = page_record(name).is_of_session;
  // The page of effects states the changes itself.
  const std::string changed = is_of_pass && name != PageName::effects ? changes_sentences(*in.trace) : "";
  const bool is_untrained = is_of_pass && in.is_untrained() && name != PageName::inspector;
  const std::string overflow = is_of_pass && !page_record(name).concludes ? overflow_of(in) : "";
  if (is_untrained || !changed.empty() || !overflow.empty()) {
    PageText note(in, tools, room.width);
    if (!overflow.empty()) note.paragraph(overflow);
    if (is_untrained) note.paragraph("untrained: random weights");
    if (!changed.empty()) note.paragraph(changed);
    const Page notes = note.take();
    append(printed, notes, margin, bottom + page_size::spacing);
    bottom += notes.figure.height;
  }
  printed.figure.height = std::ceil(bottom + margin);
  return printed;
}

Figure figure_of_page(const PageInputs& in, PageName name, const PageSize& file_size,
                      const MeasureText& measure) {
  constexpr float margin = 24.0F;
  return printed_page(in, name, file_size, margin, measure).figure;
}

}  // namespace headscope
