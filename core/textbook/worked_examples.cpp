#include "core/textbook/worked_examples.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

/// The prefixes of the names of each source's examples, in the order of the list.
constexpr std::array<std::string_view, 10> sources{"raschka-",     "kv-",   "alammar-",   "karpathy-",
                                                   "3blue1brown-", "d2l-",  "annotated-", "cs224n-",
                                                   "vaswani-",     "flash-"};

std::ptrdiff_t place_of_source(const WorkedExample& example) {
  return std::ranges::find_if(sources,
                              [&](std::string_view begin) { return example.name.starts_with(begin); }) -
         sources.begin();
}

}  // namespace

const std::vector<WorkedExample>& worked_examples() {
  static const std::vector<WorkedExample> all = [] {
    std::vector<WorkedExample> read;
    read.reserve(example_files().size());
    for (const ExampleFile& file : example_files()) {
      if (auto example = read_example(file)) read.push_back(std::move(*example));
    }
    std::ranges::stable_sort(read, {}, place_of_source);
    return read;
  }();
  return all;
}

const WorkedExample* worked_example(std::string_view name) {
  const auto& all = worked_examples();
  const auto found = std::ranges::find(all, name, &WorkedExample::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace headscope
