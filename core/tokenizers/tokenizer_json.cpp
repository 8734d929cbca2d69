#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/io/base64.h"
#include "core/io/json_text.h"
#include "core/tokenizers/characters.h"
#include "core/tokenizers/json_fields.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_files.h"

namespace headscope {
namespace {

using Json = nlohmann::json;

/// A type of object in the file, and the function that adds it.
using JsonType = std::pair<std::string_view, void (*)(const TokenizerFields& fields, TokenizerParts& to)>;

/// Adds an object by its "type". The type "Sequence" has a list of objects under the key `sequence`.
void add_by_type(std::span<const JsonType> types, std::string_view sequence, const TokenizerFields& fields,
                 TokenizerParts& to) {
  const std::string type = fields.text("type");
  if (type == "Sequence") {
    for (const TokenizerFields& each : fields.objects(sequence)) add_by_type(types, sequence, each, to);
    return;
  }
  for (const auto& [name, add] : types) {
    if (name == type) return add(fields, to);
  }
  fields.fail("is of the unknown type '" + type + "'");
}

/// Reads {"String": "…"} or {"Regex": "…"} under "pattern".
Regex pattern_of(const TokenizerFields& fields) {
  const TokenizerFields pattern = fields.object("pattern");
  const bool is_regex = pattern.has("Regex");
  const std::string text = pattern.text(is_regex ? "Regex" : "String");
  const auto compiled = is_regex ? Regex::pattern(text) : Result<Regex>(Regex::literal(text));
  if (!compiled) fields.fail_field("pattern", "cannot be used: " + compiled.error().message);
  return *compiled;
}

char32_t single_character(const TokenizerFields& fields, std::string_view key) {
  const std::string text = fields.text(key);
  if (text.empty() || character_at(text, 0).length != text.size())
    fields.fail_field(key, "is not one character");
  return character_at(text, 0).value;
}

// ---- Normalizers

using Parts = TokenizerParts;
using Fields = TokenizerFields;

template <bool composes, bool is_compatible>
void add_form(const Fields&, Parts& to) {
  to.normalizer.push_back(unicode_form(composes, is_compatible));
}

void add_precompiled(const Fields& fields, Parts& to) {
  const auto blob = from_base64(fields.text("precompiled_charsmap"));
  if (!blob) fields.fail_field("precompiled_charsmap", "is not base64");
  auto map = Charsmap::parse(*blob);
  if (!map) fields.fail("cannot be used: " + map.error().message);
  to.normalizer.push_back(precompiled_map(std::move(*map)));
}

void add_bert_normalizer(const Fields& fields, Parts& to) {
  BertNormalization bert;
  bert.cleans = fields.flag("clean_text", true);
  bert.separates_ideographs = fields.flag("handle_chinese_chars", true);
  bert.lowers = fields.flag("lowercase", true);
  bert.strips_accents = fields.flag("strip_accents", bert.lowers);
  to.normalizer.push_back(bert_normalization(bert));
}

void add_replacement(const Fields& fields, Parts& to) {
  const std::string content = fields.text("content");
  if (content == "▁") to.writing.space_mark = content;
  to.normalizer.push_back(replace_matches(pattern_of(fields), content));
}

void add_byte_letters(const Fields&, Parts& to) {
  to.writing.has_byte_letters = true;
  to.normalizer.push_back(byte_letter_text);
}

constexpr std::array normalizer_types{
    JsonType{"NFC", add_form<true, false>},
    JsonType{"NFD", add_form<false, false>},
    JsonType{"NFKC", add_form<true, true>},
    JsonType{"NFKD", add_form<false, true>},
    JsonType{"Lowercase", [](const Fields&, Parts& to) { to.normalizer.push_back(lower_cased); }},
    JsonType{"StripAccents", [](const Fields&, Parts& to) { to.normalizer.push_back(without_accents); }},
    JsonType{"Nmt", [](const Fields&, Parts& to) { to.normalizer.push_back(nmt_normalization); }},
    JsonType{"ByteLevel", add_byte_letters},
    JsonType{"Strip",
             [](const Fields& fields, Parts& to) {
               to.normalizer.push_back(strip_spaces(fields.flag("strip_left"), fields.flag("strip_right")));
             }},
    JsonType{"Replace", add_replacement},
    JsonType{"Prepend", [](const Fields& fields,
                           Parts& to) { to.normalizer.push_back(with_prefix(fields.text("prepend"))); }},
    JsonType{"BertNormalizer", add_bert_normalizer},
    JsonType{"Precompiled", add_precompiled}};

// ---- Pre-tokenizers

SplitBehavior behavior_of(const TokenizerFields& fields, const std::optional<std::string>& otherwise) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> names{
      {{"Removed", SplitBehavior::removed},
       {"Isolated", SplitBehavior::isolated},
       {"MergedWithPrevious", SplitBehavior::merged_with_previous},
       {"MergedWithNext", SplitBehavior::merged_with_next},
       {"Contiguous", SplitBehavior::contiguous}}};
  const std::string name = fields.text("behavior", otherwise);
  for (const auto& [each, behavior] : names) {
    if (each == name) return behavior;
  }
  fields.fail_field("behavior", "is the unknown value '" + name + "'");
}

/// Reads the settings shared by pre-tokenizer and decoder.
MetaspaceSplit metaspace_of(const TokenizerFields& fields) {
  MetaspaceSplit result;
  const char32_t mark = single_character(fields, "replacement");
  result.mark = std::string(fields.text("replacement"));
  if (mark == U' ') fields.fail_field("replacement", "is a space");
  const std::string scheme = fields.text("prepend_scheme", "always");
  if (scheme == "first") {
    result.prepends = MetaspaceSplit::Prepends::first;
  } else if (scheme == "never") {
    result.prepends = MetaspaceSplit::Prepends::never;
  } else if (scheme != "always") {
    fields.fail_field("prepend_scheme", "is the unknown value '" + scheme + "'");
  }
  // Older files, without prepend_scheme, use add_prefix_space.
  if (!fields.flag("add_prefix_space", true)) {
    if (fields.has("prepend_scheme") && scheme != "never")
      fields.fail_field("add_prefix_space", "contradicts prepend_scheme");
    result.prepends = MetaspaceSplit::Prepends::never;
  }
  result.splits = fields.flag("split", true);
  return result;
}

void add_metaspace(const Fields& fields, Parts& to) {
  MetaspaceSplit metaspace = metaspace_of(fields);
  to.writing.space_mark = metaspace.mark;
  to.pre_tokenizer.push_back(split_at_spaces(std::move(metaspace)));
}

void add_byte_level(const Fields& fields, Parts& to) {
  to.writing.has_byte_letters = true;
  to.pre_tokenizer.push_back(byte_level(fields.flag("add_prefix_space"), fields.flag("use_regex", true)));
}

void add_bert_pre_tokenizer(const Fields&, Parts& to) {
  to.pre_tokenizer.push_back(split_at_characters(is_white_space, SplitBehavior::removed));
  to.pre_tokenizer.push_back(split_at_characters(is_bert_punctuation, SplitBehavior::isolated));
}

void add_words(const Fields&, Parts& to) {
  to.pre_tokenizer.push_back(split_at_matches(words_pattern(), SplitBehavior::removed, true));
}

void add_digits(const Fields& fields, Parts& to) {
  const bool is_each = fields.flag("individual_digits");
  to.pre_tokenizer.push_back(
      split_at_characters(is_numeric, is_each ? SplitBehavior::isolated : SplitBehavior::contiguous));
}

void add_delimiter(const Fields& fields, Parts& to) {
  single_character(fields, "delimiter");
  to.pre_tokenizer.push_back(
      split_at_matches(Regex::literal(fields.text("delimiter")), SplitBehavior::removed));
}

constexpr std::array pre_tokenizer_types{
    JsonType{"BertPreTokenizer", add_bert_pre_tokenizer},
    JsonType{"ByteLevel", add_byte_level},
    JsonType{"Whitespace", add_words},
    JsonType{"WhitespaceSplit",
             [](const Fields&, Parts& to) {
               to.pre_tokenizer.push_back(split_at_characters(is_white_space, SplitBehavior::removed));
             }},
    JsonType{"Metaspace", add_metaspace},
    JsonType{"Split",
             [](const Fields& fields, Parts& to) {
               to.pre_tokenizer.push_back(split_at_matches(
                   pattern_of(fields), behavior_of(fields, std::nullopt), fields.flag("invert")));
             }},
    JsonType{"Punctuation",
             [](const Fields& fields, Parts& to) {
               to.pre_tokenizer.push_back(
                   split_at_characters(is_bert_punctuation, behavior_of(fields, "Isolated")));
             }},
    JsonType{"Digits", add_digits},
    JsonType{"CharDelimiterSplit", add_delimiter}};

// ---- Post-processors

/// Reads a pair such as ["[SEP]", 102] under `key`.
int named_id(const TokenizerFields& fields, std::string_view key) {
  const Json& pair = fields.list(key);
  const auto id =
      pair.size() == 2 && pair[0].is_string() ? TokenizerFields::whole_number(pair[1]) : std::nullopt;
  if (!id) fields.fail_field(key, "is not a pair of a token and its id");
  return *id;
}

/// Sets the special tokens; a second template is not supported.
void set_template(const Fields& fields, std::vector<std::optional<int>> parts, Parts& to) {
  if (!to.post_processor.parts.empty()) fields.fail("is a second template, which is not supported");
  to.post_processor.parts = std::move(parts);
}

void set_trimming(const Fields& fields, Parts& to) {
  if (!fields.flag("trim_offsets")) return;
  to.post_processor.trims_spans = true;
  to.post_processor.has_prefix_space = fields.flag("add_prefix_space");
}

void add_bert_processing(const Fields& fields, Parts& to) {
  const int sep = named_id(fields, "sep");
  const int cls = named_id(fields, "cls");
  set_template(fields, {cls, std::nullopt, sep}, to);
}

void add_roberta_processing(const Fields& fields, Parts& to) {
  add_bert_processing(fields, to);
  set_trimming(fields, to);
}

std::vector<int> template_ids(const TokenizerFields& specials, const std::string& name) {
  std::vector<int> ids;
  if (!specials.has(name)) specials.fail("has no '" + name + "', which the template names");
  const TokenizerFields special = specials.object(name);
  // The ids are copied once more, to a list that grows.
  specials.budget().take(special.list("ids").size(), 2 * sizeof(int) + 3 * sizeof(std::optional<int>));
  for (const Json& id : special.list("ids")) {
    const auto number = TokenizerFields::whole_number(id);
    if (!number) specials.fail_field(name, "has an invalid id");
    ids.push_back(*number);
  }
  return ids;
}

/// The special tokens of the template for a single text.
void add_template(const Fields& fields, Parts& to) {
  std::vector<std::optional<int>> parts;
  for (const TokenizerFields& part : fields.objects("single")) {
    if (part.has("SpecialToken")) {
      const std::string name = part.object("SpecialToken").text("id");
      for (const int id : template_ids(fields.object("special_tokens"), name)) parts.emplace_back(id);
      continue;
    }
    const TokenizerFields sequence = part.object("Sequence");
    const std::string name = sequence.text("id");
    if (name != "A" && name != "B") sequence.fail_field("id", "is neither A nor B");
    if (name == "A") parts.emplace_back();  // B is the second text of a pair.
  }
  set_template(fields, std::move(parts), to);
}

constexpr std::array processor_types{
    JsonType{"BertProcessing", add_bert_processing}, JsonType{"RobertaProcessing", add_roberta_processing},
    JsonType{"ByteLevel", set_trimming}, JsonType{"TemplateProcessing", add_template}};

// ---- Decoders

void add_strip(const Fields& fields, Parts& to) {
  single_character(fields, "content");
  to.decoder.push_back(decode_strip(fields.text("content"), fields.number("start"), fields.number("stop")));
}

void add_byte_decoder(const Fields&, Parts& to) {
  to.writing.has_byte_letters = true;
  to.decoder.push_back(decode_byte_letters());
}

void add_metaspace_decoder(const Fields& fields, Parts& to) {
  const MetaspaceSplit metaspace = metaspace_of(fields);
  to.writing.space_mark = metaspace.mark;
  to.decoder.push_back(
      decode_metaspace(metaspace.mark, metaspace.prepends != MetaspaceSplit::Prepends::never));
}

constexpr std::array decoder_types{
    JsonType{"ByteLevel", add_byte_decoder},
    JsonType{"ByteFallback", [](const Fields&, Parts& to) { to.decoder.push_back(decode_byte_fallback()); }},
    JsonType{"Fuse", [](const Fields&, Parts& to) { to.decoder.push_back(fuse_tokens()); }},
    JsonType{"Strip", add_strip},
    JsonType{"WordPiece",
             [](const Fields& fields, Parts& to) {
               to.decoder.push_back(decode_word_pieces(fields.text("prefix"), fields.flag("cleanup")));
             }},
    JsonType{"Metaspace", add_metaspace_decoder},
    JsonType{"BPEDecoder",
             [](const Fields& fields, Parts& to) {
               to.decoder.push_back(decode_word_suffix(fields.text("suffix")));
             }},
    JsonType{"Replace", [](const Fields& fields, Parts& to) {
               to.decoder.push_back(decode_replace(pattern_of(fields), fields.text("content")));
             }}};

// ---- Models

using Pairs = std::vector<std::pair<std::string, int>>;

PieceTable pieces_of(const TokenizerFields& model) {
  const Json& vocabulary = model.dictionary("vocab");
  Pairs pairs;
  pairs.reserve(vocabulary.size());
  for (const auto& [piece, id] : vocabulary.items()) {
    const auto number = TokenizerFields::whole_number(id);
    if (!number) model.fail_field("vocab", "has no id for the piece '" + piece.substr(0, 100) + "'");
    pairs.emplace_back(piece, *number);
  }
  auto table = PieceTable::make(std::move(pairs));
  if (!table) model.fail_field("vocab", "cannot be used: " + table.error().message);
  return std::move(*table);
}

std::vector<std::pair<std::string, std::string>> merges_of(const TokenizerFields& model) {
  std::vector<std::pair<std::string, std::string>> merges;
  const Json& list = model.list("merges");
  merges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& merge = list[i];
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
      continue;
    }
    const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
    if (text.starts_with("#version")) continue;
    const std::size_t space = text.find(' ');
    if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
      model.fail_field("merges[" + std::to_string(i) + "]", "is not a pair of pieces");
    merges.emplace_back(text.substr(0, space), text.substr(space + 1));
  }
  return merges;
}

Result<SubwordModelPtr> bpe_of(const TokenizerFields& model, PieceNotation& writing) {
  if (const Json* const dropout = model.find("dropout"); dropout != nullptr && *dropout != 0.0) {
    model.fail_field("dropout", "is not null: dropping merges at random is not supported");
  }
  MergeBpeOptions options;
  if (model.has("unk_token")) options.unknown = model.text("unk_token");
  options.continuing_prefix = model.text("continuing_subword_prefix", "");
  options.word_suffix = model.text("end_of_word_suffix", "");
  options.fuses_unknown = model.flag("fuse_unk", false);
  options.falls_back_to_bytes = model.flag("byte_fallback", false);
  options.ignores_merges = model.flag("ignore_merges", false);
  writing.word_suffix = options.word_suffix;
  return make_merge_bpe(pieces_of(model), merges_of(model), std::move(options));
}

Result<SubwordModelPtr> word_piece_of(const TokenizerFields& model) {
  WordPieceOptions options;
  options.unknown = model.text("unk_token");
  options.continuing_prefix = model.text("continuing_subword_prefix", "##");
  options.max_characters = static_cast<std::size_t>(model.number("max_input_chars_per_word", 100));
  return make_word_piece(pieces_of(model), std::move(options));
}

Result<SubwordModelPtr> unigram_of(const TokenizerFields& model) {
  std::vector<std::pair<std::string, double>> pieces;
  const Json& list = model.list("vocab");
  pieces.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& entry = list[i];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
      model.fail_field("vocab[" + std::to_string(i) + "]", "is not a pair of a piece and its score");
    pieces.emplace_back(entry[0].get<std::string>(), entry[1].get<double>());
  }
  const std::optional<int> unknown =
      model.has("unk_id") ? std::optional(model.number("unk_id")) : std::nullopt;
  return make_unigram(std::move(pieces), unknown, model.flag("byte_fallback", false));
}

/// Older files have no model type, so it is inferred from the fields.
std::string model_type_of(const TokenizerFields& model) {
  if (model.has("type")) return model.text("type");
  if (model.has("merges")) return "BPE";
  if (const Json* const vocabulary = model.find("vocab"); vocabulary != nullptr && vocabulary->is_array()) {
    return "Unigram";
  }
  return model.has("max_input_chars_per_word") || model.has("continuing_subword_prefix") ? "WordPiece"
                                                                                         : "WordLevel";
}

Result<SubwordModelPtr> model_of(const TokenizerFields& model, PieceNotation& writing) {
  const std::string type = model_type_of(model);
  if (type == "BPE") return bpe_of(model, writing);
  if (type == "WordPiece") return word_piece_of(model);
  if (type == "Unigram") return unigram_of(model);
  if (type == "WordLevel") return make_word_level(pieces_of(model), model.text("unk_token"));
  model.fail("is of the unknown type '" + type + "'");
}

// ---- The whole

std::vector<AddedToken> added_tokens_of(const TokenizerFields& file) {
  std::vector<AddedToken> tokens;
  if (!file.has("added_tokens")) return tokens;
  for (const TokenizerFields& each : file.objects("added_tokens")) {
    AddedToken token;
    token.content = each.text("content");
    token.is_single_word = each.flag("single_word");
    token.strips_left = each.flag("lstrip");
    token.strips_right = each.flag("rstrip");
    token.is_normalized = each.flag("normalized");
    token.is_special = each.flag("special");
    tokens.push_back(std::move(token));
  }
  return tokens;
}

TokenizerParts read_parts(const TokenizerFields& file) {
  TokenizerParts parts;
  if (file.text("version", "1.0") != "1.0") file.fail_field("version", "is not '1.0'");
  const auto read = [&](const char* key, std::span<const JsonType> types, const char* sequence) {
    if (file.has(key)) add_by_type(types, sequence, file.object(key), parts);
  };
  read("normalizer", normalizer_types, "normalizers");
  read("pre_tokenizer", pre_tokenizer_types, "pretokenizers");
  read("post_processor", processor_types, "processors");
  read("decoder", decoder_types, "decoders");
  auto model = model_of(file.object("model"), parts.writing);
  if (!model) file.fail_field("model", "cannot be used: " + model.error().message);
  parts.model = std::move(*model);
  auto added = AddedTokens::make(added_tokens_of(file), parts.model->pieces(), parts.normalizer);
  if (!added) file.fail_field("added_tokens", "cannot be used: " + added.error().message);
  parts.added = std::move(*added);
  parts.special_ids.unk = parts.model->unknown();
  return parts;
}

}  // namespace

const Regex& words_pattern() {
  static const Regex pattern = [] {
    const std::string word =
        R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169})"
        R"(\x{1f170}-\x{1f189}\x{200c}\x{200d})";
    return Regex::pattern("[" + word + R"(]+|[^\s)" + word + "]+").value();
  }();
  return pattern;
}

Result<TokenizerParts> parse_tokenizer_json(std::string_view text) {
  return parse_json(text).and_then(
      [&](const Json& json) { return read_fields(json, text.size(), "it cannot be read", "", read_parts); });
}

}  // namespace headscope
