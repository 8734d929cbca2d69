# cmake -DOUT=F.cpp -DFILES=A.json;B.json -P embed.cmake writes example_files() of core/textbook, which contains the
# texts of the files.
list(SORT FILES)
set(entries "")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM LAST_ONLY name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"~headscope~(${text})~headscope~\"},\n")
endforeach()
file(WRITE ${OUT} "#include <array>

#include \"core/textbook/worked_examples.h\"

namespace headscope {
namespace {

constexpr std::array files{std::to_array<ExampleFile>({
${entries}})};

}  // namespace

std::span<const ExampleFile> example_files() {
  return files;
}

}  // namespace headscope
")
