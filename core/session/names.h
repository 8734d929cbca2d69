#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/session.h"

namespace headscope {

/// The names of an enumeration's values in files, in the order of the values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> names_of{};

template <>
inline constexpr std::array<std::string_view, 4> names_of<TokenizerKind>{"word", "seed1", "model", "ids"};
template <>
inline constexpr std::array<std::string_view, 7> names_of<Positions>{
    "none", "sinusoidal", "split", "learned", "rotary", "relative", "alibi"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<Stacks>{"encoder", "decoder", "encoder-decoder",
                                                                  "cross"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<Stack>{"encoder", "decoder"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<AttentionKind>{"self", "cross"};
template <>
inline constexpr std::array<std::string_view, 5> names_of<Norm>{"none", "pre", "post", "output", "both"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<NormKind>{"layer", "rms"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<Activation>{"relu", "gelu", "gelu-tanh", "silu"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Block>{"sequential", "parallel", "parallel-shared"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<RotaryPairing>{"interleaved", "halves"};
template <>
inline constexpr std::array<std::string_view, 5> names_of<RotaryScaling>{"none", "linear", "ntk", "yarn",
                                                                         "llama3"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<OutputLayer>{"none", "linear", "tied"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Init>{"normal", "xavier", "scaled"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<SoftmaxAxis>{"keys", "queries"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<SequentialMap>{"headscope", "viridis", "cividis",
                                                                         "grays"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<DivergingMap>{"headscope", "blue_orange",
                                                                        "purple_green"};
template <>
inline constexpr std::array<std::string_view, 5> names_of<RangeMode>{"usual", "row", "map", "all_heads",
                                                                     "fixed"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Transfer>{"linear", "logarithmic", "gamma"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<ThemeName>{"light", "dark"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<MeasuredOn>{"sentence", "random", "task"};
template <>
inline constexpr std::array<std::string_view, 4> names_of<Combine>{"none", "mean", "max", "rollout"};
template <>
inline constexpr std::array<std::string_view, 3> names_of<Pattern>{"own", "uniform", "held"};
template <>
inline constexpr std::array<std::string_view, 5> names_of<PatchSource>{"zero", "held", "mean",
                                                                       "position-mean", "scaled"};
template <>
inline constexpr std::array<std::string_view, 2> names_of<CacheNumbers>{"float32", "16bit"};
template <>
inline constexpr std::array<std::string_view, 21> names_of<PageName>{
    "explore", "stages",  "heads",   "model",   "positions", "words",     "split",
    "train",   "compare", "effects", "lines",   "tiles",     "decoding",  "textbooks",
    "scale",   "by-hand", "watch",   "lessons", "experts",   "inspector", "worksheet"};

/// Checks that each of these enumerations has exactly one name for each of its values.
template <class... Enums>
consteval bool all_are_named() {
  return ((names_of<Enums>.size() == enum_count<Enums> && !names_of<Enums>.back().empty()) && ...);
}
static_assert(all_are_named<TokenizerKind, Positions, Stacks, Stack, AttentionKind, Norm, NormKind,
                            Activation, Block, RotaryPairing, RotaryScaling, OutputLayer, Init, SoftmaxAxis,
                            SequentialMap, DivergingMap, RangeMode, Transfer, ThemeName, PageName,
                            CacheNumbers, Pattern, PatchSource, MeasuredOn, Combine>(),
              "one name for each value, in their order");

/// Converts a value to its name and back. enum_from_name() returns nullopt for an unknown name.
template <class Enum>
constexpr std::string_view enum_name(Enum value) {
  return names_of<Enum>[static_cast<std::size_t>(value)];
}
template <class Enum>
constexpr std::optional<Enum> enum_from_name(std::string_view name) {
  const auto found = std::ranges::find(names_of<Enum>, name);
  if (found == names_of<Enum>.end()) return std::nullopt;
  return static_cast<Enum>(found - names_of<Enum>.begin());
}

}  // namespace headscope
