// SPDX-License-Identifier: Apache-2.0
// tests/core/error.cu - tests tweed/core/error.cuh
#include <tweed/core/error.cuh>

#include "support/device.cuh"

namespace {

using namespace tweedTest;

int evaluations = 0;
cudaError_t countedSuccess() {
  ++evaluations;
  return cudaSuccess;
}
cudaError_t countedFailure() {
  ++evaluations;
  return cudaSetDevice(-1);
}

}  // namespace

TEST_SUITE("error") {
  TEST_CASE("a failed call is reported with its text, file, line and code") {
    int line = 0;
    bool thrown = false;
    try {
      line = __LINE__ + 1;
      TWEED_CHECK(cudaSetDevice(-1));
    } catch (tweed::Error const& error) {
      thrown = true;
      std::string const text = error.what();
      CAPTURE(text);
      CHECK(error.code() == cudaErrorInvalidDevice);
      CHECK(contains(text, "cudaSetDevice(-1)"));
      CHECK(contains(text, "error.cu:" + std::to_string(line) + ":"));
      CHECK(contains(text, cudaGetErrorString(cudaErrorInvalidDevice)));
      CHECK(contains(text, "[cudaErrorInvalidDevice]"));
    }
    CHECK(thrown);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
  TEST_CASE("a fault that a kernel left behind is not blamed on the call that met it") {
    std::string const text = refusal([] { TWEED_CHECK(cudaErrorIllegalAddress); });
    CAPTURE(text);
    CHECK(contains(text, "cudaErrorIllegalAddress met a failure of earlier work at "));
    CHECK(contains(text, "[cudaErrorIllegalAddress]"));
    for (cudaError_t const code :
         {cudaErrorIllegalAddress, cudaErrorLaunchTimeout, cudaErrorAssert, cudaError_t(714),
          cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorLaunchFailure,
          cudaError_t(214), cudaError_t(220), cudaError_t(226), cudaError_t(721)}) {
      CAPTURE(int(code));
      CHECK(tweed::detail::isKernelFault(code));
    }
    for (cudaError_t const code :
         {cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation, cudaErrorInvalidDevice,
          cudaErrorInvalidConfiguration, cudaErrorInvalidResourceHandle, cudaErrorNotReady,
          cudaErrorLaunchOutOfResources, cudaError_t(713), cudaErrorCooperativeLaunchTooLarge,
          cudaErrorNotSupported, cudaErrorStreamCaptureUnsupported, cudaErrorUnknown}) {
      CAPTURE(int(code));
      CHECK(!tweed::detail::isKernelFault(code));
    }
  }
  TEST_CASE("a call is evaluated once, and success says nothing") {
    evaluations = 0;
    CHECK_NOTHROW(TWEED_CHECK(countedSuccess()));
    CHECK(evaluations == 1);
    CHECK_THROWS_AS(TWEED_CHECK(countedFailure()), tweed::Error);
    CHECK(evaluations == 2);
  }
  TEST_CASE("the check is one statement") {
    bool const no = cudaPeekAtLastError() != cudaSuccess;
    if (no)
      TWEED_CHECK(cudaSetDevice(-1));
    else
      TWEED_CHECK(cudaSetDevice(0));
    cudaError_t const tweedCode = cudaErrorInvalidValue;  // the name that the macro uses inside
    CHECK_NOTHROW(TWEED_CHECK(cudaGetLastError()));
    CHECK(tweedCode == cudaErrorInvalidValue);
  }
  TEST_CASE("it is a runtime_error, and a copy keeps code and text") {
    tweed::Error const error(cudaErrorInvalidValue, "42 asked, 7 allowed");
    tweed::Error const copy = error;
    std::runtime_error const& base = copy;
    CHECK(std::string(base.what()) == "42 asked, 7 allowed");
    CHECK(copy.code() == cudaErrorInvalidValue);
  }
}
