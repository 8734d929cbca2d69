#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/imgui/keys.h"
#include "app/platform/window.h"

namespace headscope {

enum class MouseButton { left = 0, right = 1, middle = 2 };

/// Counts of the last frame's draw data.
struct DrawCounts {
  std::size_t vertices = 0, indices = 0, commands = 0;
};

/// A window without a display or OpenGL, for tests. Its input is scripted, its clock advances by 1/60 s per
/// frame, and nothing is rendered. Input is queued and spread over frames as in the real window.
class HeadlessWindow : public Window {
 public:
  virtual void mouse_move(float x, float y) = 0;
  virtual void mouse_down(MouseButton button = MouseButton::left) = 0;
  virtual void mouse_up(MouseButton button = MouseButton::left) = 0;
  virtual void mouse_wheel(float dx, float dy) = 0;
  virtual void key_down(Key key) = 0;
  virtual void key_up(Key key) = 0;
  /// Types characters in UTF-8, as an input method delivers them.
  virtual void type(std::string_view text) = 0;
  /// Takes the keyboard focus from the window, or gives it back.
  virtual void focus(bool focused) = 0;
  virtual void resize(PixelSize size) = 0;
  virtual void drop_file(std::string path) = 0;
  /// Requests that the window close, or cancels the request.
  virtual void close(bool close) = 0;
  virtual void set_clipboard(std::string text) = 0;
  virtual std::string clipboard() const = 0;
  /// The picture that was copied last.
  virtual std::string clipboard_picture() const = 0;
  /// Makes the clipboard fail with this message from now on; empty: work again.
  virtual void refuse_clipboard(std::string problem) = 0;
  virtual DrawCounts draw_counts() const = 0;

  void click(float x, float y, MouseButton button = MouseButton::left);
  void drag(Point from, Point to);
  /// Presses the modifiers, presses and releases the key, and releases the modifiers.
  void press(Chord chord);
  /// Draws frames until all input is used up and ImGui has settled.
  void run(const std::function<void()>& draw);
};

std::unique_ptr<HeadlessWindow> make_headless_window(PixelSize size, float content_scale = 1.0F);

}  // namespace headscope
