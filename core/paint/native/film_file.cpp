#include "core/paint/film_file.h"

#include <gif_lib.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope {
namespace {

const std::uint8_t* bytes_of(const Image& image) {
  static_assert(sizeof(Color) == 4, "a Color is one RGBA pixel");
  return reinterpret_cast<const std::uint8_t*>(image.pixels.data());
}

/// Lossless, because figures have few colours and sharp edges.
class WebpEncoder final : public FilmEncoder {
 public:
  WebpEncoder(int width, int height) {
    WebPAnimEncoderOptions options;
    const bool is_ready = WebPAnimEncoderOptionsInit(&options) != 0 && WebPConfigInit(&config_) != 0;
    config_.lossless = 1;
    config_.method = 1;
    config_.quality = 40.0F;
    if (is_ready) encoder_ = WebPAnimEncoderNew(width, height, &options);
  }
  ~WebpEncoder() override { WebPAnimEncoderDelete(encoder_); }

  Result<void> add(const Image& image, int milliseconds) override {
    WebPPicture picture;
    if (encoder_ == nullptr || WebPPictureInit(&picture) == 0) return failure("libwebp could not be started");
    picture.use_argb = 1;
    picture.width = image.width;
    picture.height = image.height;
    const bool is_read = WebPPictureImportRGBA(&picture, bytes_of(image), 4 * image.width) != 0;
    const bool is_added = is_read && WebPAnimEncoderAdd(encoder_, &picture, now_, &config_) != 0;
    WebPPictureFree(&picture);
    if (!is_read) return failure("there is too little memory for a picture of the film");
    if (!is_added)
      return failure(std::string("libwebp refused a picture: ") + WebPAnimEncoderGetError(encoder_));
    now_ += milliseconds;
    return {};
  }

  Result<std::string> take() override {
    WebPData data;
    WebPDataInit(&data);
    const std::unique_ptr<WebPData, void (*)(WebPData*)> freed(&data, WebPDataClear);
    const bool is_made = encoder_ != nullptr && WebPAnimEncoderAdd(encoder_, nullptr, now_, nullptr) != 0 &&
                         WebPAnimEncoderAssemble(encoder_, &data) != 0;
    std::string bytes(reinterpret_cast<const char*>(data.bytes), is_made ? data.size : 0);
    if (!is_made) return failure("libwebp could not put the film together");
    return bytes;
  }

 private:
  WebPConfig config_{};
  WebPAnimEncoder* encoder_ = nullptr;
  int now_ = 0;  ///< When the next picture begins, in milliseconds.
};

/// The part of a picture that differs from the one before.
struct Changed {
  int left = 0, top = 0, width = 0, height = 0;
};

Changed changed_part(const Image& before, const Image& now) {
  if (before.pixels.size() != now.pixels.size()) return {0, 0, now.width, now.height};
  int left = now.width;
  int right = -1;
  int top = now.height;
  int bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      const auto at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(now.width) + static_cast<std::size_t>(x);
      if (before.pixels[at] == now.pixels[at]) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  // A GIF has no picture without pixels.
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

/// Writes only what changes from picture to picture, each with colours of its own.
class GifEncoder final : public FilmEncoder {
 public:
  GifEncoder(int width, int height) {
    int problem = 0;
    file_ = EGifOpen(&bytes_, append, &problem);
    if (file_ == nullptr) return;
    EGifSetGifVersion(file_, true);
    constexpr int bits_of_color = 8;
    is_good_ = EGifPutScreenDesc(file_, width, height, bits_of_color, 0, nullptr) == GIF_OK && put_loop();
  }
  ~GifEncoder() override { close(); }

  Result<void> add(const Image& image, int milliseconds) override {
    const Changed part = changed_part(before_, image);
    std::vector<GifByteType> colors_of_pixels;
    ColorMapObject* map = quantized(image, part, colors_of_pixels);
    is_good_ = is_good_ && map != nullptr && put_time(milliseconds) &&
               EGifPutImageDesc(file_, part.left, part.top, part.width, part.height, false, map) == GIF_OK;
    for (int y = 0; y < part.height && is_good_; ++y)
      is_good_ = EGifPutLine(file_, colors_of_pixels.data() + static_cast<std::ptrdiff_t>(y) * part.width,
                             part.width) == GIF_OK;
    GifFreeMapObject(map);
    if (!is_good_) return failure("giflib refused a picture: there may be too little memory");
    before_ = image;
    return {};
  }

  Result<std::string> take() override {
    is_good_ = is_good_ && close();
    if (!is_good_) return failure("giflib could not finish the film");
    return std::move(bytes_);
  }

 private:
  static int append(GifFileType* file, const GifByteType* data, int size) {
    // An exception must not pass through the frames of giflib.
    try {
      static_cast<std::string*>(file->UserData)
          ->append(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    } catch (...) {
      return 0;
    }
    return size;
  }

  bool close() {
    GifFileType* file = std::exchange(file_, nullptr);
    return file != nullptr && EGifCloseFile(file, nullptr) == GIF_OK;
  }

  /// The extension of Netscape 2.0 that repeats the film without end.
  bool put_loop() {
    constexpr std::string_view name = "NETSCAPE2.0";
    constexpr GifByteType endless[] = {1, 0, 0};
    return EGifPutExtensionLeader(file_, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file_, static_cast<int>(name.size()), name.data()) == GIF_OK &&
           EGifPutExtensionBlock(file_, sizeof(endless), endless) == GIF_OK &&
           EGifPutExtensionTrailer(file_) == GIF_OK;
  }

  /// A GIF counts in hundredths of a second. What is rounded off is added to the next picture.
  bool put_time(int milliseconds) {
    constexpr int unit = 10;
    left_over_ += milliseconds;
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = left_over_ / unit;
    control.TransparentColor = NO_TRANSPARENT_COLOR;
    left_over_ %= unit;
    GifByteType extension[4];
    const auto size = static_cast<int>(EGifGCBToExtension(&control, extension));
    return EGifPutExtension(file_, GRAPHICS_EXT_FUNC_CODE, size, extension) == GIF_OK;
  }

  /// The colours of a part of a picture, at most 256, and for each of its pixels which one it has. Few
  /// colours are kept as they are.
  static ColorMapObject* quantized(const Image& image, const Changed& part,
                                   std::vector<GifByteType>& indices) {
    ColorMapObject* map = GifMakeMapObject(max_colors, nullptr);
    if (map == nullptr) return nullptr;
    const std::vector<Color> pixels = pixels_of(image, part);
    indices.resize(pixels.size());
    if (keeps_all(pixels, indices, *map) || merges(pixels, part, indices, *map)) return map;
    GifFreeMapObject(map);
    return nullptr;
  }

  static std::vector<Color> pixels_of(const Image& image, const Changed& part) {
    std::vector<Color> pixels;
    pixels.reserve(static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height));
    for (int y = part.top; y < part.top + part.height; ++y) {
      const auto row = image.pixels.begin() + static_cast<std::ptrdiff_t>(y) * image.width + part.left;
      pixels.insert(pixels.end(), row, row + part.width);
    }
    return pixels;
  }

  static bool keeps_all(const std::vector<Color>& pixels, std::vector<GifByteType>& indices,
                        ColorMapObject& map) {
    std::map<std::array<std::uint8_t, 3>, GifByteType> found;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const Color& pixel = pixels[i];
      const auto [place, is_new] =
          found.try_emplace({pixel.r, pixel.g, pixel.b}, static_cast<GifByteType>(found.size()));
      if (is_new && found.size() > static_cast<std::size_t>(max_colors)) return false;
      if (is_new) map.Colors[place->second] = {pixel.r, pixel.g, pixel.b};
      indices[i] = place->second;
    }
    return true;
  }

  /// giflib counts colours in 5 bits each, so that 248 is its white.
  static bool merges(const std::vector<Color>& pixels, const Changed& part, std::vector<GifByteType>& indices,
                     ColorMapObject& map) {
    std::array<std::vector<GifByteType>, 3> channels;
    for (const Color& pixel : pixels) {
      channels[0].push_back(pixel.r);
      channels[1].push_back(pixel.g);
      channels[2].push_back(pixel.b);
    }
    int n_colors = max_colors;
    if (GifQuantizeBuffer(static_cast<unsigned>(part.width), static_cast<unsigned>(part.height), &n_colors,
                          channels[0].data(), channels[1].data(), channels[2].data(), indices.data(),
                          map.Colors) != GIF_OK)
      return false;
    constexpr int white = 255;
    constexpr int white_of_giflib = 248;
    for (int i = 0; i < n_colors; ++i)
      for (GifByteType* channel : {&map.Colors[i].Red, &map.Colors[i].Green, &map.Colors[i].Blue})
        *channel = static_cast<GifByteType>(std::min(*channel * white / white_of_giflib, white));
    return true;
  }

  static constexpr int max_colors = 256;

  std::string bytes_;
  GifFileType* file_ = nullptr;
  bool is_good_ = false;
  int left_over_ = 0;
  Image before_;
};

}  // namespace

bool can_write_films() {
  return true;
}

Result<std::unique_ptr<FilmEncoder>> film_encoder(FilmType type, int width, int height) {
  constexpr int most_of_webp = 16'383;
  constexpr int most_of_gif = 65'535;
  const int most = type == FilmType::webp ? most_of_webp : most_of_gif;
  if (width < 1 || height < 1 || std::max(width, height) > most)
    return usage_error("a film of " + std::to_string(width) + " by " + std::to_string(height) +
                       " pixels is too large: a side may have " + std::to_string(most));
  if (type == FilmType::webp) return std::make_unique<WebpEncoder>(width, height);
  return std::make_unique<GifEncoder>(width, height);
}

}  // namespace headscope
