#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tasks/frames.h"
#include "core/tasks/lexicon.h"
#include "core/tasks/noun_kinds.h"

namespace headscope {

/// A file of assets/grammar that the build embeds in the program.
struct TableFile {
  std::string_view name;  ///< The file name without its extension.
  std::string_view text;  ///< JSON
};
/// The embedded files, ordered by name.
std::span<const TableFile> table_files();

struct IrregularNoun {
  std::string one, many;
};
struct IrregularVerb {
  std::string base, past, participle;
};

/// The English of the generated sentences, as assets/README.md describes it.
struct Tables {
  /// The frames in which certain words decide, and those without a pronoun.
  std::vector<SentenceFrame> scripts;
  /// The frames in which what can be said of a noun decides, or its pronoun, or its place.
  std::vector<SentenceFrame> open_frames;
  std::vector<Rule> rules;
  std::vector<Fact> facts;
  std::vector<NounKind> noun_kinds;
  std::vector<KindSet> kind_sets;
  std::vector<Saying> sayings;
  std::vector<LexiconAction> actions;
  std::vector<IrregularNoun> irregular_nouns;
  std::vector<IrregularVerb> irregular_verbs;
};

/// Reads the embedded files at the first call. They are part of the program: one that lacks a table or a
/// field ends it with an exception that names what is missing.
const Tables& tables();

}  // namespace headscope
