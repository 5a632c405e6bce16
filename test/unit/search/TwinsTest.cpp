//===- TwinsTest.cpp - Values that are always equal -----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "search/ir/Twins.h"
#include "test/unit/ir/Modules.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static const char Text[] = R"(
define void @f(ptr %p, i32 %n, float %x, i1 %c) {
  %sum = add i32 %n, 5
  %rest = srem i32 %sum, %n
  %y = fmul float %x, %x
  %z = fmul float %x, 2.0
  br i1 %c, label %then, label %end
then:
  %inner = sdiv i32 %rest, %sum
  store i32 %inner, ptr %p
  br label %end
end:
  %outer = sdiv i32 %sum, %n
  %other = sdiv i32 %outer, %n
  %a = fadd float %y, %z
  store i32 %other, ptr %p
  store float %a, ptr %p
  ret void
})";

// "i1 a1" for the question whether instruction 1 equals argument 1.
static std::vector<std::string> asked(const std::vector<TwinQuestion> &All) {
  std::vector<std::string> Texts;
  for (const TwinQuestion &Q : All)
    Texts.push_back("i" + std::to_string(Q.Number) + " " + Q.Name);
  return Texts;
}

TEST(Twins, AreSoughtAmongAncestorsAndThoseAlike) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  std::vector<TwinQuestion> All = findTwins(*M->getFunction("f"), 0);
  EXPECT_EQ(asked(All), (std::vector<std::string>{
                            "i1 i0", "i1 a1", "i5 i1", "i5 i0", "i5 a1",
                            "i8 i0", "i8 a1", "i9 i8", "i9 a1", "i9 i0"}))
      << "sums are not worth a question, nor does 'then' come before 'end'";
  EXPECT_LT(All[1].Height, All[0].Height) << "an argument takes nothing";
}

TEST(Twins, WatchedCodeIsValidAndDoesWhatItDid) {
  LLVMContext C;
  std::unique_ptr<Module> M = parseModule(Text, C);
  std::vector<TwinQuestion> All = findTwins(*M->getFunction("f"), 0);
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Copy = CloneModule(*M, Map);
  watchTwins(*Copy, All, Map);
  EXPECT_FALSE(verifyModule(*Copy, &errs()));
  unsigned Watching = 0, Others = 0;
  for (Instruction &I : instructions(*Copy->getFunction("f")))
    if (auto *Store = dyn_cast<StoreInst>(&I))
      ++(Store->isVolatile() ? Watching : Others);
  EXPECT_EQ(Watching, All.size());
  EXPECT_EQ(Others, 3u);
  auto *Bytes = Copy->getGlobalVariable(TwinVariable);
  ASSERT_TRUE(Bytes);
  EXPECT_EQ(Bytes->getValueType()->getArrayNumElements(), 2 * All.size() + 1);
}
