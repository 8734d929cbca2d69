#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/model/given_numbers.h"

namespace headscope {

/// Returns an object that maps paths to matrices, each a list of rows. Null if nothing is given.
nlohmann::json json_of_given(const GivenNumbers& given);

/// Describes an error in such an object.
struct WrongGiven {
  std::string item;  ///< Such as ".encoder.input[2][1]".
  const nlohmann::json* found = nullptr;
  std::string expected;
};
/// Reads given numbers from an object. If anything is wrong, returns the error and reads nothing. It does not
/// check whether the model has the places and whether the sizes fit.
std::optional<WrongGiven> take_given(const nlohmann::json& object, GivenNumbers& given);

}  // namespace headscope
