# What core/ is built on. Installed beside its CMake package, which finds the same for whoever links it.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
# A package's version counts as compatible within its major version only.
find_package(Eigen3 REQUIRED NO_MODULE)
if(Eigen3_VERSION VERSION_LESS 3.4)
  message(FATAL_ERROR "Eigen 3.4 or later is needed; ${Eigen3_DIR} has ${Eigen3_VERSION}.")
endif()
find_package(nlohmann_json 3.9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy>=1.0)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft freetype2)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
