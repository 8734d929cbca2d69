#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/model/architecture.h"
#include "core/model/attention_options.h"
#include "core/tensor/view.h"
#include "core/text/tokenizer.h"
#include "core/trace/stage.h"

namespace headscope {

struct Model;           // core/model/model.h: architecture and weights
struct ForwardBuffers;  // core/model/forward.h: the numbers of one pass

/// The ordered, named intermediates of one forward pass. Immutable once published: any thread may read it.
class Trace {
 public:
  struct Parts {
    std::shared_ptr<const Model> model;
    AttentionOptions options;
    CombinedMask mask;
    std::vector<Token> tokens;
    int tokens_in_sentence = 0;
    std::shared_ptr<const ForwardBuffers> buffers;
    double milliseconds = 0.0;
  };
  explicit Trace(Parts parts);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  const Architecture& architecture() const;
  const Model& model() const { return *parts_.model; }
  const AttentionOptions& options() const { return parts_.options; }
  const CombinedMask& mask() const { return parts_.mask; }
  const std::vector<Token>& tokens() const { return parts_.tokens; }
  /// Tokens that the sentence has; more than tokens() where the memory limit cut it.
  int tokens_in_sentence() const { return parts_.tokens_in_sentence; }
  int n_tokens() const { return static_cast<int>(parts_.tokens.size()); }
  /// Time of the forward pass, in milliseconds; measured.
  double milliseconds() const { return parts_.milliseconds; }

  /// Stages that this pass has, in the order in which they are computed, parameters before their use.
  std::vector<StageId> stages() const;
  bool has(const StageId& id) const;
  /// The numbers of a stage; empty where the pass has no such stage. The view lives as long as the trace.
  /// `contribution` is computed at the first call for its head and kept (thread-safe).
  MatrixView value(const StageId& id) const;

  /// "it" for a token axis, "17" for a dimension.
  std::string label(Axis axis, int index) const;

 private:
  struct Lazy;
  MatrixView contribution(int head) const;

  Parts parts_;
  std::unique_ptr<Lazy> lazy_;
};

/// The formula of a stage with this pass's options filled in ("raw / √16").
std::string formula(const Trace& trace, const StageId& id);

/// "[11 × 16]" with real sizes.
std::string shape_text(const MatrixView& view);

}  // namespace headscope
