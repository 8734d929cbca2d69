#include "app/cli/figure_command.h"

#include <algorithm>

#include "app/cli/command_builder.h"
#include "app/cli/figure_session.h"
#include "core/model/trained_model.h"
#include "core/page/compare/compare_page.h"
#include "core/page/on_paper.h"

namespace headscope {
namespace {

/// The words for a held subject, " --against --sentence …": its differences from the session's own subject,
/// or all of its options if no option can take back something that the session's own subject has.
std::string against_words(const Session& held, const Session& base) {
  CommandBuilder changes(held, &base);
  changes.add_all();
  if (changes.says_all()) return " --against" + changes.options();
  CommandBuilder anew(held, &base);
  anew.begin_anew();
  anew.add_all();
  const bool takes_back = anew.says_all() || !changes.is_readable();
  return " --against" + (takes_back ? anew : changes).options();
}

/// Adds the held subjects to the command, as changes to the session's own subject.
void add_held(const Session& session, FigureCommand& command) {
  if (session.held.empty()) return;
  const auto own = session_of_command(command.text, held_by(session));
  if (!own) return;
  const Session base = with_subject(*own, own->subject());
  for (const Subject& held : session.held) command.text += against_words(with_subject(session, held), base);
}

/// Adds the settings of a held subject that the command leaves out.
void add_left_out(const Session& wanted, const Session& told, const Session& base, const std::string& subject,
                  std::vector<std::string>& left_out) {
  for (const std::string& name : differences(wanted, told, &base))
    left_out.push_back("of " + subject + ", " + name);
}

}  // namespace

FigureCommand figure_command(const Session& session, const FigureSize& size, const std::string& out) {
  CommandBuilder builder(session);
  builder.add_all();
  FigureCommand command{builder.text(), {}};
  const FigureSize usual_size = size_on(size.paper, shown_figure(session).usual_size());
  const PaperRecord& paper = record_of(size.paper);
  if (!paper.name.empty()) {
    command.text += CommandBuilder::option_words("--size", std::string(paper.name));
  } else if (size.width != usual_size.width || size.height != usual_size.height) {
    command.text += CommandBuilder::option_words(
        "--size", std::to_string(size.width) + "x" + std::to_string(size.height));
  }
  const bool has_pixels = !out.ends_with(".svg") && !out.ends_with(".pdf");
  if (has_pixels && size.scale != usual_size.scale)
    command.text += CommandBuilder::option_words("--scale", std::to_string(size.scale));
  if (size.is_transparent) command.text += " --transparent";
  if (size.page)
    command.text += CommandBuilder::option_words("--page", std::string(name_of_choice(*size.page)));
  command.text += CommandBuilder::option_words("--out", out);
  add_held(session, command);
  const auto told = session_of_command(command.text, held_by(session));
  if (!told) {
    command.left_out = {"the settings that cause an error (" + told.error().message + ")"};
    return command;
  }
  command.left_out = differences(session, *told);
  const Session base = with_subject(*told, told->subject());
  for (std::size_t i = 0; i < std::min(session.held.size(), told->held.size()); ++i) {
    add_left_out(with_subject(session, session.held[i]), with_subject(*told, told->held[i]), base,
                 subject_name(static_cast<int>(i)), command.left_out);
  }
  return command;
}

std::string listed(const std::vector<std::string>& left_out) {
  std::string text;
  for (const std::string& name : left_out) text += (text.empty() ? "" : "; ") + name;
  return text;
}

}  // namespace headscope
