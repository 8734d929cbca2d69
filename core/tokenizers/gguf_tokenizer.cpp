#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/text/utf8.h"
#include "core/tokenizers/open_tokenizer.h"
#include "core/tokenizers/sentencepiece_model.h"
#include "core/tokenizers/subword_model.h"
#include "core/tokenizers/tokenizer_files.h"
#include "core/tokenizers/tokenizer_parts.h"
#include "core/tokenizers/tokenizer_steps.h"

namespace headscope {
namespace {

using Kind = ScoredPiece::Kind;

std::string tokenizer_key(std::string_view name) {
  return "tokenizer.ggml." + std::string(name);
}

/// A piece for messages, truncated.
std::string short_name(std::string_view text) {
  constexpr std::size_t max_bytes = 80;
  return valid_utf8(text.substr(0, max_bytes));
}

/// The pieces with their scores and kinds, or defaults if missing.
std::vector<ScoredPiece> pieces_in(const Gguf& file) {
  const std::vector<std::string_view> texts = file.texts(tokenizer_key("tokens"));
  const std::vector<double> scores = file.numbers(tokenizer_key("scores"));
  const std::vector<double> kinds = file.numbers(tokenizer_key("token_type"));
  if (texts.empty()) refuse(failure("it has no list tokenizer.ggml.tokens"));
  for (const auto& [name, size] :
       {std::pair("scores", scores.size()), std::pair("token_type", kinds.size())}) {
    if (size == 0 || size == texts.size()) continue;
    refuse(failure("its list " + tokenizer_key(name) + " has " + std::to_string(size) +
                   " entries, but there are " + std::to_string(texts.size()) + " tokens"));
  }
  std::vector<ScoredPiece> pieces;
  pieces.reserve(texts.size());
  for (std::size_t id = 0; id < texts.size(); ++id) {
    if (valid_utf8(texts[id]) != texts[id])
      refuse(failure("its token " + std::to_string(id) + " is not UTF-8"));
    const double kind = kinds.empty() ? 1.0 : kinds[id];
    if (!(kind >= 1.0 && kind <= 6.0))
      refuse(failure("its token " + std::to_string(id) + " has an unknown token_type"));
    pieces.push_back({std::string(texts[id]), scores.empty() ? 0.0F : static_cast<float>(scores[id]),
                      static_cast<Kind>(static_cast<int>(kind))});
  }
  return pieces;
}

using RoleKey = std::pair<const char*, const char*>;
/// The names of special_roles, and the keys of their ids. One of them is misspelt in the GGUF specification.
constexpr std::array role_keys{RoleKey{"bos", "bos_token_id"},       RoleKey{"eos", "eos_token_id"},
                               RoleKey{"unk", "unknown_token_id"},   RoleKey{"sep", "seperator_token_id"},
                               RoleKey{"sep", "separator_token_id"}, RoleKey{"pad", "padding_token_id"},
                               RoleKey{"cls", "cls_token_id"},       RoleKey{"mask", "mask_token_id"}};

/// The special tokens, and whether texts begin and end with one.
ModelConfiguration configuration_in(const Gguf& file, const std::vector<ScoredPiece>& pieces) {
  ModelConfiguration configuration;
  for (const auto& [role, key] : role_keys) {
    const auto id = file.whole(tokenizer_key(key));
    if (id && *id < pieces.size() && !pieces[*id].text.empty())
      configuration.tokens.emplace(role, special_token(pieces[*id].text));
  }
  for (const char* name : {"add_bos_token", "add_eos_token"}) {
    if (const auto flag = file.flag(tokenizer_key(name))) configuration.flags[name] = *flag;
  }
  return configuration;
}

/// The pieces of a sentencepiece model. Its algorithm and what it does with spaces are not set.
SentencePieceModel scored_model(const Gguf& file, const std::vector<ScoredPiece>& pieces) {
  if (file.numbers(tokenizer_key("scores")).empty()) refuse(failure("it has no list tokenizer.ggml.scores"));
  const auto is_of = [](Kind kind) {
    return [kind](const ScoredPiece& piece) { return piece.kind == kind; };
  };
  SentencePieceModel model;
  model.pieces = pieces;
  // Files may omit the id of the unknown piece, and some also give its type to padding.
  const auto first = std::ranges::find_if(pieces, is_of(Kind::unknown)) - pieces.begin();
  const auto otherwise = static_cast<std::size_t>(first) < pieces.size() ? first : 0;
  const std::size_t unknown =
      file.whole(tokenizer_key("unknown_token_id")).value_or(static_cast<std::uint64_t>(otherwise));
  for (ScoredPiece& piece : model.pieces) {
    if (piece.kind == Kind::unknown) piece.kind = Kind::control;
  }
  if (unknown < pieces.size()) model.pieces[unknown].kind = Kind::unknown;
  model.falls_back_to_bytes = std::ranges::any_of(pieces, is_of(Kind::byte));
  // These pieces have plain spaces, but are matched after spaces have become ▁.
  for (ScoredPiece& piece : model.pieces) {
    if (piece.kind == Kind::user_defined) replace_all(piece.text, " ", "▁");
  }
  return model;
}

TokenizerParts sentencepiece_of(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                                const ModelConfiguration& configuration) {
  SentencePieceModel model = scored_model(file, pieces);
  model.algorithm = SentencePieceModel::Algorithm::bpe;
  // Gemma was trained without a prefix space, but not all files say so.
  const bool is_gemma = file.text("general.architecture").value_or("").starts_with("gemma");
  model.adds_dummy_prefix = file.flag(tokenizer_key("add_space_prefix")).value_or(!is_gemma);
  model.removes_extra_spaces = false;
  ModelConfiguration of_llama = configuration;
  of_llama.family = "llama";
  return sentencepiece_parts(std::move(model), of_llama).value();
}

/// Unigram, whose texts end with a token and, in XLM-RoBERTa, also begin with one. Its pieces are already in
/// the order of the model's ids.
TokenizerParts unigram_of(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                          const ModelConfiguration& configuration) {
  SentencePieceModel model = scored_model(file, pieces);
  model.algorithm = SentencePieceModel::Algorithm::unigram;
  model.sums_doubles = true;
  const GgufValue* const replacements = file.find(tokenizer_key("precompiled_charsmap"));
  if (const auto* const bytes = replacements == nullptr ? nullptr : std::get_if<GgufList>(replacements)) {
    auto map = Charsmap::parse(bytes->bytes);
    if (!map)
      refuse(failure("its tokenizer.ggml.precompiled_charsmap cannot be read: " + map.error().message));
    model.map = std::move(*map);
  }
  model.adds_dummy_prefix = file.flag(tokenizer_key("add_space_prefix")).value_or(true);
  model.removes_extra_spaces = file.flag(tokenizer_key("remove_extra_whitespaces")).value_or(true);
  ModelConfiguration as_llama = configuration;
  as_llama.family = "llama";
  as_llama.flags.emplace("add_bos_token", false);
  as_llama.flags.emplace("add_eos_token", true);
  return sentencepiece_parts(std::move(model), as_llama).value();
}

/// A pre-tokenizer for byte-level BPE, with its names in tokenizer.ggml.pre.
struct SplitRecord {
  std::vector<std::string_view> names;
  std::vector<const char*> patterns;  ///< Each splits the parts of the previous one
  bool composes = false;              ///< Whether texts are normalized to NFC.
  bool ignores_merges = false;
  bool adds_bos = false;
};

/// Mistral's Tekken: like GPT-4o's pattern, but contractions and digits are separate.
constexpr const char* tekken_split =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// Youtu's: like GPT-4o's, but digits are separate.
constexpr const char* youtu_split =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// Kimi's: Chinese is split from other scripts.
constexpr const char* kimi_split =
    R"(\p{Han}+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The words of DeepSeek-LLM: letters that are small or capital, as Unicode had them then.
constexpr const char* deepseek_letters =
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF})"
    R"(\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1})"
    R"(\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"
    R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A})"
    R"(\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B})"
    R"(\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107})"
    R"(\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134})"
    R"(\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4})"
    R"(\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787})"
    R"(\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"
    R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2})"
    R"(\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)";

const std::vector<SplitRecord>& split_records() {
  constexpr const char* chinese = "[一-龥ࠀ-一가-퟿]+";
  constexpr const char* bloom_split = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
  static const std::vector<SplitRecord> records{
      {{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", gpt2_split, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
      {{"gpt-2", "phi-2", "roberta-bpe", "jais", "exaone4", "trillion", "granite-docling", "gigachat",
        "a.x-4.0", "mellum", "jina-es", "jina-de", "jina-v1-en", "jina-v2-es", "jina-v2-de", "jina-v2-code"},
       {gpt2_split}},
      {{"olmo", "mpt", "modern-bert"}, {gpt2_split}, true},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2",
        "jina-v5-nano"},
       {gpt4_split},
       false,
       true,
       true},
      {{"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {gpt4_split}},
      {{"gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"}, {o200k_split}},
      {{"granite-embed-multi-97m"}, {o200k_split}, false, true},
      {{"tiny_aya", "cohere2moe"}, {R"(\d{1,3}(?=(?:\d{3})*\b))", o200k_split}},
      {{"youtu"},
       {"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|[一-龥぀-ゟ゠-ヿ]+",
        youtu_split},
       false,
       true},
      {{"kimi-k2"}, {kimi_split}},
      {{"tekken"}, {tekken_split}, false, true, true},
      {{"qwen2", "deepseek-r1-qwen", "megrez", "kormo", "f2llmv2"}, {qwen2_split}, true},
      {{"qwen35"},
       {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)"
        R"(\s*[\r\n]+|\s+(?!\S)|\s+)"},
       true},
      {{"stablelm2", "hunyuan", "grok-2", "solar-open"}, {qwen2_split}},
      {{"bailingmoe", "bailingmoe2", "llada-moe"},
       {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|)"
        R"(\s+(?!\S)|\s+)"}},
      {{"seed-coder"},
       {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|)"
        R"(\s+(?!\S)|\s+)"}},
      {{"starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b", "mellum2"},
       {R"(\p{N})", gpt2_split}},
      {{"falcon"}, {R"([\p{P}\$\+<=>\^~\|`]+)", gpt2_split, "[0-9][0-9][0-9]"}},
      {{"poro-chat", "bloom", "gpt3-finnish"}, {bloom_split}},
      {{"viking"}, {bloom_split, R"(\p{N})"}},
      {{"deepseek-llm"},
       {R"([\r\n])", deepseek_letters, R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)", R"(\s+$)", chinese, R"(\p{N}+)"}},
      {{"deepseek-coder"}, {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", chinese, R"(\p{N})"}},
      {{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
       {R"(\p{N}{1,3})", "[一-龥぀-ゟ゠-ヿ]+",
        R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
        R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"}}};
  return records;
}

const SplitRecord& split_record_in(const Gguf& file) {
  const std::string_view name = file.text(tokenizer_key("pre")).value_or("default");
  std::string known;
  for (const SplitRecord& record : split_records()) {
    for (const std::string_view each : record.names) {
      if (each == name) return record;
      known.append(known.empty() ? "" : ", ").append(each);
    }
  }
  refuse(failure("its tokenizer.ggml.pre is “" + short_name(name) +
                 "”, whose way to split texts is not supported; those that are: " + known));
}

std::vector<std::pair<std::string, std::string>> merges_in(const Gguf& file) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (const std::string_view merge : file.texts(tokenizer_key("merges"))) {
    // A piece may itself begin with a space.
    const std::size_t space = merge.find(' ', 1);
    if (space == std::string_view::npos)
      refuse(failure("its merge " + std::to_string(merges.size() + 1) + ", “" + short_name(merge) +
                     "”, is not two pieces separated by a space"));
    merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  if (merges.empty()) refuse(failure("it has no list tokenizer.ggml.merges"));
  return merges;
}

/// Adds begin and end tokens if the file requests them.
PostProcessor processor_in(const ModelConfiguration& configuration, const PieceTable& pieces, bool adds_bos) {
  std::vector<int> begin, end;
  for (const auto& [role, is_added, ids] :
       {std::tuple("bos", configuration.flag("add_bos_token", adds_bos), &begin),
        std::tuple("eos", configuration.flag("add_eos_token", false), &end)}) {
    if (!is_added) continue;
    const auto token = configuration.tokens.find(role);
    const auto id = token == configuration.tokens.end() ? std::nullopt : pieces.find(token->second.content);
    if (!id) refuse(failure("it adds a token to texts, but has no " + tokenizer_key(role) + "_token_id"));
    *ids = {*id};
  }
  if (begin.empty() && end.empty()) return PostProcessor();
  return make_post_processor(begin, end);
}

TokenizerParts byte_level_of(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                             const ModelConfiguration& configuration) {
  const SplitRecord& record = split_record_in(file);
  const auto merges = merges_in(file);
  std::vector<std::pair<std::string, int>> list;
  std::vector<AddedToken> added;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const ScoredPiece& piece = pieces[id];
    list.emplace_back(piece.text, static_cast<int>(id));
    const bool is_special = piece.kind == Kind::control || piece.kind == Kind::unknown;
    if ((!is_special && piece.kind != Kind::user_defined) || piece.text.empty()) continue;
    added.push_back(special_token(piece.text));
    added.back().is_special = is_special;
  }
  MergeBpeOptions options;
  options.ignores_merges = record.ignores_merges;
  TokenizerParts parts;
  parts.model = make_merge_bpe(PieceTable::make(std::move(list)).value(), merges, std::move(options)).value();
  if (record.composes) parts.normalizer = {unicode_form(true, false)};
  for (const char* const each : record.patterns)
    parts.pre_tokenizer.push_back(split_at_matches(Regex::pattern(each).value()));
  parts.pre_tokenizer.push_back(
      byte_level(file.flag(tokenizer_key("add_space_prefix")).value_or(false), false));
  parts.decoder = {decode_byte_letters()};
  parts.writing.has_byte_letters = true;
  parts.post_processor = processor_in(configuration, parts.model->pieces(), record.adds_bos);
  parts.added = AddedTokens::make(added, parts.model->pieces(), parts.normalizer).value();
  if (file.find(tokenizer_key("pre")) == nullptr)
    parts.doubt =
        "The file does not say how its tokenizer splits texts (tokenizer.ggml.pre): they are split as llama.cpp "
        "does by default, so tokens may differ from those of the model";
  return parts;
}

/// Converts a piece to the notation of vocab.txt: GGUF files prefix word-initial pieces with ▁ and omit ##
/// elsewhere; names in brackets are unchanged.
std::string word_piece_of(const std::string& piece) {
  constexpr std::string_view mark = "▁";
  const bool is_name = piece.starts_with('[') && piece.ends_with(']') && piece.size() > 1;
  if (is_name) return piece;
  const bool is_word = piece.starts_with(mark) && piece.size() > mark.size();
  return is_word ? piece.substr(mark.size()) : "##" + piece;
}

TokenizerParts word_piece_from(const Gguf& /*file*/, const std::vector<ScoredPiece>& pieces,
                               const ModelConfiguration& configuration) {
  std::vector<std::string> list;
  list.reserve(pieces.size());
  for (const ScoredPiece& piece : pieces)
    list.push_back(piece.kind == Kind::normal ? word_piece_of(piece.text) : piece.text);
  return word_piece_parts(std::move(list), configuration);
}

/// A value of tokenizer.ggml.model, and the function that makes its tokenizers.
using AlgorithmRecord =
    std::pair<std::string_view, TokenizerParts (*)(const Gguf& file, const std::vector<ScoredPiece>& pieces,
                                                   const ModelConfiguration& configuration)>;
constexpr std::array algorithm_records{
    AlgorithmRecord{"llama", sentencepiece_of}, AlgorithmRecord{"gpt2", byte_level_of},
    AlgorithmRecord{"bert", word_piece_from}, AlgorithmRecord{"t5", unigram_of}};

}  // namespace

Result<std::shared_ptr<const ModelTokenizer>> gguf_tokenizer(const Gguf& file) {
  const auto name = file.text(tokenizer_key("model"));
  if (!name) return failure("its metadata has no tokenizer.ggml.model");
  const auto* const record = std::ranges::find(algorithm_records, *name, &AlgorithmRecord::first);
  if (record == algorithm_records.end()) {
    return failure("its tokenizer.ggml.model is “" + short_name(*name) +
                   "”, but only llama, gpt2, bert and t5 are supported");
  }
  return result_of([&] {
    const std::vector<ScoredPiece> pieces = pieces_in(file);
    const ModelConfiguration configuration = configuration_in(file, pieces);
    TokenizerParts parts = record->second(file, pieces, configuration);
    parts.special_ids = special_ids_of(parts, configuration);
    return std::make_shared<const ModelTokenizer>(std::move(parts));
  });
}

}  // namespace headscope
