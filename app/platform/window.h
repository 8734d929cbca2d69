#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/result.h"

namespace headscope {

class TextureStore;

struct PixelSize {
  int width = 0, height = 0;
  bool operator==(const PixelSize&) const = default;
};

struct WindowOptions {
  std::string title = "Headscope";
  PixelSize size{1440, 900};      ///< in screen units
  bool fits_the_monitor = true;   ///< cut to the monitor's work area
  std::vector<Image> icons = {};  ///< of different sizes, of which the window system takes what it needs
};

/// A window with an ImGui context of its own. One exists at a time. Everything but wake() belongs to the
/// thread that made it.
class Window {
 public:
  Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  virtual ~Window() = default;

  /// Processes pending events; sleeps for up to `seconds` until one arrives (0: does not sleep). True when
  /// there was input, a resize, an exposure or a wake: frames are due (see FramePacer).
  virtual bool wait_events(double seconds) = 0;
  /// Starts an ImGui frame. Input that came too fast for one frame (a click within a millisecond) is spread
  /// over several: has_pending_input() says that another frame is due.
  virtual void begin_frame() = 0;
  /// Renders the ImGui frame and shows it.
  virtual void end_frame() = 0;
  virtual bool has_pending_input() const = 0;
  /// A text field is about to take the keyboard: keys and characters wait until it has it.
  virtual void hold_keys() = 0;

  virtual bool should_close() const = 0;
  /// Why the window closed by itself (the display was lost); empty otherwise.
  virtual std::string loss() const = 0;

  virtual PixelSize framebuffer_size() const = 0;
  /// The monitor's interface scale in ImGui units (1, 1.25, 2, ...).
  virtual float content_scale() const = 0;
  /// Ends a sleep in wait_events(). From any thread.
  virtual void wake() = 0;
  /// What the last frame showed.
  virtual Result<Image> read_pixels() = 0;
  /// Paths of files dropped on the window since the last call.
  virtual std::vector<std::string> take_dropped_files() = 0;

  /// Puts a PNG file on the clipboard. The error says what to do. From any thread.
  virtual Result<void> copy_picture(const std::string& png) = 0;

  virtual TextureStore& textures() = 0;
  /// To be called between frames when the font atlas was rebuilt.
  virtual void upload_fonts() = 0;
};

/// Opens a window with OpenGL 3.3. The error says what was tried and what to do: no display, no OpenGL 3.3.
Result<std::unique_ptr<Window>> open_glfw_window(const WindowOptions& options);

}  // namespace headscope
