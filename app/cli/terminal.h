#pragma once

namespace headscope {

/// Whether standard error is read by somebody at a terminal, where a line may be written over.
bool error_is_terminal();

/// How wide the terminal is that standard output goes to; nothing known of it, or no terminal: `otherwise`.
int output_columns(int otherwise);

}  // namespace headscope
