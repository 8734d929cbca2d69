#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/tasks/task.h"

namespace headscope {

/// A sentence that training never draws. `target`: of tasks with two stacks.
struct HeldOutText {
  std::string sentence, target;
};

/// The words of these ids with spaces between them.
std::string text_of(const Vocabulary& vocabulary, const std::vector<int>& ids);

/// n of them, the same for the same seed: of the pronouns, minimal pairs; of the others, drawn ones.
std::vector<HeldOutText> held_out_texts(TaskKind kind, int n, std::uint64_t seed);

}  // namespace headscope
