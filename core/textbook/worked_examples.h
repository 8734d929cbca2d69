#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// A file of assets/textbooks, which the build puts into the program.
struct ExampleFile {
  std::string_view name;  ///< without its ending: the example's
  std::string_view text;  ///< JSON
};
/// In the order of their names.
std::span<const ExampleFile> example_files();

/// An example of such a file. Errors name the field, what it holds and what it must be.
Result<WorkedExample> read_example(const ExampleFile& file);

/// All that come with the program, source by source, read at the first call. A file that cannot be read is
/// left out; a test reads each.
const std::vector<WorkedExample>& worked_examples();

/// The one with this name; null where none has it.
const WorkedExample* worked_example(std::string_view name);

}  // namespace headscope
