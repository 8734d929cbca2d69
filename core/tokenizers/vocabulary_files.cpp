#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/io/json_text.h"
#include "core/split_text.h"
#include "core/text/utf8.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/json_fields.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// The special tokens around texts.
enum class Layout {
  none,
  bos,      ///< <s> A
  roberta,  ///< <s> A </s>
  bert      ///< [CLS] A [SEP]
};

/// Model families with the same tokenizer.
struct FileFamily {
  std::string_view names;  ///< separated by blanks; the first one may be empty
  Layout layout = Layout::none;
  bool is_qwen = false;
};

constexpr std::array merge_families{
    FileFamily{" gpt2 gptneo gptj codegen gptbigcode phi", Layout::none}, FileFamily{"opt", Layout::bos},
    FileFamily{"roberta bart longformer led mvp blenderbot", Layout::roberta},
    FileFamily{"deberta", Layout::bert}, FileFamily{"qwen2 qwen3", Layout::none, true}};

constexpr std::array line_families{FileFamily{
    " bert distilbert electra mobilebert squeezebert layoutlm lxmert convbert visualbert retribert realm",
    Layout::bert}};

Result<FileFamily> family_in(std::span<const FileFamily> families, const ModelConfiguration& configuration,
                             const std::string& files) {
  for (const FileFamily& family : families) {
    const auto names = split_text(family.names, ' ');
    if (std::find(names.begin(), names.end(), configuration.family) != names.end()) return family;
  }
  return failure(
      "the way in which " + configuration.family_as_written + " uses " + files +
      " is not supported: use its tokenizer.json (save_pretrained of a fast tokenizer writes one)");
}

/// The special tokens of a tokenizer read from several files, with their ids.
class Specials {
 public:
  explicit Specials(const ModelConfiguration& configuration) : configuration_(configuration) {}

  /// Adds the token with a role, and returns its id. Fails if no piece has its text.
  Result<int> need(const std::string& role, const std::string& otherwise, const PieceTable& pieces) {
    const AddedToken token = configuration_.token(role, otherwise);
    add(token);
    const auto listed = std::find_if(configuration_.added.begin(), configuration_.added.end(),
                                     [&](const auto& each) { return each.content == token.content; });
    const auto id = listed != configuration_.added.end() ? listed->id : pieces.find(token.content);
    if (!id) return failure("the vocabulary has no '" + token.content + "', which this kind of model needs");
    return *id;
  }
  void add(const AddedToken& token) { add_if_new(token, tokens_); }
  /// Adds a token only if it is a piece.
  void add_if_known(const AddedToken& token, const PieceTable& pieces) {
    if (pieces.find(token.content)) add(token);
  }
  Result<AddedTokens> all(const TokenizerParts& parts) {
    // Tokens with ids come first, so that they keep them.
    std::vector<AddedToken> tokens = configuration_.added;
    for (AddedToken& token : tokens) make_special_if_named(token);
    for (const AddedToken& token : tokens_) add_if_new(token, tokens);
    for (const auto& role : configuration_.tokens) add_if_new(role.second, tokens);
    tokens.insert(tokens.end(), configuration_.additional.begin(), configuration_.additional.end());
    return AddedTokens::make(tokens, parts.model->pieces(), parts.normalizer);
  }

 private:
  /// A token with a role is special, even if not marked so in the list of added tokens.
  void make_special_if_named(AddedToken& token) const {
    for (const auto& role : configuration_.tokens) {
      if (role.second.content != token.content || token.is_special) continue;
      token.is_special = true;
      token.is_normalized = false;
    }
  }

  const ModelConfiguration& configuration_;
  std::vector<AddedToken> tokens_;
};

Result<PostProcessor> roberta_processor(const ModelConfiguration& configuration, const PieceTable& pieces,
                                        Specials& specials) {
  const auto begin = specials.need("cls", "<s>", pieces);
  const auto end = specials.need("sep", "</s>", pieces);
  if (!begin) return tl::unexpected(begin.error());
  if (!end) return tl::unexpected(end.error());
  for (const auto& [role, text] :
       {std::pair{"pad", "<pad>"}, {"unk", "<unk>"}, {"bos", "<s>"}, {"eos", "</s>"}}) {
    specials.add_if_known(configuration.token(role, text), pieces);
  }
  AddedToken mask = configuration.token("mask", "<mask>");
  mask.strips_left = true;
  specials.add_if_known(mask, pieces);
  PostProcessor result = make_post_processor({*begin}, {*end});
  result.trims_spans = true;
  result.has_prefix_space = configuration.flag("add_prefix_space", false);
  return result;
}

Result<PostProcessor> bert_processor(const ModelConfiguration& configuration, const PieceTable& pieces,
                                     Specials& specials) {
  const auto cls = specials.need("cls", "[CLS]", pieces);
  const auto sep = specials.need("sep", "[SEP]", pieces);
  if (!cls) return tl::unexpected(cls.error());
  if (!sep) return tl::unexpected(sep.error());
  for (const auto& [role, text] : {std::pair{"pad", "[PAD]"}, {"unk", "[UNK]"}, {"mask", "[MASK]"}}) {
    specials.add_if_known(configuration.token(role, text), pieces);
  }
  return make_post_processor({*cls}, {*sep});
}

Result<PostProcessor> bos_processor(const PieceTable& pieces, Specials& specials) {
  const auto bos = specials.need("bos", "</s>", pieces);
  if (!bos) return tl::unexpected(bos.error());
  return make_post_processor({*bos}, {});
}

Result<PostProcessor> processor_of(Layout layout, const ModelConfiguration& configuration,
                                   const PieceTable& pieces, Specials& specials) {
  const bool wants_bos = configuration.flag("add_bos_token", layout == Layout::bos);
  if (layout == Layout::roberta) return roberta_processor(configuration, pieces, specials);
  if (layout == Layout::bert) return bert_processor(configuration, pieces, specials);
  if (wants_bos) return bos_processor(pieces, specials);
  return PostProcessor{};
}

Result<PieceTable> pieces_of_json(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return tl::unexpected(json.error());
  if (!json->is_object()) return failure("it is not an object that maps pieces to their ids");
  std::vector<std::pair<std::string, int>> pieces;
  for (const auto& [piece, id] : json->items()) {
    const auto number = TokenizerFields::whole_number(id);
    if (!number)
      return failure("the id of the piece '" + piece.substr(0, 100) + "' is not a whole number, 0 or more");
    pieces.emplace_back(piece, *number);
  }
  return PieceTable::make(std::move(pieces));
}

/// Calls `each(line, number)` for every line, without its end. Lines count from 1.
template <class Each>
Result<void> for_lines(std::string_view text, Each&& each) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (valid_utf8(line) != line) {
      return failure("line " + std::to_string(number) +
                     " is not valid UTF-8: the file is damaged or in another encoding; save it as UTF-8");
    }
    Result<void> done = each(line, number);
    if (!done) return done;
  }
  return {};
}

using Merges = std::vector<std::pair<std::string, std::string>>;

Result<Merges> merges_of_lines(std::string_view text) {
  Merges merges;
  const auto done = for_lines(text, [&](std::string_view line, std::size_t number) -> Result<void> {
    if (line.starts_with("#version") || line.empty()) return {};
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      return failure("line " + std::to_string(number) +
                     " of the merges is not two pieces separated by a space");
    }
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return merges;
}

/// The default text of the token with a role, for folders without a tokenizer_config.json.
using UsualName = std::pair<std::optional<int> SpecialIds::*, const char*>;
constexpr std::array default_names{
    UsualName{&SpecialIds::cls, "[CLS]"},   UsualName{&SpecialIds::sep, "[SEP]"},
    UsualName{&SpecialIds::pad, "[PAD]"},   UsualName{&SpecialIds::pad, "<pad>"},
    UsualName{&SpecialIds::mask, "[MASK]"}, UsualName{&SpecialIds::mask, "<mask>"},
    UsualName{&SpecialIds::eos, "</s>"},    UsualName{&SpecialIds::eos, "<|endoftext|>"}};

}  // namespace

SpecialIds special_ids_of(const TokenizerParts& parts, const ModelConfiguration& configuration) {
  SpecialIds ids = parts.special_ids;
  for (const SpecialRole& role : special_roles) {
    if (const auto token = configuration.tokens.find(role.first); token != configuration.tokens.end()) {
      const auto added = parts.added.find(token->second.content);
      ids.*role.second = added ? added : parts.model->pieces().find(token->second.content);
    } else if (const auto id = configuration.ids.find(role.first);
               id != configuration.ids.end() && !(ids.*role.second)) {
      ids.*role.second = id->second;
    }
  }
  for (const auto& [id, text] : default_names) {
    if (!(ids.*id)) ids.*id = parts.added.find(text);
  }
  if (!ids.unk) ids.unk = parts.model->unknown();
  return ids;
}

Result<TokenizerParts> parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                                   const ModelConfiguration& configuration) {
  const auto family = family_in(merge_families, configuration, "vocab.json and merges.txt");
  if (!family) return tl::unexpected(family.error());
  auto pieces = pieces_of_json(vocabulary);
  if (!pieces) return tl::unexpected(pieces.error());
  const auto list = merges_of_lines(merges);
  if (!list) return tl::unexpected(list.error());
  auto model = make_merge_bpe(std::move(*pieces), *list, {});
  if (!model) return tl::unexpected(model.error());
  TokenizerParts parts;
  parts.model = std::move(*model);
  parts.decoder = {decode_byte_letters()};
  parts.writing.has_byte_letters = true;
  if (family->is_qwen) {
    const auto pattern = Regex::pattern(qwen2_split);
    if (!pattern) return tl::unexpected(pattern.error());
    parts.normalizer = {unicode_form(true, false)};
    parts.pre_tokenizer = {split_at_matches(*pattern), byte_level(false, false)};
  } else {
    parts.pre_tokenizer = {byte_level(configuration.flag("add_prefix_space", false), true)};
  }
  Specials specials(configuration);
  auto processor = processor_of(family->layout, configuration, parts.model->pieces(), specials);
  if (!processor) return tl::unexpected(processor.error());
  parts.post_processor = std::move(*processor);
  if (family->layout == Layout::none) {
    AddedToken end = configuration.token("eos", "<|endoftext|>");
    specials.add_if_known(end, parts.model->pieces());
  }
  auto added = specials.all(parts);
  if (!added) return tl::unexpected(added.error());
  parts.added = std::move(*added);
  return parts;
}

Result<TokenizerParts> parse_vocabulary_lines(std::string_view lines,
                                              const ModelConfiguration& configuration) {
  std::vector<std::string> pieces;
  const auto done = for_lines(lines, [&](std::string_view line, std::size_t) -> Result<void> {
    while (!line.empty() && is_white_space(character_before(line, line.size()).value)) {
      line.remove_suffix(character_before(line, line.size()).length);
    }
    pieces.emplace_back(line);
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return word_piece_parts(std::move(pieces), configuration);
}

Result<TokenizerParts> word_piece_parts(std::vector<std::string> pieces_by_id,
                                        const ModelConfiguration& configuration) {
  const auto family = family_in(line_families, configuration, "vocab.txt");
  if (!family) return tl::unexpected(family.error());
  std::vector<std::pair<std::string, int>> list;
  list.reserve(pieces_by_id.size());
  for (std::string& piece : pieces_by_id) list.emplace_back(std::move(piece), static_cast<int>(list.size()));
  auto pieces = PieceTable::make(std::move(list));
  if (!pieces) return tl::unexpected(pieces.error());
  WordPieceOptions options;
  options.unknown = configuration.token("unk", "[UNK]").content;
  auto model = make_word_piece(std::move(*pieces), std::move(options));
  if (!model) return tl::unexpected(model.error());
  TokenizerParts parts;
  parts.model = std::move(*model);
  BertNormalization bert;
  bert.lowers = configuration.flag("do_lower_case", true);
  bert.strips_accents = configuration.flag("strip_accents", bert.lowers);
  bert.separates_ideographs = configuration.flag("tokenize_chinese_chars", true);
  parts.normalizer = {bert_normalization(bert)};
  parts.pre_tokenizer = {split_at_characters(is_white_space, SplitBehavior::removed),
                         split_at_characters(is_bert_punctuation, SplitBehavior::isolated)};
  parts.decoder = {decode_word_pieces()};
  Specials specials(configuration);
  auto processor = processor_of(family->layout, configuration, parts.model->pieces(), specials);
  if (!processor) return tl::unexpected(processor.error());
  parts.post_processor = std::move(*processor);
  auto added = specials.all(parts);
  if (!added) return tl::unexpected(added.error());
  parts.added = std::move(*added);
  return parts;
}

}  // namespace headscope
