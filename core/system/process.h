#pragma once

#include <filesystem>

namespace headscope {

/// The folder of the running program, or of this shared library if another program loaded it. Empty if
/// unknown.
std::filesystem::path program_folder();

/// Whether the file system is visible to users. In a browser it is private: files are uploaded and
/// downloaded.
bool has_visible_folders();

/// Lowers the priority of this thread and of threads that it starts (on Linux, priority is per thread).
void lower_thread_priority();

/// Whether standard error is a terminal, on which a line can be overwritten.
bool stderr_is_terminal();

/// The width of the terminal on standard output in columns, or `fallback` if it is unknown or not a
/// terminal.
int terminal_columns(int fallback);

}  // namespace headscope
