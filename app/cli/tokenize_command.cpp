#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/session_options.h"

namespace headscope {
namespace {

/// A line a token: index, id and text, each after `lead`.
void print_tokens(const std::string& sentence, TokenizerKind tokenizer, const std::string& lead,
                  std::ostream& out) {
  const auto tokens = tokenize(sentence, tokenizer);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    out << lead << i << '\t' << tokens[i].id << '\t' << tokens[i].text << '\n';
  }
}

}  // namespace

Result<void> run_tokenize(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const bool whole_batch = o.batch && !o.sequence;
  if (!whole_batch) {
    print_tokens(session->sentence, session->tokenizer, "", out);
    return {};
  }
  for (std::size_t i = 0; i < session->batch.size(); ++i) {
    print_tokens(session->batch[i], session->tokenizer, std::to_string(i) + "\t", out);
  }
  return {};
}

}  // namespace headscope
