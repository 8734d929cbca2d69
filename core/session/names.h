#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/session.h"

namespace headscope {

/// The names of an enumeration's values in files, in the order of the values.
template <class Enum>
inline constexpr std::array<std::string_view, 0> names_of{};
/// Exactly one name for each value.
template <class Enum>
consteval auto one_name_each(const std::convertible_to<std::string_view> auto&... names) {
  return make_enum_table<Enum, std::string_view>(names...);
}

template <>
inline constexpr auto names_of<TokenizerKind> = one_name_each<TokenizerKind>("word", "seed1", "model", "ids");
template <>
inline constexpr auto names_of<Positions> = one_name_each<Positions>("none", "sinusoidal", "split", "learned",
                                                                     "rotary", "relative", "alibi");
template <>
inline constexpr auto names_of<Stacks> = one_name_each<Stacks>("encoder", "decoder", "encoder-decoder",
                                                               "cross");
template <>
inline constexpr auto names_of<Stack> = one_name_each<Stack>("encoder", "decoder");
template <>
inline constexpr auto names_of<AttentionKind> = one_name_each<AttentionKind>("self", "cross");
template <>
inline constexpr auto names_of<Norm> = one_name_each<Norm>("none", "pre", "post", "output", "both");
template <>
inline constexpr auto names_of<NormKind> = one_name_each<NormKind>("layer", "rms");
template <>
inline constexpr auto names_of<Activation> = one_name_each<Activation>("relu", "gelu", "gelu-tanh", "silu");
template <>
inline constexpr auto names_of<Block> = one_name_each<Block>("sequential", "parallel", "parallel-shared");
template <>
inline constexpr auto names_of<RotaryPairing> = one_name_each<RotaryPairing>("interleaved", "halves");
template <>
inline constexpr auto names_of<RotaryScaling> = one_name_each<RotaryScaling>("none", "linear", "ntk", "yarn",
                                                                             "llama3");
template <>
inline constexpr auto names_of<OutputLayer> = one_name_each<OutputLayer>("none", "linear", "tied");
template <>
inline constexpr auto names_of<Init> = one_name_each<Init>("normal", "xavier", "scaled");
template <>
inline constexpr auto names_of<SoftmaxAxis> = one_name_each<SoftmaxAxis>("keys", "queries");
template <>
inline constexpr auto names_of<SequentialMap> = one_name_each<SequentialMap>("headscope", "viridis",
                                                                             "cividis", "grays");
template <>
inline constexpr auto names_of<DivergingMap> = one_name_each<DivergingMap>("headscope", "blue_orange",
                                                                           "purple_green");
template <>
inline constexpr auto names_of<RangeMode> = one_name_each<RangeMode>("usual", "row", "map", "all_heads",
                                                                     "fixed");
template <>
inline constexpr auto names_of<Transfer> = one_name_each<Transfer>("linear", "logarithmic", "gamma");
template <>
inline constexpr auto names_of<ThemeName> = one_name_each<ThemeName>("light", "dark");
template <>
inline constexpr auto names_of<MeasuredOn> = one_name_each<MeasuredOn>("sentence", "random", "task");
template <>
inline constexpr auto names_of<Combine> = one_name_each<Combine>("none", "mean", "max", "rollout");
template <>
inline constexpr auto names_of<Pattern> = one_name_each<Pattern>("own", "uniform", "held");
template <>
inline constexpr auto names_of<PatchSource> = one_name_each<PatchSource>("zero", "held", "mean",
                                                                         "position-mean", "scaled");
template <>
inline constexpr auto names_of<CacheNumbers> = one_name_each<CacheNumbers>("float32", "16bit");
template <>
inline constexpr auto names_of<PageName> = one_name_each<PageName>("explore", "stages", "heads", "model",
                                                                   "positions", "words", "split", "train",
                                                                   "compare", "effects", "lines", "tiles",
                                                                   "decoding", "textbooks", "scale",
                                                                   "by-hand", "watch", "lessons", "experts",
                                                                   "inspector", "worksheet");

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
