#include "core/paint/native/shaped_line.h"

#include <fribidi.h>
#include <hb-ot.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>

#include "core/paint/rasterize.h"
#include "core/text/letters.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

struct HarfBuzzDelete {
  void operator()(hb_blob_t* blob) const { hb_blob_destroy(blob); }
  void operator()(hb_face_t* face) const { hb_face_destroy(face); }
  void operator()(hb_font_t* font) const { hb_font_destroy(font); }
  void operator()(hb_buffer_t* buffer) const { hb_buffer_destroy(buffer); }
};
template <class T>
using HarfBuzzPtr = std::unique_ptr<T, HarfBuzzDelete>;

/// The face for HarfBuzz, in the units of its em. It keeps the plans by which it shapes each script.
hb_font_t& font_of(const FontFace& face) {
  if (face.shaper() == nullptr) {
    const std::string_view bytes = face.bytes();
    const HarfBuzzPtr<hb_blob_t> blob(hb_blob_create(bytes.data(), static_cast<unsigned>(bytes.size()),
                                                     HB_MEMORY_MODE_READONLY, nullptr, nullptr));
    const HarfBuzzPtr<hb_face_t> opened(hb_face_create(blob.get(), static_cast<unsigned>(face.index())));
    face.shaper() = std::shared_ptr<hb_font_t>(hb_font_create(opened.get()), HarfBuzzDelete());
  }
  return *static_cast<hb_font_t*>(face.shaper().get());
}

/// A text by its letters, with what decides how each of them is drawn.
struct Letters {
  std::vector<char32_t> values;
  std::vector<const FontFace*> faces;
  std::vector<hb_script_t> scripts;
  std::vector<FriBidiLevel> levels;  ///< Odd where the text runs from right to left.
  std::vector<int> places;           ///< Counted from the left end of the line.

  std::size_t size() const { return values.size(); }
  bool same_run(std::size_t a, std::size_t b) const {
    return faces[a] == faces[b] && scripts[a] == scripts[b] && levels[a] == levels[b];
  }
};

bool has_own_script(hb_script_t script) {
  return script != HB_SCRIPT_COMMON && script != HB_SCRIPT_INHERITED && script != HB_SCRIPT_UNKNOWN;
}

/// Signs and marks take the script of the letter before them, or else of the first one after them.
void find_scripts(Letters& letters) {
  hb_unicode_funcs_t* unicode = hb_unicode_funcs_get_default();
  for (const char32_t letter : letters.values) letters.scripts.push_back(hb_unicode_script(unicode, letter));
  const auto first = std::find_if(letters.scripts.begin(), letters.scripts.end(), has_own_script);
  hb_script_t last = first == letters.scripts.end() ? HB_SCRIPT_COMMON : *first;
  for (hb_script_t& script : letters.scripts) {
    if (!has_own_script(script)) script = last;
    last = script;
  }
}

void find_order(Letters& letters, bool is_backward) {
  const auto n = static_cast<FriBidiStrIndex>(letters.size());
  std::vector<FriBidiChar> values(letters.values.begin(), letters.values.end());
  std::vector<FriBidiCharType> types(letters.size());
  std::vector<FriBidiBracketType> brackets(letters.size());
  FriBidiParType direction = is_backward ? FRIBIDI_PAR_RTL : FRIBIDI_PAR_LTR;
  letters.levels.resize(letters.size());
  fribidi_get_bidi_types(values.data(), n, types.data());
  fribidi_get_bracket_types(values.data(), n, types.data(), brackets.data());
  std::vector<FriBidiStrIndex> from_left(letters.size());
  std::iota(from_left.begin(), from_left.end(), 0);
  const bool has_order = fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), n, &direction,
                                                             letters.levels.data()) != 0 &&
                         fribidi_reorder_line(FRIBIDI_FLAGS_DEFAULT, types.data(), n, 0, direction,
                                              letters.levels.data(), nullptr, from_left.data()) != 0;
  if (!has_order) throw std::bad_alloc();
  letters.places.resize(letters.size());
  for (std::size_t i = 0; i < from_left.size(); ++i)
    letters.places[static_cast<std::size_t>(from_left[i])] = static_cast<int>(i);
}

/// Whether a letter is a control character or ends a line or paragraph. There is one line, which the Unicode
/// Bidirectional Algorithm would end there.
bool ends_line(char32_t letter) {
  return letter < U' ' || (letter >= 0x7F && letter < 0xA0) || letter == 0x2028 || letter == 0x2029;
}

Letters letters_of(std::string_view text, Font font, FontFaces& faces) {
  Letters letters;
  std::string line;
  for (const char32_t letter : code_points(with_isolated_quotes(text)))
    line += to_utf8(ends_line(letter) ? U' ' : letter);
  for (const TextRun& run : faces.runs_of(line, font)) {
    for (const char32_t letter : code_points(run.text)) {
      letters.values.push_back(letter);
      letters.faces.push_back(run.face);
    }
  }
  find_scripts(letters);
  find_order(letters, is_right_to_left(text));
  return letters;
}

/// A part of the letters that is shaped at once.
struct Part {
  std::size_t begin = 0, end = 0;
};

/// The parts from left to right.
std::vector<Part> parts_of(const Letters& letters) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (i == 0 || !letters.same_run(i - 1, i)) parts.push_back({i, i});
    parts.back().end = i + 1;
  }
  std::sort(parts.begin(), parts.end(),
            [&](const Part& a, const Part& b) { return letters.places[a.begin] < letters.places[b.begin]; });
  return parts;
}

void shape(const Letters& letters, const Part& part, hb_font_t& font, hb_buffer_t& buffer) {
  const auto tag = [](const char(&name)[5]) { return HB_TAG(name[0], name[1], name[2], name[3]); };
  static const std::array plain{hb_feature_t{tag("kern"), 0, 0, HB_FEATURE_GLOBAL_END},
                                hb_feature_t{tag("liga"), 0, 0, HB_FEATURE_GLOBAL_END},
                                hb_feature_t{tag("clig"), 0, 0, HB_FEATURE_GLOBAL_END},
                                hb_feature_t{tag("calt"), 0, 0, HB_FEATURE_GLOBAL_END}};
  const hb_script_t script = letters.scripts[part.begin];
  const bool is_plain = !has_own_script(script) || script == HB_SCRIPT_LATIN || script == HB_SCRIPT_GREEK ||
                        script == HB_SCRIPT_CYRILLIC;
  hb_buffer_clear_contents(&buffer);
  // The letters around the part decide how those at its ends join.
  static_assert(sizeof(char32_t) == sizeof(std::uint32_t));
  hb_buffer_add_codepoints(&buffer, reinterpret_cast<const hb_codepoint_t*>(letters.values.data()),
                           static_cast<int>(letters.size()), static_cast<unsigned>(part.begin),
                           static_cast<int>(part.end - part.begin));
  hb_buffer_set_script(&buffer, script);
  hb_buffer_set_direction(&buffer, letters.levels[part.begin] % 2 == 1 ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
  hb_shape(&font, &buffer, plain.data(), is_plain ? static_cast<unsigned>(plain.size()) : 0U);
  if (!hb_buffer_allocation_successful(&buffer)) throw std::bad_alloc();
}

/// The number of bytes of some letters in UTF-8.
int n_bytes(const Letters& letters, std::size_t begin, std::size_t end) {
  std::size_t n = 0;
  for (; begin < end; ++begin) n += to_utf8(letters.values[begin]).size();
  return static_cast<int>(n);
}

/// \param first The letter with which each glyph's cluster begins, in the order of the text.
std::vector<GlyphCluster> clusters_of(const Letters& letters, const Part& part,
                                      const std::vector<std::size_t>& first) {
  std::vector<GlyphCluster> clusters;
  for (std::size_t i = 0; i < first.size();) {
    std::size_t next = i;
    while (next < first.size() && first[next] == first[i]) ++next;
    clusters.push_back({n_bytes(letters, first[i], next < first.size() ? first[next] : part.end),
                        static_cast<int>(next - i)});
    i = next;
  }
  return clusters;
}

/// The glyphs of a shaped part. `pen` is where it begins, and moves to its end.
GlyphRun run_of(const Letters& letters, const Part& part, hb_font_t& font, hb_buffer_t& buffer, double& pen) {
  GlyphRun run;
  run.face = letters.faces[part.begin];
  run.is_backward = letters.levels[part.begin] % 2 == 1;
  for (std::size_t i = part.begin; i < part.end; ++i) run.text += to_utf8(letters.values[i]);
  unsigned n = 0;
  const hb_glyph_info_t* infos = hb_buffer_get_glyph_infos(&buffer, &n);
  const hb_glyph_position_t* positions = hb_buffer_get_glyph_positions(&buffer, &n);
  const double em = hb_face_get_upem(hb_font_get_face(&font));
  std::vector<std::size_t> first;
  for (unsigned i = 0; i < n; ++i) {
    first.push_back(infos[i].cluster);
    run.glyphs.push_back({infos[i].codepoint, pen + positions[i].x_offset / em, -positions[i].y_offset / em});
    pen += positions[i].x_advance / em;
  }
  if (run.is_backward) std::reverse(first.begin(), first.end());
  run.clusters = clusters_of(letters, part, first);
  return run;
}

}  // namespace

ShapedLine shaped_line(std::string_view text, Font font, FontFaces& faces) {
  ShapedLine line;
  const Letters letters = letters_of(text, font, faces);
  const HarfBuzzPtr<hb_buffer_t> buffer(hb_buffer_create());
  for (const Part& part : parts_of(letters)) {
    hb_font_t& shaping = font_of(*letters.faces[part.begin]);
    shape(letters, part, shaping, *buffer);
    line.runs.push_back(run_of(letters, part, shaping, *buffer, line.width));
  }
  return line;
}

double width_when_shaped(std::string_view text, Font font, FontFaces& faces) {
  return shaped_line(text, font, faces).width;
}

}  // namespace headscope
