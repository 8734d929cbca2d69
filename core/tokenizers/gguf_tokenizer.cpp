#include "core/tokenizers/gguf_tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text/utf8.h"
#include "core/tokenizers/bpe.h"
#include "core/tokenizers/model_configuration.h"
#include "core/tokenizers/pre_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/tokenizer_parts.h"
#include "core/tokenizers/vocabulary_files.h"

namespace headscope {
namespace {

using Kind = ScoredPiece::Kind;

std::string tokenizer_key(std::string_view name) {
  return "tokenizer.ggml." + std::string(name);
}

/// A piece of at most so many letters, for messages.
std::string short_name(std::string_view text) {
  constexpr std::size_t most = 80;
  return valid_utf8(text.substr(0, most));
}

/// The pieces with their scores and kinds, or with the default ones if the file does not list any.
Result<std::vector<ScoredPiece>> pieces_in(const Gguf& file) {
  const std::vector<std::string_view> texts = file.texts(tokenizer_key("tokens"));
  const std::vector<double> scores = file.numbers(tokenizer_key("scores"));
  const std::vector<double> kinds = file.numbers(tokenizer_key("token_type"));
  if (texts.empty()) return failure("it has no list tokenizer.ggml.tokens");
  for (const auto& [name, size] :
       {std::pair("scores", scores.size()), std::pair("token_type", kinds.size())}) {
    if (size == 0 || size == texts.size()) continue;
    return failure("its list " + tokenizer_key(name) + " has " + std::to_string(size) +
                   " entries, but there are " + std::to_string(texts.size()) + " tokens");
  }
  std::vector<ScoredPiece> pieces;
  pieces.reserve(texts.size());
  for (std::size_t id = 0; id < texts.size(); ++id) {
    if (valid_utf8(texts[id]) != texts[id])
      return failure("its token " + std::to_string(id) + " is not UTF-8");
    const double kind = kinds.empty() ? 1.0 : kinds[id];
    if (!(kind >= 1.0 && kind <= 6.0))
      return failure("its token " + std::to_string(id) + " has an unknown token_type");
    pieces.push_back({std::string(texts[id]), scores.empty() ? 0.0F : static_cast<float>(scores[id]),
                      static_cast<Kind>(static_cast<int>(kind))});
  }
  return pieces;
}

struct RoleKey {
  const char* role;  ///< The role's name in special_roles.
  const char* key;
};
/// The keys of the special tokens' ids. One of them is misspelt in GGUF itself.
constexpr std::array role_keys{RoleKey{"bos", "bos_token_id"},       RoleKey{"eos", "eos_token_id"},
                               RoleKey{"unk", "unknown_token_id"},   RoleKey{"sep", "seperator_token_id"},
                               RoleKey{"sep", "separator_token_id"}, RoleKey{"pad", "padding_token_id"},
                               RoleKey{"cls", "cls_token_id"},       RoleKey{"mask", "mask_token_id"}};

AddedToken added_token(const std::string& content, bool is_special) {
  AddedToken token;
  token.content = content;
  token.is_special = is_special;
  token.is_normalized = false;
  return token;
}

/// The tokens with a role, and whether texts begin and end with one.
ModelConfiguration configuration_in(const Gguf& file, const std::vector<ScoredPiece>& pieces) {
  ModelConfiguration configuration;
  for (const RoleKey& each : role_keys) {
    const auto id = file.whole(tokenizer_key(each.key));
    if (id && *id < pieces.size() && !pieces[*id].text.empty())
      configuration.tokens.emplace(each.role, added_token(pieces[*id].text, true));
  }
  for (const char* name : {"add_bos_token", "add_eos_token"}) {
    if (const auto flag = file.flag(tokenizer_key(name))) configuration.flags[name] = *flag;
  }
  return configuration;
}

using MadeParts = Result<TokenizerParts>;

std::string with_marks_for_spaces(std::string_view text) {
  std::string marked;
  for (const char letter : text) marked += letter == ' ' ? std::string("▁") : std::string(1, letter);
  return marked;
}

MadeParts sentencepiece_of(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                           const ModelConfiguration& configuration) {
  if (file.numbers(tokenizer_key("scores")).empty()) return failure("it has no list tokenizer.ggml.scores");
  const auto is_of = [](Kind kind) {
    return [kind](const ScoredPiece& piece) { return piece.kind == kind; };
  };
  SentencePieceModel model;
  model.pieces = pieces;
  // A file need not say which piece is the unknown one. Some files give its type to padding, too.
  const auto first = std::ranges::find_if(pieces, is_of(Kind::unknown)) - pieces.begin();
  const auto otherwise = static_cast<std::size_t>(first) < pieces.size() ? first : 0;
  const std::size_t unknown =
      file.whole(tokenizer_key("unknown_token_id")).value_or(static_cast<std::uint64_t>(otherwise));
  for (ScoredPiece& piece : model.pieces) {
    if (piece.kind == Kind::unknown) piece.kind = Kind::control;
  }
  if (unknown < pieces.size()) model.pieces[unknown].kind = Kind::unknown;
  model.algorithm = SentencePieceModel::Algorithm::bpe;
  model.falls_back_to_bytes = std::ranges::any_of(pieces, is_of(Kind::byte));
  // Files spell these pieces with plain spaces, but spaces in a text are already ▁ when it is searched for
  // them.
  for (ScoredPiece& piece : model.pieces) {
    if (piece.kind == Kind::user_defined) piece.text = with_marks_for_spaces(piece.text);
  }
  // Gemma was trained without a space before the text, but not all of its files say so.
  const bool is_gemma = file.text("general.architecture").value_or("").starts_with("gemma");
  model.adds_dummy_prefix = file.flag(tokenizer_key("add_space_prefix")).value_or(!is_gemma);
  model.removes_extra_spaces = false;
  ModelConfiguration of_llama = configuration;
  of_llama.family = "llama";
  return sentencepiece_parts(std::move(model), of_llama);
}

/// A way of splitting texts before byte-level BPE, with its names in tokenizer.ggml.pre.
struct SplitRecord {
  std::vector<std::string_view> names;
  std::vector<const char*> patterns;  ///< Each splits what those before it left.
  bool composes = false;              ///< Whether texts are normalized to NFC.
  bool ignores_merges = false;
  bool adds_bos = false;
};

const std::vector<SplitRecord>& split_records() {
  static const std::vector<SplitRecord> records{
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", gpt2_split, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
      {{"gpt-2", "phi-2", "olmo", "mpt", "roberta-bpe"}, {gpt2_split}},
      {{"llama-bpe", "llama3", "llama-v3"}, {gpt4_split}, false, true, true},
      {{"dbrx", "smaug-bpe"}, {gpt4_split}},
      {{"qwen2", "deepseek-r1-qwen"}, {qwen2_split}, true},
      {{"stablelm2"}, {qwen2_split}},
      {{"starcoder", "refact", "command-r", "smollm", "codeshell"}, {R"(\p{N})", gpt2_split}},
      {{"falcon"}, {R"([\p{P}\$\+<=>\^~\|`]+)", gpt2_split, "[0-9][0-9][0-9]"}},
      {{"deepseek-coder"},
       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[一-龥ࠀ-一가-퟿]+", R"(\p{N})"}}};
  return records;
}

Result<const SplitRecord*> split_record_in(const Gguf& file) {
  const std::string_view name = file.text(tokenizer_key("pre")).value_or("default");
  std::string known;
  for (const SplitRecord& record : split_records()) {
    for (const std::string_view each : record.names) {
      if (each == name) return &record;
      known.append(known.empty() ? "" : ", ").append(each);
    }
  }
  return failure("its tokenizer.ggml.pre is “" + short_name(name) +
                 "”, whose way to split texts is not supported; those that are: " + known);
}

Result<std::vector<std::pair<std::string, std::string>>> merges_in(const Gguf& file) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (const std::string_view merge : file.texts(tokenizer_key("merges"))) {
    // A piece may itself begin with a space.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos) {
      return failure("its merge " + std::to_string(merges.size() + 1) + ", “" + short_name(merge) +
                     "”, is not two pieces separated by a space");
    }
    merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  if (merges.empty()) return failure("it has no list tokenizer.ggml.merges");
  return merges;
}

/// Adds the tokens for the beginning and the end of texts if the file asks for them.
Result<PostProcessor> around_texts(const ModelConfiguration& configuration, const PieceTable& pieces,
                                   bool adds_bos) {
  PostProcessor processor;
  std::vector<int> begin;
  std::vector<int> end;
  for (const auto& [role, is_added, ids] :
       {std::tuple("bos", configuration.flag("add_bos_token", adds_bos), &begin),
        std::tuple("eos", configuration.flag("add_eos_token", false), &end)}) {
    if (!is_added) continue;
    const auto token = configuration.tokens.find(role);
    const auto id = token == configuration.tokens.end() ? std::nullopt : pieces.find(token->second.content);
    if (!id) return failure("it adds a token to texts, but has no " + tokenizer_key(role) + "_token_id");
    *ids = {*id};
  }
  if (begin.empty() && end.empty()) return processor;
  processor.single = {{{}, begin, 0}, {0, {}, 0}, {{}, end, 0}};
  processor.pair = {{{}, begin, 0}, {0, {}, 0}, {{}, end, 0}, {{}, begin, 1}, {1, {}, 1}, {{}, end, 1}};
  return processor;
}

MadeParts byte_level_of(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                        const ModelConfiguration& configuration) {
  const auto record = split_record_in(file);
  if (!record) return tl::unexpected(record.error());
  const auto merges = merges_in(file);
  if (!merges) return tl::unexpected(merges.error());
  std::vector<std::pair<std::string, int>> list;
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const ScoredPiece& piece = pieces[id];
    list.emplace_back(piece.text, static_cast<int>(id));
    const bool is_special = piece.kind == Kind::control || piece.kind == Kind::unknown;
    if ((is_special || piece.kind == Kind::user_defined) && !piece.text.empty())
      added.push_back(added_token(piece.text, is_special));
  }
  auto table = PieceTable::make(std::move(list));
  if (!table) return tl::unexpected(table.error());
  MergeBpeOptions options;
  options.ignores_merges = (*record)->ignores_merges;
  options.name = "byte-level BPE";
  auto model = make_merge_bpe(std::move(*table), *merges, std::move(options));
  if (!model) return tl::unexpected(model.error());
  TokenizerParts parts;
  parts.model = std::move(*model);
  if ((*record)->composes) parts.normalizer = {unicode_form(true, false)};
  for (const char* const each : (*record)->patterns) {
    auto pattern = Regex::pattern(each);
    if (!pattern) return tl::unexpected(pattern.error());
    parts.pre_tokenizer.push_back(split_at_matches(std::move(*pattern)));
  }
  parts.pre_tokenizer.push_back(
      byte_level(file.flag(tokenizer_key("add_space_prefix")).value_or(false), false));
  parts.decoder = {decode_byte_letters()};
  parts.writing.has_byte_letters = true;
  auto processor = around_texts(configuration, parts.model->pieces(), (*record)->adds_bos);
  if (!processor) return tl::unexpected(processor.error());
  parts.post_processor = std::move(*processor);
  auto tokens = AddedTokens::make(added, parts.model->pieces(), parts.normalizer);
  if (!tokens) return tl::unexpected(tokens.error());
  parts.added = std::move(*tokens);
  return parts;
}

/// A piece in the spelling of vocab.txt. GGUF files put ▁ before pieces that begin a word and omit the ## of
/// pieces that continue one; names in brackets are unchanged.
std::string word_piece_of(const std::string& piece) {
  constexpr std::string_view mark = "▁";
  const bool is_name = piece.starts_with('[') && piece.ends_with(']') && piece.size() > 1;
  if (is_name) return piece;
  const bool is_word = piece.starts_with(mark) && piece.size() > mark.size();
  return is_word ? piece.substr(mark.size()) : "##" + piece;
}

MadeParts word_piece_from(const Gguf& /*file*/, const std::vector<ScoredPiece>& pieces,
                          const ModelConfiguration& configuration) {
  std::vector<std::string> list;
  list.reserve(pieces.size());
  for (const ScoredPiece& piece : pieces)
    list.push_back(piece.kind == Kind::normal ? word_piece_of(piece.text) : piece.text);
  return word_piece_parts(std::move(list), configuration);
}

struct AlgorithmRecord {
  std::string_view name;  ///< tokenizer.ggml.model
  MadeParts (*make)(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                    const ModelConfiguration& configuration);
};
constexpr std::array algorithm_records{AlgorithmRecord{"llama", sentencepiece_of},
                                       AlgorithmRecord{"gpt2", byte_level_of},
                                       AlgorithmRecord{"bert", word_piece_from}};

}  // namespace

Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file) {
  const auto name = file.text(tokenizer_key("model"));
  if (!name) return failure("its metadata has no tokenizer.ggml.model");
  const auto* const record = std::ranges::find(algorithm_records, *name, &AlgorithmRecord::name);
  if (record == algorithm_records.end()) {
    return failure("its tokenizer.ggml.model is “" + short_name(*name) +
                   "”, but only llama, gpt2 and bert are supported");
  }
  auto pieces = pieces_in(file);
  if (!pieces) return tl::unexpected(pieces.error());
  const ModelConfiguration configuration = configuration_in(file, *pieces);
  auto parts = record->make(file, *pieces, configuration);
  if (!parts) return tl::unexpected(parts.error());
  parts->special_ids = special_ids_of(*parts, configuration);
  return std::make_shared<const ModelTokenizer>(std::move(*parts));
}

}  // namespace headscope
