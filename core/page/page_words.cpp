#include "core/page/page_words.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/page/page_record.h"
#include "core/page/parts/covered.h"
#include "core/text/number_text.h"

namespace headscope {

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
  const std::string token = in.trace->full_label(stage, Axis::query_tokens, query);
  words.caption = "Where “" + token + "” looks: layer " + std::to_string(place.layer) + ", head " +
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
                          share_text(in.session.picture, static_cast<double>(weights[key]))});
  return words;
}

}  // namespace headscope
