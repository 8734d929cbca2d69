#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/setting.h"

namespace headscope {

namespace control {

inline constexpr auto sequential_maps =
    make_enum_table<SequentialMap, std::string_view>("Headscope", "Viridis", "Cividis", "Grays");
inline constexpr auto diverging_maps =
    make_enum_table<DivergingMap, std::string_view>("Headscope", "Blue–orange", "Purple–green");
inline constexpr auto ranges =
    make_enum_table<RangeMode, std::string_view>("usual", "per row", "per map", "all heads", "fixed");
inline constexpr auto transfers = make_enum_table<Transfer, std::string_view>("linear", "log", "gamma");

inline bool predicts_next_words(const Session& s) {
  const Architecture& a = s.architecture;
  return s.model && a.last_stack() == Stack::decoder && a.output_layer != OutputLayer::none;
}

}  // namespace control

inline constexpr std::string_view picture_group = "Picture";
inline constexpr std::string_view word_group = "Next word";
inline constexpr std::string_view training_group = "Training";

/// Returns the smallest number above the low end of a fixed range.
double above_fixed_low(const Session& session);

namespace accessors {
template <auto member>
inline constexpr auto picture = accessor_of<&Session::picture, member>;
template <auto member>
inline constexpr auto sampling = accessor_of<&Session::sampling, member>;
template <auto member>
inline constexpr auto training = accessor_of<&Session::training, member>;
}  // namespace accessors

/// The settings of how numbers become colours.
inline constexpr std::array picture_settings{
    Setting{"picture.theme", "the theme", "--theme", "THEME", picture_group, "Light or dark colours", "",
            field::choice<&Session::picture, &PictureOptions::theme>()},
    Setting{"picture.sequential", "the colours of values from zero", "--colors", "", picture_group,
            "Colours for values from zero up; all are colour-blind safe", "",
            field::choice<&Session::picture, &PictureOptions::sequential>(),
            Control{.label = "weights", .names = control::sequential_maps, .is_dropdown = true}},
    Setting{"picture.diverging", "the colours of signed values", "--colors", "", picture_group,
            "Colours for values on both sides of zero; all are colour-blind safe", "",
            field::choice<&Session::picture, &PictureOptions::diverging>(),
            Control{.label = "signed", .names = control::diverging_maps, .is_dropdown = true}},
    Setting{"picture.range", "the range of the colours", "--range", "", picture_group,
            "The range of values that the colours span; the numbers themselves do not change", "",
            field::choice<&Session::picture, &PictureOptions::range>(),
            Control{.label = "colour range", .names = control::ranges, .is_dropdown = true}},
    Setting{"picture.fixed_low", "the low end of the range", "--range", "", picture_group,
            "The value that gets the first colour", "",
            field::Bound{accessors::picture<&PictureOptions::fixed_low>, -max_fixed_range, max_fixed_range}},
    Setting{"picture.fixed_high", "the high end of the range", "--range", "", picture_group,
            "The value that gets the last colour; signed maps run from −this to +this", "",
            field::Bound{accessors::picture<&PictureOptions::fixed_high>, -max_fixed_range, max_fixed_range,
                         above_fixed_low},
            Control{.label = "up to",
                    .low = 0.01,
                    .high = 100,
                    .logarithmic = true,
                    .applies = [](const Session& s) { return s.picture.range == RangeMode::fixed; }}},
    Setting{"picture.transfer", "the curve of the colours", "--transfer", "", picture_group,
            "How values are mapped to colours: log and gamma bring out small values", "",
            field::choice<&Session::picture, &PictureOptions::transfer>(),
            Control{.label = "transfer", .names = control::transfers}},
    Setting{"picture.gamma", "gamma", "--transfer", "", picture_group, "colour = share of the range ^ gamma",
            "", field::Real{accessors::picture<&PictureOptions::gamma>, min_gamma, max_gamma},
            Control{.label = "gamma",
                    .low = 0.2,
                    .high = 2,
                    .logarithmic = true,
                    .applies = [](const Session& s) { return s.picture.transfer == Transfer::gamma; }}},
    Setting{"picture.numbers", "the numbers in the cells", "--no-numbers", "", picture_group,
            "Numbers in the cells, where they fit; hovering always shows the full value", "",
            field::Flag{accessors::picture<&PictureOptions::numbers>, false},
            Control{.label = "Numbers in cells"}},
    Setting{"picture.details", "the details", "--details", "", picture_group,
            "Show token ids, shapes, sums in letters, paths of tensors and full digits", "",
            field::Flag{accessors::picture<&PictureOptions::details>}, Control{.label = "Details"}},
    Setting{"picture.all_numbers", "all numbers of a derivation", "--all-numbers", "", picture_group,
            "List every product and exponent of the number that the inspector explains", "",
            field::Flag{accessors::picture<&PictureOptions::all_numbers>},
            Control{.label = "All numbers of a derivation"}},
    Setting{"picture.line_threshold", "the smallest weight of a line", "--line-threshold", "W", picture_group,
            "Weights below this value get no line above the sentence", "",
            field::Real{accessors::picture<&PictureOptions::line_threshold>, 0.0F, 1.0F},
            Control{.label = "lines from", .low = 0, .high = 0.5}},
    Setting{
        "picture.surprise", "the surprise above the words", "--surprise", "", picture_group,
        "Write above each word how much it surprised a model that predicts next words: −log₂ of the probability that the model gave it, in bits",
        "", field::Flag{accessors::picture<&PictureOptions::surprise>},
        Control{.label = "Surprise above the words", .applies = control::predicts_next_words}},
    Setting{"picture.fits_diagram", "the size of the diagram", "--whole-diagram", "", picture_group,
            "Scale the model's diagram so that all of it fits on the page, even if its words become small",
            "", field::Flag{accessors::picture<&PictureOptions::readable_diagram>, false}},
};

inline constexpr std::array picture_options{
    SharedOption{
        "--colors", "MAP", picture_group,
        "headscope; viridis, cividis, grays for values from zero; blue_orange, purple_green for signed ones (headscope)"},
    SharedOption{
        "--range", "RANGE", picture_group,
        "Range of the colours: usual (0:1 for weights, else map), map, row, all_heads or LOW:HIGH (usual)"},
    SharedOption{"--transfer", "CURVE", picture_group, "linear, logarithmic, gamma or gamma:G (linear)"},
};

/// The settings of how the next word is chosen.
inline constexpr std::array sampling_settings{
    Setting{"sampling.greedy", "the choice of the next word", "--next-word", "HOW", word_group,
            "Greedy picks the likeliest word. Sample picks one at random by its probability", "",
            field::NamedFlag{accessors::sampling<&Sampling::greedy>, "sample", "greedy"}},
    Setting{"sampling.temperature", "the temperature of sampling", "--sampling-temperature", "T", word_group,
            "The logits are divided by it: below 1, likely words gain; above 1, all words become more equal",
            "",
            field::Real{accessors::sampling<&Sampling::temperature>, min_sampling_temperature,
                        max_sampling_temperature}},
    Setting{"sampling.top_k", "top-k", "--top-k", "K", word_group,
            "Sample only from this many of the likeliest words; 0: from all words", "",
            field::Integer{accessors::sampling<&Sampling::top_k>, 0, std::numeric_limits<int>::max()}},
    Setting{"sampling.top_p", "top-p", "--top-p", "P", word_group,
            "Sample only from the likeliest words that together reach this probability", "",
            field::Real{accessors::sampling<&Sampling::top_p>, 0.0F, 1.0F}},
    Setting{"sampling.seed", "the seed of sampling", "--sampling-seed", "N", word_group,
            "Seed of the sampling; the same seed samples the same words", "",
            field::Seed{accessors::sampling<&Sampling::seed>}},
};

/// The settings of what is learned, and how.
inline constexpr std::array training_settings{
    Setting{"task", "the task", "--task", "NAME", training_group,
            "What to learn: pronouns, copying or reversing", "", field::Text{accessor_of<&Session::task>}},
    Setting{"training.steps", "the training steps", "--steps", "N", training_group,
            "Total number of training steps, one batch each; the learning rate falls towards the last one",
            "", field::Integer{accessors::training<&TrainingSettings::steps>, 1, training_limits::max_steps},
            Control{.label = "steps", .low = 1, .high = 10000, .step = 50, .logarithmic = true}},
    Setting{"training.batch_size", "the batch size", "--batch-size", "N", training_group,
            "Sentences per training step", "",
            field::Integer{accessors::training<&TrainingSettings::batch_size>, 1,
                           training_limits::max_batch_size},
            Control{.label = "batch size", .low = 1, .high = 512, .logarithmic = true}},
    Setting{"training.learning_rate", "the learning rate", "--learning-rate", "R", training_group,
            "How far Adam moves per step, after a warm-up of 50 steps; if it is too high, the loss grows", "",
            field::Real{accessors::training<&TrainingSettings::learning_rate>,
                        training_limits::min_learning_rate, training_limits::max_learning_rate},
            Control{.label = "learning rate", .low = 1e-4, .high = 1, .decimals = 4, .logarithmic = true}},
};

}  // namespace headscope
