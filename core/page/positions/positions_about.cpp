#include "core/page/positions/positions_about.h"

#include <string>

#include "core/enum_count.h"
#include "core/trace/number_text.h"

namespace headscope {
namespace {

struct About {
  const char* title;
  const char* formula;
  const char* sentence;
};

constexpr auto abouts = one_for_each<Positions, About>(
    About{"No positions", "X = E",
          "Only the words enter the model, so it cannot tell one order from another."},
    About{
        "Sinusoidal, interleaved", "P[t, 2i] = sin(t / 10000^(2i/d))   P[t, 2i + 1] = cos(same)",
        "Each pair of dimensions is a sine and a cosine of one wavelength, short on the left and long on the right; a position's row is added to the word's embedding."},
    About{
        "Sinusoidal, split halves", "P[t, i] = sin(t / 10000^(i/(h − 1)))   P[t, h + i] = cos(same)",
        "The same waves, with all sines in the left half (h = d/2 columns) and all cosines in the right: hence the split down the centre of the well-known picture."},
    About{
        "Learned", "P[t] = row t of a table",
        "Every position has its own row of numbers, learned in training. Before training they are random; the table ends at 1024 positions."},
    About{
        "Rotary", "",  // The formula depends on the kind of rotation.
        "Nothing is added: each pair of numbers in a query or key is rotated by an angle that grows with the position, so that their product depends only on the distance."},
    About{
        "Relative", "score[q, k] + b[head, k − q]",
        "Each head adds one learned number per distance between query and key to a score; distances of 16 or more share one number."},
    About{"ALiBi", "score[q, k] − m · |k − q|",
          "Each head lowers a score in proportion to the distance, with its own fixed slope m."});

/// For example, "(q[i], q[i + 8]) rotated by t / 500000^(2i/16), and so is k".
std::string rotary_formula(const Architecture& a) {
  const Rotary& rotary = a.rotary;
  const int turned = turned_width(rotary, a.head_width());
  const std::string pair = rotary.pairing == RotaryPairing::halves
                               ? "(q[i], q[i + " + std::to_string(turned / 2) + "])"
                               : "(q[2i], q[2i + 1])";
  const std::string n = rotary.fraction == 1.0F ? "d_head" : std::to_string(turned);
  return pair + " rotated by t / " + number_text(rotary.base) + "^(2i/" + n + "), and so is k";
}

std::string buckets_sentence(int n_buckets) {
  return "Each head adds one of " + std::to_string(n_buckets) +
         " learned numbers to a score: distances between query and key fall into buckets, which grow with the distance up to " +
         std::to_string(max_bucket_distance) +
         ". In an encoder, half of them are for keys before the query; in a decoder, all of them.";
}

/// Describes how scaling changes the angles. Empty without scaling.
std::string scaling_sentence(const Rotary& rotary, bool has_latent) {
  const std::string s = number_text(rotary.factor);
  if (!rotary.divisors.empty()) {
    return "LongRoPE divides the angles of each pair by a number of its own, which came with the model, and lengthens every pair by √(1 + ln " +
           s + " / ln " + std::to_string(rotary.original_length) + ").";
  }
  switch (rotary.scaling) {
    case RotaryScaling::none:
      return {};
    case RotaryScaling::linear:
      return "Linear scaling divides every angle by " + s + ", as if the positions lay closer together.";
    case RotaryScaling::ntk:
      return "NTK-aware scaling makes the base larger, so that the slowest pair turns " + s +
             " times as slowly and the fastest as fast as before.";
    case RotaryScaling::yarn:
      return "YaRN divides the angles of pairs that turn less than once in " +
             std::to_string(rotary.original_length) + " positions by " + s +
             ", and keeps those that turn more than 32 times; in between the share grows evenly from pair to pair, as in Hugging Face’s models. " +
             (has_latent
                  ? "It multiplies all scores by (0.1 ln " + s +
                        " + 1)², as in DeepSeek-V3: most of a key comes from the latent and does not turn."
                  : "It lengthens every pair by 0.1 ln " + s + " + 1.");
    case RotaryScaling::llama3:
      return "Llama 3’s scaling divides the angles of pairs that turn less than once in " +
             std::to_string(rotary.original_length) + " positions by " + s +
             ", and keeps those that turn more than 4 times; in between the share grows with the number of turns.";
  }
  return {};
}

}  // namespace

void positions_about(PageText& page, const Architecture& architecture) {
  const About& about = abouts[index_of(architecture.positions)];
  const std::string formula = architecture.rotates() ? rotary_formula(architecture) : about.formula;
  page.line({{about.title, Font::sans_bold, page_size::title, page.theme().text},
             {formula, Font::mono, page_size::control, page.theme().text}},
            16.0F);
  const bool has_buckets = architecture.positions == Positions::relative && architecture.relative_buckets;
  page.paragraph(has_buckets ? buckets_sentence(*architecture.relative_buckets) : about.sentence, {},
                 page_size::body);
  if (!architecture.rotates()) return;
  if (const std::string scaling =
          scaling_sentence(architecture.rotary_of_global_layers(), architecture.kv_latent.has_value());
      !scaling.empty())
    page.paragraph(scaling, {}, page_size::body);
  if (architecture.rotary.local_base > 0.0F && architecture.sliding_window)
    page.paragraph("Layers with the sliding window turn by a base of " +
                       number_text(architecture.rotary.local_base) + ", without a scaling.",
                   {}, page_size::body);
}

}  // namespace headscope
