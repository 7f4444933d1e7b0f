// SPDX-License-Identifier: Apache-2.0
// tests/matmul/wgmmaImage.cu - tests tweed/matmul/wgmmaImage.cuh; built with code for sm_90a, and
// as wgmmaImagePlain with code for plain 90 alone
#include <tweed/arch/mma.cuh>
#include <tweed/matmul/matmulPlan.cuh>
#include <tweed/matmul/wgmmaImage.cuh>

#include "support/hopper.cuh"
#include "support/product.cuh"

namespace {

using namespace tweedTest;

// What the code that runs says of itself.
TWEED_KERNEL void askKernel(int* has) {
  has[0] = tweed::arch::hasWgmma;
  has[1] = tweed::arch::hasMma;
  has[2] = tweed::arch::hasHopper || isLoom;
}

// False if there is no code for the device: that of plain 90 is for Hopper alone.
bool hasCode() {
#if defined(TWEED_TEST_PLAIN)
  return tweed::deviceAttribute(cudaDevAttrComputeCapabilityMajor, tweed::currentDevice()) == 9;
#else
  return true;
#endif
}

}  // namespace

TEST_SUITE("wgmmaImage") {
  TEST_CASE("the host knows whether the code that runs here has wgmma") {
    int const device = tweed::currentDevice();
    bool const isHopper =
        tweed::deviceAttribute(cudaDevAttrComputeCapabilityMajor, device) == 9 && !isLoom;
#if defined(TWEED_TEST_PLAIN)
    CHECK(!tweed::imageHasWgmma());
#else
    CHECK(tweed::imageHasWgmma() == isHopper);
#endif
    if (!hasCode()) return;
    DeviceArray<int> const has(3);
    tweed::launch(askKernel, {1, 1}, has.data());
    tweed::synchronize();
    CHECK(has.host()[0] == int(tweed::imageHasWgmma()));
    CHECK(has.host()[1] == int(tweed::imageTarget().version >= 80));
    CHECK(has.host()[2] == int(tweed::imageTarget().version >= 90));
  }
  TEST_CASE("without wgmma mma multiplies, and the plan says what is missing") {
    if (!hasCode()) return;
    using Bf = __nv_bfloat16;
    Matrix<Bf, tweed::RowMajor> const a(68, 40, 1);
    Matrix<Bf, tweed::ColumnMajor> const b(40, 72, 2);
    auto const c = Matrix<Bf, tweed::RowMajor>::poison(68, 72);
    constexpr auto oneEach = tweed::among<
        tweed::WgmmaConfiguration<tweed::WgmmaConfig<64, 64, 1, 8>>,
        tweed::MmaConfiguration<tweed::MmaConfig<tweed::TileShape<64, 64, 64>, 32, 32, 3>, 400>>;
    tweed::MatmulPlan const plan(a.constView(), b.constView(), c.view(), tweed::Identity{},
                                 oneEach);
    std::string const text = plan.explain();
    CAPTURE(text);
    bool const isWgmma = tweed::imageHasWgmma();
    CHECK(plan.path() == (isWgmma ? tweed::Path::Wgmma : tweed::Path::Mma));
    CHECK(contains(text, isWgmma ? "\nruns: wgmma 64x64" : "\nruns: mma 64x64x64"));
    CHECK(isWgmma != contains(text,
                              "\ncannot: wgmma 64x64, 8 stages, as it needs a device of compute "
                              "capability 9.0 and code for sm_90a: pass "
                              "-gencode=arch=compute_90a,code=sm_90a to nvcc, or "
                              "CMAKE_CUDA_ARCHITECTURES=90a-real"));
    plan();
    CHECK(c.holds([&](long long i, long long j, long long) { return productOf(a, b, i, j, 0); }));
  }
}
