#include "app/cli/session_figure.h"

#include "core/figure/pages.h"
#include "core/figure/png_writer.h"
#include "core/figure/vector_writer.h"
#include "core/session/action.h"

namespace headscope {
namespace {

PageSpec page_of(const Session& session, const FigureChoice& choice, const FigureSize& size) {
  PageSpec page;
  page.picture = session.picture;
  page.width = static_cast<float>(size.width);
  page.height = static_cast<float>(size.height);
  if (choice.row && choice.column) {
    page.pinned = CellIndex{*choice.row, *choice.column};
    page.pinned_stage = choice.stage.value_or(StageKind::weights);
  } else {
    page.marked_token = choice.row;
  }
  return page;
}

std::vector<Metadata> with_command(const Session& session, const FigureChoice& choice, const FigureSize& size,
                                   const std::string& out) {
  return {{"Software", "headscope"}, {"Command", render_command_text(session, choice, size, out)}};
}

}  // namespace

Result<Figure> figure_of(const Trace& trace, const Session& session, const FigureChoice& choice,
                         const FigureSize& size, const MeasureText& measure) {
  const PageSpec page = page_of(session, choice, size);
  if (!choice.stage) return figure_of_head_stages(trace, choice.head.value_or(0), page, measure);
  if (!choice.head) return figure_of_all_heads(trace, *choice.stage, page, measure);
  StageId id{*choice.stage};
  id.head = *choice.head;
  return figure_of_stage(trace, normalized(id), page, measure);
}

std::vector<Metadata> metadata_of(const Trace& trace, const Session& session, const FigureChoice& choice,
                                  const FigureSize& size, const std::string& out) {
  if (trace.tokens_in_sentence() == trace.n_tokens()) return with_command(session, choice, size, out);
  std::string computed;
  for (const Token& token : trace.tokens()) computed += (computed.empty() ? "" : " ") + token.text;
  const Session cut = reduce(session, SetSentence{computed});
  if (tokenize(cut.sentence, cut.tokenizer) == trace.tokens()) return with_command(cut, choice, size, out);
  return {{"Software", "headscope"}};
}

Result<void> write_figure(const Figure& figure, FileType type, int scale, const std::string& out,
                          const CairoFonts& fonts, const std::vector<Metadata>& metadata) {
  switch (type) {
    case FileType::svg:
      return write_svg(figure, out, fonts, metadata);
    case FileType::pdf:
      return write_pdf(figure, out, fonts, metadata);
    case FileType::png:
      break;
  }
  return write_png(figure, static_cast<float>(scale), out, fonts, metadata);
}

}  // namespace headscope
