#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "core/paint/font_files.h"
#include "core/text/letters.h"

namespace headscope {

namespace fs = std::filesystem;

using ConfigPtr = std::unique_ptr<FcConfig, void (*)(FcConfig*)>;

namespace {

/// A typeface as fontconfig describes it. The families and letters belong to the configuration.
struct Typeface {
  FontFile file;
  std::vector<std::string_view> families;
  const FcCharSet* letters = nullptr;
  int weight = FC_WEIGHT_REGULAR;
  int slant = FC_SLANT_ROMAN;
  int width = FC_WIDTH_NORMAL;
  bool is_colored = false;
};

int number(const FcPattern& pattern, const char* name, int otherwise) {
  int value = otherwise;
  return FcPatternGetInteger(&pattern, name, 0, &value) == FcResultMatch ? value : otherwise;
}

bool is_set(const FcPattern& pattern, const char* name, bool otherwise) {
  FcBool value = FcFalse;
  return FcPatternGetBool(&pattern, name, 0, &value) == FcResultMatch ? value == FcTrue : otherwise;
}

/// The typeface of a pattern. Empty if the font cannot be painted at any size. Variable fonts are skipped
/// because fontconfig also lists their named instances.
std::optional<Typeface> typeface_of(const FcPattern& pattern) {
  const bool is_colored = is_set(pattern, FC_COLOR, false);
  if (!(is_colored || is_set(pattern, FC_OUTLINE, true)) || is_set(pattern, FC_VARIABLE, false))
    return std::nullopt;
  FcChar8* path = nullptr;
  FcCharSet* letters = nullptr;
  if (FcPatternGetString(&pattern, FC_FILE, 0, &path) != FcResultMatch ||
      FcPatternGetCharSet(&pattern, FC_CHARSET, 0, &letters) != FcResultMatch) {
    return std::nullopt;
  }
  Typeface typeface;
  typeface.file = {reinterpret_cast<const char*>(path), number(pattern, FC_INDEX, 0)};
  typeface.letters = letters;
  typeface.weight = number(pattern, FC_WEIGHT, FC_WEIGHT_REGULAR);
  typeface.slant = number(pattern, FC_SLANT, FC_SLANT_ROMAN);
  typeface.width = number(pattern, FC_WIDTH, FC_WIDTH_NORMAL);
  typeface.is_colored = is_colored;
  FcChar8* family = nullptr;
  for (int i = 0; FcPatternGetString(&pattern, FC_FAMILY, i, &family) == FcResultMatch; ++i) {
    typeface.families.emplace_back(reinterpret_cast<const char*>(family));
  }
  return typeface;
}

constexpr int rank_of_noto_sans = 2;

/// How well a family matches the typefaces of the figures. The lowest rank is the best match.
int rank(const Typeface& typeface) {
  if (typeface.is_colored) return 5;
  if (typeface.families.empty()) return 4;
  const std::string_view family = typeface.families.front();
  if (family == "DejaVu Sans") return 0;
  const bool reads_alike = family.find("Mono") == family.npos && family.find("Serif") == family.npos;
  if (reads_alike && family.starts_with("Noto Sans CJK")) return 1;
  if (reads_alike && family.starts_with("Noto Sans")) return rank_of_noto_sans;
  return reads_alike ? 3 : 4;
}

/// The installed typefaces, best first, in an order that depends only on what is installed.
std::vector<Typeface> typefaces_of(FcConfig& config) {
  std::vector<Typeface> typefaces;
  for (const FcSetName name : {FcSetSystem, FcSetApplication}) {
    const FcFontSet* set = FcConfigGetFonts(&config, name);
    for (int i = 0; set != nullptr && i < set->nfont; ++i) {
      if (auto typeface = typeface_of(*set->fonts[i])) typefaces.push_back(std::move(*typeface));
    }
  }
  const auto place = [](const Typeface& t) {
    return std::tuple<int, int, int, int, const FontFile&>(rank(t), t.slant,
                                                           std::abs(t.width - FC_WIDTH_NORMAL),
                                                           std::abs(t.weight - FC_WEIGHT_REGULAR), t.file);
  };
  std::sort(typefaces.begin(), typefaces.end(),
            [&](const Typeface& a, const Typeface& b) { return place(a) < place(b); });
  return typefaces;
}

/// The first typeface that has the letter, in colour or not as is wished if there is one. Null if there is
/// none.
const Typeface* face_with(const std::vector<Typeface>& installed, char32_t letter, bool in_color = false) {
  const bool runs_from_right = is_right_to_left(letter);
  const Typeface* any = nullptr;
  for (const Typeface& typeface : installed) {
    if (FcCharSetHasChar(typeface.letters, letter) != FcTrue) continue;
    // The Arabic letters of DejaVu Sans are harder to read than those of Noto's fonts for each script.
    const bool is_wished =
        typeface.is_colored == in_color && (!runs_from_right || rank(typeface) == rank_of_noto_sans);
    if (is_wished) return &typeface;
    if (any == nullptr) any = &typeface;
  }
  return any;
}

/// The upright typeface of a family that is nearest to `weight` and whose weight lies between `lightest` and
/// `heaviest`. Null if there is none.
const Typeface* face_of(const std::vector<Typeface>& installed, std::string_view family, int weight,
                        int lightest, int heaviest) {
  const Typeface* best = nullptr;
  const auto distance = [weight](const Typeface& t) {
    return std::tuple(std::abs(t.width - FC_WIDTH_NORMAL), std::abs(t.weight - weight));
  };
  for (const Typeface& typeface : installed) {
    const bool is_of_family = std::ranges::find(typeface.families, family) != typeface.families.end();
    const bool fits = is_of_family && typeface.slant == FC_SLANT_ROMAN && typeface.weight >= lightest &&
                      typeface.weight <= heaviest;
    if (fits && (best == nullptr || distance(typeface) < distance(*best))) best = &typeface;
  }
  return best;
}

Result<FontFiles> choose(ConfigPtr config, const std::string& where) {
  const std::shared_ptr<FcConfig> kept(std::move(config));
  const auto installed = std::make_shared<const std::vector<Typeface>>(typefaces_of(*kept));
  const auto regular = [&](std::string_view family) {
    return face_of(*installed, family, FC_WEIGHT_REGULAR, FC_WEIGHT_BOOK, FC_WEIGHT_MEDIUM);
  };
  const auto bold = [&](std::string_view family) {
    return face_of(*installed, family, FC_WEIGHT_DEMIBOLD, FC_WEIGHT_DEMIBOLD, FC_WEIGHT_BOLD);
  };
  const auto first_of = [](std::initializer_list<const Typeface*> found) {
    for (const Typeface* typeface : found) {
      if (typeface != nullptr) return typeface;
    }
    return static_cast<const Typeface*>(nullptr);
  };
  const Typeface* sans = first_of({regular("Inter"), regular("DejaVu Sans"), face_with(*installed, U'a')});
  if (sans == nullptr) {
    return failure("no font was found " + where +
                   "; install one: apt install fonts-inter fonts-jetbrains-mono fonts-dejavu-core");
  }
  const Typeface* sans_bold = first_of({bold("Inter"), bold("DejaVu Sans"), sans});
  const auto first_serif = [&](const auto& find, const Typeface* otherwise) {
    constexpr std::array<std::string_view, 8> families{
        "Latin Modern Roman", "LM Roman 10",     "CMU Serif",        "STIX Two Text",
        "TeX Gyre Termes",    "Times New Roman", "Liberation Serif", "DejaVu Serif"};
    for (const std::string_view family : families) {
      if (const Typeface* found = find(family)) return found;
    }
    return otherwise;
  };
  const Typeface* serif = first_serif(regular, sans);
  const Typeface* serif_bold = first_serif(bold, sans_bold);
  const Typeface* mono = first_of({regular("JetBrains Mono"), regular("DejaVu Sans Mono"), sans});
  const auto fallback = [kept, installed](char32_t letter, bool in_color) {
    const Typeface* typeface = face_with(*installed, letter, in_color);
    return typeface == nullptr ? std::nullopt : std::optional(typeface->file);
  };
  return FontFiles{sans->file, sans_bold->file, serif->file, serif_bold->file, mono->file, fallback};
}

}  // namespace

Result<FontFiles> find_font_files() {
  ConfigPtr config(FcInitLoadConfigAndFonts(), FcConfigDestroy);
  if (config == nullptr) return failure("Fontconfig, which finds the fonts, could not start");
  return choose(std::move(config), "by fontconfig");
}

Result<FontFiles> find_font_files(const std::vector<fs::path>& folders) {
  ConfigPtr config(FcConfigCreate(), FcConfigDestroy);
  if (config == nullptr) return failure("Fontconfig, which finds the fonts, could not start");
  std::string where;
  for (const fs::path& folder : folders) {
    where += (where.empty() ? "in " : ", ") + folder.string();
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      FcConfigAppFontAddFile(config.get(), reinterpret_cast<const FcChar8*>(entry->path().c_str()));
    }
  }
  return choose(std::move(config), where);
}

namespace {

using Range = std::pair<char32_t, char32_t>;

/// Korean, Japanese and Chinese letters, including their marks and wide forms.
constexpr std::array cjk{Range{0x1100, 0x11FF}, Range{0x2E80, 0xA4CF},   Range{0xA960, 0xA97F},
                         Range{0xAC00, 0xD7FF}, Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE4F},
                         Range{0xFF00, 0xFFEF}, Range{0x1F200, 0x1F2FF}, Range{0x20000, 0x3FFFF}};
constexpr std::array symbols{Range{0x2100, 0x2BFF}, Range{0x1D400, 0x1D7FF}, Range{0x1F000, 0x1FBFF}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t letter) {
  return std::any_of(ranges.begin(), ranges.end(), [letter](const Range& range) {
    return letter >= range.first && letter <= range.second;
  });
}

}  // namespace

std::string_view package_with(char32_t letter) {
  if (!is_visible(letter)) return {};
  if (is_emoji(letter)) return "fonts-noto-color-emoji";
  if (is_in(cjk, letter)) return "fonts-noto-cjk";
  if (is_in(symbols, letter)) return "fonts-symbola";
  return "fonts-noto-core";
}

std::string font_hint(const std::set<char32_t>& missing, std::set<std::string_view>& reported) {
  std::string packages;
  for (const char32_t letter : missing) {
    const std::string_view package = package_with(letter);
    if (!package.empty() && reported.insert(package).second) packages += " " + std::string(package);
  }
  if (packages.empty()) return {};
  return "No installed font has some of these characters. To see them: apt install" + packages;
}

}  // namespace headscope
