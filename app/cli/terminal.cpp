#include "app/cli/terminal.h"

#include "core/text/visible.h"

namespace headscope {

EscapedOutput::EscapedOutput(std::streambuf& to) : std::ostream(nullptr), buffer_(to) {
  rdbuf(&buffer_);
}

EscapedOutput::~EscapedOutput() {
  flush();
}

bool EscapedOutput::Buffer::pass_on() {
  const std::string text = escaped_controls(line_);
  line_.clear();
  return to_.sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

EscapedOutput::Buffer::int_type EscapedOutput::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  line_ += traits_type::to_char_type(c);
  if (line_.back() == '\n' && !pass_on()) return traits_type::eof();
  return c;
}

int EscapedOutput::Buffer::sync() {
  const bool is_passed_on = pass_on();
  return is_passed_on && to_.pubsync() == 0 ? 0 : -1;
}

}  // namespace headscope
