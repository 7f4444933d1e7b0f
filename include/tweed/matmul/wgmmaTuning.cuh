// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/wgmmaTuning.cuh - which configuration of wgmma takes a product in the least time.
#pragma once

#include <tweed/matmul/wgmmaConfig.cuh>

namespace tweed {

/// A list of configurations.
template <class... Config>
struct WgmmaConfigs {
  static constexpr int count = int(sizeof...(Config));
};

/// Those that were fastest for some shape on an H200, and what each takes in a graph of products of
/// bfloat16, A row-major and B column-major, in microseconds (cuBLAS 13.0 in the same run):
///
///     64 x 64            256^3 2.58 (2.65)    512^3 3.27 (3.43)
///     64 x 64, 2 parts   64 x 4096 x 4096 8.60 (8.23)
///     64 x 64, 4 parts   256 x 256 x 8192 7.36 (8.38); with 8 parts 10.3
///     128 x 64           1024^3 5.47 (5.42); as TF32 8.49 (11.71); A by columns 5.67 (5.25)
///     64 x 128           1024^3 5.51 (5.21); A by columns 5.50 (5.25)
///     128 x 128          1024^3 7.43          2048^3 25.6
///     128 x 256          2048^3 23.1 (22.8)
///     128 x 256, pairs   4096^3 198 (200)     8192^3 1557 (1603); a stream's
///
/// 256 x 128 and 192 x 192 were 4 to 10 % slower than 128 x 256 from 2048^3 on; three stages and
/// all of C staged as fast as four stages and C in parts; groups of 8, 16 and 32 rows, and none or
/// one step left in flight, within 1 %.
using WgmmaFastest = WgmmaConfigs<WgmmaConfig<64, 64, 1, 8>, WgmmaConfig<64, 64, 1, 8, 1, 2>,
                                  WgmmaConfig<64, 64, 1, 8, 1, 4>, WgmmaConfig<128, 64, 2, 8>,
                                  WgmmaConfig<64, 128, 1, 8>, WgmmaConfig<128, 128, 2, 5>,
                                  WgmmaConfig<128, 256, 2, 4>, WgmmaConfig<128, 256, 2, 4, 2>>;

namespace detail {

// Microseconds of a launch with its first loads and last stores, and of a step of 128 bytes of k:
// fitted to the times above, which they give within 15 %, but for 4096^3 and above, where the power
// of the board makes all of them a quarter slower.
struct WgmmaTimes {
  double launch, step;
};
template <class Config>
constexpr WgmmaTimes wgmmaTimes() {
  if (Config::splitK > 1) return {3.3, 0.13};
  if (Config::m * Config::n <= 64 * 64) return {1.9, 0.16};
  if (Config::m * Config::n <= 128 * 64) return {Config::m > Config::n ? 2.3 : 2.4, 0.20};
  if (Config::m * Config::n <= 128 * 128) return {1.5, 0.38};
  return Config::clusterRows > 1 ? WgmmaTimes{3.9, 0.615} : WgmmaTimes{3.4, 0.62};
}

}  // namespace detail

/// An estimate of the microseconds that a product takes, good enough to choose by. Tiles that are
/// taller than wide take longer if A is column-major.
template <class Config>
constexpr double wgmmaMicroseconds(int m, int n, long long bytesOfK, int batch, int multiprocessors,
                                   bool isColumnMajorA = false) {
  constexpr detail::WgmmaTimes times = detail::wgmmaTimes<Config>();
  long long const clusters =
      1ll * ceilDiv(ceilDiv(m, Config::m), Config::clusterRows) * ceilDiv(n, Config::n) * batch;
  long long const rounds =
      ceilDiv(clusters, static_cast<long long>(larger(1, multiprocessors / Config::clusterBlocks)));
  long long const steps =
      ceilDiv(ceilDiv(bytesOfK, static_cast<long long>(detail::wgmmaRow)), 1ll * Config::splitK);
  double const launch = times.launch + (isColumnMajorA && Config::m > Config::n ? 0.3 : 0);
  return launch + double(rounds) * double(larger(1ll, steps)) * times.step;
}

/// The place in the list of the configuration with the least estimate; of equals the first.
template <class... Config>
constexpr int fastestWgmma(WgmmaConfigs<Config...>, int m, int n, long long bytesOfK, int batch,
                           int multiprocessors) {
  double const estimate[] = {wgmmaMicroseconds<Config>(m, n, bytesOfK, batch, multiprocessors)...};
  int best = 0;
  for (int i = 1; i < int(sizeof...(Config)); ++i)
    if (estimate[i] < estimate[best]) best = i;
  return best;
}

}  // namespace tweed
