#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/request.h"
#include "core/measures/measure.h"
#include "core/model/interventions.h"
#include "core/result.h"
#include "core/slices.h"

namespace headscope {

/// What to find in the attention of one head: rows with a high value of a measure or, without one, high
/// weights from one token to another.
struct SearchCriteria {
  HeadId head;
  std::optional<HeadMeasure> measure = {};
  std::string from = {};  ///< The attending word. Empty for any.
  std::string to = {};    ///< The attended word. Empty for any.
  bool operator==(const SearchCriteria&) const = default;
};

/// The best match in a sentence.
struct Finding {
  int line = 0;  ///< The index of the sentence.
  std::string sentence;
  int query = 0, key = 0;  ///< With a measure, the key with the greatest weight.
  std::string query_token, key_token;
  double value = 0.0;  ///< The measure of the row, or the weight.
};

struct SearchResult {
  std::vector<Finding> found;  ///< In descending order of value; at most one per sentence.
  int n_sentences = 0;         ///< The number of computed sentences.
  int n_matches = 0;           ///< The number of these with a match.
  std::string problem = {};    ///< The error of the first sentence that failed. Empty if none did.
};

/// The default maximum number of findings.
inline constexpr std::size_t default_max_findings = 20;

/// A line of a text with one sentence per line. Empty lines are skipped but counted. `number` becomes
/// Finding::line.
struct SearchLine {
  int number = 0;  ///< Counted from 0.
  std::string text;
};
std::vector<SearchLine> lines_to_search(std::string_view text);

/// Computes the attention of every sentence up to the head's layer and returns the best matches. `base`
/// provides the model and the options; anything of its own text is ignored. Truncates long sentences. Errors:
/// the model has two stacks, so that each sentence would need a target, the criteria are empty, or none of
/// the sentences can be computed. A slice is one sentence.
Slices<Result<SearchResult>> search(Request base, SearchCriteria criteria, std::vector<SearchLine> lines,
                                    std::size_t max_findings = default_max_findings);

/// Sentences to search where there is no file: pairs that differ in the word that decides what “it” is.
std::string sentences_of_program();

/// Searches the sentences of a text file. Errors also include those of read_file() with at most 64 MiB, and
/// a file without sentences.
Slices<Result<SearchResult>> search_file(Request base, SearchCriteria criteria, std::filesystem::path file,
                                         std::size_t max_findings = default_max_findings);

}  // namespace headscope
