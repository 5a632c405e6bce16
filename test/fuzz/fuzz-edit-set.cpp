//===- fuzz-edit-set.cpp - Any bytes as an edit-set file ------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reader is safe on anything: it refuses with a place and a reason, or what
// it read prints to a text that reads and prints back byte for byte.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/EditSet.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using namespace gevo;

static void require(bool Holds, const char *What, const std::string &Text) {
  if (Holds)
    return;
  errs() << "fuzz-edit-set: " << What << ":\n" << Text << '\n';
  std::abort();
}

static std::string fileOf(const EditSet &Set) {
  std::string Text;
  raw_string_ostream OS(Text);
  printEditSet(Set, OS);
  return Text;
}

static void checkRead(const EditSet &Set) {
  for (const ArchitectureEdits &A : Set.Architectures)
    for (const FunctionEdits &F : A.Functions) {
      require(F.EditPositions.size() == F.Edits.size(),
              "every edit has a position", F.Name);
      for (const Edit &E : F.Edits)
        require(E == Edit(E) && !E.key().empty() && !E.title().empty(),
                "an edit is equal to its copy and has a name", E.key());
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  Expected<EditSet> Read = parseEditSet(Text, "f");
  if (!Read) {
    std::string Message = toString(Read.takeError());
    auto [Line, Rest] = StringRef(Message).substr(2).split(':');
    auto [Column, What] = Rest.split(':');
    unsigned Number;
    require(StringRef(Message).starts_with("f:") &&
                !Line.getAsInteger(10, Number) && Number > 0 &&
                !Column.getAsInteger(10, Number) && Number > 0 &&
                !What.trim().empty(),
            "a message without place or reason", Message);
    return 0;
  }
  checkRead(*Read);
  std::string Printed = fileOf(*Read);
  Expected<EditSet> Again = parseEditSet(Printed, "f");
  if (!Again)
    require(false, toString(Again.takeError()).c_str(), Printed);
  require(fileOf(*Again) == Printed, "prints back differently", Printed);
  return 0;
}
