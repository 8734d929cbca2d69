#include "app/cli/session_figure.h"

#include <algorithm>
#include <utility>

#include "core/checkpoint/scene_file.h"
#include "core/session/action.h"

namespace headscope {
namespace {

std::vector<Metadata> with_command(const Session& session, const FigureSize& size, const std::string& out) {
  const FigureCommand command = figure_command(session, size, out);
  std::vector<Metadata> metadata{{"Software", "headscope"}};
  if (!command.left_out.empty()) metadata.push_back({left_out_key, listed(command.left_out)});
  metadata.push_back({"Command", command.text});
  return metadata;
}

std::vector<Metadata> without_command() {
  return {{"Software", "headscope"},
          {left_out_key,
           "everything: the sentences were cut to what fits in memory, and render takes only whole ones"}};
}

/// Whether the memory limit cut the sentence of a pass.
bool was_cut(const Trace& trace) {
  const auto n_longest = std::max(trace.tokens(Stack::encoder).size(), trace.tokens(Stack::decoder).size());
  return trace.tokens_in_sentence() != static_cast<int>(n_longest);
}

}  // namespace

std::vector<Metadata> metadata_of_command(const PageInputs& shown, const FigureSize& size,
                                          const std::string& out) {
  const Session& session = shown.session;
  const Trace& trace = *shown.trace;
  for (const SubjectPass& held : shown.held) {
    if (held.trace && was_cut(*held.trace)) return without_command();
  }
  if (!was_cut(trace)) return with_command(session, size, out);
  if (trace.architecture().has_cross() || trace.batch().n_sequences > 1) return without_command();
  std::string computed;
  for (const Token& token : trace.tokens()) computed += (computed.empty() ? "" : " ") + token.text;
  const Session cut = reduce(session, SetSentence{computed});
  if (texts_of(cut).sentence() == trace.tokens()) return with_command(cut, size, out);
  return without_command();
}

Metadata metadata_of_scene(const Session& session) {
  auto scene = scene_text(session);
  return scene ? Metadata{scene_key, std::move(*scene)} : Metadata{scene_left_out_key, scene.error().message};
}

std::vector<Metadata> metadata_of(const PageInputs& shown, const FigureSize& size, const std::string& out) {
  std::vector<Metadata> metadata = metadata_of_command(shown, size, out);
  metadata.push_back(metadata_of_scene(shown.session));
  return metadata;
}

}  // namespace headscope
