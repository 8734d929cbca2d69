#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/model_option.h"
#include "app/cli/session_options.h"
#include "core/model/trained_model.h"

namespace headscope {
namespace {

/// Prints a line per token: its index, id and text, preceded by `lead`. With a vocabulary, the ids are the
/// vocabulary's, and a token that it does not know is followed by the word that is read instead.
void print_tokens(std::vector<Token> tokens, const Vocabulary* vocabulary, const std::string& lead,
                  std::ostream& out) {
  if (vocabulary != nullptr) vocabulary->assign_ids(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    out << lead << i << '\t' << tokens[i].id << '\t' << tokens[i].text;
    if (vocabulary != nullptr && !vocabulary->knows(tokens[i])) {
      out << "\tunknown: " << vocabulary->word(tokens[i].id);
    }
    out << '\n';
  }
}

}  // namespace

Result<void> run_tokenize(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const bool has_vocabulary = o.has(setting("model")) && trained_model_of(o);
  const Vocabulary* vocabulary = has_vocabulary ? &session->model->vocabulary : nullptr;
  const bool whole_batch = o.has(setting("batch")) && !o.has(setting("sequence"));
  const Texts texts = texts_of(*session);
  if (!whole_batch) {
    print_tokens(texts.sentence(), vocabulary, "", out);
    return {};
  }
  for (std::size_t i = 0; i < session->batch.size(); ++i) {
    print_tokens(texts.of_batch(static_cast<int>(i)), vocabulary, std::to_string(i) + "\t", out);
  }
  return {};
}

}  // namespace headscope
