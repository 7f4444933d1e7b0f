// SPDX-License-Identifier: Apache-2.0
// tweed/matmul/matmulPlan.cuh - a product that is checked and chosen for once, and run many times.
#pragma once

#include <tweed/matmul/matmulChoice.cuh>

#if !defined(__CUDACC_RTC__)

#include <cstdio>
#include <functional>

namespace tweed {

/// What one kernel of a plan took, as explain() names it: see tune().
struct MatmulTiming {
  std::string name;
  double microseconds;
};

/// A product that is checked and chosen for once, and run many times.
///
///     tweed::MatmulPlan plan(a, b, c, tweed::biasPerColumn(bias) | tweed::gelu());
///     tweed::Workspace workspace(stream, plan.workspaceBytes());
///     plan(workspace);  // as often as you like: the items may change, the memory may not
///
/// Shape    as matmul(). The views, the epilogue and what it points to are those of every run.
/// Result   as matmul(), which runs the same kernel.
/// Needs    as matmul(), of the views and the memory behind them, at every run.
/// Op       the epilogue, copied when the plan is made.
/// Sync     as matmul(). Several streams may run one plan, with a workspace each.
/// Cost     that of the kernel's launch: tensor maps are made once, but those of copies of operands
///          in each run, since they lie in its workspace.
/// Errors   the constructor throws tweed::Error as matmul() does; a run does if its workspace is
///          too small or belongs to another stream. It runs on the device that was current then.
template <class A, class B, class C, class Epilogue = Identity, class Options = AnyPath>
class MatmulPlan {
  // The class may be a member of one of the caller's, so it is not hidden. Those of its functions
  // are that choose a kernel or ask one: as in launch/launch.cuh.

 public:
  [[gnu::visibility("hidden")]] MatmulPlan(A const& a, B const& b, C const& c,
                                           Epilogue const& epilogue = {}, Options = {})
      : task_(detail::matmulTask(a, b, c, epilogue)) {
    detail::chooseMatmul(a, b, c, epilogue, Options{},
                         [&](Task const&, MatmulDevice const& device, auto list, int index) {
                           device_ = device;
                           isEmpty_ = isSame<decltype(list), detail::NoProducts>;
                           select(list, index);
                         });
  }

  /// What multiplies. Of a product without items, or of no sum (K = 0), nothing does.
  Path path() const { return path_; }

  /// What a run needs of a Workspace; tune() may change it.
  std::size_t workspaceBytes() const { return bytes_; }

  /// The kernel that runs, and of all others what they would take by the model, or why they cannot.
  [[gnu::visibility("hidden")]] std::string explain() const;

  /// Runs. Without a workspace, what it needs is allocated and freed in order of the stream.
  void operator()(cudaStream_t stream = nullptr) const {
    detail::StreamScratch const own(bytes_, stream);
    run_(task_, device_, own.data(), stream);
  }
  void operator()(Workspace& workspace) const { (*this)(workspace.stream(), workspace); }
  void operator()(cudaStream_t stream, Workspace& workspace) const {
    run_(task_, device_, workspace.takeScratch("tweed::matmul", bytes_, stream), stream);
  }

 private:
  using Task =
      decltype(detail::matmulTask(detail::declare<A const&>(), detail::declare<B const&>(),
                                  detail::declare<C const&>(), detail::declare<Epilogue const&>()));
  using List = detail::CandidatesOf<Task, Options>;

  template <class A_, class B_, class C_, class Epilogue_, class Options_>
  friend std::vector<MatmulTiming> tune(MatmulPlan<A_, B_, C_, Epilogue_, Options_>& plan,
                                        cudaStream_t stream);
  [[gnu::visibility("hidden")]] std::vector<MatmulTiming> tuneOn(cudaStream_t stream);  // tune.cuh

  template <class From>
  [[gnu::visibility("hidden")]] void select(From list, int index) {
    detail::withConfiguration(list, index, [&](auto configuration) {
      using Configuration = decltype(configuration);
      // What may throw comes first, so that the plan is then as it was.
      auto run = decltype(run_)(detail::MatmulRun<Configuration, Task>(task_, device_));
      name_ = Configuration::name();
      path_ = Configuration::path;
      bytes_ = detail::workspaceBytes<Configuration>(task_, device_);
      run_.swap(run);
    });
  }

  Task task_;
  MatmulDevice device_{};
  Path path_ = Path::Simt;
  bool isEmpty_ = false;  // nothing is multiplied
  std::string name_;
  std::size_t bytes_ = 0;
  std::function<void(Task const&, MatmulDevice const&, void*, cudaStream_t)> run_;
};

// Hidden, as in launch/launch.cuh.
#pragma GCC visibility push(hidden)
template <class A, class B, class C, class Epilogue, class Options>
std::string MatmulPlan<A, B, C, Epilogue, Options>::explain() const {
  auto const size = [](auto const& view) { return detail::shapeText(view); };
  auto const time = [](double microseconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f us", microseconds);
    return std::string(text);
  };
  std::string text = "C " + size(task_.c) + " = A " + size(task_.a) + " * B " + size(task_.b);
  if (task_.batch() != 1) text += ", a batch of " + detail::number(task_.batch());
  if (Task::isTransposed) text += ", as the transposed product, with A and B exchanged";
  text += "\nruns: " + std::string(pathName(path_)) + " " + name_ + ", with " +
          std::to_string(bytes_) + " bytes of workspace";
  if (isEmpty_)
    return text + (task_.k() == 0 ? "; k is 0, so nothing is multiplied" : "; C has no items");
  for (detail::MatmulChoice const& choice : detail::describeAll(List{}, task_, device_))
    text += "\n" + (choice.refusal.empty()
                        ? "can: " + choice.name + ", " + time(choice.microseconds) +
                              " by the model" + (choice.remark.empty() ? "" : "; " + choice.remark)
                        : "cannot: " + choice.name + ", as " + choice.refusal);
  for (std::string const& each : detail::exclusions<Task>(detail::ExcludedFrom<Task, Options>{}))
    text += "\ncannot: " + each;
  return text;
}
#pragma GCC visibility pop

}  // namespace tweed

#endif  // !defined(__CUDACC_RTC__)
