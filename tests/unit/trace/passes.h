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

/// A small request about the animal, to be changed by a test.
Request small_request();

/// Any stacks, sizes, positions, masks, options and sentences (1 to 14 tokens), in a batch now and then;
/// valid by construction.
Request random_request(std::mt19937& random);

int between(std::mt19937& random, int low, int high);
bool coin(std::mt19937& random);

/// All numbers of a stage now minus those before.
inline Result<OwnedMatrix> difference(const Trace& now, const Trace& before, const StageId& id) {
  return source_of_difference({now, id, before, id}).map([](const NumberSourcePtr& source) {
    return all_numbers(source->extent(), [&](const StageWindow& window) { return source->read(window); });
  });
}

}  // namespace headscope::testing
