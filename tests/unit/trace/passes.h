#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "core/engine/engine.h"
#include "core/trace/explain.h"
#include "core/trace/number_source.h"

namespace headscope::testing {

inline constexpr const char* animal = "The animal didn't cross the street because it was too tired";

/// The trace of a request that must succeed.
std::shared_ptr<const Trace> pass(const Request& request);

/// A small request for the sentence about the animal, which tests modify.
Request small_request();

/// A random valid request: any stacks, sizes, positions, masks, options and sentences (1 to 14 tokens),
/// sometimes in a batch.
Request random_request(std::mt19937& random);

int between(std::mt19937& random, int low, int high);
bool coin(std::mt19937& random);

/// All numbers of a stage of `now` minus those of `before`.
inline Result<OwnedMatrix> difference(const Trace& now, const Trace& before, const StageId& id) {
  return difference_source({now, id, before, id}).map([](const NumberSourcePtr& source) {
    return all_numbers(source->extent(), [&](const StageWindow& window) { return source->read(window); });
  });
}

}  // namespace headscope::testing
