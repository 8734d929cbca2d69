#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace headscope {

/// A stream for a terminal that neutralises untrusted words and names: it writes control characters other
/// than line ends and tabs as "\\x1b". It passes each line on to `to` when the line ends, and the rest on
/// flush().
class EscapedOutput : public std::ostream {
 public:
  /// `to` must outlive this object.
  explicit EscapedOutput(std::streambuf& to);
  ~EscapedOutput() override;

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::streambuf& to) : to_(to) {}

   protected:
    int_type overflow(int_type c) override;
    int sync() override;

   private:
    bool pass_on();
    std::streambuf& to_;
    std::string line_;
  };

  Buffer buffer_;
};

}  // namespace headscope
