#pragma once

#include <ostream>
#include <streambuf>
#include <string>

namespace headscope {

/// Lines for a terminal that neutralise untrusted words and names: control characters other than line ends
/// and tabs are written as "\\x1b". Each line is passed on to `to` when it ends, and the rest by flush().
class EscapedOutput : public std::ostream {
 public:
  /// `to` must outlive it.
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
