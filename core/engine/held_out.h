#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// A sentence that training never draws. `target` is for tasks with two stacks.
struct HeldOutText {
  std::string sentence, target;
};

/// The words with these ids, separated by spaces.
std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

/// `n` held-out texts, the same for the same seed: minimal pairs for the pronouns, drawn examples for the
/// other tasks.
std::vector<HeldOutText> held_out_texts(TaskKind kind, int n, std::uint64_t seed);

}  // namespace headscope
