# Writes a C++ file that defines a function of core/, which returns the names and texts of the given files as a span of
# EmbeddedFile. Usage:
# cmake -DOUT=F.cpp -DFILES=A.json;B.json -DHEADER=core/textbook/worked_examples.h
#       -DFUNCTION=example_files -P embed.cmake
list(SORT FILES)
set(entries "")
foreach(file IN LISTS FILES)
  cmake_path(GET file STEM LAST_ONLY name)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"~headscope~(${text})~headscope~\"},\n")
endforeach()
file(WRITE ${OUT} "#include <array>

#include \"${HEADER}\"

namespace headscope {
namespace {

constexpr std::array ${FUNCTION}_embedded{std::to_array<EmbeddedFile>({
${entries}})};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() {
  return ${FUNCTION}_embedded;
}

}  // namespace headscope
")
