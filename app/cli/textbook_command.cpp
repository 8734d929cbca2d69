#include "app/cli/textbook_command.h"

#include <filesystem>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/example_listing.h"
#include "app/cli/near_matches.h"
#include "app/cli/option_values.h"
#include "core/io/read_file.h"
#include "core/textbook/open_example.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 20U;  ///< the most bytes in the file of an example

/// The names that contain a word, or if there are none, the names similar to it.
std::vector<std::string> names_like(const std::string& word) {
  std::vector<std::string> all;
  std::vector<std::string> with_word;
  all.reserve(worked_examples().size());
  for (const WorkedExample& example : worked_examples()) {
    all.push_back(example.name);
    if (!word.empty() && example.name.find(word) != std::string::npos) with_word.push_back(example.name);
  }
  return with_word.empty() ? near_matches(word, all) : with_word;
}

/// Reads an example from a user's file, which has the format of those in assets/textbooks.
Result<WorkedExample> example_in_file(const std::filesystem::path& file) {
  const auto text = read_file(file, most_bytes);
  if (!text) return tl::unexpected(text.error());
  const std::string name = file.stem().string();
  return read_example({name, *text});
}

bool is_file(const std::string& name) {
  return std::filesystem::path(name).extension() == ".json";
}

/// Checks all given examples. Fails if the printed numbers of a quantity differ and nothing explains it.
Result<void> check_examples(const std::vector<const WorkedExample*>& examples, std::ostream& out) {
  int unexplained = 0;
  print_check_heading(out);
  for (const WorkedExample* example : examples) {
    const ComputedExample computed = compute_example(*example);
    print_check(*example, computed, out);
    unexplained += tally(*example, computed).unexplained;
  }
  if (unexplained == 0) return {};
  return failure(std::to_string(unexplained) +
                 (unexplained == 1 ? " quantity disagrees" : " quantities disagree") +
                 " with the printed numbers without a stated reason: see the table");
}

}  // namespace

Result<const WorkedExample*> example_named(const std::string& option, const std::string& name) {
  if (const WorkedExample* example = worked_example(name)) return example;
  const std::vector<std::string> near = names_like(name);
  const std::string cure = near.empty() ? "“headscope textbook” lists the worked examples"
                                        : "did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
  if (!option.empty()) return wrong_value(option, name, cure);
  return usage_error("there is no worked example “" + name + "”: " + cure);
}

Result<void> check_example(const std::string& option, const std::string& name) {
  const auto example = example_named(option, name);
  if (!example) return tl::unexpected(example.error());
  return {};
}

std::optional<Session> textbook_in_window(const CommandOptions& o) {
  if (!opens_in_window(o)) return std::nullopt;
  const WorkedExample* example = worked_example(*o.named);
  if (example == nullptr) return std::nullopt;
  Session session = example->opens() ? opened_case(*example, 0, default_session()) : default_session();
  session.view = PageName::textbooks;
  session.textbook = example->name;
  return session;
}

Result<void> run_textbook(const CommandOptions& o, std::ostream& out) {
  if (!o.named && !o.checks) {
    if (o.prints) return usage_error("--print needs the NAME of a worked example");
    print_examples(out);
    return {};
  }
  std::vector<const WorkedExample*> examples;
  WorkedExample own;
  examples.reserve(worked_examples().size());
  if (o.named && is_file(*o.named)) {
    auto read = example_in_file(*o.named);
    if (!read) return tl::unexpected(read.error());
    own = std::move(*read);
    examples.push_back(&own);
  } else if (o.named) {
    const auto example = example_named("", *o.named);
    if (!example) return tl::unexpected(example.error());
    examples.push_back(*example);
  } else {
    for (const WorkedExample& example : worked_examples()) examples.push_back(&example);
  }
  if (o.checks) return check_examples(examples, out);
  print_example(*examples.front(), compute_example(*examples.front()), out);
  return {};
}

}  // namespace headscope
