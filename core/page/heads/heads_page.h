#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/measures/measured_heads.h"
#include "core/page/page.h"
#include "core/page/parts/headline.h"

namespace headscope {

/// The measures of the heads of the selected attention.
struct HeadValues {
  std::optional<MeasuredHeads> heads;
  std::string on;                         ///< "this sentence", "200 held-out sentences of its task"
  std::string absent;                     ///< Why there are no values. Empty if there are.
  bool is_random = false;                 ///< The weights are random, so whatever stands out was not learned.
  std::optional<HeadIndex> covered = {};  ///< Measures of this head would reveal its covered weights.
  std::optional<HeadIndex> taught = {};  ///< The head that was trained to do what it does. Empty if none was.
  bool hides_roles = false;  ///< Whether an open question asks for a head, which the roles would answer.
};

/// Measures the heads on the texts that the session asks for.
HeadValues head_values(const PageInputs& in, PageTools& tools);
/// Measures the heads on this sentence if that is cheap. Otherwise, returns no values.
HeadValues cheap_head_values(const PageInputs& in, PageTools& tools);

/// The heads on the page: those of the selected attention that pass the session's filter, in its order, which
/// is stable. If the text is too long to be measured, only the heads of the selected layer.
std::vector<HeadIndex> shown_heads(const PageInputs& in, const HeadValues& values);

/// For example, "0.98", "0.998" for what two decimals would round to 1, or "3.2" for a distance. "—" if there
/// is no value.
std::string measure_text(HeadMeasure measure, const std::optional<double>& value);

/// The role that stands out for a head. Empty for random weights, which must not be labelled.
std::optional<StrongestRole> learned_role(const HeadValues& values, const HeadIndex& place);

/// What a head does, as text beside its picture.
struct RoleWords {
  std::string title;   ///< such as "no clear pattern" if no role stands out
  std::string tag;     ///< the same in one or two words, for narrow spaces
  std::string number;  ///< the share of attention that the role takes; empty if none stands out
};

/// The words for a measure of a head. A mean over few rows says so: "induction (n = 2)".
RoleWords measure_words(const HeadValues& values, HeadMeasure measure, const std::optional<double>& value);

/// The words for a head in which no role stands out.
inline const RoleWords no_role{"no clear pattern", "mixed", {}};

/// The words for the learned role of a head. Empty for random weights, which must not be labelled, and while
/// a cover hides the head.
RoleWords role_words(const HeadValues& values, const HeadIndex& place);

/// What a head does, in sentences: "It looks from a pronoun at the noun that it stands for: 0.98 of its
/// attention.", "Measured on this sentence.". Says so if nothing stands out.
std::vector<std::string> head_sentences(const HeadIndex& place, const HeadValues& values);

/// The place of a tile's text: on one line above the picture, on three lines beside it, or above and below.
enum class TileText { above, beside, around };

/// The arrangement of the heads' thumbnails.
struct TileGrid {
  int columns = 1;
  float tile_width = 0.0F;   ///< Without the gap.
  float side = 0.0F;         ///< The side of a thumbnail.
  float text_height = 0.0F;  ///< The height of the text above and below it.
  float gap = 0.0F;
  TileText text = TileText::around;
  float width(int n) const;
  float tile_height() const;
};

/// The greatest side up to `room` that `n` whole cells fill without a remainder.
float whole_cells(float room, int n);

/// Lays out `n` thumbnails as large as the space allows. A model with several layers gets one row per layer.
/// `n_cells` is the number of rows or columns of their maps; large cells are rounded to whole units.
TileGrid tile_grid(const Architecture& architecture, int n, int n_cells, PageSize room);

/// Explains the short word beside a head without a role. Empty if no tile has it.
std::string legend_of_tiles(const PageInputs& in, const PageTools& tools, const HeadValues& values,
                            const std::vector<HeadIndex>& places, const TileGrid& grid);

/// Draws a thumbnail of each head with its place, what it does, and the value by which the heads are sorted.
/// Each is a region of its HeadIndex.
Page head_tiles_page(const PageInputs& in, PageTools& tools, const HeadValues& values,
                     const std::vector<HeadIndex>& places, const TileGrid& grid);

/// The head this many tiles to the right of `from` and this many rows below it. Horizontal movement stops at
/// the first and last tile; movement past the first or last row is ignored. The first head if `from` is not
/// on the page; empty if the page has no tiles.
std::optional<HeadIndex> adjacent_head(const Page& page, const HeadIndex& from, int right, int down);

/// The selected stage if it exists once per head. Otherwise, the attention weights.
StageKind tile_stage_kind(const PageInputs& in);

/// Returns a thumbnail of that stage for each head, at most `side` wide and high. Null while small_pictures()
/// is.
const std::vector<Figure>* thumbnails(const PageInputs& in, PageTools& tools,
                                      const std::vector<HeadIndex>& places, float side);

/// Shows the selected stage of every head side by side, as large as the space allows; the page grows
/// downwards if they would become too small. If the stage does not exist per head, shows the heads' weights
/// beside it, and the heading says so.
Page heads_page(const PageInputs& in, const PageSize& size, PageTools& tools);

/// What the selected head does.
Headline heads_headline(const PageInputs& in, PageTools& tools);

/// The measures of all "heads" of the selected attention, on the texts that the session asks for.
PageNumbers heads_numbers(const PageInputs& in, PageTools& tools);

}  // namespace headscope
