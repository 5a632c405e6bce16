//===- EditTest.cpp - What an edit says of itself -------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, keys and titles come from the table of kinds; these tests hold for
// every row of it.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/Edit.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace gevo;

TEST(Edit, EveryKindIsFoundByItsName) {
  for (const EditKindInfo &K : editKinds()) {
    ASSERT_NE(findEditKind(K.Name), nullptr) << K.Name.str();
    EXPECT_EQ(findEditKind(K.Name)->Kind, K.Kind);
    EXPECT_EQ(&info(K.Kind), findEditKind(K.Name));
    EXPECT_TRUE(K.needs(EditField::At)) << K.Name.str();
    EXPECT_GT(K.Weight, 0u);
    EXPECT_FALSE(K.Summary.empty());
  }
  EXPECT_EQ(editKinds().size(), 11u);
  EXPECT_EQ(findEditKind("Delete"), nullptr);
  EXPECT_EQ(findEditKind(""), nullptr);
}

TEST(Edit, NamesOfKindsAndFieldsDiffer) {
  llvm::StringSet<> Names;
  for (const EditKindInfo &K : editKinds())
    EXPECT_TRUE(Names.insert(K.Name).second);
  Names.clear();
  for (const EditFieldInfo &F : editFields()) {
    EXPECT_TRUE(Names.insert(F.Name).second);
    EXPECT_EQ(info(F.Field).Name, F.Name);
  }
}

TEST(Edit, Anchors) {
  for (const char *Good : {"i0", "i123456789", "a0", "a15", "c1", "c0f3a",
                           "cABCDEF", "c0123456789abcdef0123456789abcdef"})
    EXPECT_TRUE(isAnchor(Good)) << Good;
  for (const char *Bad :
       {"", "i", "c", "a", "x1", "i-1", "i1.5", "i1234567890", "1", "float 1.0",
        "c_1", "c 1", "I1", "i 1", "c0123456789abcdef0123456789abcdef0"})
    EXPECT_FALSE(isAnchor(Bad)) << Bad;
}

static Edit copyOf(const char *At, const char *Before) {
  Edit E;
  E.Kind = EditKind::Copy;
  E.At = At;
  E.Other = Before;
  return E;
}

TEST(Edit, KeyHasAllThatTheEditDoesAndNothingElse) {
  Edit E = copyOf("i1", "i2");
  E.As = "c1";
  E.Operands = {{0, "a1"}, {2, "i32 7"}};
  E.Into = UseSite{"i3", 1};
  E.Note = "a note";
  E.Location = {"k.cu", 3, 4};
  EXPECT_EQ(E.key(), "copy at=i1 before=i2 as=c1 operands.0=a1 "
                     "operands.2=i32 7 into=i3.1");
  Edit Same = E;
  Same.Note.clear();
  Same.Location = {};
  EXPECT_EQ(E, Same);
  EXPECT_EQ(E.key(), Same.key());
  Same.Into->Operand = 0;
  EXPECT_FALSE(E == Same);
  EXPECT_NE(E.key(), Same.key());
}

// Constants have spaces, names of fields begin like others (operand, operands),
// and a field may have a number: what is read is what was written.
TEST(Edit, KeysAreReadAsTheyAreWritten) {
  for (const char *Key :
       {"delete at=i12", "delete at=i12 uses=float 1.000000e+00",
        "operand at=i3 operand=1 value=<2 x half> <half 0xH3C00, half 0xH0000>",
        "math at=i51 relax=div",
        "copy at=i4 before=i9 as=c1 operands.1=i32 7 operands.2=a0 "
        "into=i9.0"}) {
    llvm::Expected<Edit> E = parseEditKey(Key);
    ASSERT_TRUE(bool(E)) << Key << ": " << llvm::toString(E.takeError());
    EXPECT_EQ(E->key(), Key);
  }
  for (const char *Bad : {"delete at=i12 use=i1", "delete uses=i1 at",
                          "operand at=i3 operand=one value=i4", "delete"}) {
    llvm::Expected<Edit> E = parseEditKey(Bad);
    EXPECT_FALSE(bool(E)) << Bad;
    llvm::consumeError(E.takeError());
  }
}

TEST(Edit, CloneIsNamedAfterTheContent) {
  Edit A = copyOf("i1", "i2"), B = A, C = copyOf("i1", "i3");
  A.nameClone();
  B.As = "c999";
  B.nameClone();
  C.nameClone();
  EXPECT_EQ(A.As, B.As);
  EXPECT_NE(A.As, C.As);
  EXPECT_TRUE(isAnchor(A.As));
  EXPECT_EQ(A.As[0], 'c');
}

TEST(Edit, Title) {
  EXPECT_EQ(copyOf("i1", "i2").title(), "copy i1 before i2");
  Edit E;
  E.Kind = EditKind::Branch;
  E.At = "i9";
  E.Choice = "true";
  EXPECT_EQ(E.title(), "branch i9 true");
  Edit O;
  O.Kind = EditKind::Operand;
  O.At = "i3";
  O.Index = 1;
  O.Value = "float 1.0";
  EXPECT_EQ(O.title(), "operand i3.1 = float 1.0");
  Edit U;
  U.Kind = EditKind::Unroll;
  U.At = "i7";
  U.Index = 4;
  EXPECT_EQ(U.title(), "unroll i7 4 times");
  EXPECT_EQ((SourceLocation{"k.cu", 3, 4}.str()), "k.cu:3:4");
  EXPECT_FALSE(bool(SourceLocation()));
}

TEST(Edit, EveryNameIsVisited) {
  Edit E = copyOf("i1", "i2");
  E.Operands = {{0, "a1"}};
  E.WithOperands = {{1, "a2"}};
  E.Uses = "i3";
  E.WithUses = "i4";
  E.Value = "i5";
  E.Into = UseSite{"i6", 0};
  std::vector<std::string> Names;
  std::as_const(E).forEachName(
      [&](const std::string &Name) { Names.push_back(Name); });
  llvm::StringSet<> Set;
  for (const std::string &Name : Names)
    Set.insert(Name);
  EXPECT_EQ(Names.size(), 8u);
  EXPECT_EQ(Set.size(), 8u);
  E.forEachName([](std::string &Name) { Name = "x"; });
  EXPECT_EQ(E.key().find("i1"), std::string::npos);
  EXPECT_EQ(E.Into->At, "x");
}
