#include "app/cli/mask_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_options.h"
#include "app/cli/option_values.h"
#include "core/engine/mask_file.h"
#include "core/exact_text.h"
#include "core/session/repair.h"
#include "core/split_text.h"
#include "core/text/number_text.h"
#include "core/to_float.h"

namespace headscope {
namespace {

/// A mask form with a number after its prefix.
struct CountForm {
  std::string_view prefix;
  std::optional<int> MaskSpec::*count;
  int least;
  const char* expected;
};
constexpr std::array count_forms{
    CountForm{"window:", &MaskSpec::window, 0, "W is the number of tokens on either side, 0 or more"},
    CountForm{"first:", &MaskSpec::first_keys, 0,
              "N is the number of first keys that the window does not hide, 0 or more"},
    CountForm{"prefix:", &MaskSpec::prefix, 0, "P is the number of tokens visible to all, 0 or more"},
    CountForm{"block:", &MaskSpec::block, 1, "B is the number of tokens in a block, 1 or more"},
    CountForm{"dilated:", &MaskSpec::dilation, 1, "D is the distance between visible keys, 1 or more"}};
constexpr std::string_view document_prefix = "document:";
constexpr std::string_view padding_prefix = "padding:";
constexpr std::string_view painted_prefix = "painted:";

/// The forms that a mask may have.
constexpr std::array<std::string_view, 12> mask_forms{
    "none",      "causal",       "window:W",      "first:N",     "prefix:P",        "block:B",
    "dilated:D", "document:I,J", "document:WORD", "padding:I,J", "painted:Q.K,Q.K", "FILE.npy"};

std::string token_range(int n_tokens) {
  return n_tokens == 0 ? "the sentence has no tokens"
                       : "the sentence has tokens 0 to " + std::to_string(n_tokens - 1);
}

bool is_token_index(std::optional<int> index, int n_tokens) {
  return index.value_or(-1) >= 0 && index.value_or(-1) < n_tokens;
}

void add_padding(MaskSpec& spec, const std::string& mask, const MaskOption& option) {
  for (const std::string_view part : split_text(std::string_view(mask).substr(padding_prefix.size()), ',')) {
    const auto key = parse_int(part);
    if (!is_token_index(key, option.n_keys)) {
      refuse(invalid_value(option.name, mask,
                           "padding:I,J takes token indices; " + token_range(option.n_keys) +
                               " (“headscope tokenize” lists them)"));
    }
    spec.padding.push_back(*key);
  }
  sort_unique(spec.padding);
}

constexpr char quote = '"';

/// The word in document:"WORD", which may look like a number. Empty for any text without quotes.
std::optional<std::string_view> quoted_word(std::string_view text) {
  if (text.size() <= 2 || text.front() != quote || text.back() != quote) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

/// Reads the first tokens of the documents. If they are not numbers, or are in quotes, reads the word that
/// ends each document.
void add_documents_of(MaskSpec& spec, const std::string& mask, const MaskOption& option) {
  if (!option.is_self) {
    refuse(invalid_value(
        option.name, mask,
        "document: takes a sentence whose tokens are queries and keys alike, that of self-attention"));
  }
  const std::string_view rest = std::string_view(mask).substr(document_prefix.size());
  if (const auto word = quoted_word(rest)) {
    spec.separator = *word;
    return;
  }
  const auto parts = split_text(rest, ',');
  std::vector<int> firsts;
  firsts.reserve(parts.size());
  bool are_numbers = true;
  for (const std::string_view part : parts) {
    const auto first = parse_int(part);
    are_numbers = are_numbers && first;
    firsts.push_back(first.value_or(-1));
  }
  if (rest.empty() || (are_numbers && !std::ranges::all_of(firsts, [&](int first) {
                         return is_token_index(first, option.n_keys);
                       }))) {
    refuse(invalid_value(
        option.name, mask,
        "document:I,J takes the first tokens of further documents, document:WORD a word that ends each, in quotes if it is a number (document:\"3\"); " +
            token_range(option.n_keys)));
  }
  if (!are_numbers) {
    spec.separator = rest;
    return;
  }
  spec.documents.insert(spec.documents.end(), firsts.begin(), firsts.end());
  sort_unique(spec.documents);
}

void add_painted(MaskSpec& spec, const std::string& mask, const MaskOption& option) {
  for (const std::string_view part : split_text(std::string_view(mask).substr(painted_prefix.size()), ',')) {
    const auto cell = split_text(part, '.');
    const auto query = parse_int(cell.front());
    const auto key = cell.size() == 2 ? parse_int(cell.back()) : std::nullopt;
    if (!is_token_index(query, option.n_queries) || !is_token_index(key, option.n_keys)) {
      const bool keys_differ = option.n_keys != option.n_queries;
      refuse(invalid_value(
          option.name, mask,
          "painted:Q.K,Q.K takes cells written as QUERY.KEY, such as 3.5; " + token_range(option.n_queries) +
              (keys_differ ? ", the source " + std::to_string(option.n_keys) + " keys" : "")));
    }
    spec.painted.push_back({query.value_or(0), key.value_or(0)});
  }
  sort_unique(spec.painted);
}

void add_mask(MaskSpec& spec, const std::string& mask, const MaskOption& option) {
  if (mask == "none") {
    spec = MaskSpec{};
    return;
  }
  if (mask == "causal") {
    spec.causal = true;
    return;
  }
  for (const CountForm& form : count_forms) {
    if (!mask.starts_with(form.prefix)) continue;
    const auto given = parse_int(std::string_view(mask).substr(form.prefix.size()));
    if (given.value_or(-1) < form.least) refuse(invalid_value(option.name, mask, form.expected));
    spec.*form.count = given;
    return;
  }
  if (mask.starts_with(document_prefix)) return add_documents_of(spec, mask, option);
  if (mask.starts_with(padding_prefix)) return add_padding(spec, mask, option);
  if (mask.starts_with(painted_prefix)) return add_painted(spec, mask, option);
  if (std::filesystem::path(mask).extension() == ".npy") {
    const std::string axes = option.axes == nullptr ? "" : option.axes->next();
    return spec.loaded.push_back(option.read(mask, axes).value());
  }
  std::vector<std::string> names;
  for (const std::string_view form : mask_forms) {
    const std::string_view name = form.substr(0, form.find(':'));
    const bool is_file = name.find('.') != std::string_view::npos;
    if (!is_file && (names.empty() || names.back() != name)) names.emplace_back(name);
  }
  refuse(invalid_value(option.name, mask,
                       expected_text(mask.substr(0, mask.find(':')), names) +
                           joined_with_or({mask_forms.begin(), mask_forms.end()})));
}

}  // namespace

MaskSpec with_masks(MaskSpec spec, const std::vector<std::string>& masks, const MaskOption& option) {
  for (const std::string& mask : masks) add_mask(spec, mask, option);
  return spec;
}

MaskAxes::MaskAxes(const std::optional<std::string>& given) {
  if (!given) return;
  for (const std::string_view word : split_text(*given, ',')) {
    if (auto ok = check_mask_axes(word); !ok)
      refuse(invalid_value("--mask-axes", *given, ok.error().message));
    words_.emplace_back(word);
  }
}

std::string MaskAxes::next() {
  const std::size_t file = n_files_++;
  if (words_.size() == 1) return words_.front();
  return file < words_.size() ? words_[file] : "";
}

void MaskAxes::check_used() const {
  if (words_.empty() || (words_.size() == 1 && n_files_ > 0) || words_.size() == n_files_) return;
  if (n_files_ == 0) refuse(usage_error("--mask-axes needs a mask file to apply to"));
  refuse(usage_error("--mask-axes has " + count_text(static_cast<int>(words_.size()), "word") + " for " +
                     count_text(static_cast<int>(n_files_), "mask file") +
                     ": give one for all files, or one per file"));
}

std::string axes_warning(const MaskSpec& cross_mask) {
  for (const auto& mask : cross_mask.loaded) {
    if (!could_be_transposed(*mask)) continue;
    return "the mask " + mask->name +
           " is square and was read with queries as rows. If its rows are keys, as in some texts, add --mask-axes ji (nji, bji)";
  }
  return {};
}

}  // namespace headscope
