// SPDX-License-Identifier: Apache-2.0
/// Every built-in whose bits CUDA defines, over fixed pseudo-random inputs, against a table that a
/// GPU wrote: tests/loom/intrinsics.table, a line a group. TWEED_WRITE_TABLE=FILE writes it
/// instead.
#include <doctest/doctest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "intrinsicInputs.cuh"
#include "support.cuh"

namespace {

__global__ void shuffles(std::uint32_t* out) {
  Results results(out);
  int const deltas[] = {0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 63, -1, -7, 1000};
  for (int width = 1; width <= 32; width *= 2) {
    results.next();
    for (int d : deltas) results(__shfl_sync(full, randomInt(1), d, width));
    results.next();
    for (int d : deltas) results(__shfl_up_sync(full, randomInt(2), unsigned(d), width));
    results.next();
    for (int d : deltas) results(__shfl_down_sync(full, randomInt(3), unsigned(d), width));
    results.next();
    for (int d : deltas) results(__shfl_xor_sync(full, randomInt(4), d, width));
  }
  results.next();  // each lane reads another
  results(__shfl_sync(full, randomInt(5), int(random32(6) & 31)));
  results(__shfl_sync(full, randomInt(5), int(random32(7)), 8));
  results.next();  // parts of a warp
  unsigned const lane = threadIdx.x % 32, group = lane / 4, mask = 0xfu << (group * 4);
  if (group % 2) {
    results(__shfl_xor_sync(mask, randomInt(8), 3, 4));
    results(__shfl_down_sync(mask, randomInt(9), 2, 4));
  } else {
    results(__shfl_sync(mask, randomInt(10), int(group * 4)));
  }
  results.next();
}

template <typename T>
__device__ void shuffleType(Results& results, T value) {
  results.next();
  results(__shfl_sync(full, value, 3));
  results(__shfl_up_sync(full, value, 2));
  results(__shfl_down_sync(full, value, 7, 16));
  results(__shfl_xor_sync(full, value, 9));
}
__global__ void shuffleTypes(std::uint32_t* out) {
  Results results(out);
  shuffleType(results, int(randomInt(1)));
  shuffleType(results, unsigned(randomInt(2)));
  shuffleType(results, long(randomInt64(3)));
  shuffleType(results, (unsigned long)(randomInt64(4)));
  shuffleType(results, (long long)(randomInt64(5)));
  shuffleType(results, (unsigned long long)(randomInt64(6)));
  shuffleType(results, randomFloat(7));
  shuffleType(results, randomDouble(8));
  results.next();
}

__global__ void votes(std::uint32_t* out) {
  Results results(out);
  unsigned const warp = threadIdx.x / 32;
  for (unsigned shift = 0; shift < 6; ++shift) {
    // From all true over mixed to all false, another way in each warp.
    int const predicate = int(random32(shift + warp * 16) >> (26 + shift)) * (shift < 5 ? 1 : 0);
    int const often = shift == 0 || predicate;
    results.next();
    results(__ballot_sync(full, often));
    results.next();
    results(__any_sync(full, predicate));
    results.next();
    results(__all_sync(full, often));
    results.next();
    results(__syncthreads_count(predicate));
    results(__syncthreads_and(often));
    results(__syncthreads_or(predicate));
  }
  results.next();
  if (threadIdx.x % 32 < 11)
    results(__ballot_sync(0x7ffu, int(randomInt(50) & 1)));
  else
    results(__ballot_sync(~0x7ffu, int(randomInt(51) & 2)));  // not zero is true
  __syncwarp();
  results.next();
}

template <typename T>
__device__ void matchType(Results& results) {
  for (unsigned bits = 0; bits < 3; ++bits) {
    T const value = T(random32(bits + 20) & ((1u << bits) - 1));
    results.next();
    results(__match_any_sync(full, value));
    results.next();
    int predicate = -1;
    results(__match_all_sync(full, value, &predicate));
    results(int(predicate != 0));
  }
}
__global__ void matches(std::uint32_t* out) {
  Results results(out);
  matchType<int>(results);
  matchType<unsigned>(results);
  matchType<long>(results);
  matchType<unsigned long>(results);
  matchType<long long>(results);
  matchType<unsigned long long>(results);
  matchType<float>(results);
  matchType<double>(results);
  results.next();
  results(__match_any_sync(full, threadIdx.x % 2 ? 0.f : -0.f));  // compared as bits
  results.next();
}

__global__ void reductions(std::uint32_t* out) {
  Results results(out);
  unsigned const mask = threadIdx.x % 32 < 19 ? 0x0007ffffu : 0xfff80000u;
  for (unsigned m : {full, mask}) {
    unsigned const x = randomInt(1), y = random32(2);
    results.next();
    results(__reduce_add_sync(m, x));
    results.next();
    results(__reduce_add_sync(m, int(y)));
    results.next();
    results(__reduce_min_sync(m, x));
    results.next();
    results(__reduce_min_sync(m, int(y)));
    results.next();
    results(__reduce_max_sync(m, x));
    results.next();
    results(__reduce_max_sync(m, int(y)));
    results.next();
    results(__reduce_and_sync(m, y | 0xff00u));
    results.next();
    results(__reduce_or_sync(m, y & 0xff00u));
    results.next();
    results(__reduce_xor_sync(m, y));
  }
  results.next();
}

#define EACH(expression)                         \
  results.next();                                \
  for (unsigned i = 0; i < rounds; ++i) {        \
    std::uint32_t const a = randomInt(i, 1);     \
    std::uint32_t const b = randomInt(i, 2);     \
    std::uint32_t const c = randomInt(i, 3);     \
    std::uint64_t const w = randomInt64(i, 4);   \
    std::uint64_t const v = randomInt64(i, 5);   \
    (void)a, (void)b, (void)c, (void)w, (void)v; \
    results(expression);                         \
  }
__global__ void bits(std::uint32_t* out) {
  Results results(out);
  EACH(__popc(a))
  EACH(__popcll(w))
  EACH(__clz(int(a)))
  EACH(__clzll((long long)(w)))
  EACH(__ffs(int(a)))
  EACH(__ffsll((long long)(w)))
  EACH(__brev(a))
  EACH(__brevll(w))
  EACH(__byte_perm(a, b, c & 0x7777))  // an index has three bits
  EACH(__funnelshift_l(a, b, c & 63))
  EACH(__funnelshift_r(a, b, c & 63))
  EACH(__funnelshift_lc(a, b, c & 63))
  EACH(__funnelshift_rc(a, b, c & 63))
  EACH(__mulhi(int(a), int(b)))
  EACH(__umulhi(a, b))
  EACH(__mul64hi((long long)(w), (long long)(v)))
  EACH(__umul64hi(w, v))
  EACH(__mul24(int(a), int(b)))
  EACH(__umul24(a, b))
  EACH(__sad(int(a), int(b), c))
  EACH(__usad(a, b, c))
  EACH(__dp4a(int(a), int(b), int(c)))
  EACH(__dp4a(a, b, c))
  EACH(min(int(a), int(b)))
  EACH(max(int(a), int(b)))
  EACH(min(a, b))
  EACH(max(a, b))
  EACH(min((long long)(w), (long long)(v)))
  EACH(max((long long)(w), (long long)(v)))
  EACH(min((unsigned long long)(w), (unsigned long long)(v)))
  EACH(max((unsigned long long)(w), (unsigned long long)(v)))
  EACH(min(int(a), b))
  EACH(max(a, int(b)))
  results.next();
}
#undef EACH

#define EACH(expression)                  \
  results.next();                         \
  for (unsigned i = 0; i < rounds; ++i) { \
    float const x = randomFloat(i, 1);    \
    float const y = randomFloat(i, 2);    \
    float const z = randomFloat(i, 3);    \
    double const p = randomDouble(i, 4);  \
    double const q = randomDouble(i, 5);  \
    double const r = randomDouble(i, 6);  \
    (void)x, (void)y, (void)z;            \
    (void)p, (void)q, (void)r;            \
    results(expression);                  \
  }
__global__ void arithmetic(std::uint32_t* out) {
  Results results(out);
  EACH(__fadd_rn(x, y))
  EACH(__fsub_rn(x, y))
  EACH(__fmul_rn(x, y))
  EACH(__fadd_rn(__fmul_rn(x, y), z))
  EACH(__fmaf_rn(x, y, z))
  EACH(fmaf(x, y, z))
  EACH(__fdiv_rn(x, y))
  EACH(__frcp_rn(x))
  EACH(__fsqrt_rn(x))
  EACH(__dadd_rn(p, q))
  EACH(__dsub_rn(p, q))
  EACH(__dmul_rn(p, q))
  EACH(__fma_rn(p, q, r))
  EACH(__ddiv_rn(p, q))
  EACH(__drcp_rn(p))
  EACH(__dsqrt_rn(p))
  EACH(__saturatef(x) + 0.f)  // the sign of a zero is not defined
  EACH(min(x, y))
  EACH(max(x, y))
  EACH(min(p, q))
  EACH(max(p, q))
  EACH(min(x, q))
  EACH(max(p, y))
  EACH(floorf(x))
  EACH(ceilf(x))
  EACH(truncf(x))
  EACH(rintf(x))
  EACH(fabsf(x))
  EACH(copysignf(x, y))
  results.next();
}
__global__ void conversions(std::uint32_t* out) {
  Results results(out);
  EACH(__float2int_rn(x))
  EACH(__float2int_rz(x))
  EACH(__float2int_ru(x))
  EACH(__float2int_rd(x))
  EACH(__float2uint_rn(x))
  EACH(__float2uint_rz(x))
  EACH(__float2uint_ru(x))
  EACH(__float2uint_rd(x))
  EACH(__float2ll_rn(x))
  EACH(__float2ll_rz(x))
  EACH(__float2ull_rn(x))
  EACH(__float2ull_rz(x))
  EACH(__double2int_rn(p))
  EACH(__double2int_rz(p))
  EACH(__double2int_ru(p))
  EACH(__double2int_rd(p))
  EACH(__double2uint_rn(p))
  EACH(__double2uint_rz(p))
  EACH(__double2ll_rn(p))
  EACH(__double2ll_rz(p))
  EACH(__double2ull_rn(p))
  EACH(__double2ull_rz(p))
  EACH(__double2float_rn(p))
  EACH(__int2float_rn(int(randomInt(i))))
  EACH(__uint2float_rn(randomInt(i)))
  EACH(__ll2float_rn((long long)(randomInt64(i))))
  EACH(__ull2float_rn(randomInt64(i)))
  EACH(__int2double_rn(int(randomInt(i))))
  EACH(__uint2double_rn(randomInt(i)))
  EACH(__ll2double_rn((long long)(randomInt64(i))))
  EACH(__ull2double_rn(randomInt64(i)))
  EACH(__int_as_float(__float_as_int(x)))
  EACH(__double2hiint(q == q ? q : 1.0))
  EACH(__double2loint(q == q ? q : 1.0))
  EACH(__hiloint2double(int(randomInt(i)), int(randomInt(i, 1))))
  results.next();
}
#undef EACH

/// What each call returns, and what it leaves.
#define EACH(T, call)                                       \
  results.next();                                           \
  for (unsigned i = 0; i < rounds; ++i) {                   \
    T* const p = reinterpret_cast<T*>(words + threadIdx.x); \
    *p = static_cast<T>(randomInt64(i, 1));                 \
    T const v = static_cast<T>(randomInt64(i, 2));          \
    T const u = static_cast<T>(randomInt64(i, 3));          \
    (void)v, (void)u;                                       \
    results(call);                                          \
    results(*p);                                            \
  }
#define EACH_INTEGER(T)                    \
  EACH(T, atomicAdd(p, v))                 \
  EACH(T, atomicExch(p, v))                \
  EACH(T, atomicMin(p, v))                 \
  EACH(T, atomicMax(p, v))                 \
  EACH(T, atomicAnd(p, v))                 \
  EACH(T, atomicOr(p, v))                  \
  EACH(T, atomicXor(p, v))                 \
  EACH(T, atomicCAS(p, i % 2 ? *p : u, v)) \
  EACH(T, atomicAdd_block(p, v))           \
  EACH(T, atomicMax_system(p, v))
__global__ void atomics(std::uint32_t* out) {
  __shared__ unsigned long long words[threads];
  Results results(out);
  EACH_INTEGER(int)
  EACH_INTEGER(unsigned)
  EACH_INTEGER(unsigned long long)
  EACH(int, atomicSub(p, v))
  EACH(unsigned, atomicSub(p, v))
  EACH(unsigned, atomicInc(p, v))
  EACH(unsigned, atomicDec(p, v))
  EACH(unsigned, atomicInc(p, 0xffffffffu))
  EACH(long long, atomicMin(p, v))
  EACH(long long, atomicMax(p, v))
  results.next();
  for (unsigned i = 0; i < rounds; ++i) {
    auto* const p = reinterpret_cast<unsigned short*>(words + threadIdx.x);
    *p = static_cast<unsigned short>(randomInt(i));
    auto const v = static_cast<unsigned short>(randomInt(i, 1));
    results(int(atomicCAS(p, i % 2 ? *p : v, static_cast<unsigned short>(i))));
    results(int(*p));
  }
  results.next();
  for (unsigned i = 0; i < rounds; ++i) {
    auto* const p = reinterpret_cast<float*>(words + threadIdx.x);
    *p = float(int(randomInt(i))) * 0.25f;
    results(atomicAdd(p, float(int(randomInt(i, 1)))));
    results(*p);
    results(atomicExch(p, randomFloat(i)));
  }
  results.next();
  for (unsigned i = 0; i < rounds; ++i) {
    auto* const p = reinterpret_cast<double*>(words + threadIdx.x);
    *p = randomDouble(i, 1);
    results(atomicAdd(p, randomDouble(i, 2)));
    results(*p);
  }
  results.next();  // all threads on one word
  __syncthreads();
  if (threadIdx.x == 0) words[0] = 5;
  __syncthreads();
  atomicAdd(&words[0], (unsigned long long)(randomInt64(1)));
  __syncthreads();
  results(words[0]);
  results.next();
}
#undef EACH_INTEGER
#undef EACH

struct Group {
  char const* name;
  void (*kernel)(std::uint32_t*);
};
constexpr Group groups[] = {
    {"shuffles", shuffles},     {"shuffleTypes", shuffleTypes}, {"votes", votes},
    {"matches", matches},       {"reductions", reductions},     {"bits", bits},
    {"arithmetic", arithmetic}, {"conversions", conversions},   {"atomics", atomics}};

/// The group's line: its name, then eight words an operation, each of eight threads.
std::string run(Group const& group) {
  loomTest::Array<std::uint32_t> out(maxResults * threads);
  out.set(std::vector<std::uint32_t>(maxResults * threads, 0xdeadbeefu));
  loomTest::launch(group.kernel, loomTest::shape(1, threads), out.data());
  auto const words = out.get();
  std::ostringstream line;
  line << group.name << std::hex;
  for (unsigned k = 0; k < maxResults && words[k * threads] != 0xdeadbeefu; ++k) {
    for (unsigned t = 0; t < threads; t += threadsPerWord) {
      std::uint32_t hash = 0;
      for (unsigned j = 0; j < threadsPerWord; ++j) hash = mix(hash, words[k * threads + t + j]);
      line << ' ' << hash;
    }
  }
  return line.str();
}

std::vector<std::string> split(std::string const& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

TEST_CASE("loom intrinsics: the table of a GPU") {
  if (char const* path = std::getenv("TWEED_WRITE_TABLE")) {
    std::ofstream table(path);
    for (Group const& group : groups) table << run(group) << '\n';
    REQUIRE(table.good());
    return;
  }
  std::ifstream table(TWEED_SOURCE_DIR "/tests/loom/intrinsics.table");
  REQUIRE_MESSAGE(table.good(), "tests/loom/intrinsics.table is missing");
  for (Group const& group : groups) {
    std::string line;
    std::getline(table, line);
    auto const want = split(line), have = split(run(group));
    std::string const name = group.name;
    CAPTURE(name);
    REQUIRE(have.size() > threads / threadsPerWord);
    REQUIRE(want.size() == have.size());
    CHECK(want[0] == have[0]);
    for (std::size_t i = 1; i < want.size(); ++i) {
      std::size_t const operation = (i - 1) / (threads / threadsPerWord);
      CAPTURE(operation);
      CHECK(want[i] == have[i]);
    }
  }
}
