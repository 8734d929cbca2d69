#include "core/tokenizers/sentencepiece_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/little_endian.h"
#include "core/text/utf8.h"
#include "core/tokenizers/prefix_trie.h"
#include "core/tokenizers/subword_model.h"

namespace headscope {
namespace {

/// A field of a protocol buffers message.
struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  ///< A number, or the bits of a float.
  std::string_view bytes;   ///< A text or a message.
  bool has_bytes = false;
};

/// Calls `each(field)` for every field of a message. `offset` is the offset of
/// the message in the file, for error messages.
template <class Each>
void for_fields(std::string_view in, std::size_t offset, Each&& each) {
  std::size_t at = 0;
  const auto cut_off = [&] {
    return failure("it is not a sentencepiece model, or it is cut off: a field at byte " +
                   std::to_string(offset + at) + " does not end within it");
  };
  const auto varint = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at < in.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(in[at++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  };
  while (at < in.size()) {
    const auto key = varint();
    if (!key) refuse(cut_off());
    ProtoField field;
    field.number = *key >> 3U;
    const std::uint64_t wire_type = *key & 7U;
    if (wire_type == 0 || wire_type == 2) {  // a number, or the length of bytes
      const auto value = varint();
      if (!value || (wire_type == 2 && *value > in.size() - at)) refuse(cut_off());
      field.value = wire_type == 0 ? *value : 0;
      field.has_bytes = wire_type == 2;
      if (field.has_bytes) field.bytes = in.substr(at, static_cast<std::size_t>(*value));
      at += field.bytes.size();
    } else if (wire_type == 1 || wire_type == 5) {  // 8 or 4 bytes
      const std::size_t size = wire_type == 5 ? 4 : 8;
      if (in.size() - at < size) refuse(cut_off());
      field.value = little_endian(in.substr(at, size));
      at += size;
    } else {
      refuse(failure("it is not a sentencepiece model: the field at byte " + std::to_string(offset + at) +
                     " has an unknown wire type"));
    }
    each(field);
  }
}

ScoredPiece scored_piece_of(std::string_view bytes, std::size_t offset) {
  constexpr int text_field = 1, score_field = 2, kind_field = 3;
  ScoredPiece piece;
  std::uint64_t kind = 1;
  for_fields(bytes, offset, [&](const ProtoField& field) {
    if (field.number == text_field) piece.text = field.bytes;
    if (field.number == score_field)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
    if (field.number == kind_field) kind = field.value;
  });
  const std::string place = "the piece at byte " + std::to_string(offset);
  if (kind < 1 || kind > 6) refuse(failure(place + " is of the unknown kind " + std::to_string(kind)));
  if (valid_utf8(piece.text) != piece.text) refuse(failure(place + " is not UTF-8"));
  piece.kind = static_cast<ScoredPiece::Kind>(kind);
  return piece;
}

void read_trainer(std::string_view bytes, std::size_t offset, SentencePieceModel& to) {
  constexpr int algorithm_field = 3, space_suffix_field = 24, byte_fallback_field = 35, surface_field = 44;
  for_fields(bytes, offset, [&](const ProtoField& field) {
    if (field.number == algorithm_field) {
      if (field.value == 3 || field.value == 4)
        refuse(failure(std::string("sentencepiece models of the type ") +
                       (field.value == 3 ? "word" : "char") + " are not supported, but unigram and bpe are"));
      if (field.value != 1 && field.value != 2)
        refuse(failure("the model type " + std::to_string(field.value) + " is unknown"));
      to.algorithm = static_cast<SentencePieceModel::Algorithm>(field.value);
    }
    if (field.number == space_suffix_field) to.has_space_suffix = field.value != 0;
    if (field.number == byte_fallback_field) to.falls_back_to_bytes = field.value != 0;
    if (field.number == surface_field) to.unknown_surface = valid_utf8(field.bytes);
  });
}

void read_normalizer(std::string_view bytes, std::size_t offset, SentencePieceModel& to) {
  constexpr int map_field = 2, prefix_field = 3, extra_field = 4, escape_field = 5;
  for_fields(bytes, offset, [&](const ProtoField& field) {
    if (field.number == map_field) to.map = Charsmap::parse(field.bytes).value();
    if (field.number == prefix_field) to.adds_dummy_prefix = field.value != 0;
    if (field.number == extra_field) to.removes_extra_spaces = field.value != 0;
    if (field.number == escape_field) to.escapes_spaces = field.value != 0;
  });
}

constexpr std::array sentencepiece_families{
    TokenizerFamily{""},
    TokenizerFamily{"llama mistral mixtral", SpecialLayout::llama},
    TokenizerFamily{"gemma gemma2 gemma3text", SpecialLayout::llama, "<bos>"},
    TokenizerFamily{"t5 mt5 umt5", SpecialLayout::t5},
    TokenizerFamily{"xlmroberta", SpecialLayout::fairseq},
    TokenizerFamily{"debertav2", SpecialLayout::bert, "[CLS]"}};

/// Reorders pieces as in fairseq: <s> <pad> </s> <unk>, then those from the fourth on, then <mask>.
void reorder_as_fairseq(std::vector<ScoredPiece>& pieces) {
  using Kind = ScoredPiece::Kind;
  std::vector<ScoredPiece> reordered{{"<s>", 0.0F, Kind::control},
                                     {"<pad>", 0.0F, Kind::control},
                                     {"</s>", 0.0F, Kind::control},
                                     {"<unk>", 0.0F, Kind::unknown}};
  constexpr std::size_t n_own = 3;  // <unk> <s> </s>
  for (std::size_t i = n_own; i < pieces.size(); ++i) reordered.push_back(std::move(pieces[i]));
  reordered.push_back({"<mask>", 0.0F, Kind::control});
  pieces = std::move(reordered);
}

int special_piece(const PieceTable& pieces, const AddedToken& token) {
  const auto id = pieces.find(token.content);
  if (!id) refuse(failure("the vocabulary has no '" + token.content + "', which this kind of model needs"));
  return *id;
}

PostProcessor special_layout(const TokenizerFamily& family, const PieceTable& pieces,
                             const ModelConfiguration& configuration) {
  if (family.layout == SpecialLayout::none) return {};
  const bool is_fairseq = family.layout == SpecialLayout::fairseq;
  const bool is_llama = family.layout == SpecialLayout::llama;
  const bool is_bert = family.layout == SpecialLayout::bert;
  for (const std::string name : {"do_lower_case", "split_by_punct"})
    if (is_bert && configuration.flag(name, false))
      refuse(failure(name + " is true, but with a sentencepiece model, only false is supported"));
  const bool has_cls = is_fairseq || is_bert;
  const auto ids_of = [&](const char* role, const char* of_cls, std::string_view otherwise) {
    const AddedToken token = configuration.token(has_cls ? of_cls : role, std::string(otherwise));
    return std::vector{special_piece(pieces, token)};
  };
  std::vector<int> begin, end;
  if (has_cls || (is_llama && configuration.flag("add_bos_token", true)))
    begin = ids_of("bos", "cls", family.bos);
  if (!is_llama || configuration.flag("add_eos_token", false))
    end = ids_of("eos", "sep", is_bert ? "[SEP]" : family.bos == "<bos>" ? "<eos>" : "</s>");
  return make_post_processor(begin, end);
}

/// The tokens that a family matches in texts: control pieces, and those of the configuration.
AddedTokens special_tokens_of(const TokenizerFamily& family, const std::vector<AddedToken>& controls,
                              const TokenizerParts& parts, const ModelConfiguration& configuration) {
  if (family.layout == SpecialLayout::none) return {};
  std::vector<AddedToken> tokens;
  std::unordered_set<std::string> known;
  const auto add = [&](const AddedToken& token) {
    if (known.insert(token.content).second) tokens.push_back(token);
  };
  for (const AddedToken& each : configuration.added) add(each);
  for (const auto& [role, token] : configuration.tokens) add(token);
  for (const AddedToken& control : controls) add(control);
  if (family.layout == SpecialLayout::bert) add(special_token("[MASK]"));
  const int n_extra = family.layout == SpecialLayout::t5
                          ? configuration.extra_ids.value_or(configuration.family == "t5" ? 100 : 0)
                          : 0;
  constexpr int max_extra_ids = 10'000;
  for (int i = std::min(n_extra, max_extra_ids) - 1; i >= 0; --i)
    add(special_token("<extra_id_" + std::to_string(i) + ">"));
  for (const AddedToken& token : configuration.additional) add(token);
  return AddedTokens::make(tokens, parts.model->pieces(), parts.normalizer).value();
}

}  // namespace

Result<SentencePieceModel> parse_sentencepiece(std::string_view bytes) {
  constexpr int pieces_field = 1, trainer_field = 2, normalizer_field = 3;
  return result_of([&] {
    SentencePieceModel model;
    for_fields(bytes, 0, [&](const ProtoField& field) {
      if (field.number < 1 || field.number > 5) return;
      if (!field.has_bytes) refuse(failure("it is not a sentencepiece model"));
      const auto place = static_cast<std::size_t>(field.bytes.data() - bytes.data());
      if (field.number == pieces_field) model.pieces.push_back(scored_piece_of(field.bytes, place));
      if (field.number == trainer_field) read_trainer(field.bytes, place, model);
      if (field.number == normalizer_field) read_normalizer(field.bytes, place, model);
    });
    if (model.pieces.empty()) refuse(failure("it is not a sentencepiece model: it has no pieces"));
    return model;
  });
}

void apply_tokenizer_class(TokenizerParts& parts, const ModelConfiguration& configuration) {
  const auto* const family = std::ranges::find_if(
      sentencepiece_families, [&](const TokenizerFamily& each) { return each.has(configuration); });
  const bool is_class = configuration.family_as_written.find("Tokenizer") != std::string::npos;
  const bool says =
      configuration.flags.contains("add_bos_token") || configuration.flags.contains("add_eos_token");
  if (family == sentencepiece_families.end() || family->layout != SpecialLayout::llama || !is_class || !says)
    return;
  parts.post_processor = special_layout(*family, parts.model->pieces(), configuration);
}

Result<TokenizerParts> sentencepiece_parts(SentencePieceModel model,
                                           const ModelConfiguration& configuration) {
  return result_of([&] {
    const TokenizerFamily& family = family_in(sentencepiece_families, configuration, "a sentencepiece model");
    using Kind = ScoredPiece::Kind;
    if (family.layout == SpecialLayout::fairseq) reorder_as_fairseq(model.pieces);
    std::vector<PrefixTrie::Entry> users;
    std::vector<AddedToken> controls;
    std::string unknown;
    for (const ScoredPiece& piece : model.pieces) {
      if (piece.kind == Kind::user_defined) users.emplace_back(piece.text, 1);
      if (piece.kind == Kind::control || piece.kind == Kind::unknown)
        controls.push_back(special_token(piece.text));
      if (piece.kind == Kind::unknown) unknown = piece.text;
    }
    TokenizerParts parts;
    parts.normalizer = {sentencepiece_normalization({std::move(model.map), PrefixTrie(std::move(users)),
                                                     model.adds_dummy_prefix, model.removes_extra_spaces,
                                                     model.escapes_spaces, model.has_space_suffix})};
    parts.decoder = {decode_sentencepiece({model.adds_dummy_prefix || model.removes_extra_spaces,
                                           model.removes_extra_spaces, unknown, model.unknown_surface})};
    parts.writing.space_mark = "▁";
    parts.model =
        (model.algorithm == SentencePieceModel::Algorithm::bpe
             ? make_score_bpe(std::move(model.pieces), model.falls_back_to_bytes)
             : make_scored_unigram(std::move(model.pieces), model.falls_back_to_bytes, model.sums_doubles))
            .value();
    parts.post_processor = special_layout(family, parts.model->pieces(), configuration);
    parts.added = special_tokens_of(family, controls, parts, configuration);
    return parts;
  });
}

}  // namespace headscope
