// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaTuning.cu - tests tweed/matmul/wgmmaTuning.cuh
#include <tweed/matmul/wgmmaTuning.cuh>

#include <climits>

#include "support/device.cuh"

namespace {

using tweed::WgmmaConfig;

// On 132 multiprocessors, 16-bit items.
int chosen(int m, int n, int k, int batch = 1) {
  return tweed::fastestWgmma(tweed::WgmmaFastest{}, m, n, 2ll * k, batch, 132);
}
template <class Config>
bool isNear(int m, int n, int k, double measured) {
  double const estimate = tweed::wgmmaMicroseconds<Config>(m, n, 2ll * k, 1, 132);
  CAPTURE(estimate);
  CAPTURE(measured);
  return estimate > 0.8 * measured && estimate < 1.25 * measured;
}

}  // namespace

TEST_SUITE("wgmmaTuning") {
  TEST_CASE("the fastest of those that were measured is chosen") {
    CHECK(chosen(256, 256, 256) == 0);
    CHECK(chosen(512, 512, 512) == 0);
    CHECK(chosen(64, 4096, 4096) == 1);
    CHECK(chosen(256, 256, 8192) == 2);
    CHECK(chosen(1024, 1024, 1024) == 3);
    CHECK(chosen(1024, 1024, 2048) == 3);  // as long as 1024 of TF32
    CHECK(chosen(2048, 2048, 2048) == 6);
    CHECK(chosen(4096, 4096, 4096) == 7);
    CHECK(chosen(8192, 8192, 8192) == 7);
  }
  TEST_CASE("the estimates are near what was measured") {
    using Tiny = WgmmaConfig<64, 64, 1, 8>;
    CHECK(isNear<Tiny>(256, 256, 256, 2.58));
    CHECK(isNear<Tiny>(512, 512, 512, 3.27));
    CHECK(isNear<Tiny>(1024, 1024, 1024, 7.16));
    CHECK(isNear<WgmmaConfig<64, 64, 1, 8, 1, 2>>(256, 256, 256, 3.69));
    CHECK(isNear<WgmmaConfig<64, 64, 1, 8, 1, 2>>(64, 4096, 4096, 8.60));
    CHECK(isNear<WgmmaConfig<64, 64, 1, 8, 1, 4>>(256, 256, 8192, 7.36));
    using Small = WgmmaConfig<128, 64, 2, 8>;
    CHECK(isNear<Small>(256, 256, 256, 3.06));
    CHECK(isNear<Small>(512, 512, 512, 3.69));
    CHECK(isNear<Small>(1024, 1024, 1024, 5.47));
    CHECK(isNear<Small>(1024, 1024, 2048, 8.49));
    using Wide = WgmmaConfig<64, 128, 1, 8>;
    CHECK(isNear<Wide>(1024, 1024, 1024, 5.51));
    auto const byColumns = [](auto config) {
      return tweed::wgmmaMicroseconds<decltype(config)>(1024, 1024, 2048, 1, 132, true);
    };
    CHECK(byColumns(Small{}) > byColumns(Wide{}));
    CHECK(isNear<WgmmaConfig<128, 128, 2, 5>>(1024, 1024, 1024, 7.43));
    CHECK(isNear<WgmmaConfig<128, 128, 2, 5>>(2048, 2048, 2048, 25.6));
    CHECK(isNear<WgmmaConfig<128, 256, 2, 4>>(2048, 2048, 2048, 23.1));
    CHECK(isNear<WgmmaConfig<128, 256, 2, 4, 2>>(2048, 2048, 2048, 23.7));
    CHECK(isNear<WgmmaConfig<128, 256, 2, 4, 2>>(4096, 4096, 4096, 198));
  }
  TEST_CASE("any shape and device") {
    for (int const n : {0, 1, 7, 100, 5000, 1 << 20, 1 << 30})
      for (int const k : {0, 1, 63, 1 << 20, INT_MAX})
        for (int const multiprocessors : {1, 2, 7, 132}) {
          int const i =
              tweed::fastestWgmma(tweed::WgmmaFastest{}, n, n, 2ll * k, 3, multiprocessors);
          bool const isInList = i >= 0 && i < tweed::WgmmaFastest::count;
          CHECK(isInList);
        }
  }
  TEST_CASE("more work takes longer") {
    using Large = WgmmaConfig<128, 256, 2, 4>;
    double last = 0;
    for (int n = 256; n <= 8192; n *= 2) {
      double const estimate = tweed::wgmmaMicroseconds<Large>(n, n, 2ll * n, 1, 132);
      CHECK(estimate > last);
      CHECK(tweed::wgmmaMicroseconds<Large>(n, n, 2ll * n, 4, 132) >= estimate);
      last = estimate;
    }
  }
}
