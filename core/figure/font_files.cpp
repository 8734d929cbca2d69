#include "core/figure/font_files.h"

#include <array>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace headscope {
namespace {

namespace fs = std::filesystem;
using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> sans_names{"Inter-Regular.otf", "Inter-Regular.ttf",
                                                     "DejaVuSans.ttf"};
constexpr std::array<std::string_view, 3> bold_names{"Inter-SemiBold.otf", "Inter-SemiBold.ttf",
                                                     "DejaVuSans-Bold.ttf"};
constexpr std::array<std::string_view, 3> mono_names{"JetBrainsMono-Regular.ttf", "JetBrainsMono-Regular.otf",
                                                     "DejaVuSansMono.ttf"};
constexpr std::array<std::string_view, 1> symbol_names{"DejaVuSans.ttf"};
constexpr std::array<std::string_view, 3> cjk_names{"NotoSansCJK-Regular.ttc", "NotoSansCJK-Regular.otf",
                                                    "NotoSansCJKjp-Regular.otf"};

using Found = std::map<std::string, fs::path, std::less<>>;

bool is_wanted(std::string_view name) {
  for (const Names names :
       {Names(sans_names), Names(bold_names), Names(mono_names), Names(symbol_names), Names(cjk_names)}) {
    for (const std::string_view wanted : names) {
      if (name == wanted) return true;
    }
  }
  return false;
}

/// Wanted files of a folder and its subfolders; an earlier find of the same name stays.
void collect(const fs::path& folder, Found& found) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  while (!error && entry != fs::recursive_directory_iterator()) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (is_wanted(name) && entry->is_regular_file(ignored)) found.emplace(name, entry->path());
    entry.increment(error);
  }
}

fs::path first_of(const Found& found, Names names) {
  for (const std::string_view name : names) {
    if (const auto hit = found.find(name); hit != found.end()) return hit->second;
  }
  return {};
}

}  // namespace

const fs::path& FontFiles::file(Font font) const {
  switch (font) {
    case Font::sans_bold:
      return sans_bold;
    case Font::mono:
      return mono;
    case Font::sans:
      break;
  }
  return sans;
}

Result<FontFiles> find_font_files(const std::vector<fs::path>& folders) {
  Found found;
  for (const fs::path& folder : folders) collect(folder, found);
  FontFiles files{first_of(found, sans_names), first_of(found, bold_names), first_of(found, mono_names), {}};
  if (files.sans.empty()) files.sans = files.sans_bold.empty() ? files.mono : files.sans_bold;
  if (files.sans.empty()) files.sans = first_of(found, cjk_names);
  if (files.sans.empty()) {
    std::string looked_in;
    for (const fs::path& folder : folders) looked_in += (looked_in.empty() ? "" : ", ") + folder.string();
    return failure("No font was found in " + looked_in +
                   ". Install one: apt install fonts-inter fonts-jetbrains-mono fonts-dejavu-core");
  }
  if (files.sans_bold.empty()) files.sans_bold = files.sans;
  if (files.mono.empty()) files.mono = files.sans;
  for (const Names names : {Names(symbol_names), Names(cjk_names)}) {
    fs::path file = first_of(found, names);
    if (!file.empty() && file != files.sans) files.fallbacks.push_back(std::move(file));
  }
  return files;
}

Result<FontFiles> find_font_files() {
  std::vector<fs::path> folders;
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    folders.push_back(fs::path(home) / ".local/share/fonts");
    folders.push_back(fs::path(home) / ".fonts");
  }
  folders.emplace_back("/usr/local/share/fonts");
  folders.emplace_back("/usr/share/fonts");
  return find_font_files(folders);
}

}  // namespace headscope
