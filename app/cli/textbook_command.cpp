#include "app/cli/textbook_command.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/option_values.h"
#include "core/system/read_file.h"
#include "core/text/utf8.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

/// The names that contain a word, or if there are none, the names similar to it.
std::vector<std::string> suggested_examples(const std::string& word) {
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
WorkedExample example_in_file(const std::filesystem::path& file) {
  const std::string text = read_file(file).value();
  const std::string name = file.stem().string();
  return read_example({name, text}).value();
}

bool is_file(const std::string& name) {
  return std::filesystem::path(name).extension() == ".json";
}

/// Checks the given examples. Fails if printed numbers differ without an explanation.
void check_examples(const std::vector<const WorkedExample*>& examples, std::ostream& out) {
  int unexplained = 0;
  print_check_heading(out);
  for (const WorkedExample* example : examples) {
    const ComputedExample computed = compute_example(*example).finish();
    print_check(*example, computed, out);
    unexplained += agreement_counts(*example, computed).unexplained;
  }
  if (unexplained > 0)
    refuse(failure(std::to_string(unexplained) +
                   (unexplained == 1 ? " quantity disagrees" : " quantities disagree") +
                   " with the printed numbers without a stated reason: see the table"));
}

constexpr int max_rows = 20;
constexpr int max_columns = 12;
constexpr std::size_t max_label_letters = 12;

std::string aligned(const std::string& text, std::size_t width, bool is_right) {
  const std::size_t own = code_points(text).size();
  const std::string space(width > own ? width - own : 0, ' ');
  return is_right ? space + text : text + space;
}
std::string left_aligned(const std::string& text, std::size_t width) {
  return aligned(text, width, false);
}

/// The width of the longest name of an example.
std::size_t name_width() {
  std::size_t width = 0;
  for (const WorkedExample& example : worked_examples()) width = std::max(width, example.name.size());
  return width;
}

std::string label_at(const std::vector<std::string>& labels, int index) {
  const auto at = static_cast<std::size_t>(index);
  return at < labels.size() ? truncated(labels[at], max_label_letters) : std::string();
}

/// Appends columns of texts to lines, all columns with one width.
void add_columns(const std::vector<std::vector<std::string>>& columns, std::vector<std::string>& lines,
                 bool is_right) {
  std::size_t width = 0;
  for (const auto& column : columns)
    for (const std::string& text : column) width = std::max(width, code_points(text).size());
  for (const auto& column : columns)
    for (std::size_t i = 0; i < lines.size() && width > 0; ++i)
      lines[i] += "  " + aligned(column[i], width, is_right);
}

/// Appends the part of a matrix that is printed to lines: the labels of its columns and a line for each row.
/// A star marks numbers that differ.
void add_numbers(const Quantity& quantity, const ComputedQuantity& computed, const NumberTable& numbers,
                 const std::vector<bool>& differs, std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> columns;
  for (int col = 0; col < std::min(numbers.cols, max_columns); ++col) {
    std::vector<std::string>& column = columns.emplace_back();
    column.push_back(label_at(computed.cols, col));
    for (int row = 0; row + 1 < static_cast<int>(lines.size()); ++row) {
      const bool has_star = !differs.empty() && differs[numbers.index(row, col)];
      column.push_back(quantity_text(quantity, numbers.at(row, col)) + (has_star          ? "*"
                                                                        : differs.empty() ? ""
                                                                                          : " "));
    }
  }
  add_columns(columns, lines, true);
  for (std::size_t i = 1; i < lines.size() && numbers.cols > max_columns; ++i) lines[i] += "  …";
}

void print_quantity(const Quantity& quantity, const ComputedQuantity& computed, std::ostream& out) {
  const int rows = std::min(computed.numbers.rows, max_rows);
  std::vector<std::string> lines(static_cast<std::size_t>(rows) + 1);
  std::vector<std::string> labels{""};
  for (int row = 0; row < rows; ++row) labels.push_back(label_at(computed.rows, row));
  add_columns({labels}, lines, false);
  if (quantity.printed) {
    std::string heading = lines.front() + "  printed";
    add_numbers(quantity, computed, *quantity.printed, {}, lines);
    std::size_t width = code_points(heading).size();
    for (const std::string& line : lines) width = std::max(width, code_points(line).size());
    for (std::string& line : lines) line = left_aligned(line, width) + "  |";
    out << left_aligned(heading, width) << "  |  computed\n";
  }
  add_numbers(quantity, computed, computed.numbers, computed.differs, lines);
  if (rows < computed.numbers.rows) lines.emplace_back("  …");
  for (std::size_t i = computed.cols.empty() ? 1 : 0; i < lines.size(); ++i)
    out << lines[i].substr(0, lines[i].find_last_not_of(' ') + 1) << '\n';
}

std::string result_text(const AgreementCounts& counts, const WorkedExample& example) {
  if (!example.impossible.empty()) return "no numbers";
  if (counts.unexplained > 0) return "disagrees";
  if (counts.printed == 0) return "nothing to check: no number is printed";
  if (counts.explained == 0) return "agrees";
  return counts.agreeing == 0 ? "differs, as explained" : "agrees except where explained";
}

/// Prints one line of the table: the name, three counts and the result.
void print_check_line(const std::string& name, const std::vector<std::string>& counts,
                      const std::string& result, std::ostream& out) {
  out << left_aligned(name, name_width());
  for (const std::string& count : counts) out << aligned(count, 11, true);
  out << "  " << result << '\n';
}

/// The worked example of this name. The error refers to `option` and names examples that may have been meant.
const WorkedExample& find_example(const std::string& option, const std::string& name) {
  if (const WorkedExample* example = worked_example(name)) return *example;
  const std::vector<std::string> near = suggested_examples(name);
  const std::string cure = near.empty() ? "“headscope textbook” lists the worked examples"
                                        : "did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
  if (!option.empty()) refuse(invalid_value(option, name, cure));
  refuse(usage_error("there is no worked example “" + name + "”: " + cure));
}

/// Lists all worked examples, one per line, below their sources.
void print_examples(std::ostream& out) {
  const std::size_t width = name_width();
  std::string author;
  for (const WorkedExample& example : worked_examples()) {
    if (example.author != author) out << (author.empty() ? "" : "\n") << example.author << '\n';
    author = example.author;
    out << "  " << left_aligned(example.name, width) << "  " << example.heading
        << (example.impossible.empty() ? "" : " (no numbers here)") << '\n';
  }
}

}  // namespace

void check_example(const std::string& option, const std::string& name) {
  find_example(option, name);
}

std::optional<Session> textbook_in_window(const CommandOptions& o) {
  if (!opens_in_window(o)) return std::nullopt;
  const WorkedExample* example = worked_example(*o.named);
  if (example == nullptr) return std::nullopt;
  Session session = example->opens() ? open_case(*example, 0, default_session()) : default_session();
  session.view = PageName::textbooks;
  session.textbook = example->name;
  return session;
}

void run_textbook(const CommandOptions& o, std::ostream& out) {
  if (!o.named && !o.is_on("--check")) {
    if (o.is_on("--print")) refuse(usage_error("--print needs the NAME of a worked example"));
    print_examples(out);
    return;
  }
  std::vector<const WorkedExample*> examples;
  WorkedExample own;
  examples.reserve(worked_examples().size());
  if (o.named && is_file(*o.named)) {
    own = example_in_file(*o.named);
    examples.push_back(&own);
  } else if (o.named) {
    examples.push_back(&find_example("", *o.named));
  } else {
    for (const WorkedExample& example : worked_examples()) examples.push_back(&example);
  }
  if (o.is_on("--check")) return check_examples(examples, out);
  print_example(*examples.front(), compute_example(*examples.front()).finish(), out);
}

void print_example(const WorkedExample& example, const ComputedExample& computed, std::ostream& out) {
  out << example.heading << '\n' << source_text(example) << "\n\n" << example.shows << '\n';
  if (!example.note.empty()) out << example.note << '\n';
  if (!example.impossible.empty()) {
    out << '\n' << example.impossible << '\n';
    return;
  }
  out << '\n' << agreement_text(example, computed) << '\n';
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const ComputedQuantity& of_it = computed[i];
    out << '\n'
        << quantity.title << " (" << place_of_quantity(example, quantity)
        << "): " << verdict_text(quantity, of_it) << '\n';
    if (!of_it.problem.empty()) {
      out << "  " << of_it.problem << '\n';
      continue;
    }
    print_quantity(quantity, of_it, out);
    if (!quantity.reason.empty()) out << "  * " << quantity.reason << '\n';
  }
  for (const OmittedPart& each : example.left_out)
    out << "\nLeft out: " << each.name << ": " << each.why << '\n';
}

void print_check_heading(std::ostream& out) {
  print_check_line("example", {"quantities", "printed", "agree"}, "result", out);
}

void print_check(const WorkedExample& example, const ComputedExample& computed, std::ostream& out) {
  const AgreementCounts counts = agreement_counts(example, computed);
  print_check_line(example.name,
                   {std::to_string(example.quantities.size()), std::to_string(counts.printed),
                    std::to_string(counts.agreeing)},
                   result_text(counts, example), out);
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const Verdict said = verdict(quantity, computed[i]);
    if (said == Verdict::agrees || said == Verdict::unprinted) continue;
    if (said == Verdict::failed) {
      out << "  " << quantity.name << ": not computed: " << computed[i].problem << '\n';
      continue;
    }
    const std::string& why = quantity.reason;
    out << "  " << quantity.name << ": " << computed[i].n_differing
        << (computed[i].n_differing == 1 ? " differs" : " differ")
        << (why.empty() ? ", without a stated reason" : ". " + why) << '\n';
  }
}

}  // namespace headscope
