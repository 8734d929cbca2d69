#include "core/tokenizers/tokenizer_parts.h"

namespace headscope {

PostProcessor make_post_processor(const std::vector<int>& begin, const std::vector<int>& end,
                                  const std::vector<int>& between, const std::vector<int>& again,
                                  int second_type) {
  PostProcessor made;
  made.single = {{{}, begin, 0}, {0, {}, 0}, {{}, end, 0}};
  made.pair = {{{}, begin, 0},           {0, {}, 0},           {{}, between, 0},
               {{}, again, second_type}, {1, {}, second_type}, {{}, end, second_type}};
  return made;
}

std::vector<PlacedToken> post_process(std::vector<PlacedToken> first,
                                      std::optional<std::vector<PlacedToken>> second,
                                      const PostProcessor& processor, bool adds_special, Budget& budget) {
  std::vector<TemplatePart> parts = second ? processor.pair : processor.single;
  if (parts.empty()) {
    parts = {{0, {}, 0}};
    if (second) parts.push_back({1, {}, 1});
  }
  if (!second && parts.size() == 1 && parts[0].text_index && parts[0].type_id == 0) return first;
  std::vector<PlacedToken> result;
  result.reserve(first.size() + (second ? second->size() : 0) + parts.size());
  for (const TemplatePart& part : parts) {
    if (part.text_index) {
      const bool is_second = *part.text_index == 1;
      if (is_second && !second) continue;
      const std::vector<PlacedToken>& tokens = is_second ? *second : first;
      budget.take(tokens.size(), 2 * sizeof(PlacedToken));
      for (PlacedToken token : tokens) {
        token.text_index = *part.text_index;
        token.type_id = part.type_id;
        result.push_back(token);
      }
    } else if (adds_special) {
      budget.take(part.special_ids.size(), 2 * sizeof(PlacedToken));
      for (const int id : part.special_ids) result.push_back({id, {}, 0, part.type_id, -1, true});
    }
  }
  return result;
}

}  // namespace headscope
