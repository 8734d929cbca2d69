#pragma once

namespace headscope {

/// Whether standard error is a terminal, on which a line can be overwritten.
bool error_is_terminal();

/// The width of the terminal on standard output in columns, or `otherwise` if it is unknown or not a
/// terminal.
int output_columns(int otherwise);

}  // namespace headscope
