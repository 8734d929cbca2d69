#include "app/cli/commands.h"

#include "app/cli/option_values.h"
#include "core/engine/engine.h"

namespace headscope {

Result<std::shared_ptr<const Trace>> computed_trace(const Session& session) {
  if (texts_of(session).sentence().empty()) {
    return wrong_value("--sentence", session.sentence, "it has no words: give at least one");
  }
  Engine engine;
  return engine.compute(request_of(session), TooLong::refuse);
}

}  // namespace headscope
