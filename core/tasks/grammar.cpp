#include "core/tasks/grammar.h"

#include <algorithm>

namespace headscope {
namespace {

int slot_of(char name) {
  return name - 'A';
}

bool is_slot(char name) {
  return name >= 'A' && name <= 'C';
}

/// Fills a Grammar from the tables; words get their ids as they come.
class GrammarCompiler {
 public:
  Grammar compile() {
    for (const std::string_view word : {"[pad]", "[blank]"}) id_of(word);
    for (int i = 0; i < Grammar::n_placeholders; ++i) id_of("[new" + std::to_string(i) + "]");
    add_kinds();
    add_function_words();
    for (const Rule& rule : rules()) {
      const int index = static_cast<int>(grammar_.rule_index.size());
      grammar_.rule_index.emplace(rule.name, index);
    }
    for (const Rule& rule : rules()) {
      grammar_.rules.emplace_back();
      for (const std::string_view text : split_text(rule.alternatives, '|'))
        grammar_.rules.back().push_back(phrase_of(text));
    }
    add_facts();
    for (const Frame& frame : frames()) add_frame(frame);
    return std::move(grammar_);
  }

 private:
  int id_of(std::string_view word) {
    const auto [entry, is_new] = ids_.try_emplace(std::string(word), static_cast<int>(grammar_.words.size()));
    if (is_new) grammar_.words.emplace_back(word);
    return entry->second;
  }

  std::vector<int> ids_of(std::string_view words, char separator) {
    std::vector<int> ids;
    for (const std::string_view word : split_text(words, separator)) ids.push_back(id_of(word));
    return ids;
  }

  void add_kinds() {
    for (const NounKind& kind : noun_kinds())
      grammar_.kinds.push_back({kind.pronoun, ids_of(kind.words, ' '), ids_of(kind.adjectives, ' ')});
  }

  void add_function_words() {
    FunctionWords& f = grammar_.function;
    f.comma = id_of(",");
    f.period = id_of(".");
    f.the = id_of("the");
    f.a = id_of("a");
    f.an = id_of("an");
    f.was = id_of("was");
    f.were = id_of("were");
    f.is = id_of("is");
    f.are = id_of("are");
    f.subject = {id_of("it"), id_of("he"), id_of("she"), id_of("they")};
    f.object = {id_of("it"), id_of("him"), id_of("her"), id_of("them")};
  }

  void add_facts() {
    for (const Fact& fact : facts())
      grammar_.facts.push_back({id_of(fact.subject), ids_of(fact.attributes, '|'), fact.is_plural});
  }

  Piece piece_of(std::string_view text) {
    using Kind = Piece::Kind;
    Piece piece;
    if (text.starts_with('*')) {
      piece.is_key = true;
      text.remove_prefix(1);
    }
    const auto of_kind = [&](Kind kind, int value = 0) { return Piece{kind, value, piece.is_key}; };
    if (text == ",") return of_kind(Kind::comma);
    if (text == "P") return of_kind(Kind::meant);
    if (text == "X") return {Kind::decider, 0, true};
    if (text == "BE") return of_kind(Kind::be);
    if (text == "NEG") return of_kind(Kind::neg);
    if (text == "DIDNT") return of_kind(Kind::didnt);
    if (text == "FACT") return of_kind(Kind::fact);
    if (text.size() == 1 && is_slot(text[0])) return of_kind(Kind::noun, slot_of(text[0]));
    if (text.size() == 2 && is_slot(text[1]) && (text[0] == 'P' || text[0] == 'O'))
      return of_kind(text[0] == 'P' ? Kind::subject : Kind::object, slot_of(text[1]));
    if (text.starts_with('<'))
      return of_kind(Kind::rule, grammar_.rule_index.at(text.substr(1, text.size() - 2)));
    return of_kind(Kind::word, id_of(text));
  }

  Phrase phrase_of(std::string_view text) {
    Phrase phrase;
    if (text.empty()) return phrase;
    for (const std::string_view piece : split_text(text, ' ')) phrase.push_back(piece_of(piece));
    return phrase;
  }

  std::vector<int> kinds_of(std::string_view names) const {
    std::vector<int> indices;
    if (names.empty()) return indices;
    const std::span<const NounKind> all = noun_kinds();
    for (const std::string_view name : split_text(names, ' ')) {
      const auto found =
          std::find_if(all.begin(), all.end(), [&](const NounKind& kind) { return kind.name == name; });
      indices.push_back(static_cast<int>(found - all.begin()));
    }
    return indices;
  }

  int rule_of(std::string_view name) const { return name.empty() ? -1 : grammar_.rule_index.at(name); }

  void add_frame(const Frame& frame) {
    CompiledFrame made;
    made.source = &frame;
    made.phrase = phrase_of(frame.text);
    made.b_is_kind_of_a = frame.b == "=";
    made.kinds = {kinds_of(frame.a), made.b_is_kind_of_a ? kinds_of(frame.a) : kinds_of(frame.b),
                  kinds_of(frame.c)};
    made.decides_a = rule_of(frame.decides_a);
    made.decides_b = rule_of(frame.decides_b);
    for (const Piece& piece : made.phrase) {
      if (piece.kind == Piece::Kind::neg) made.present_share = 0.3;
      if (piece.kind == Piece::Kind::fact) made.present_share = 0.8;
    }
    grammar_.drawn_frames.insert(grammar_.drawn_frames.end(), static_cast<std::size_t>(frame.weight),
                                 static_cast<int>(grammar_.frames.size()));
    grammar_.frames.push_back(std::move(made));
  }

  Grammar grammar_;
  std::unordered_map<std::string, int> ids_;
};

}  // namespace

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Grammar compile_grammar() {
  return GrammarCompiler().compile();
}

}  // namespace headscope
