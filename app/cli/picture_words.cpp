#include "app/cli/picture_words.h"

#include <algorithm>

#include "app/cli/option_values.h"

namespace headscope {

Result<PictureOptions> with_colors(PictureOptions picture, const std::string& given) {
  for (const std::string_view name : split(given, ',')) {
    const auto sequential = std::ranges::find(names_of<SequentialMap>, name);
    const auto diverging = std::ranges::find(names_of<DivergingMap>, name);
    const bool is_sequential = sequential != names_of<SequentialMap>.end();
    const bool is_diverging = diverging != names_of<DivergingMap>.end();
    if (!is_sequential && !is_diverging) {
      return wrong_value("--colors", given,
                         "it takes headscope, viridis, cividis, grays, blue_orange or purple_green");
    }
    if (is_sequential) {
      picture.sequential = static_cast<SequentialMap>(sequential - names_of<SequentialMap>.begin());
    }
    if (is_diverging) {
      picture.diverging = static_cast<DivergingMap>(diverging - names_of<DivergingMap>.begin());
    }
  }
  return picture;
}

Result<PictureOptions> with_range(PictureOptions picture, const std::string& given) {
  const auto ends = split(given, ':');
  if (ends.size() == 2) {
    const auto low = parse_double(ends[0]);
    const auto high = parse_double(ends[1]);
    const bool fits = low && high && *low < *high && *low >= -max_fixed_range && *high <= max_fixed_range;
    if (!fits) return wrong_value("--range", given, "LOW:HIGH takes two numbers, the lower one first");
    picture.range = RangeMode::fixed;
    picture.fixed_low = *low;
    picture.fixed_high = *high;
    return picture;
  }
  const auto mode = choice<RangeMode>("--range", given);
  if (!mode || *mode == RangeMode::fixed) {
    return wrong_value("--range", given, "it takes map, row, all_heads or LOW:HIGH");
  }
  picture.range = *mode;
  return picture;
}

Result<PictureOptions> with_transfer(PictureOptions picture, const std::string& given) {
  constexpr std::string_view gamma_prefix = "gamma:";
  if (given.starts_with(gamma_prefix)) {
    const auto gamma = parse_double(std::string_view(given).substr(gamma_prefix.size()));
    const bool fits = gamma && static_cast<float>(*gamma) >= min_gamma && *gamma <= max_gamma;
    if (!fits) {
      return wrong_value(
          "--transfer", given,
          "gamma:G takes a number from " + number_word(min_gamma) + " to " + number_word(max_gamma));
    }
    picture.transfer = Transfer::gamma;
    picture.gamma = static_cast<float>(*gamma);
    return picture;
  }
  return choice<Transfer>("--transfer", given).map([&](Transfer transfer) {
    picture.transfer = transfer;
    return picture;
  });
}

}  // namespace headscope
