#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/session_options.h"

namespace headscope {

Result<void> run_tokenize(const CommandOptions& o, std::ostream& out) {
  const auto session = session_of(o);
  if (!session) return tl::unexpected(session.error());
  const auto tokens = tokenize(session->sentence, session->tokenizer);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    out << i << '\t' << tokens[i].id << '\t' << tokens[i].text << '\n';
  }
  return {};
}

}  // namespace headscope
