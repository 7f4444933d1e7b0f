// SPDX-License-Identifier: Apache-2.0
#include "symbols.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace tweed::loom {
namespace {

// A thread_local of a function (_ZZ) is what __shared__ makes. Other libraries have such variables
// too; to fill those with 0xFF would break them. (A section of its own for shared variables would
// be exact, but g++ refuses one section for instances of templates and plain functions.)
bool isShared(char const* name) {
  return std::strncmp(name, "_ZZ", 3) == 0 && std::strncmp(name, "_ZZNSt", 6) != 0 &&
         std::strncmp(name, "_ZZNKSt", 7) != 0 && !std::strstr(name, "doctest") &&
         !std::strstr(name, "__gnu") && !std::strstr(name, "sanitizer") &&
         !std::strstr(name, "tweed4loom");
}

}  // namespace

Symbols const& Symbols::get() {
  static Symbols const symbols;
  return symbols;
}

Symbols::Symbols() {
  int const file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  off_t const bytes = lseek(file, 0, SEEK_END);
  void* const image = mmap(nullptr, std::size_t(bytes), PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (image == MAP_FAILED) return;
  add(static_cast<char const*>(image));
  munmap(image, std::size_t(bytes));
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* base) {
        *static_cast<std::uintptr_t*>(base) = info->dlpi_addr;
        return 1;  // the first entry is the program
      },
      &base_);
}

void Symbols::add(char const* image) {
  auto* const header = reinterpret_cast<ElfW(Ehdr) const*>(image);
  auto* const sections = reinterpret_cast<ElfW(Shdr) const*>(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    auto* const symbols = reinterpret_cast<ElfW(Sym) const*>(image + sections[i].sh_offset);
    char const* const names = image + sections[sections[i].sh_link].sh_offset;
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
      ElfW(Sym) const& symbol = symbols[k];
      char const* const name = names + symbol.st_name;
      int const type = symbol.st_info & 0xf;
      if (symbol.st_shndx == SHN_UNDEF) continue;
      if (type == STT_FUNC) functions_.push_back({symbol.st_value, name});
      if (type == STT_TLS && isShared(name)) shared_.push_back({symbol.st_value, symbol.st_size});
    }
  }
}

char const* Symbols::mangledNameOf(void const* function) const {
  auto const address = reinterpret_cast<std::uintptr_t>(function) - base_;
  for (Function const& f : functions_)
    if (f.address == address) return f.name.c_str();
  return nullptr;
}

std::string Symbols::nameOf(void const* function) const {
  char const* const mangled = mangledNameOf(function);
  if (!mangled) return "kernel";
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = demangled ? demangled : mangled;
  std::free(demangled);
  return name;
}

char* Symbols::threadLocalBlock() {
  static thread_local char* block = nullptr;
  if (block) return block;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* p) {
        *static_cast<char**>(p) = static_cast<char*>(info->dlpi_tls_data);
        return 1;  // the first entry is the program
      },
      &block);
  return block;
}

}  // namespace tweed::loom
