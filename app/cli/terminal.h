#pragma once

namespace headscope {

/// Whether standard error is a terminal, where a line can be overwritten.
bool error_is_terminal();

/// The width of the terminal on standard output; `otherwise` if it is unknown or not a terminal.
int output_columns(int otherwise);

}  // namespace headscope
