# What core/ is built on. Installed beside its CMake package, which finds the same for whoever links it.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(nlohmann_json 3.9 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-ft freetype2)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
