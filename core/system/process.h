#pragma once

#include <filesystem>

namespace headscope {

/// The folder of the running program, or of the library that contains this code if another program has loaded
/// it. Empty if the system does not tell it.
std::filesystem::path program_folder();

/// Whether users see the folders of this system. In a browser, what they open is copied into a file system of
/// the page, and what is written there is downloaded.
bool has_folders();

/// Lowers the priority of this thread. On Linux each thread has its own priority, and threads that it starts
/// inherit it.
void yield_to_other_threads();

/// Whether standard error is a terminal, on which a line can be overwritten.
bool error_is_terminal();

/// The width of the terminal on standard output in columns, or `otherwise` if it is unknown or not a
/// terminal.
int output_columns(int otherwise);

}  // namespace headscope
