#include "app/cli/figure_command.h"

#include <algorithm>
#include <utility>

#include "app/cli/command_builder.h"
#include "app/cli/figure_session.h"
#include "core/model/trained_model.h"
#include "core/page/compare/compare_page.h"
#include "core/page/on_paper.h"

namespace headscope {
namespace {

/// A command while it is put together: its words, and the same as the options that the program reads in them.
struct Draft {
  std::string text;
  CommandOptions options;
};

/// Adds a held subject, " --against --sentence …": its differences from the session's own subject, or all of
/// its options if no option can take back something that the session's own subject has.
void add_held(const Session& held, const Session& base, Draft& draft) {
  const auto add = [&draft](const CommandBuilder& builder) {
    draft.text += " --against" + builder.options();
    draft.options.against.push_back(builder.given());
  };
  CommandBuilder changes(held, &base);
  changes.add_all();
  if (changes.says_all()) return add(changes);
  CommandBuilder anew(held, &base);
  anew.begin_anew();
  anew.add_all();
  const bool takes_back = anew.says_all() || !changes.read();
  add(takes_back ? anew : changes);
}

/// Adds the held subjects, as changes to the session's own subject.
void add_all_held(const Session& session, const Sources& sources, Draft& draft) {
  if (session.held.empty()) return;
  const auto own = session_of_figure_options(draft.options, sources);
  if (!own) return;
  const Session base = with_subject(*own, own->subject());
  for (const Subject& held : session.held) add_held(with_subject(session, held), base, draft);
}

/// Adds the settings of a held subject that the command leaves out.
void add_left_out(const Session& wanted, const Session& told, const Session& base, const std::string& subject,
                  std::vector<std::string>& left_out) {
  for (const std::string& name : differences(wanted, told, &base))
    left_out.push_back("of " + subject + ", " + name);
}

/// Adds the options of the file.
void add_file(const Session& session, const FigureSize& size, const std::string& out, Draft& draft) {
  const auto add = [&draft](std::string_view option, const std::string& value) {
    draft.text += CommandBuilder::option_words(option, value);
  };
  const FigureSize usual_size = size_on(size.paper, shown_figure(session).usual_size());
  const PaperRecord& paper = record_of(size.paper);
  if (!paper.name.empty()) {
    add("--size", std::string(paper.name));
  } else if (size.width != usual_size.width || size.height != usual_size.height) {
    add("--size", std::to_string(size.width) + "x" + std::to_string(size.height));
  }
  const bool has_pixels = !out.ends_with(".svg") && !out.ends_with(".pdf");
  if (has_pixels && size.scale != usual_size.scale) add("--scale", std::to_string(size.scale));
  if (size.is_transparent) draft.text += " --transparent";
  if (size.page) {
    const std::string page(name_of_choice(*size.page));
    add("--page", page);
    draft.options.settings["--page"] = {page};
  }
  add("--out", out);
}

}  // namespace

FigureCommand figure_command(const Session& session, const FigureSize& size, const std::string& out) {
  CommandBuilder builder(session);
  builder.add_all();
  Draft draft{builder.text(), builder.given()};
  add_file(session, size, out, draft);
  add_all_held(session, builder.sources(), draft);
  FigureCommand command{std::move(draft.text), {}};
  const auto told = session_of_figure_options(draft.options, builder.sources());
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
