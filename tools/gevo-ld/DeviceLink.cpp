//===- DeviceLink.cpp - Links relocatable device code ---------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tools/gevo-ld/DeviceLink.h"
#include "runtime/gpu/driver/Fatbin.h"
#include "runtime/gpu/ptx/Merge.h"

#include <map>
#include <set>

using namespace gevo;
using namespace gevo::ld;

namespace {

using Arch = std::pair<unsigned, char>;

/// What C++ calls by itself, as nvlink brings it.
const char CxxRuntime[] = R"(
.version 6.0
.target sm_30
.address_size 64
.extern .func (.param .b64 result) malloc (.param .b64 size);
.extern .func free (.param .b64 pointer);
.weak .func (.param .b64 result) _Znwm (.param .b64 size) {
  .reg .b64 %r<3>;
  ld.param.u64 %r1, [size];
  { .param .b64 in; .param .b64 out;
    st.param.b64 [in], %r1;
    call.uni (out), malloc, (in);
    ld.param.b64 %r2, [out]; }
  st.param.b64 [result], %r2;
  ret;
}
.weak .func (.param .b64 result) _Znam (.param .b64 size) {
  .reg .b64 %r<3>;
  ld.param.u64 %r1, [size];
  { .param .b64 in; .param .b64 out;
    st.param.b64 [in], %r1;
    call.uni (out), malloc, (in);
    ld.param.b64 %r2, [out]; }
  st.param.b64 [result], %r2;
  ret;
}
.weak .func _ZdlPv (.param .b64 pointer) {
  .reg .b64 %r<2>;
  ld.param.u64 %r1, [pointer];
  { .param .b64 in; st.param.b64 [in], %r1; call.uni free, (in); }
  ret;
}
.weak .func _ZdaPv (.param .b64 pointer) {
  .reg .b64 %r<2>;
  ld.param.u64 %r1, [pointer];
  { .param .b64 in; st.param.b64 [in], %r1; call.uni free, (in); }
  ret;
}
.weak .func _ZdlPvm (.param .b64 pointer, .param .b64 size) {
  .reg .b64 %r<2>;
  ld.param.u64 %r1, [pointer];
  { .param .b64 in; st.param.b64 [in], %r1; call.uni free, (in); }
  ret;
}
.weak .func _ZdaPvm (.param .b64 pointer, .param .b64 size) {
  .reg .b64 %r<2>;
  ld.param.u64 %r1, [pointer];
  { .param .b64 in; st.param.b64 [in], %r1; call.uni free, (in); }
  ret;
}
.weak .func __cxa_pure_virtual () { trap; ret; }
)";

std::string archName(Arch A) {
  return "sm_" + std::to_string(A.first) +
         (A.second ? std::string(1, A.second) : "");
}

/// The PTX of each container, by architecture.
bool collect(const std::vector<DeviceObject> &Objects,
             std::map<Arch, std::vector<gpu::ptx::NamedText>> &Texts,
             size_t &Count, std::string &Error) {
  for (const DeviceObject &O : Objects)
    for (const std::string &Container : O.Fatbins) {
      auto Entries = gpu::readFatbin(Container, Error);
      if (!Entries) {
        Error = O.Name + ": its device code is damaged: " + Error;
        return false;
      }
      ++Count;
      for (const gpu::FatbinEntry &E : *Entries) {
        if (!E.isPTX())
          continue;
        std::optional<std::string> Text = E.image(Error);
        if (!Text) {
          Error = O.Name + ": its PTX is damaged: " + Error;
          return false;
        }
        Texts[{E.Arch, E.ArchSuffix}].push_back({O.Name, std::move(*Text)});
      }
    }
  return true;
}

} // namespace

std::string gevo::ld::linkDevice(const std::vector<DeviceObject> &Objects,
                                 std::string &Error) {
  std::map<Arch, std::vector<gpu::ptx::NamedText>> Texts;
  size_t Count = 0;
  if (!collect(Objects, Texts, Count, Error))
    return {};
  std::vector<gpu::FatbinImage> Images;
  for (auto &[A, Of] : Texts) {
    if (Of.size() != Count)
      continue;
    auto Merged = gpu::ptx::mergeTexts(Of);
    if (Merged && !Merged->Undefined.empty()) {
      Of.push_back({"the C++ runtime", CxxRuntime});
      Merged = gpu::ptx::mergeTexts(Of);
    }
    if (!Merged) {
      Error = "cannot link device code for " + archName(A) + ": " +
              Merged.error().str();
      return {};
    }
    for (const std::string &Name : Merged->Undefined)
      Error += (Error.empty() ? "" : ", ") + Name;
    if (!Error.empty()) {
      Error = "undefined in device code: " + Error +
              "; link the object or library that defines it";
      return {};
    }
    gpu::FatbinImage Image;
    Image.Arch = A.first;
    Image.ArchSuffix = A.second;
    Image.Identifier = "linked";
    Image.Data = std::move(Merged->Text);
    Images.push_back(std::move(Image));
  }
  if (Images.empty())
    Error = "no architecture has PTX in all objects with relocatable device "
            "code; compile all of them for the same --offload-arch, and with "
            "PTX (no --no-cuda-include-ptx)";
  return Images.empty() ? std::string() : gpu::writeFatbin(Images);
}

std::string gevo::ld::registration(const std::vector<DeviceObject> &Objects,
                                   const std::string &Fatbin) {
  std::set<std::string> Modules;
  for (const DeviceObject &O : Objects)
    Modules.insert(O.Modules.begin(), O.Modules.end());
  std::string Path;
  for (char C : Fatbin)
    Path +=
        C == '\\' || C == '"' ? std::string("\\\\\\") + C : std::string(1, C);
  // The program's objects tell their kernels and variables one after the other;
  // those of archives that were not needed do not. All that there are have
  // told when the constructor here runs, which the linker puts last. Compilers
  // would run it on zeros, hence volatile.
  std::string Text = R"(typedef void (*Tell)(void **);
extern void **__cudaRegisterFatBinary(const void *);
extern void __cudaRegisterFatBinaryEnd(void **);
extern void __cudaUnregisterFatBinary(void **);
extern int atexit(void (*)(void));
extern const char gevo_linked_fatbin[] __attribute__((visibility("hidden")));
static const struct { int Magic, Version; const void *Data, *Unused; } Wrapper
    __attribute__((section(".nvFatBinSegment"), used)) =
    {0x466243b1, 1, gevo_linked_fatbin, 0};
static void **Handle;
static void leave(void) { __cudaUnregisterFatBinary(Handle); }
static Tell Told[Modules];
static volatile int Count;
static void registerAll(void) {
  if (Handle || !Count) return;
  Handle = __cudaRegisterFatBinary(&Wrapper);
  for (int K = 0; K < Count; ++K) Told[K](Handle);
  __cudaRegisterFatBinaryEnd(Handle);
  atexit(leave);
}
static void add(Tell T) {
  Told[Count] = T;
  Count = Count + 1;
  if (Count == Modules) registerAll();
}
__attribute__((constructor)) static void last(void) { registerAll(); }
)";
  for (const std::string &Id : Modules)
    Text += "__attribute__((visibility(\"hidden\")))\n"
            "void __cudaRegisterLinkedBinary" +
            Id + "(Tell T, void *W, void *I, Tell U) { add(T); }\n";
  return "enum { Modules = " + std::to_string(Modules.size()) + " };\n" +
         "__asm__(\".section .nv_fatbin,\\\"a\\\",@progbits\\n.balign 8\\n"
         ".globl gevo_linked_fatbin\\n.hidden gevo_linked_fatbin\\n"
         "gevo_linked_fatbin:\\n.incbin \\\"" +
         Path + "\\\"\\n.previous\\n\");\n" + Text;
}
