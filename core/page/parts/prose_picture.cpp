#include "core/page/parts/prose_picture.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "core/figure/text_fit.h"
#include "core/paint/picture_reader.h"

namespace headscope {
namespace {

constexpr float line_height = 1.5F;   ///< Of the letters' size.
constexpr float block_space = 0.6F;   ///< Between blocks, of the letters' size.
constexpr float item_indent = 1.35F;  ///< Of the letters' size, for each depth.
constexpr float formula_indent = 0.8F;

/// Places words side by side and wraps when the next word does not fit.
class Typesetter {
 public:
  Typesetter(float width, float size, Color color, const Theme& theme, const MeasureText& measure)
      : width_(width), size_(size), color_(color), theme_(theme), measure_(measure) {}

  void add(const ProseBlock& block) {
    if (y_ > 0.0F) y_ += size_ * (block.kind == ProseBlock::Kind::item ? 0.5F * block_space : block_space);
    indent_ = item_indent * size_ * static_cast<float>(block.depth);
    if (block.kind == ProseBlock::Kind::formula) return add_formula(block);
    const bool is_item = block.kind == ProseBlock::Kind::item;
    if (is_item) {
      label(block.marker, indent_, Font::sans, theme_.quiet);
      indent_ += item_indent * size_;
    }
    x_ = indent_;
    for (const ProseSpan& span : block.spans) add_span(span, block.kind == ProseBlock::Kind::heading);
    end_line();
  }

  ProsePicture take() {
    picture_.figure.width = width_;
    picture_.figure.height = y_;
    picture_.figure.background = {0, 0, 0, 0};
    return std::move(picture_);
  }

 private:
  float width_of(std::string_view text, Font font) const { return measure_(text, font, size_of(font)).width; }
  /// Letters of the monospaced typeface look larger than others of their size.
  float size_of(Font font) const { return font == Font::mono ? 0.92F * size_ : size_; }

  void label(std::string_view text, float x, Font font, Color color) {
    const float middle = y_ + 0.5F * line_height * size_;
    add_text(picture_.figure, std::string(text), {x, middle}, color, size_of(font), font);
  }

  /// Draws the text collected from the current span.
  void draw_run() {
    // Trailing spaces take no width.
    run_.erase(run_.find_last_not_of(' ') + 1);
    if (run_.empty()) return;
    const float end = run_x_ + width_of(run_, font_);
    label(run_, run_x_, font_, run_color_);
    if (!address_.empty()) {
      const float bottom = y_ + 0.9F * line_height * size_;
      add_line(picture_.figure, {run_x_, bottom}, {end, bottom}, run_color_, 1.0F);
      picture_.links.push_back({{run_x_, y_, end - run_x_, line_height * size_}, address_});
    }
    run_.clear();
  }

  void end_line() {
    draw_run();
    y_ += line_height * size_;
    x_ = indent_;
    run_x_ = x_;
  }

  void add_span(const ProseSpan& span, bool is_heading) {
    const bool is_bold = span.is_strong || span.is_emphasised || is_heading;
    font_ = span.is_code ? Font::mono : is_bold ? Font::sans_bold : Font::sans;
    run_color_ = span.link.empty() ? color_ : theme_.accent;
    address_ = span.link;
    run_x_ = x_;
    std::string_view rest = span.text;
    while (!rest.empty()) {
      if (rest.front() == '\n') {
        end_line();
        rest.remove_prefix(1);
        continue;
      }
      // A word with the spaces before it.
      const std::size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
      const std::size_t end = std::min(rest.find_first_of(" \n", begin), rest.size());
      add_word(rest.substr(0, begin), rest.substr(begin, end - begin));
      rest.remove_prefix(end);
    }
    draw_run();
  }

  void add_word(std::string_view spaces, std::string_view word) {
    const bool begins_line = x_ <= indent_;
    std::string next = begins_line ? std::string(word) : std::string(spaces).append(word);
    if (!begins_line && x_ + width_of(next, font_) > width_ && !word.empty()) {
      end_line();
      next = word;
    }
    // A word that is wider than the line is broken.
    while (x_ <= indent_ && width_of(next, font_) > width_ - indent_) {
      const auto fits =
          fitting_bytes(next, width_ - indent_, [&](std::string_view part) { return width_of(part, font_); });
      if (fits == 0 || fits == next.size()) break;
      run_ += next.substr(0, fits);
      next.erase(0, fits);
      end_line();
    }
    run_ += next;
    x_ = run_x_ + width_of(run_, font_);
  }

  void add_formula(const ProseBlock& block) {
    const float inset = formula_indent * size_;
    const float indent = indent_ + inset;
    std::vector<std::string> lines;
    std::string_view rest = block.spans.front().text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto parts = wrapped_lines(rest.substr(0, end), std::max(width_ - indent - inset, size_),
                                       Font::mono, size_of(Font::mono), measure_);
      lines.insert(lines.end(), parts.begin(), parts.end());
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const float height = line_height * size_ * static_cast<float>(lines.size());
    const float above = 0.3F * size_;
    add_box(picture_.figure, {indent_, y_, width_ - indent_, height + 2.0F * above}, theme_.control,
            0.4F * size_);
    y_ += above;
    for (const std::string& line : lines) {
      label(line, indent, Font::mono, color_);
      y_ += line_height * size_;
    }
    y_ += above;
  }

  float width_, size_;
  Color color_;
  const Theme& theme_;
  const MeasureText& measure_;
  ProsePicture picture_;
  float indent_ = 0.0F, x_ = 0.0F, y_ = 0.0F;
  std::string run_;  ///< Text of one style that is not drawn yet.
  float run_x_ = 0.0F;
  Font font_ = Font::sans;
  Color run_color_;
  std::string address_;
};

/// The image with each block of `by` × `by` pixels replaced by its mean.
Image shrunk(const Image& image, int by) {
  Image small{image.width / by, image.height / by, {}};
  const int n = by * by;
  for (int y = 0; y < small.height; ++y) {
    for (int x = 0; x < small.width; ++x) {
      int r = 0, g = 0, b = 0, a = 0;
      for (int i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>((y * by + i / by) * image.width + x * by + i % by);
        const Color& pixel = image.pixels[at];
        r += pixel.r;
        g += pixel.g;
        b += pixel.b;
        a += pixel.a;
      }
      const auto mean = [n](int sum) { return static_cast<std::uint8_t>(sum / n); };
      small.pixels.push_back({mean(r), mean(g), mean(b), mean(a)});
    }
  }
  return small;
}

}  // namespace

ProsePicture prose_picture(const Prose& prose, float width, float size, Color color, const Theme& theme,
                           const MeasureText& measure) {
  Typesetter typesetter(width, size, color, theme, measure);
  for (const ProseBlock& block : prose) typesetter.add(block);
  return typesetter.take();
}

Figure stored_picture(const LessonStep& step, float width) {
  const auto image = step.picture ? image_in(*step.picture) : Result<Image>(Image{});
  if (!image || image->width <= 0) return {};
  // An image is drawn without smoothing, so it must not have many more pixels than the screen.
  const int by = std::max(static_cast<int>(static_cast<float>(image->width) / (2.0F * width)), 1);
  const auto shown = std::make_shared<const Image>(shrunk(*image, by));
  const float scale = std::min(width / static_cast<float>(image->width), 1.0F);
  const Box box{0.0F, 0.0F, static_cast<float>(image->width) * scale,
                static_cast<float>(image->height) * scale};
  return {box.w, box.h, {0, 0, 0, 0}, {Raster{shown, box}}};
}

}  // namespace headscope
