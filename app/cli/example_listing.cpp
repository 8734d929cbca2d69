#include "app/cli/example_listing.h"

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "core/text/utf8.h"
#include "core/textbook/example_text.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

constexpr int most_rows = 20;
constexpr int most_columns = 12;

std::string left_aligned(const std::string& text, std::size_t width) {
  const std::size_t own = code_points(text).size();
  return text + std::string(width > own ? width - own : 0, ' ');
}

std::string right_aligned(const std::string& text, std::size_t width) {
  const std::size_t own = code_points(text).size();
  return std::string(width > own ? width - own : 0, ' ') + text;
}

/// How wide the names of the examples are.
std::size_t name_width() {
  std::size_t width = 0;
  for (const WorkedExample& example : worked_examples()) width = std::max(width, example.name.size());
  return width;
}

std::string without_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

/// The numbers of a matrix as texts of one width, as many as are printed, a line a row.
std::vector<std::string> number_lines(const Quantity& quantity, const NumberTable& numbers,
                                      const std::vector<bool>& differs) {
  const int cols = std::min(numbers.cols, most_columns);
  const int rows = std::min(numbers.rows, most_rows);
  const auto text_at = [&](int row, int col) {
    const bool star = !differs.empty() && differs[numbers.index(row, col)];
    return quantity_text(quantity, numbers.at(row, col)) + (star ? "*" : differs.empty() ? "" : " ");
  };
  std::size_t width = 0;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) width = std::max(width, code_points(text_at(row, col)).size());
  }
  std::vector<std::string> lines;
  lines.reserve(static_cast<std::size_t>(rows) + 1);
  for (int row = 0; row < rows; ++row) {
    std::string line;
    for (int col = 0; col < cols; ++col) line += "  " + right_aligned(text_at(row, col), width);
    lines.push_back(line + (cols < numbers.cols ? "  …" : ""));
  }
  if (rows < numbers.rows) lines.emplace_back("  …");
  return lines;
}

void print_quantity(const Quantity& quantity, const ComputedQuantity& computed, std::ostream& out) {
  const std::vector<std::string> right = number_lines(quantity, computed.numbers, computed.differs);
  if (!quantity.printed) {
    for (const std::string& line : right) out << line << '\n';
    return;
  }
  std::vector<std::string> left = number_lines(quantity, *quantity.printed, {});
  std::size_t width = code_points("  printed").size();
  for (const std::string& line : left) width = std::max(width, code_points(line).size());
  out << left_aligned("  printed", width) << "  |  computed\n";
  left.resize(right.size());
  for (std::size_t i = 0; i < right.size(); ++i)
    out << left_aligned(left[i], width) << "  |" << without_end(right[i]) << '\n';
}

std::string result_text(const Tally& counts, const WorkedExample& example) {
  if (!example.impossible.empty()) return "no numbers";
  if (counts.unexplained > 0) return "disagrees";
  if (counts.printed == 0) return "nothing printed";
  return counts.explained > 0 ? "agrees but for what is explained" : "agrees";
}

/// A line of the table: the name, three counts and the result.
void print_check_line(const std::string& name, const std::vector<std::string>& counts,
                      const std::string& result, std::ostream& out) {
  out << left_aligned(name, name_width());
  for (const std::string& count : counts) out << right_aligned(count, 11);
  out << "  " << result << '\n';
}

}  // namespace

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

void print_example(const WorkedExample& example, const ComputedExample& computed, std::ostream& out) {
  out << example.heading << '\n' << source_text(example) << "\n\n" << example.shows << '\n';
  if (!example.note.empty()) out << example.note << '\n';
  if (!example.impossible.empty()) {
    out << '\n' << example.impossible << '\n';
    return;
  }
  out << '\n' << tally_text(example, computed) << '\n';
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const ComputedQuantity& of_it = computed.quantities[i];
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
  for (const LeftOut& each : example.left_out) out << "\nLeft out: " << each.name << ": " << each.why << '\n';
}

void print_check_heading(std::ostream& out) {
  print_check_line("example", {"quantities", "printed", "agree"}, "result", out);
}

void print_check(const WorkedExample& example, const ComputedExample& computed, std::ostream& out) {
  const Tally counts = tally(example, computed);
  print_check_line(example.name,
                   {std::to_string(example.quantities.size()), std::to_string(counts.printed),
                    std::to_string(counts.agreeing)},
                   result_text(counts, example), out);
  for (std::size_t i = 0; i < example.quantities.size(); ++i) {
    const Quantity& quantity = example.quantities[i];
    const Verdict said = verdict(quantity, computed.quantities[i]);
    if (said == Verdict::agrees || said == Verdict::unprinted) continue;
    if (said == Verdict::failed) {
      out << "  " << quantity.name << ": not computed: " << computed.quantities[i].problem << '\n';
      continue;
    }
    const std::string& why = quantity.reason;
    out << "  " << quantity.name << ": " << computed.quantities[i].n_differing
        << (computed.quantities[i].n_differing == 1 ? " differs" : " differ")
        << (why.empty() ? ", without a stated reason" : ". " + why) << '\n';
  }
}

}  // namespace headscope
