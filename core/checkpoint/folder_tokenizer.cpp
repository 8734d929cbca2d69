#include "core/checkpoint/folder_tokenizer.h"

#include <utility>

namespace headscope {
namespace {

/// A model's tokenizer as texts are split by it. A separator that is typed ("[SEP]") makes a text two, as the
/// tokenizer joins a pair.
class OfModel : public Tokenizer {
 public:
  /// `start`: the id of a token before all others, in place of what else the tokenizer adds.
  OfModel(std::shared_ptr<const ModelTokenizer> own, std::optional<int> start, bool tells_pairs)
      : own_(std::move(own)), start_(start), tells_pairs_(tells_pairs) {}

  TokenizerKind kind() const override { return TokenizerKind::model; }
  /// A text that the tokenizer refuses becomes one token without an id, which the pass then names.
  std::vector<Token> tokenize(std::string_view text) const override {
    std::vector<Token> tokens;
    if (start_) {
      Token& token = tokens.emplace_back();
      token.text = own_->shown(*start_);
      token.lookup = own_->piece(*start_);
      token.id = *start_;
      token.is_special = true;
    }
    EncodeOptions options;
    options.add_special = !start_;
    const auto encoded = own_->encode(text, options);
    if (!encoded) {
      constexpr int no_id = -1;
      Token& token = tokens.emplace_back();
      token.text = encoded.error().message;
      token.id = no_id;
      token.span = {0, text.size()};
      return tokens;
    }
    tokens.reserve(tokens.size() + encoded->size());
    const std::optional<int> separator = own_->special_ids().sep;
    bool is_second = false;
    for (const ModelToken& read : *encoded) {
      Token& token = tokens.emplace_back(read.token);
      token.is_special = read.is_special;
      token.continues_word = read.continues_word;
      token.segment = is_second ? 1 : 0;
      if (tells_pairs_ && separator && token.id == *separator) is_second = true;
    }
    return tokens;
  }

  std::string with_next(std::string_view text, const Token& next) const override {
    EncodeOptions plain;
    plain.add_special = false;
    auto ids = own_->ids(text, plain);
    if (!ids) return Tokenizer::with_next(text, next);
    const auto before = own_->decode(*ids);
    ids->push_back(next.id);
    const auto after = own_->decode(*ids);
    // Decoding may lose spaces of the text, but what it adds behind it is the piece.
    const bool continues = before && after && after->starts_with(*before);
    return std::string(text) + (continues ? after->substr(before->size()) : own_->shown(next.id));
  }

 private:
  std::shared_ptr<const ModelTokenizer> own_;
  std::optional<int> start_;
  bool tells_pairs_;
};

}  // namespace

FolderTokenizer folder_tokenizer(const Result<std::shared_ptr<const ModelTokenizer>>& own, int size,
                                 std::optional<int> decoder_start, bool tells_pairs) {
  FolderTokenizer found;
  if (!own) found.problem = own.error().message;
  found.pieces.reserve(static_cast<std::size_t>(size));
  for (int id = 0; id < size; ++id) {
    const bool has_piece = own && id < (*own)->size();
    found.pieces.push_back(has_piece ? (*own)->shown(id) : std::to_string(id));
  }
  if (!own) return found;
  // A tokenizer may have a padding token for which the model has no row.
  const int pad = (*own)->special_ids().pad.value_or(0);
  if (pad < size) found.pad = pad;
  const SpecialIds& special = (*own)->special_ids();
  if (special.eos && *special.eos < size) found.end = *special.eos;
  if (special.mask && *special.mask < size) found.mask_text = (*own)->piece(*special.mask);
  found.of_source = std::make_shared<const OfModel>(*own, std::nullopt, tells_pairs);
  if (decoder_start) found.of_target = std::make_shared<const OfModel>(*own, decoder_start, false);
  return found;
}

}  // namespace headscope
