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

constexpr std::array merge_families{
    TokenizerFamily{" gpt2 gptneo gptj codegen gptbigcode phi"}, TokenizerFamily{"opt", SpecialLayout::bos},
    TokenizerFamily{"roberta bart longformer led mvp blenderbot", SpecialLayout::roberta},
    TokenizerFamily{"deberta", SpecialLayout::bert},
    TokenizerFamily{"qwen2 qwen3", SpecialLayout::none, "", true}};

constexpr std::array line_families{TokenizerFamily{
    " bert distilbert electra mobilebert squeezebert layoutlm lxmert convbert visualbert retribert realm",
    SpecialLayout::bert}};

/// The special tokens of a tokenizer read from several files, with their ids.
class Specials {
 public:
  Specials(const ModelConfiguration& configuration, const PieceTable& pieces)
      : configuration_(configuration), pieces_(pieces) {}

  /// Adds the token with a role, and returns its id. Fails if no piece has its text.
  int need(const std::string& role, const std::string& otherwise) {
    const AddedToken token = configuration_.token(role, otherwise);
    add(token);
    const auto listed = std::find_if(configuration_.added.begin(), configuration_.added.end(),
                                     [&](const auto& each) { return each.content == token.content; });
    const auto id = listed != configuration_.added.end() ? listed->id : pieces_.find(token.content);
    if (!id) refuse(failure("the vocabulary has no '" + token.content + "', which this kind of model needs"));
    return *id;
  }
  void add(const AddedToken& token) { add_if_new(token, tokens_); }
  /// Adds a token only if it is a piece.
  void add_if_known(const AddedToken& token) {
    if (pieces_.find(token.content)) add(token);
  }
  AddedTokens all(const Normalizer& normalizer) const {
    // Tokens with ids come first, so that they keep them.
    std::vector<AddedToken> tokens = configuration_.added;
    for (AddedToken& token : tokens) make_special_if_named(token);
    for (const AddedToken& token : tokens_) add_if_new(token, tokens);
    for (const auto& role : configuration_.tokens) add_if_new(role.second, tokens);
    tokens.insert(tokens.end(), configuration_.additional.begin(), configuration_.additional.end());
    return AddedTokens::make(tokens, pieces_, normalizer).value();
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
  const PieceTable& pieces_;
  std::vector<AddedToken> tokens_;
};

PostProcessor roberta_processor(const ModelConfiguration& configuration, Specials& specials) {
  const int begin = specials.need("cls", "<s>");
  const int end = specials.need("sep", "</s>");
  for (const auto& [role, text] :
       {std::pair{"pad", "<pad>"}, {"unk", "<unk>"}, {"bos", "<s>"}, {"eos", "</s>"}}) {
    specials.add_if_known(configuration.token(role, text));
  }
  AddedToken mask = configuration.token("mask", "<mask>");
  mask.strips_left = true;
  specials.add_if_known(mask);
  PostProcessor result = make_post_processor({begin}, {end});
  result.trims_spans = true;
  result.has_prefix_space = configuration.flag("add_prefix_space", false);
  return result;
}

PostProcessor bert_processor(const ModelConfiguration& configuration, Specials& specials) {
  const int cls = specials.need("cls", "[CLS]");
  const int sep = specials.need("sep", "[SEP]");
  for (const auto& [role, text] : {std::pair{"pad", "[PAD]"}, {"unk", "[UNK]"}, {"mask", "[MASK]"}})
    specials.add_if_known(configuration.token(role, text));
  return make_post_processor({cls}, {sep});
}

PostProcessor processor_of(SpecialLayout layout, const ModelConfiguration& configuration,
                           Specials& specials) {
  if (layout == SpecialLayout::roberta) return roberta_processor(configuration, specials);
  if (layout == SpecialLayout::bert) return bert_processor(configuration, specials);
  const bool wants_bos = configuration.flag("add_bos_token", layout == SpecialLayout::bos);
  return wants_bos ? make_post_processor({specials.need("bos", "</s>")}, {}) : PostProcessor();
}

PieceTable pieces_of_json(std::string_view text) {
  const Json json = parse_json(text).value();
  if (!json.is_object()) refuse(failure("it is not an object that maps pieces to their ids"));
  std::vector<std::pair<std::string, int>> pieces;
  for (const auto& [piece, id] : json.items()) {
    const auto number = TokenizerFields::whole_number(id);
    if (!number)
      refuse(failure("the id of the piece '" + piece.substr(0, 100) + "' is not a whole number, 0 or more"));
    pieces.emplace_back(piece, *number);
  }
  return PieceTable::make(std::move(pieces)).value();
}

/// Calls `each(line, number)` for every line, without its end. Lines count from 1.
template <class Each>
void for_lines(std::string_view text, Each&& each) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (valid_utf8(line) != line)
      refuse(failure("line " + std::to_string(number) +
                     " is not valid UTF-8: the file is damaged or in another encoding; save it as UTF-8"));
    each(line, number);
  }
}

using Merges = std::vector<std::pair<std::string, std::string>>;

Merges merges_of_lines(std::string_view text) {
  Merges merges;
  for_lines(text, [&](std::string_view line, std::size_t number) {
    if (line.starts_with("#version") || line.empty()) return;
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos)
      refuse(failure("line " + std::to_string(number) +
                     " of the merges is not two pieces separated by a space"));
    merges.emplace_back(line.substr(0, space), line.substr(space + 1));
  });
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

bool TokenizerFamily::has(const ModelConfiguration& configuration) const {
  const auto all = split_text(names, ' ');
  return std::ranges::find(all, configuration.family) != all.end();
}

const TokenizerFamily& family_in(std::span<const TokenizerFamily> families,
                                 const ModelConfiguration& configuration, const std::string& files) {
  const auto found = std::ranges::find_if(
      families, [&](const TokenizerFamily& family) { return family.has(configuration); });
  if (found != families.end()) return *found;
  refuse(
      failure("the way in which " + configuration.family_as_written + " uses " + files +
              " is not supported: use its tokenizer.json (save_pretrained of a fast tokenizer writes one)"));
}

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

TokenizerParts parse_vocabulary_and_merges(std::string_view vocabulary, std::string_view merges,
                                           const ModelConfiguration& configuration) {
  const TokenizerFamily& family = family_in(merge_families, configuration, "vocab.json and merges.txt");
  PieceTable pieces = pieces_of_json(vocabulary);
  TokenizerParts parts;
  parts.model = make_merge_bpe(std::move(pieces), merges_of_lines(merges), {}).value();
  parts.decoder = {decode_byte_letters()};
  parts.writing.has_byte_letters = true;
  if (family.is_qwen) {
    parts.normalizer = {unicode_form(true, false)};
    parts.pre_tokenizer = {split_at_matches(Regex::pattern(qwen2_split).value()), byte_level(false, false)};
  } else {
    parts.pre_tokenizer = {byte_level(configuration.flag("add_prefix_space", false), true)};
  }
  Specials specials(configuration, parts.model->pieces());
  parts.post_processor = processor_of(family.layout, configuration, specials);
  if (family.layout == SpecialLayout::none)
    specials.add_if_known(configuration.token("eos", "<|endoftext|>"));
  parts.added = specials.all(parts.normalizer);
  return parts;
}

TokenizerParts parse_vocabulary_lines(std::string_view lines, const ModelConfiguration& configuration) {
  std::vector<std::string> pieces;
  for_lines(lines, [&](std::string_view line, std::size_t) {
    pieces.emplace_back(line.substr(0, spaces_before(line, line.size())));
  });
  return word_piece_parts(std::move(pieces), configuration);
}

TokenizerParts word_piece_parts(std::vector<std::string> pieces_by_id,
                                const ModelConfiguration& configuration) {
  const TokenizerFamily& family = family_in(line_families, configuration, "vocab.txt");
  std::vector<std::pair<std::string, int>> list;
  list.reserve(pieces_by_id.size());
  for (std::string& piece : pieces_by_id) list.emplace_back(std::move(piece), static_cast<int>(list.size()));
  WordPieceOptions options;
  options.unknown = configuration.token("unk", "[UNK]").content;
  TokenizerParts parts;
  parts.model = make_word_piece(PieceTable::make(std::move(list)).value(), std::move(options)).value();
  BertNormalization bert;
  bert.lowers = configuration.flag("do_lower_case", true);
  bert.strips_accents = configuration.flag("strip_accents", bert.lowers);
  bert.separates_ideographs = configuration.flag("tokenize_chinese_chars", true);
  parts.normalizer = {bert_normalization(bert)};
  parts.pre_tokenizer = {split_at_characters(is_white_space, SplitBehavior::removed),
                         split_at_characters(is_bert_punctuation, SplitBehavior::isolated)};
  parts.decoder = {decode_word_pieces()};
  Specials specials(configuration, parts.model->pieces());
  parts.post_processor = processor_of(family.layout, configuration, specials);
  parts.added = specials.all(parts.normalizer);
  return parts;
}

}  // namespace headscope
