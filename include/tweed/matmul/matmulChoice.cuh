// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmulChoice.cuh - which kernel a product gets, and what it takes to run it.
#pragma once

#include <tweed/matmul/matmulChecks.cuh>
#include <tweed/matmul/plainKernel.cuh>
#include <tweed/matmul/tuner.cuh>
#include <tweed/memory/workspace.cuh>

#if !defined(__CUDACC_RTC__)

#include <algorithm>
#include <vector>

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
namespace tweed {

namespace detail {

template <class View>
auto constItems(View const& view, long long batch) {
  using Const = MatrixView<RemoveConst<typename View::Item> const, typename View::Layout>;
  long long const stride = view.batch == 1 ? 0 : view.batchStride;  // one for all
  return Const{view.data, view.rows, view.columns, view.leadingDimension, batch, stride};
}

// The product as kernels take it, with a row-major C.
template <class A, class B, class C, class Epilogue>
auto matmulTask(A const& a, B const& b, C const& c, Epilogue const& epilogue) {
  auto const constA = constItems(a, c.batch);
  auto const constB = constItems(b, c.batch);
  if constexpr (C::isRowMajor) {
    using Task = MatmulTask<decltype(constItems(a, 1)), decltype(constItems(b, 1)), C, Epilogue>;
    return Task{constA, constB, c, epilogue};
  } else {
    using Turned = TransposedEpilogue<Epilogue>;
    using Task =
        MatmulTask<decltype(transposed(constItems(b, 1))), decltype(transposed(constItems(a, 1))),
                   decltype(transposed(c)), Turned>;
    return Task{transposed(constB), transposed(constA), transposed(c), Turned{epilogue}};
  }
}

// Memory of a stream for one call: what is in it does not matter, so it is not zeroed.
class StreamScratch {
 public:
  StreamScratch(std::size_t bytes, cudaStream_t stream) : stream_(stream) {
    if (bytes > 0) TWEED_CHECK(cudaMallocAsync(&data_, bytes, stream));
  }
  ~StreamScratch() {
    if (data_ != nullptr && cudaFreeAsync(data_, stream_) != cudaSuccess) (void)cudaGetLastError();
  }
  StreamScratch(StreamScratch const&) = delete;
  StreamScratch& operator=(StreamScratch const&) = delete;

  void* data() const { return data_; }

 private:
  cudaStream_t stream_;
  void* data_ = nullptr;
};

inline constexpr std::size_t matmulAlignment = 256;  // of what lies in a workspace

// The workspace of a configuration: its own, then the partials of reductions.
template <class Configuration, class Task>
std::size_t ownBytes(Task const& task, MatmulDevice const& device) {
  return roundUp(Configuration::workspaceBytes(task, device), matmulAlignment);
}
template <class Configuration, class Task>
std::size_t workspaceBytes(Task const& task, MatmulDevice const& device) {
  constexpr int reductions = Reductions<typename Task::Epilogue>::count;
  auto const partials = std::size_t(partialsBefore<typename Configuration::Part, reductions>(task));
  return ownBytes<Configuration>(task, device) + partials * sizeof(typename Task::Acc);
}

template <class Part, int I, class Task>
void foldReductions([[maybe_unused]] Task const& task, [[maybe_unused]] MatmulDevice const& device,
                    [[maybe_unused]] cudaStream_t stream) {
  if constexpr (I < Reductions<typename Task::Epilogue>::count) {
    using Reduction = ReductionOf<typename Task::Epilogue, I>;
    long long const lines = reductionLines<Reduction>(task);
    long long const blocks = smaller(ceilDiv(lines, 256ll), 8ll * device.multiprocessors);
    launch(foldReduction<I, Task>, {blocks, 256, 0, stream}, task,
           task.partials + partialsBefore<Part, I>(task), reductionParts<Part, Reduction>(task));
    foldReductions<Part, I + 1>(task, device, stream);
  }
}

// Prepared once: what runs a product again and again.
template <class Configuration, class Task>
struct MatmulRun {
  typename Configuration::template Prepared<Task> prepared;

  MatmulRun(Task const& task, MatmulDevice const& device)
      : prepared(Configuration::prepare(task, device)) {}

  void operator()(Task task, MatmulDevice const& device, void* workspace,
                  cudaStream_t stream) const {
    if constexpr (hasReductions<typename Task::Epilogue>)
      task.partials = reinterpret_cast<typename Task::Acc*>(static_cast<char*>(workspace) +
                                                            ownBytes<Configuration>(task, device));
    if (task.m() > 0 && task.n() > 0 && task.batch() > 0)
      Configuration::launch(task, prepared, device, workspace, stream);
    foldReductions<typename Configuration::Part, 0>(task, device, stream);
  }
};

// Calls `use` with the configuration at an index.
template <class Use, class... Configuration>
void withConfiguration(Configurations<Configuration...>, int index, Use use) {
  int i = 0;
  (void)((i++ == index && (use(Configuration{}), true)) || ...);
}

// What can be said of a configuration and a product.
struct MatmulChoice {
  int index;
  std::string name;
  std::string refusal;  // empty: it can do it
  double microseconds;  // by the model
  std::string remark;   // of those that can do it
};

template <class Configuration>
std::string wholeName() {
  return pathName(Configuration::path) + (" " + Configuration::name());
}
// Of those that are not candidates, why.
template <class Configuration, class Task>
std::string exclusion() {
  char const* why = "it adds up a sum in parts, which takes no reductions";
  if constexpr (!Configuration::template takes<Task>) why = Configuration::template untaken<Task>();
  return wholeName<Configuration>() + ", as " + why;
}
template <class Task, class... Configuration>
std::vector<std::string> exclusions(Configurations<Configuration...>) {
  return {exclusion<Configuration, Task>()...};
}

template <class Configuration, class Task>
MatmulChoice describe(int index, Task const& task, MatmulDevice const& device) {
  std::string const refusal = Configuration::refusal(task, device);
  bool const isAble = refusal.empty();
  return {index, wholeName<Configuration>(), refusal,
          isAble ? Configuration::microseconds(task, device) : 0,
          isAble ? Configuration::remark(task) : ""};
}

// All of a list: those that can do it first, the fastest by the model before the others.
template <class Task, class... Configuration>
std::vector<MatmulChoice> describeAll(Configurations<Configuration...>, Task const& task,
                                      MatmulDevice const& device) {
  int index = 0;
  std::vector<MatmulChoice> all{describe<Configuration>(index++, task, device)...};
  std::stable_sort(all.begin(), all.end(), [](MatmulChoice const& a, MatmulChoice const& b) {
    return a.refusal.empty() != b.refusal.empty() ? a.refusal.empty()
                                                  : a.microseconds < b.microseconds;
  });
  return all;
}

// The fastest of a list by the model that can do it, -1 if none can. Asks as few as possible, as it
// is part of every call.
template <class Task, class... Configuration>
int fastest(Configurations<Configuration...> list, Task const& task, MatmulDevice const& device) {
  constexpr int count = int(sizeof...(Configuration));
  double times[count] = {Configuration::microseconds(task, device)...};
  for (;;) {
    int best = 0;
    for (int i = 1; i < count; ++i)
      if (times[i] < times[best]) best = i;
    if (!(times[best] < neverMicroseconds)) return -1;
    bool isRefused = false;
    withConfiguration(list, best, [&](auto configuration) {
      isRefused = !decltype(configuration)::refusal(task, device).empty();
    });
    if (!isRefused) return best;
    times[best] = neverMicroseconds;
  }
}

template <class Task, class List>
[[noreturn]] void refuseAll(List list, Task const& task, MatmulDevice const& device) {
  std::string text = matmulName + std::string("none of the kernels can do this product");
  for (MatmulChoice const& choice : describeAll(list, task, device))
    text += "; " + choice.name + ": " + choice.refusal;
  fail(cudaErrorNotSupported, text);
}

// Nothing to add up: one kernel for all paths, since none of them multiplies. A type of its own.
struct NoProduct : PlainConfiguration {
  static std::string name() { return "without products"; }
};
using NoProducts = Configurations<NoProduct>;

// Checks, chooses, and calls use(task, device, list, index).
template <class A, class B, class C, class Epilogue, class Options, class Use>
void chooseMatmul(A const& a, B const& b, C const& c, Epilogue const& epilogue, Options, Use use) {
  using T = RemoveConst<typename A::Item>;
  static_assert(isSame<T, RemoveConst<typename B::Item>>,
                "tweed::matmul: A and B have items of one type");
  static_assert(!isSame<typename C::Item, typename C::Item const>,
                "tweed::matmul: C is written, so its items are not const");
  static_assert(isTriviallyCopyable<Epilogue>, "tweed::matmul: epilogues are trivially copyable");
  checkMatmul(a, b, c, epilogue);
  auto const task = matmulTask(a, b, c, epilogue);
  using List = CandidatesOf<decltype(matmulTask(a, b, c, epilogue)), Options>;
  using Excluded = ExcludedFrom<decltype(matmulTask(a, b, c, epilogue)), Options>;
  constexpr bool areTypes = takesTypes<decltype(matmulTask(a, b, c, epilogue))>(Excluded{});
  static_assert(
      List::count > 0 || !areTypes,
      "tweed::matmul: the options allow only kernels that add up a sum in parts, and those take no "
      "reductions; allow another one");
  static_assert(
      List::count > 0 || areTypes,
      "tweed::matmul: no kernel that the options allow multiplies items of this type in these "
      "layouts; tensor cores take float with tweed::tf32 alone, and wgmma TF32 of a row-major A "
      "and a column-major B alone");
  MatmulDevice const device = matmulDevice();
  bool const isEmpty = task.m() == 0 || task.n() == 0 || task.batch() == 0 || task.k() == 0;
  if (isEmpty) return use(task, device, NoProducts{}, 0);
  int const index = fastest(List{}, task, device);
  if (index < 0) refuseAll(List{}, task, device);
  use(task, device, List{}, index);
}

}  // namespace detail

}  // namespace tweed
#pragma GCC visibility pop

#endif  // !defined(__CUDACC_RTC__)
