#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/session_options.h"
#include "app/cli/stage_options.h"

namespace headscope {

namespace {

/// The options with the size of the figure whose scene they name, unless they give another one or another
/// page.
CommandOptions with_own_size(CommandOptions o) {
  if (!o.scene || o.page_size || names_page(o) || !is_figure_file(*o.scene)) return o;
  if (const auto own = options_of_figure(*o.scene)) {
    o.page_size = own->page_size;
    if (!o.scale && o.out && o.out->ends_with(".png")) o.scale = own->scale;
  }
  return o;
}

}  // namespace

Result<void> run_render(const CommandOptions& given, std::ostream&) {
  const CommandOptions o = with_own_size(given);
  const auto session = session_of_figure_options(o, files());
  if (!session) return tl::unexpected(session.error());
  // A scene saved on the Explore page is drawn as it was seen, with its heads and lines.
  const bool is_explored = o.scene && session->view == PageName::explore;
  const auto output =
      figure_output(o, *session, is_explored ? std::optional(PageName::explore) : std::nullopt);
  if (!output) return tl::unexpected(output.error());
  const auto shown = inputs_of_output(o, *session, *output);
  if (!shown) return tl::unexpected(shown.error());
  if (auto written = write_output(*shown, *output); !written) return written;
  tell_of_masks(o, *session);
  const bool compares = session->difference || session->view == PageName::compare;
  if (!compares && !session->held.empty())
    std::cerr << "headscope: the figure shows B alone: add --page compare, or --difference for B − A\n";
  if (compares && session->held.empty())
    std::cerr << "headscope: nothing is compared: add --against, followed by what is different there\n";
  return {};
}

}  // namespace headscope
