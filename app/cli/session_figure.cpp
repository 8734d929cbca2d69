#include "app/cli/session_figure.h"

#include <algorithm>

#include "app/cli/commands.h"
#include "core/figure/pages.h"
#include "core/figure/png_writer.h"
#include "core/figure/vector_writer.h"
#include "core/page/page_name.h"
#include "core/session/action.h"

namespace headscope {
namespace {

PageSpec spec_of(const Session& session, const FigureChoice& choice, const FigureSize& size) {
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

std::vector<Metadata> with_command(const Session& session, const FigureSize& size, const std::string& out) {
  const FigureCommand command = figure_command(session, size, out);
  std::vector<Metadata> metadata{{"Software", "headscope"}};
  if (!command.left_out.empty()) metadata.push_back({left_out_key, listed(command.left_out)});
  metadata.push_back({"Command", command.text});
  return metadata;
}

std::vector<Metadata> without_command() {
  return {{"Software", "headscope"},
          {left_out_key,
           "everything: the sentences were cut to what fits in memory, and render takes only whole ones"}};
}

}  // namespace

Result<Figure> figure_of(const std::shared_ptr<const Trace>& trace, const Session& session,
                         const FigureSize& size, const MeasureText& measure) {
  PageInputs in;
  in.session = session;
  in.trace = trace;
  in.trace_model = session.model;
  return figure_of(in, size, measure);
}

Result<Figure> figure_of(const PageInputs& shown, const FigureSize& size, const MeasureText& measure) {
  const Session& session = shown.session;
  const View view = session.selection.view;
  if (view == View::heads && !size.page) {
    if (auto there = check_stage(*shown.trace, shown_figure(session).main_stage()); !there) {
      return tl::unexpected(there.error());
    }
  }
  if (view != View::explore || size.page) {
    return figure_of_page(shown, size.page.value_or(page_of_view(view)),
                          {static_cast<float>(size.width), static_cast<float>(size.height)}, measure);
  }
  const FigureChoice choice = shown_figure(session);
  return figure_of_stage(*shown.trace, choice.main_stage(), spec_of(session, choice, size), measure);
}

std::string left_out_of_page(const PageInputs& shown) {
  const View view = shown.session.selection.view;
  const PageInputs usual;
  if (view == View::train && shown.training) return "the training under way, with its curves and gradients";
  const bool differs = shown.n_positions != usual.n_positions || shown.position_width != usual.position_width;
  return view == View::positions && differs ? "how many positions and dimensions are drawn" : "";
}

std::vector<Metadata> metadata_of(const Trace& trace, const Session& session, const FigureSize& size,
                                  const std::string& out) {
  const auto n_longest = std::max(trace.tokens(Stack::encoder).size(), trace.tokens(Stack::decoder).size());
  if (trace.tokens_in_sentence() == static_cast<int>(n_longest)) return with_command(session, size, out);
  if (trace.architecture().has_cross() || trace.batch().n_sequences > 1) return without_command();
  std::string computed;
  for (const Token& token : trace.tokens()) computed += (computed.empty() ? "" : " ") + token.text;
  const Session cut = reduce(session, SetSentence{computed});
  if (tokenize(cut.sentence, cut.tokenizer) == trace.tokens()) return with_command(cut, size, out);
  return without_command();
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
