#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/model/given_numbers.h"

namespace headscope {

/// An object of matrices by their paths, each a list of rows; null where nothing is given.
nlohmann::json json_of_given(const GivenNumbers& given);

/// What in such an object is wrong.
struct WrongGiven {
  std::string item;  ///< ".encoder.input[2][1]"
  const nlohmann::json* found = nullptr;
  std::string expected;
};
/// Takes what is given from an object; nothing is taken where anything is wrong. Whether the model has the
/// places, and the sizes, is for others to see.
std::optional<WrongGiven> take_given(const nlohmann::json& object, GivenNumbers& given);

}  // namespace headscope
