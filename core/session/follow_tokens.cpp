#include "core/session/follow_tokens.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/session/repair.h"

namespace headscope {
namespace {

/// Maps the tokens of the session before to those of the session after. −1 for tokens that are gone.
class Follower {
 public:
  /// `tokens_of` is source_tokens or target_tokens.
  template <class TokensOf>
  Follower(const Session& before, const Session& after, TokensOf tokens_of) {
    std::vector<Token> old_tokens = tokens_of(before);
    std::vector<Token> new_tokens = tokens_of(after);
    const bool is_read_alike =
        before.tokenizer == after.tokenizer && model_tokenizers(before.tokenizer, before.model).of_source ==
                                                   model_tokenizers(after.tokenizer, after.model).of_source;
    if (!is_read_alike) {
      make_comparable(old_tokens);
      make_comparable(new_tokens);
    }
    followed_ = follow_tokens(old_tokens, new_tokens);
    keep_replaced(static_cast<int>(new_tokens.size()));
  }

  int operator()(int token) const {
    const bool exists = token >= 0 && token < static_cast<int>(followed_.size());
    return exists ? followed_[static_cast<std::size_t>(token)] : -1;
  }

 private:
  /// Reduces words to what both tokenizers have in common: lower case, without the characters that seed1
  /// removes.
  static void make_comparable(std::vector<Token>& tokens) {
    for (Token& token : tokens) {
      std::string kept;
      for (const Token& part : tokenize(token.text, TokenizerKind::seed1)) kept += part.text;
      token.lookup.clear();
      for (const Token& part : tokenize(kept, TokenizerKind::word)) token.lookup += part.lookup;
    }
  }

  /// A word that replaced a single other word, next to a word that stayed, counts as that word retyped.
  void keep_replaced(int n_after) {
    const auto n = static_cast<int>(followed_.size());
    if (n < 2) return;
    for (int token = 0; token < n; ++token) {
      int& now = followed_[static_cast<std::size_t>(token)];
      if (now >= 0) continue;
      const int left = token == 0 ? -1 : followed_[static_cast<std::size_t>(token) - 1];
      const int right = token == n - 1 ? n_after : followed_[static_cast<std::size_t>(token) + 1];
      const bool has_neighbours = (token == 0 || left >= 0) && (token == n - 1 || right >= 0);
      if (has_neighbours && right - left == 2) now = left + 1;
    }
  }

  std::vector<int> followed_;
};

void follow_mask(MaskSpec& mask, const Follower& queries, const Follower& keys) {
  for (int& token : mask.padding) token = keys(token);
  std::erase(mask.padding, -1);
  std::sort(mask.padding.begin(), mask.padding.end());
  for (int& token : mask.documents) token = keys(token);
  std::erase(mask.documents, -1);
  std::sort(mask.documents.begin(), mask.documents.end());
  for (Cell& cell : mask.painted) cell = {queries(cell.query), keys(cell.key)};
  std::erase_if(mask.painted, [](Cell cell) { return cell.query < 0 || cell.key < 0; });
  std::sort(mask.painted.begin(), mask.painted.end());
}

/// Moves interventions in cells and rows along with their tokens. `of_stack` returns the Follower of a
/// stack's tokens.
template <class OfStack>
void follow_interventions(Interventions& interventions, const Follower& source, const OfStack& of_stack) {
  for (GivenWeight& given : interventions.weights) {
    const Follower& queries = of_stack(given.place.stack);
    const bool is_cross = given.place.attention == AttentionKind::cross;
    given.cell = {queries(given.cell.query), (is_cross ? source : queries)(given.cell.key)};
  }
  std::erase_if(interventions.weights,
                [](const GivenWeight& given) { return given.cell.query < 0 || given.cell.key < 0; });
  for (Patch& patch : interventions.patches) {
    const bool is_of_source = patch.place.attention == AttentionKind::cross && is_of_keys(patch.site);
    patch.row = (is_of_source ? source : of_stack(patch.place.stack))(patch.row);
  }
  std::erase_if(interventions.patches, [](const Patch& patch) { return patch.row < 0; });
  interventions = in_order(std::move(interventions));
}

/// Returns the new index of a word that could be predicted before, or −1 if it is gone.
int followed_word(const Session& before, const Session& after, int word) {
  const std::vector<std::string> old_words = predicted_words(before);
  const std::vector<std::string> new_words = predicted_words(after);
  if (word < 0 || word >= static_cast<int>(old_words.size())) return -1;
  const auto found = std::find(new_words.begin(), new_words.end(), old_words[static_cast<std::size_t>(word)]);
  return found == new_words.end() ? -1 : static_cast<int>(found - new_words.begin());
}

/// Moves covered rows, columns and cells along with their tokens. `follow` maps an index along an axis of a
/// stage.
template <class Follow>
void follow_cover(Cover& cover, const Follow& follow) {
  if (!cover.stage) return;
  const StageId stage = *cover.stage;
  const StageInfo& about = info(stage.kind);
  for (int& row : cover.rows) follow(stage, about.rows, row);
  for (int& col : cover.columns) follow(stage, about.cols, col);
  for (std::vector<StageCell>* cells : {&cover.cells, &cover.except, &cover.right}) {
    for (StageCell& cell : *cells) {
      follow(stage, about.rows, cell.row);
      follow(stage, about.cols, cell.col);
    }
  }
}

}  // namespace

Session with_tokens_followed(const Session& before, Session after) {
  after.texts = texts_of(after);
  const Follower source(before, after, source_tokens);
  const Follower target(before, after, target_tokens);
  follow_mask(after.attention.mask, source, source);
  follow_mask(after.attention.target_mask, target, target);
  follow_mask(after.attention.cross_mask, target, source);

  const auto of_stack = [&](Stack stack) -> const Follower& {
    return after.architecture.has_cross() && stack == Stack::decoder ? target : source;
  };
  follow_interventions(after.interventions, source, of_stack);
  Selection& selection = after.selection;
  if (selection.token) selection.token = of_stack(selection.stack)(*selection.token);
  if (selection.token == -1) selection.token.reset();
  const bool picks_source = selection.picked.are_keys && selection.attention == AttentionKind::cross;
  for (int& token : selection.picked.tokens)
    token = (picks_source ? source : of_stack(selection.stack))(token);
  const auto follow = [&](const StageId& stage, Axis axis, int& index) {
    const bool looks_away = stage.attention == AttentionKind::cross;
    const bool ends_model = info(stage.kind).scope == StageScope::model;
    const Follower& queries = of_stack(ends_model ? after.architecture.last_stack() : stage.stack);
    if (axis == Axis::vocabulary) index = followed_word(before, after, index);
    if (!runs_over_tokens(axis)) return;
    index = axis == Axis::key_tokens && looks_away ? source(index) : queries(index);
  };
  follow_cover(after.cover, follow);
  if (!selection.pin) return after;
  Pin& pin = *selection.pin;
  follow(pin.stage, info(pin.stage.kind).rows, pin.row);
  follow(pin.stage, info(pin.stage.kind).cols, pin.col);
  if (pin.row < 0 || pin.col < 0) selection.pin.reset();
  return after;
}

}  // namespace headscope
