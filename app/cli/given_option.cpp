#include "app/cli/given_option.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/option_values.h"
#include "core/io/matrix_text.h"
#include "core/io/npy.h"
#include "core/io/read_file.h"
#include "core/session/placed.h"
#include "core/session/settings.h"
#include "core/text/number_text.h"
#include "core/trace/given_stage.h"
#include "core/trace/stage.h"

namespace headscope {
namespace {

constexpr std::string_view option = setting("given").option;
constexpr std::string_view nothing = "none";

Error told(const std::string& path, const Error& error) {
  return {error.kind, std::string(option) + " " + path + ": " + error.message};
}

/// Fails if numbers cannot be given for a path, and names the paths that may be meant.
Result<void> check_path(const std::string& path, const Session& session) {
  const std::vector<std::string> paths = paths_to_give(session);
  if (std::ranges::find(paths, path) != paths.end()) return {};
  Session alone = session;
  alone.given = with_given({}, {path, std::make_shared<const OwnedMatrix>(1, 1)});
  const Result<void> refused = check_given(alone);
  std::string message = std::string(option) + ": " + (refused ? path : refused.error().message);
  constexpr std::size_t few_enough = 4000;
  std::vector<std::string> near =
      paths.size() <= few_enough ? near_matches(path, paths) : std::vector<std::string>();
  constexpr std::size_t most = 4;
  if (near.size() > most) near.resize(most);
  if (!near.empty()) message += "; did you mean " + joined_with_or({near.begin(), near.end()}) + "?";
  return usage_error(message);
}

Result<OwnedMatrix> matrix_of(const NpyArray& array, const std::string& file) {
  const std::size_t n_axes = array.shape.size();
  if (n_axes == 0 || n_axes > 2) {
    return failure("'" + file + "' has " + counted(static_cast<long long>(n_axes), "axis") +
                   ": a matrix has two, rows and columns");
  }
  OwnedMatrix matrix(n_axes == 1 ? 1 : array.shape.front(), array.shape.back());
  matrix.values = array.values;
  return matrix;
}

/// Reads the text after the equals sign.
Result<OwnedMatrix> numbers_of(const std::string& text, const Sources& sources) {
  if (text.starts_with("@")) return sources.numbers(text.substr(1));
  return read_matrix_text(text).map_error([](const Error& error) {
    return Error{Error::Kind::usage, error.message};
  });
}

/// Checks that all numbers are finite. That includes scores: cells are hidden by masks, which are visible
/// everywhere.
Result<void> check_numbers(const OwnedMatrix& numbers) {
  if (numbers.values.empty()) return usage_error("there are no numbers in it");
  for (int row = 0; row < numbers.rows; ++row) {
    for (int col = 0; col < numbers.cols; ++col) {
      if (std::isfinite(numbers.at(row, col))) continue;
      return usage_error("the number in row " + std::to_string(row) + ", column " + std::to_string(col) +
                         " is not finite; to hide a score, use a mask");
    }
  }
  return {};
}

Result<void> read_one(const std::string& word, const Sources& sources, Session& session) {
  if (word == nothing) {
    session.given = {};
    return {};
  }
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) {
    return wrong_value(
        option, word,
        "it takes PATH=NUMBERS, such as encoder.layers.0.self.heads.0.W_Q=\"1 0; 0 1\", PATH=@FILE, or none");
  }
  const std::vector<std::string> paths = paths_of_given(session.architecture, word.substr(0, equals));
  for (const std::string& path : paths) {
    if (auto ok = check_path(path, session); !ok) return ok;
  }
  auto numbers = numbers_of(word.substr(equals + 1), sources);
  if (!numbers) return tl::unexpected(told(paths.front(), numbers.error()));
  if (auto ok = check_numbers(*numbers); !ok) return tl::unexpected(told(paths.front(), ok.error()));
  const auto shared = std::make_shared<const OwnedMatrix>(std::move(*numbers));
  for (const std::string& path : paths) session.given = with_given(std::move(session.given), {path, shared});
  return {};
}

}  // namespace

Result<void> read_given(const std::vector<std::string>& words, const Sources& sources, Session& session) {
  for (const std::string& word : words) {
    if (auto ok = read_one(word, sources, session); !ok) return ok;
  }
  return check_given(session).map_error([](const Error& error) {
    return Error{error.kind, std::string(option) + ": " + error.message};
  });
}

std::vector<std::string> given_words(const GivenNumbers& given) {
  std::vector<std::string> words;
  words.reserve(given.all.size());
  for (const GivenMatrix& each : given.all) {
    std::string word = each.path + "=";
    for (int row = 0; row < each.numbers->rows; ++row) {
      if (row > 0) word += "; ";
      for (int col = 0; col < each.numbers->cols; ++col)
        word += (col > 0 ? " " : "") + number_word(each.numbers->at(row, col));
    }
    words.push_back(std::move(word));
  }
  return words;
}

Result<OwnedMatrix> read_numbers(const std::string& file) {
  if (std::filesystem::path(file).extension() == ".npy") {
    const auto array = read_npy(file);
    if (!array) return tl::unexpected(array.error());
    return matrix_of(*array, file);
  }
  const auto text = read_file(file);
  if (!text) return tl::unexpected(text.error());
  return read_matrix_text(*text).map_error([&](const Error& error) {
    return Error{error.kind, "'" + file + "': " + error.message};
  });
}

}  // namespace headscope
