#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

/// The labels of an axis. They are either stored or made on demand, because only a few of thousands are
/// drawn.
class AxisTexts {
 public:
  AxisTexts() = default;
  AxisTexts(std::vector<std::string> texts) : size_(static_cast<int>(texts.size())) {
    const auto kept = std::make_shared<const std::vector<std::string>>(std::move(texts));
    make_ = [kept](int index) { return (*kept)[static_cast<std::size_t>(index)]; };
  }
  AxisTexts(int size, std::function<std::string(int)> make) : size_(size), make_(std::move(make)) {}

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// The label of a row or column. The index ranges from 0 to size() − 1.
  std::string operator[](int index) const { return make_(index); }
  void clear() { *this = {}; }

 private:
  int size_ = 0;
  std::function<std::string(int)> make_;
};

}  // namespace headscope
