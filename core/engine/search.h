#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/request.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/result.h"

namespace headscope {

/// What is looked for in the attention of one head: rows with a high value of a measure, or, without one,
/// weights that a token gives to another one.
struct Sought {
  HeadId head;
  std::optional<HeadMeasure> measure = {};
  std::string from = {};  ///< The word that looks. Empty for any.
  std::string to = {};    ///< The word that is looked at. Empty for any.
  bool operator==(const Sought&) const = default;
};

/// The row of a sentence in which the head does most of what is sought.
struct Finding {
  int line = 0;  ///< The index of the sentence.
  std::string sentence;
  int query = 0, key = 0;  ///< With a measure, the key is that with the greatest weight.
  std::string query_token, key_token;
  double value = 0.0;  ///< The measure of the row, or the weight.
};

struct SearchResult {
  std::vector<Finding> found;  ///< The greatest values first; at most one for each sentence.
  int n_sentences = 0;         ///< The sentences that were computed.
  int n_with = 0;              ///< Those in which there is what is sought.
  std::string problem =
      {};  ///< Why the first sentence that could not be computed could not. Empty if all could.
};

/// How many findings are kept, and how the search is followed.
struct SearchJob {
  std::size_t most = 20;
  const std::atomic<bool>* stop = nullptr;
  /// Called after each sentence with the number of those that are done, and of all. May be null.
  std::function<void(std::size_t n_done, std::size_t n_all)> on_line = nullptr;
};

/// The sentences of a text, one on each line. Empty lines are left out, but count in the lines' numbers,
/// which are those of Finding.
struct SearchedLine {
  int number = 0;  ///< From 0 on.
  std::string text;
};
std::vector<SearchedLine> lines_to_search(std::string_view text);

/// Computes the attention of every sentence up to the head's layer and returns where the head does most of
/// what is sought. `base` says with which model and which options; what belongs to its own text does not
/// count. Sentences that are too long are cut. A model of two stacks is refused, as each of its sentences
/// would need a target; so is a search for nothing. If it is stopped, the result is that of the sentences so
/// far.
Result<SearchResult> search(const Request& base, const Sought& sought, std::span<const SearchedLine> lines,
                            const SearchJob& job = {});

/// Searches the sentences of a text file. Errors are also those of read_file() with at most 64 MiB, a file
/// without sentences, and one of whose sentences none could be computed.
Result<SearchResult> search_file(const Request& base, const Sought& sought, const std::filesystem::path& file,
                                 const SearchJob& job = {});

}  // namespace headscope
