//===- EditSetTest.cpp - The edit-set file --------------------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeded edit sets with random content print, parse and print back byte for
// byte, know where they stand in the file, and damaged texts are refused or
// parse, but never crash.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/EditSet.h"
#include "passes/edit/Random.h"
#include "gtest/gtest.h"

using namespace gevo;
using namespace llvm;

static std::string print(const EditSet &Set) {
  std::string Text;
  raw_string_ostream OS(Text);
  printEditSet(Set, OS);
  return Text;
}

static std::string anchor(Random &Dice) {
  const char Letters[] = {'i', 'a', 'c'};
  return Letters[Dice.below(3)] + std::to_string(Dice.below(100));
}

static std::string value(Random &Dice) {
  const char *Constants[] = {"float 1.000000e+00", "i32 -7", "ptr null",
                             "<2 x i8> <i8 1, i8 \"2\">"};
  return Dice.below(2) ? anchor(Dice) : Constants[Dice.below(4)];
}

static void fill(Random &Dice, const EditKindInfo &Kind, const EditFieldInfo &F,
                 Edit &E) {
  if (!Kind.has(F.Field) || (!Kind.needs(F.Field) && Dice.below(2)))
    return;
  switch (F.Shape) {
  case FieldShape::Anchor:
    E.text(F.Field) = anchor(Dice);
    break;
  case FieldShape::Clone:
    E.text(F.Field) = "c" + std::to_string(Dice.below(1000));
    break;
  case FieldShape::Index:
    E.Index = Dice.below(40);
    break;
  case FieldShape::Value:
    E.text(F.Field) = value(Dice);
    break;
  case FieldShape::Choice:
    E.text(F.Field) = Dice.below(2) ? "true" : "cg";
    break;
  case FieldShape::Operands:
    for (unsigned Number = Dice.below(3); Number < 40;
         Number += 1 + Dice.below(20))
      E.operands(F.Field).push_back({Number, value(Dice)});
    break;
  case FieldShape::Site:
    E.Into = UseSite{anchor(Dice), unsigned(Dice.below(5))};
    break;
  }
}

static EditSet drawSet(uint64_t Seed) {
  Random Dice(Seed);
  EditSet Set;
  Set.Producer = "test \"quoted\"\n";
  for (const char *Architecture : {"sm_70", "sm_80"}) {
    ArchitectureEdits &Section = Set.section(Architecture);
    for (unsigned F = 0; F < 3; ++F) {
      FunctionEdits FE;
      FE.Name = "_Z1f" + std::to_string(F);
      FE.Source = "src/k\xc3\xa9.cu";
      FE.Fingerprint = std::to_string(Dice.next());
      FE.Instructions = Dice.below(1000);
      for (const EditKindInfo &Kind : editKinds()) {
        Edit E;
        E.Kind = Kind.Kind;
        for (const EditFieldInfo &Field : editFields())
          fill(Dice, Kind, Field, E);
        if (Dice.below(2))
          E.Location = {"k.cu", unsigned(1 + Dice.below(99)), 3};
        FE.Edits.push_back(std::move(E));
      }
      FE.Anchors = {{"i0", "load float", "12-34", "a-b-c-d", 0, 0},
                    {"i1", "ret", "", "", unsigned(1 + Dice.below(9)), 2}};
      Section.Functions.push_back(std::move(FE));
    }
    Section.Measured = json::Object{{"time", 1.5}, {"runs", int(Seed)}};
  }
  return Set;
}

TEST(EditSet, PrintsBackWhatItParsed) {
  for (uint64_t Seed = 0; Seed < 50; ++Seed) {
    EditSet Set = drawSet(Seed);
    std::string Text = print(Set);
    Expected<EditSet> Parsed = parseEditSet(Text, "f.json");
    ASSERT_TRUE(bool(Parsed)) << toString(Parsed.takeError());
    EXPECT_EQ(print(*Parsed), Text);
    for (size_t A = 0; A < Set.Architectures.size(); ++A)
      for (size_t F = 0; F < Set.Architectures[A].Functions.size(); ++F)
        EXPECT_EQ(Parsed->Architectures[A].Functions[F].Edits,
                  Set.Architectures[A].Functions[F].Edits);
  }
}

TEST(EditSet, KnowsWhereItStands) {
  std::string Text = print(drawSet(1));
  Expected<EditSet> Set = parseEditSet(Text, "f.json");
  ASSERT_TRUE(bool(Set)) << toString(Set.takeError());
  SmallVector<StringRef, 0> Lines;
  StringRef(Text).split(Lines, '\n');
  for (const ArchitectureEdits &A : Set->Architectures)
    for (const FunctionEdits &F : A.Functions) {
      EXPECT_EQ(Lines[F.Position.Line].trim(), "\"name\": \"" + F.Name + "\",");
      ASSERT_EQ(F.EditPositions.size(), F.Edits.size());
      for (size_t I = 0; I < F.Edits.size(); ++I) {
        FilePosition P = F.EditPositions[I];
        EXPECT_EQ(Lines[P.Line - 1][P.Column - 1], '{');
        EXPECT_TRUE(Lines[P.Line].contains(info(F.Edits[I].Kind).Name));
      }
    }
}

// Each text that comes from a good one by a small damage is refused with its
// place, or is a good one again.
TEST(EditSet, DamagedTextsAreRefusedOrGood) {
  std::string Text = print(drawSet(2));
  Random Dice(5);
  const char Alphabet[] = "{}[]\",:0123456789ia\\ \n\x01\xff";
  unsigned Refused = 0;
  for (unsigned Try = 0; Try < 400; ++Try) {
    std::string Damaged = Text;
    for (unsigned Times = 1 + Dice.below(3); Times; --Times) {
      size_t At = Dice.below(Damaged.size());
      switch (Dice.below(3)) {
      case 0:
        Damaged.erase(At, 1 + Dice.below(20));
        break;
      case 1:
        Damaged[At] = Alphabet[Dice.below(sizeof(Alphabet) - 1)];
        break;
      default:
        Damaged.insert(
            At, Damaged.substr(Dice.below(Damaged.size()), Dice.below(40)));
      }
    }
    Expected<EditSet> Set = parseEditSet(Damaged, "f.json");
    if (Set) {
      std::string Again = print(*Set);
      Expected<EditSet> Twice = parseEditSet(Again, "f.json");
      ASSERT_TRUE(bool(Twice)) << toString(Twice.takeError());
      EXPECT_EQ(print(*Twice), Again);
      continue;
    }
    ++Refused;
    std::string Message = toString(Set.takeError());
    StringRef Rest = Message;
    unsigned Line, Column;
    EXPECT_TRUE(Rest.consume_front("f.json:") &&
                !Rest.consumeInteger(10, Line) && Rest.consume_front(":") &&
                !Rest.consumeInteger(10, Column) && Rest.consume_front(": ") &&
                Line > 0 && Column > 0 && !Rest.empty())
        << Message;
  }
  EXPECT_GT(Refused, 200u);
}

TEST(EditSet, Sections) {
  EditSet Set = drawSet(3);
  EXPECT_EQ(Set.find("sm_80"), &Set.Architectures[1]);
  EXPECT_EQ(Set.find("sm_90"), nullptr);
  EXPECT_EQ(&Set.section("sm_70"), &Set.Architectures[0]);
  EXPECT_EQ(Set.find("sm_70")->editCount(), 3 * editKinds().size());
}

TEST(EditSet, NamesThatAreNotUTF8AreWritten) {
  EditSet Set = drawSet(4);
  Set.Architectures[0].Functions[0].Source = "caf\xe9.cu";
  Set.Architectures[0].Functions[0].Edits[0].Note = "\xff";
  Expected<EditSet> Parsed = parseEditSet(print(Set), "f.json");
  EXPECT_TRUE(bool(Parsed)) << toString(Parsed.takeError());
}

TEST(EditSet, MissingFileIsNamed) {
  Expected<EditSet> Set = readEditSet("no/such/file.json");
  ASSERT_FALSE(bool(Set));
  EXPECT_EQ(toString(Set.takeError()),
            "cannot read edit set 'no/such/file.json': No such file or "
            "directory");
}
