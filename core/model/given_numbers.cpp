#include "core/model/given_numbers.h"

#include <algorithm>
#include <utility>

namespace headscope {

std::shared_ptr<const OwnedMatrix> GivenNumbers::at(std::string_view path) const {
  const auto found = std::ranges::lower_bound(all, path, {}, &GivenMatrix::path);
  return found == all.end() || found->path != path ? nullptr : found->numbers;
}

GivenNumbers with_given(GivenNumbers given, GivenMatrix matrix) {
  auto place = std::ranges::lower_bound(given.all, matrix.path, {}, &GivenMatrix::path);
  if (place != given.all.end() && place->path == matrix.path) {
    *place = std::move(matrix);
  } else {
    given.all.insert(place, std::move(matrix));
  }
  return given;
}

GivenNumbers without_given(GivenNumbers given, std::string_view path) {
  std::erase_if(given.all, [path](const GivenMatrix& each) { return each.path == path; });
  return given;
}

}  // namespace headscope
