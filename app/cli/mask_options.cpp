#include "app/cli/mask_options.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "app/cli/option_values.h"
#include "core/engine/mask_file.h"

namespace headscope {
namespace {

constexpr std::string_view option = "--mask";
constexpr std::string_view window_prefix = "window:";
constexpr std::string_view padding_prefix = "padding:";
constexpr std::string_view painted_prefix = "painted:";

template <class Item>
void sort_unique(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

std::string token_range(int n_tokens) {
  return n_tokens == 0 ? "the sentence has no tokens"
                       : "the sentence has the tokens 0 to " + std::to_string(n_tokens - 1);
}

bool inside(std::optional<int> index, int n_tokens) {
  return index.value_or(-1) >= 0 && index.value_or(-1) < n_tokens;
}

Result<void> add_window(MaskSpec& spec, const std::string& mask) {
  const auto width = parse_int(std::string_view(mask).substr(window_prefix.size()));
  if (width.value_or(-1) < 0) {
    return wrong_value(option, mask, "window:W takes how many tokens to either side, from 0 on");
  }
  spec.window = width;
  return {};
}

Result<void> add_padding(MaskSpec& spec, const std::string& mask, int n_tokens) {
  for (const std::string_view part : split(std::string_view(mask).substr(padding_prefix.size()), ',')) {
    const auto key = parse_int(part);
    if (!inside(key, n_tokens)) {
      return wrong_value(option, mask,
                         "padding:I,J takes indices of tokens; " + token_range(n_tokens) +
                             " (“headscope tokenize” lists them)");
    }
    spec.padding.push_back(*key);
  }
  sort_unique(spec.padding);
  return {};
}

Result<void> add_painted(MaskSpec& spec, const std::string& mask, int n_tokens) {
  for (const std::string_view part : split(std::string_view(mask).substr(painted_prefix.size()), ',')) {
    const auto cell = split(part, '.');
    const auto query = parse_int(cell.front());
    const auto key = cell.size() == 2 ? parse_int(cell.back()) : std::nullopt;
    if (!inside(query, n_tokens) || !inside(key, n_tokens)) {
      return wrong_value(option, mask,
                         "painted:Q.K,Q.K takes cells as QUERY.KEY, such as 3.5; " + token_range(n_tokens));
    }
    spec.painted.push_back({query.value_or(0), key.value_or(0)});
  }
  sort_unique(spec.painted);
  return {};
}

Result<void> add_file(MaskSpec& spec, const std::string& mask) {
  auto loaded = read_mask(mask);
  if (!loaded) return tl::unexpected(loaded.error());
  spec.loaded.push_back(std::move(*loaded));
  return {};
}

Result<void> add_mask(MaskSpec& spec, const std::string& mask, int n_tokens) {
  if (mask == "none") {
    spec = MaskSpec{};
    return {};
  }
  if (mask == "causal") {
    spec.causal = true;
    return {};
  }
  if (mask.starts_with(window_prefix)) return add_window(spec, mask);
  if (mask.starts_with(padding_prefix)) return add_padding(spec, mask, n_tokens);
  if (mask.starts_with(painted_prefix)) return add_painted(spec, mask, n_tokens);
  if (std::filesystem::path(mask).extension() == ".npy") return add_file(spec, mask);
  return wrong_value(option, mask,
                     "it takes none, causal, window:W, padding:I,J, painted:Q.K,Q.K or FILE.npy");
}

}  // namespace

Result<MaskSpec> with_masks(MaskSpec spec, const std::vector<std::string>& masks, int n_tokens) {
  for (const std::string& mask : masks) {
    if (auto ok = add_mask(spec, mask, n_tokens); !ok) return tl::unexpected(ok.error());
  }
  return spec;
}

std::vector<std::string> mask_words(const MaskSpec& spec) {
  std::vector<std::string> words;
  if (spec.causal) words.emplace_back("causal");
  if (spec.window) words.push_back(std::string(window_prefix) + std::to_string(*spec.window));
  if (!spec.padding.empty()) {
    std::string word(padding_prefix);
    for (const int key : spec.padding) word += std::to_string(key) + ",";
    word.pop_back();
    words.push_back(word);
  }
  if (!spec.painted.empty()) {
    std::string word(painted_prefix);
    for (const Cell& cell : spec.painted) {
      word += std::to_string(cell.query) + "." + std::to_string(cell.key) + ",";
    }
    word.pop_back();
    words.push_back(word);
  }
  for (const auto& loaded : spec.loaded) words.push_back(loaded->name);
  return words;
}

}  // namespace headscope
