// Tests films against the decoders of libwebp and giflib.
#include "core/paint/film_file.h"

#include <gif_lib.h>
#include <gtest/gtest.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace headscope {
namespace {

/// Pictures of few colours, as figures have, of which each differs in a part from the one before.
std::vector<Image> pictures(int width, int height, int n, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&random](int n_values) {
    return static_cast<int>(random() % static_cast<unsigned>(n_values));
  };
  Image image{width, height,
              std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                                 {255, 255, 255})};
  std::vector<Image> all;
  for (int i = 0; i < n; ++i) {
    const Color color{static_cast<std::uint8_t>(8 * below(32)), static_cast<std::uint8_t>(8 * below(32)),
                      static_cast<std::uint8_t>(8 * below(32))};
    const int left = below(width);
    const int top = below(height);
    for (int y = top; y < height; ++y)
      for (int x = left; x < width; ++x)
        image.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(x)] = color;
    all.push_back(image);
  }
  return all;
}

std::string film_of(FilmType type, const std::vector<Image>& images, int milliseconds) {
  auto encoder = film_encoder(type, images.front().width, images.front().height);
  EXPECT_TRUE(encoder);
  for (const Image& image : images) EXPECT_TRUE((*encoder)->add(image, milliseconds));
  const auto bytes = (*encoder)->take();
  EXPECT_TRUE(bytes);
  return bytes.value_or("");
}

TEST(FilmFile, WebpKeepsEveryPixelAndItsTime) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const std::vector<Image> images = pictures(64, 48, 6, seed);
    const std::string film = film_of(FilmType::webp, images, 130);
    const WebPData data{reinterpret_cast<const std::uint8_t*>(film.data()), film.size()};
    WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
    ASSERT_NE(decoder, nullptr);
    WebPAnimInfo about;
    ASSERT_TRUE(WebPAnimDecoderGetInfo(decoder, &about));
    EXPECT_EQ(about.loop_count, 0U) << "it repeats without end";
    int end = 0;
    std::size_t shown = 0;
    while (WebPAnimDecoderHasMoreFrames(decoder)) {
      std::uint8_t* pixels = nullptr;
      ASSERT_TRUE(WebPAnimDecoderGetNext(decoder, &pixels, &end));
      // Equal pictures may be joined, so the time says which one this is.
      shown = static_cast<std::size_t>(end / 130) - 1;
      ASSERT_LT(shown, images.size());
      EXPECT_EQ(std::memcmp(pixels, images[shown].pixels.data(), 4 * images[shown].pixels.size()), 0)
          << shown;
    }
    EXPECT_EQ(end, 6 * 130);
    WebPAnimDecoderDelete(decoder);
  }
}

struct Bytes {
  const std::string& all;
  std::size_t at = 0;
};

TEST(FilmFile, GifKeepsFewColoursAndItsTime) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    const std::vector<Image> images = pictures(40, 30, 5, seed);
    const std::string film = film_of(FilmType::gif, images, 125);
    Bytes bytes{film};
    const auto read = [](GifFileType* file, GifByteType* to, int n) {
      auto& from = *static_cast<Bytes*>(file->UserData);
      const std::size_t size = std::min(static_cast<std::size_t>(n), from.all.size() - from.at);
      std::memcpy(to, from.all.data() + from.at, size);
      from.at += size;
      return static_cast<int>(size);
    };
    int problem = 0;
    GifFileType* file = DGifOpen(&bytes, read, &problem);
    ASSERT_NE(file, nullptr);
    ASSERT_EQ(DGifSlurp(file), GIF_OK);
    ASSERT_EQ(file->ImageCount, 5);
    std::vector<Color> canvas(images.front().pixels.size());
    int time = 0;
    for (int i = 0; i < file->ImageCount; ++i) {
      const SavedImage& saved = file->SavedImages[i];
      const GifImageDesc& part = saved.ImageDesc;
      for (int y = 0; y < part.Height; ++y) {
        for (int x = 0; x < part.Width; ++x) {
          const GifColorType& color = part.ColorMap->Colors[saved.RasterBits[y * part.Width + x]];
          canvas[static_cast<std::size_t>((part.Top + y) * 40 + part.Left + x)] = {color.Red, color.Green,
                                                                                   color.Blue};
        }
      }
      GraphicsControlBlock control;
      ASSERT_EQ(DGifSavedExtensionToGCB(file, i, &control), GIF_OK);
      time += control.DelayTime;
      for (std::size_t p = 0; p < canvas.size(); ++p) {
        const Color& wanted = images[static_cast<std::size_t>(i)].pixels[p];
        ASSERT_EQ(canvas[p], wanted) << i << ", " << p;
      }
    }
    EXPECT_EQ(time, 62) << "in hundredths of a second: 5 × 0.125 s";
    DGifCloseFile(file, nullptr);
  }
}

TEST(FilmFile, RefusesSidesThatTheFormatDoesNotHave) {
  EXPECT_FALSE(film_encoder(FilmType::webp, 20'000, 10));
  EXPECT_TRUE(film_encoder(FilmType::gif, 20'000, 10));
  EXPECT_FALSE(film_encoder(FilmType::gif, 0, 10));
}

}  // namespace
}  // namespace headscope
