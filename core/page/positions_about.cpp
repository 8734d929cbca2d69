#include "core/page/positions_about.h"

#include "core/enum_count.h"

namespace headscope {
namespace {

struct About {
  const char* title;
  const char* formula;
  const char* sentence;
};

constexpr auto abouts = one_for_each<Positions, About>(
    About{"No positions", "X = E", "Only the words enter the model: it cannot tell one order from another."},
    About{
        "Sinusoidal, interleaved", "P[t, 2i] = sin(t / 10000^(2i/d))   P[t, 2i + 1] = cos(same)",
        "Each pair of dimensions is a sine and a cosine of one wavelength, short on the left and long on the "
        "right; a position's row is added to the word's embedding."},
    About{"Sinusoidal, split halves", "P[t, i] = sin(t / 10000^(i/(h − 1)))   P[t, h + i] = cos(same)",
          "The same waves, with all sines in the left half (h = d/2 columns) and all cosines in the right: "
          "hence "
          "the split down the centre of the well-known picture."},
    About{"Learned", "P[t] = row t of a table",
          "Every position has its own row of numbers, learned in training. Before training they are random; "
          "the "
          "table ends at 1024 positions."},
    About{
        "Rotary", "(q[2i], q[2i + 1]) turned by t / 10000^(2i/d_head), likewise k",
        "Nothing is added: each pair of a query's and a key's numbers is turned by an angle that grows with "
        "the position, so that their product depends on the distance alone."},
    About{
        "Relative", "score[q, k] + b[head, k − q]",
        "Each head adds one learned number per distance between query and key to a score; distances of 16 or "
        "more share one number."},
    About{"ALiBi", "score[q, k] − m · |k − q|",
          "Each head lowers a score in proportion to the distance, with its own fixed slope m."});

}  // namespace

void positions_about(PageText& page, Positions kind) {
  const About& about = abouts[index_of(kind)];
  page.line({{about.title, Font::sans_bold, page_size::title, page.theme().text},
             {about.formula, Font::mono, page_size::control, page.theme().text}},
            16.0F);
  page.paragraph(about.sentence, {}, page_size::body);
}

}  // namespace headscope
