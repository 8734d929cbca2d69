#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/textbook/worked_example.h"

namespace headscope {

/// A file of assets/textbooks that the build embeds in the program.
struct ExampleFile {
  std::string_view name;  ///< The name of the example, which is the file name without its extension.
  std::string_view text;  ///< JSON
};
/// The embedded files, ordered by name.
std::span<const ExampleFile> example_files();

/// Reads an example from such a file. Errors name the field, its contents and what it must be.
Result<WorkedExample> read_example(const ExampleFile& file);

/// All bundled examples, ordered by source, read at the first call. A file that cannot be read is left out; a
/// test reads each of them.
const std::vector<WorkedExample>& worked_examples();

/// The example with this name. Null if there is none.
const WorkedExample* worked_example(std::string_view name);

}  // namespace headscope
