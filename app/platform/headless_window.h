#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/imgui/keys.h"
#include "app/platform/window.h"

namespace headscope {

enum class MouseButton { left = 0, right = 1, middle = 2 };

/// What the last frame would have drawn.
struct DrawCounts {
  std::size_t vertices = 0, indices = 0, commands = 0;
};

/// A window without a display or GL, for tests: scripted input, a clock that advances 1/60 s a frame, nothing
/// rendered. Input queues up and is spread over frames as in the real window.
class HeadlessWindow : public Window {
 public:
  virtual void mouse_move(float x, float y) = 0;
  virtual void mouse_down(MouseButton button = MouseButton::left) = 0;
  virtual void mouse_up(MouseButton button = MouseButton::left) = 0;
  virtual void mouse_wheel(float dx, float dy) = 0;
  virtual void key_down(Key key) = 0;
  virtual void key_up(Key key) = 0;
  /// Characters as an input method delivers them; UTF-8.
  virtual void type(std::string_view text) = 0;
  /// The window loses the keyboard to another one, or gets it back.
  virtual void focus(bool focused) = 0;
  virtual void resize(PixelSize size) = 0;
  virtual void drop_file(std::string path) = 0;
  /// The user closes the window, or cancels that.
  virtual void close(bool close) = 0;
  virtual void set_clipboard(std::string text) = 0;
  virtual std::string clipboard() const = 0;
  /// The picture that was copied last.
  virtual std::string clipboard_picture() const = 0;
  /// From now on pictures cannot be copied, for this reason; empty: they can.
  virtual void refuse_pictures(std::string problem) = 0;
  virtual DrawCounts draw_counts() const = 0;

  void click(float x, float y, MouseButton button = MouseButton::left);
  void drag(Point from, Point to);
  /// Modifiers down, the key down and up, modifiers up.
  void press(Chord chord);
  /// Draws frames until the input is used up and ImGui has settled.
  void run(const std::function<void()>& draw);
};

std::unique_ptr<HeadlessWindow> make_headless_window(PixelSize size, float content_scale = 1.0F);

}  // namespace headscope
