#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/request.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/result.h"
#include "core/slices.h"

namespace headscope {

/// What to look for in the attention of one head: rows with a high value of a measure or, without a measure,
/// high weights from one token to another.
struct Sought {
  HeadId head;
  std::optional<HeadMeasure> measure = {};
  std::string from = {};  ///< The word that looks. Empty for any.
  std::string to = {};    ///< The word that is looked at. Empty for any.
  bool operator==(const Sought&) const = default;
};

/// The row of a sentence that matches best what is sought.
struct Finding {
  int line = 0;  ///< The index of the sentence.
  std::string sentence;
  int query = 0, key = 0;  ///< With a measure, the key is that with the greatest weight.
  std::string query_token, key_token;
  double value = 0.0;  ///< The measure of the row, or the weight.
};

struct SearchResult {
  std::vector<Finding> found;  ///< The greatest values first; at most one for each sentence.
  int n_sentences = 0;         ///< The number of sentences that were computed.
  int n_with = 0;              ///< The number of these with a match.
  std::string problem =
      {};  ///< Why the first sentence that failed could not be computed. Empty if all could be.
};

/// The usual number of findings to keep.
inline constexpr std::size_t usual_findings = 20;

/// A line of a text that has one sentence on each line. Empty lines are left out, but they count in the
/// number of a line, which is that of Finding.
struct SearchedLine {
  int number = 0;  ///< Counted from 0.
  std::string text;
};
std::vector<SearchedLine> lines_to_search(std::string_view text);

/// Computes the attention of every sentence up to the head's layer and returns the rows that match best what
/// is sought. `base` gives the model and the options; what belongs to its own text is ignored. Sentences that
/// are too long are cut. It is an error if the model has two stacks, because each sentence would need a
/// target, or if nothing is sought. A slice is one sentence.
Slices<Result<SearchResult>> search(Request base, Sought sought, std::span<const SearchedLine> lines,
                                    std::size_t most = usual_findings);

/// Searches the sentences of a text file. Further errors are those of read_file() with at most 64 MiB, a file
/// without sentences, and a file none of whose sentences can be computed.
Slices<Result<SearchResult>> search_file(Request base, Sought sought, std::filesystem::path file,
                                         std::size_t most = usual_findings);

}  // namespace headscope
