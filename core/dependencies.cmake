# The packages that core/ needs. This file is also installed with its CMake package, so that programs that link core/
# find the same packages.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
# Eigen's package only accepts versions within one major version, so the minimum is checked here.
find_package(Eigen3 REQUIRED NO_MODULE)
if(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "Eigen 3.4 or later is needed; ${Eigen3_DIR} has ${Eigen3_VERSION}.")
endif()
find_package(nlohmann_json 3.9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy>=1.0)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft freetype2)
pkg_check_modules(FONTCONFIG REQUIRED IMPORTED_TARGET fontconfig)
pkg_check_modules(STB REQUIRED IMPORTED_TARGET stb)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
