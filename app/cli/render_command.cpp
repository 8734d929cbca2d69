#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/figure_output.h"
#include "app/cli/figure_session.h"
#include "app/cli/session_options.h"

namespace headscope {

Result<void> run_render(const CommandOptions& o, std::ostream&) {
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
