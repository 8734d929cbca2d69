// Fuzzes worked examples from users' own files, which are read, computed, compared and printed.

#include <sstream>

#include "app/cli/textbook_command.h"
#include "core/textbook/computed_example.h"
#include "core/textbook/worked_examples.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

using fuzzing::require;

void check_quantity(const WorkedExample& example, const Quantity& quantity,
                    const ComputedQuantity& computed) {
  fuzzing::require_readable(verdict_text(quantity, computed));
  fuzzing::require_readable(place_of_quantity(example, quantity));
  if (!computed.problem.empty()) return fuzzing::require_readable(computed.problem);
  const NumberTable& numbers = computed.numbers;
  require(numbers.rows >= 0 && numbers.cols >= 0, "numbers stand in rows and columns");
  const auto size = static_cast<std::size_t>(numbers.rows) * static_cast<std::size_t>(numbers.cols);
  require(numbers.values.size() == size, "there are as many numbers as rows and columns have");
  require(computed.differs.empty() || computed.differs.size() == size, "each printed number is compared");
  require(computed.rows.empty() || computed.rows.size() == static_cast<std::size_t>(numbers.rows),
          "each row is labelled, or none");
  require(computed.cols.empty() || computed.cols.size() == static_cast<std::size_t>(numbers.cols),
          "each column is labelled, or none");
}

void check_text(std::string_view text) {
  const auto example = read_example({"mine", text});
  if (!example) return fuzzing::require_readable(example.error().message);
  const ComputedExample computed = compute_example(*example).finish();
  require(computed.size() == example->quantities.size(), "each quantity is computed or refused");
  for (std::size_t i = 0; i < example->quantities.size(); ++i)
    check_quantity(*example, example->quantities[i], computed[i]);
  if (example->impossible.empty()) fuzzing::require_readable(agreement_text(*example, computed));
  std::ostringstream printed;
  print_example(*example, computed, printed);
  print_check_heading(printed);
  print_check(*example, computed, printed);
  require(!printed.str().empty(), "an example is printed");
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headscope::check_text(headscope::fuzzing::text_of(data, size));
  return 0;
}
