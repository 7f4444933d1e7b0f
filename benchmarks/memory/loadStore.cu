// SPDX-License-Identifier: Apache-2.0
// benchmarks/memory/loadStore.cu - loops of 16-byte loads and stores with hints to the caches,
// against the same loops without, and with CUB's modifiers.
#include "support/arrayCase.cuh"

#include <tweed/memory/loadStore.cuh>

#include <cub/thread/thread_load.cuh>
#include <cub/thread/thread_store.cuh>
#include <cub/version.cuh>

namespace {

using tweed::Cache;

struct Plain {
  static __device__ float4 load(float4 const* p) { return *p; }
  static __device__ void store(float4* p, float4 value) { *p = value; }
};
template <Cache Load, Cache Store = Cache::Normal>
struct Hinted {
  static __device__ float4 load(float4 const* p) {
    auto const value = tweed::loadVector<4, Load>(reinterpret_cast<float const*>(p));
    return {value.item[0], value.item[1], value.item[2], value.item[3]};
  }
  static __device__ void store(float4* p, float4 value) {
    tweed::storeVector<Store>(reinterpret_cast<float*>(p),
                              tweed::Vector<float, 4>{{value.x, value.y, value.z, value.w}});
  }
};
struct CubStreaming {
  static __device__ float4 load(float4 const* p) {
    return cub::ThreadLoad<cub::LOAD_CS>(const_cast<float4*>(p));
  }
  static __device__ void store(float4* p, float4 value) {
    cub::ThreadStore<cub::STORE_CS>(p, value);
  }
};

constexpr int threads = 256;
constexpr unsigned tableVectors = 1u << 20;  // 16 MiB: a third of an H200's L2 cache

// out = in, or in + table, which is read again and again.
template <class Stream, class Table>
__global__ void __launch_bounds__(threads)
    move(float4* out, float4 const* in, float4 const* table, std::uint64_t vectors) {
  constexpr int batch = 4;
  std::uint64_t const stride = gridDim.x * std::uint64_t(threads);
  std::uint64_t i = blockIdx.x * std::uint64_t(threads) + threadIdx.x;
  auto const moved = [&](float4 value, std::uint64_t at) {
    if constexpr (!std::is_same_v<Table, void>) {
      float4 const more = Table::load(table + at % tableVectors);
      value = {value.x + more.x, value.y + more.y, value.z + more.z, value.w + more.w};
    }
    return value;
  };
  for (; i + (batch - 1) * stride < vectors; i += batch * stride) {
    float4 value[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) value[k] = Stream::load(in + i + k * stride);
#pragma unroll
    for (int k = 0; k < batch; ++k) value[k] = moved(value[k], i + k * stride);
#pragma unroll
    for (int k = 0; k < batch; ++k) Stream::store(out + i + k * stride, value[k]);
  }
  for (; i < vectors; i += stride) Stream::store(out + i, moved(Stream::load(in + i), i));
}

template <bool HasTable>
__global__ void countWrong(bench::Arrays<float> a, std::uint64_t n, unsigned long long* wrong) {
  std::uint64_t const stride = gridDim.x * std::uint64_t(blockDim.x);
  for (std::uint64_t i = blockIdx.x * std::uint64_t(blockDim.x) + threadIdx.x; i < n; i += stride) {
    float const wanted = HasTable ? a.x[i] + a.y[i % (4ull * tableVectors)] : a.x[i];
    if (a.out[i] != wanted) atomicAdd(wrong, 1ull);
  }
}

template <bool HasTable>
class Adder {
 public:
  Adder(bench::Pools const& pools, bool isGraph)
      : case_(bench::addCase(std::string(HasTable ? "addTable" : "copy") +
                             (isGraph ? "/graph" : "/stream") +
                             "/bytes:" + std::to_string(pools.n * sizeof(float)))),
        pools_(pools),
        isGraph_(isGraph) {}

  template <class Stream, class Table>
  void add(char const* name) {
    std::uint64_t const n = pools_.n;
    auto const call = [n](bench::Arrays<float> const& a) {
      using UsedTable = std::conditional_t<HasTable, Table, void>;
      move<Stream, UsedTable><<<8 * bench::multiprocessors(), threads, 0, bench::stream()>>>(
          reinterpret_cast<float4*>(a.out), reinterpret_cast<float4 const*>(a.x),
          reinterpret_cast<float4 const*>(a.y), n / 4);
      TWEED_CHECK(cudaGetLastError());
    };
    auto const check = [n](bench::Arrays<float> const& a, unsigned long long* wrong) {
      countWrong<HasTable><<<1024, 256, 0, bench::stream()>>>(a, n, wrong);
      TWEED_CHECK(cudaGetLastError());
    };
    bench::addArrayPeer<float>(case_, name, pools_, isGraph_, 2. * double(n) * sizeof(float), call,
                               check);
  }
  // Of the table: Keep where the rest streams.
  void addAll() {
    add<Plain, Plain>("plain");
    add<Hinted<Cache::Normal>, Hinted<Cache::Normal>>("tweed.normal");
    add<Hinted<Cache::Streaming, Cache::Streaming>, Hinted<Cache::Normal>>("tweed.streaming");
    add<Hinted<Cache::ReadOnce, Cache::Streaming>, Hinted<Cache::ReadOnly>>("tweed.readOnce");
    if constexpr (HasTable) {
      add<Hinted<Cache::Streaming, Cache::Streaming>, Hinted<Cache::Keep>>("tweed.keep");
    } else {
      add<Hinted<Cache::Keep, Cache::Keep>, void>("tweed.keep");
    }
    add<CubStreaming, Plain>("cub.streaming");
  }

 private:
  bench::Case& case_;
  bench::Pools pools_;
  bool isGraph_;
};

void addCases() {
  bench::addVersion("cub", CUB_VERSION);
  constexpr std::size_t pool = 3ull << 26;  // two arrays of 2^26 items, apart
  static bench::Input<float> const input(pool);
  static bench::DeviceArray<float> const target(pool);
  Adder<false>({input, target, 1ull << 26}, false).addAll();
  Adder<false>({input, target, 1ull << 20}, true).addAll();
  Adder<true>({input, target, 1ull << 26}, false).addAll();
}

}  // namespace

int main(int argc, char** argv) { return bench::run(argc, argv, "loadStore", 12, addCases); }
