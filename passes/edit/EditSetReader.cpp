//===- EditSetReader.cpp - Reading the edit-set file ----------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text to EditSet. The file is refused as a whole on the first thing that is
// wrong, with its line and column: an edit set that was half understood must
// never be replayed.
//
//===----------------------------------------------------------------------===//

#include "passes/edit/EditSet.h"
#include "passes/edit/JsonScan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace gevo;

// Deeper than any edit set and any sensible "measured"; the JSON parser would
// overflow the stack long after this.
static constexpr unsigned MaxDepth = 64;

namespace {

class Reader {
public:
  Reader(StringRef Text, StringRef File) : Text(Text), File(File) {}

  Expected<EditSet> read();

private:
  /// A step into a value for as long as it lives, so that fail() knows where.
  struct Step {
    Reader &R;
    Step(Reader &R, StringRef Key) : R(R) { R.Path.push_back({Key, 0}); }
    Step(Reader &R, size_t Index) : R(R) { R.Path.push_back({"", Index}); }
    ~Step() { R.Path.pop_back(); }
  };

  bool fail(const Twine &Message);
  bool onlyKeys(const json::Object &O, ArrayRef<StringRef> Keys);
  bool string(const json::Object &O, StringRef Key, std::string &To);
  bool number(const json::Object &O, StringRef Key, unsigned &To);
  template <typename T>
  bool list(const json::Object &O, StringRef Key, std::vector<T> &To,
            bool (Reader::*Each)(const json::Object &, T &));

  bool set(const json::Object &O, EditSet &To);
  bool architecture(const json::Object &O, ArchitectureEdits &To);
  bool function(const json::Object &O, FunctionEdits &To);
  bool trace(const json::Object &O, AnchorTrace &To);
  bool edit(const json::Object &O, Edit &To);
  bool editKeys(const json::Object &O, const EditKindInfo &Kind);
  bool field(const json::Object &O, const EditFieldInfo &F, Edit &To);
  bool textField(const json::Object &O, const EditFieldInfo &F, Edit &To);
  bool repairs(const json::Object &O, StringRef Key,
               std::vector<OperandRepair> &To);
  bool site(const json::Object &O, StringRef Key, std::optional<UseSite> &To);
  bool shaped(FieldShape Shape, StringRef Text);
  std::optional<SecondKey> findPositions(EditSet &Set);

  StringRef Text;
  StringRef File;
  JsonPath Path;
  std::string Message;
};

} // namespace

bool Reader::fail(const Twine &What) {
  FilePosition Where;
  scanJson(Text, [&](const JsonPath &P, FilePosition Pos) {
    // A missing key has no position of its own; its object's serves.
    if (P.size() <= Path.size() && std::equal(P.begin(), P.end(), Path.begin()))
      Where = Pos;
  });
  Message =
      (File + ":" + Twine(Where.Line) + ":" + Twine(Where.Column) + ": " + What)
          .str();
  return false;
}

bool Reader::onlyKeys(const json::Object &O, ArrayRef<StringRef> Keys) {
  SmallVector<StringRef> Unknown;
  for (const auto &Entry : O)
    if (!is_contained(Keys, StringRef(Entry.first)))
      Unknown.push_back(Entry.first);
  if (Unknown.empty())
    return true;
  // The object is a hash table: sort, so that the message is always the same.
  llvm::sort(Unknown);
  Step S(*this, Unknown.front());
  return fail("unknown field '" + Unknown.front() +
              "'; remove it, or use the Gevo that wrote this file");
}

bool Reader::string(const json::Object &O, StringRef Key, std::string &To) {
  Step S(*this, Key);
  const json::Value *V = O.get(Key);
  if (!V)
    return fail("field '" + Key + "' is missing");
  std::optional<StringRef> Str = V->getAsString();
  if (!Str)
    return fail("field '" + Key + "' must be a string");
  To = Str->str();
  return true;
}

bool Reader::number(const json::Object &O, StringRef Key, unsigned &To) {
  Step S(*this, Key);
  const json::Value *V = O.get(Key);
  if (!V)
    return fail("field '" + Key + "' is missing");
  std::optional<int64_t> N = V->getAsInteger();
  if (!N || *N < 0 || *N > INT32_MAX)
    return fail("field '" + Key + "' must be a whole number from 0 to " +
                Twine(INT32_MAX));
  To = static_cast<unsigned>(*N);
  return true;
}

template <typename T>
bool Reader::list(const json::Object &O, StringRef Key, std::vector<T> &To,
                  bool (Reader::*Each)(const json::Object &, T &)) {
  Step S(*this, Key);
  const json::Value *V = O.get(Key);
  if (!V)
    return fail("field '" + Key + "' is missing");
  const json::Array *List = V->getAsArray();
  if (!List)
    return fail("field '" + Key + "' must be a list");
  To.resize(List->size());
  for (size_t I = 0; I < List->size(); ++I) {
    Step Inner(*this, I);
    const json::Object *Element = (*List)[I].getAsObject();
    if (!Element)
      return fail("an element of '" + Key + "' must be an object");
    if (!(this->*Each)(*Element, To[I]))
      return false;
  }
  return true;
}

bool Reader::shaped(FieldShape Shape, StringRef Text) {
  std::optional<std::string> Problem = misshapen(Shape, Text);
  return !Problem || fail(*Problem);
}

bool Reader::repairs(const json::Object &O, StringRef Key,
                     std::vector<OperandRepair> &To) {
  Step S(*this, Key);
  const json::Value *V = O.get(Key);
  if (!V)
    return true;
  const json::Object *Map = V->getAsObject();
  if (!Map)
    return fail("field '" + Key +
                "' must be an object: operand number to "
                "value");
  for (const auto &Entry : *Map) {
    Step Inner(*this, Entry.first);
    OperandRepair R;
    StringRef Number = Entry.first;
    if (Number.getAsInteger(10, R.Operand) ||
        std::to_string(R.Operand) != Number)
      return fail("'" + Number + "' is not an operand number");
    std::optional<StringRef> Value = Entry.second.getAsString();
    if (!Value)
      return fail("the value of an operand must be a string");
    if (!shaped(FieldShape::Value, *Value))
      return false;
    R.Value = Value->str();
    To.push_back(std::move(R));
  }
  llvm::sort(To, [](const OperandRepair &A, const OperandRepair &B) {
    return A.Operand < B.Operand;
  });
  return true;
}

bool Reader::site(const json::Object &O, StringRef Key,
                  std::optional<UseSite> &To) {
  Step S(*this, Key);
  const json::Value *V = O.get(Key);
  if (!V)
    return true;
  const json::Object *Site = V->getAsObject();
  if (!Site)
    return fail("field '" + Key +
                "' must be an object with 'at' and "
                "'operand'");
  To.emplace();
  if (!onlyKeys(*Site, {"at", "operand"}) || !string(*Site, "at", To->At) ||
      !number(*Site, "operand", To->Operand))
    return false;
  Step Inner(*this, "at");
  return shaped(FieldShape::Anchor, To->At);
}

bool Reader::textField(const json::Object &O, const EditFieldInfo &F,
                       Edit &To) {
  std::string &Field = To.text(F.Field);
  if (!O.get(F.Name))
    return true;
  if (!string(O, F.Name, Field))
    return false;
  Step S(*this, F.Name);
  if (Field.empty())
    return fail("field '" + F.Name + "' is empty");
  return shaped(F.Shape, Field);
}

bool Reader::field(const json::Object &O, const EditFieldInfo &F, Edit &To) {
  switch (F.Shape) {
  case FieldShape::Index:
    return number(O, F.Name, To.Index);
  case FieldShape::Operands:
    return repairs(O, F.Name, To.operands(F.Field));
  case FieldShape::Site:
    return site(O, F.Name, To.Into);
  default:
    return textField(O, F, To);
  }
}

bool Reader::editKeys(const json::Object &O, const EditKindInfo &Kind) {
  SmallVector<StringRef> Keys = {"kind", "file", "line", "column", "note"};
  for (const EditFieldInfo &F : editFields()) {
    if (!Kind.has(F.Field))
      continue;
    Keys.push_back(F.Name);
    if (Kind.needs(F.Field) && !O.get(F.Name))
      return fail("a '" + Kind.Name + "' edit needs the field '" + F.Name +
                  "'");
  }
  return onlyKeys(O, Keys);
}

bool Reader::edit(const json::Object &O, Edit &To) {
  std::string Name;
  if (!string(O, "kind", Name))
    return false;
  const EditKindInfo *Kind = findEditKind(Name);
  if (!Kind) {
    Step S(*this, "kind");
    std::string Known;
    for (const EditKindInfo &K : editKinds())
      Known += (Known.empty() ? "" : ", ") + K.Name.str();
    return fail("unknown kind of edit '" + Name + "'; this Gevo knows " +
                Known);
  }
  To.Kind = Kind->Kind;
  if (!editKeys(O, *Kind))
    return false;
  for (const EditFieldInfo &F : editFields())
    if (Kind->has(F.Field) && !field(O, F, To))
      return false;
  if (O.get("note") && !string(O, "note", To.Note))
    return false;
  if (!O.get("file") && !O.get("line") && !O.get("column"))
    return true;
  return string(O, "file", To.Location.File) &&
         number(O, "line", To.Location.Line) &&
         number(O, "column", To.Location.Column);
}

bool Reader::trace(const json::Object &O, AnchorTrace &To) {
  if (!onlyKeys(
          O, {"anchor", "shape", "structure", "context", "line", "column"}) ||
      !string(O, "anchor", To.Anchor) || !string(O, "shape", To.Shape) ||
      !string(O, "structure", To.Structure) ||
      !string(O, "context", To.Context))
    return false;
  {
    Step S(*this, "anchor");
    if (!shaped(FieldShape::Anchor, To.Anchor))
      return false;
  }
  if (!O.get("line") && !O.get("column"))
    return true;
  return number(O, "line", To.Line) && number(O, "column", To.Column);
}

bool Reader::function(const json::Object &O, FunctionEdits &To) {
  return onlyKeys(O, {"name", "source", "fingerprint", "instructions", "edits",
                      "outline", "anchors"}) &&
         string(O, "name", To.Name) && string(O, "source", To.Source) &&
         string(O, "fingerprint", To.Fingerprint) &&
         number(O, "instructions", To.Instructions) &&
         list(O, "edits", To.Edits, &Reader::edit) &&
         (!O.get("outline") || string(O, "outline", To.Outline)) &&
         list(O, "anchors", To.Anchors, &Reader::trace);
}

bool Reader::architecture(const json::Object &O, ArchitectureEdits &To) {
  if (!onlyKeys(O, {"arch", "functions", "measured"}) ||
      !string(O, "arch", To.Architecture) ||
      !list(O, "functions", To.Functions, &Reader::function))
    return false;
  const json::Value *Measured = O.get("measured");
  if (!Measured)
    return true;
  Step S(*this, "measured");
  const json::Object *Object = Measured->getAsObject();
  if (!Object)
    return fail("field 'measured' must be an object");
  To.Measured = *Object;
  return true;
}

bool Reader::set(const json::Object &O, EditSet &To) {
  unsigned Schema = 0;
  if (!number(O, "gevo", Schema))
    return false;
  if (Schema != EditSetSchema) {
    Step S(*this, "gevo");
    return fail("schema version " + Twine(Schema) + " is not " +
                Twine(EditSetSchema) +
                ", the one this Gevo reads; use the Gevo that wrote this file");
  }
  if (!onlyKeys(O, {"gevo", "producer", "architectures"}) ||
      !string(O, "producer", To.Producer) ||
      !list(O, "architectures", To.Architectures, &Reader::architecture))
    return false;
  StringSet<> Seen;
  for (size_t I = 0; I < To.Architectures.size(); ++I) {
    Step S(*this, "architectures");
    Step Inner(*this, I);
    if (!Seen.insert(To.Architectures[I].Architecture).second)
      return fail("a second section for " + To.Architectures[I].Architecture +
                  "; merge the two");
  }
  return true;
}

std::optional<SecondKey> Reader::findPositions(EditSet &Set) {
  for (ArchitectureEdits &A : Set.Architectures)
    for (FunctionEdits &F : A.Functions)
      F.EditPositions.resize(F.Edits.size());
  // architectures[a].functions[f] is four steps deep, its edits[e] six.
  return scanJson(Text, [&](const JsonPath &P, FilePosition Where) {
    if ((P.size() != 4 && P.size() != 6) || P[0].Key != "architectures" ||
        P[2].Key != "functions")
      return;
    // A key that stands twice in the text has lists of different lengths.
    if (P[1].Index >= Set.Architectures.size())
      return;
    std::vector<FunctionEdits> &List = Set.Architectures[P[1].Index].Functions;
    if (P[3].Index >= List.size())
      return;
    FunctionEdits &F = List[P[3].Index];
    if (P.size() == 4)
      F.Position = Where;
    else if (P[4].Key == "edits" && P[5].Index < F.EditPositions.size())
      F.EditPositions[P[5].Index] = Where;
  });
}

Expected<EditSet> Reader::read() {
  auto Malformed = [&](FilePosition At, const Twine &What) {
    return createStringError(inconvertibleErrorCode(),
                             File + ":" + Twine(At.Line) + ":" +
                                 Twine(At.Column) + ": " + What);
  };
  size_t Deep = findTooDeep(Text, MaxDepth);
  if (Deep != StringRef::npos)
    return Malformed(positionAt(Text, Deep), "nested too deep for an edit set");
  Expected<json::Value> Root = json::parse(Text);
  if (!Root) {
    // ParseError keeps its position to itself but prints it:
    // "[line:column, byte=N]: what".
    std::string Printed = toString(Root.takeError());
    StringRef What = Printed;
    size_t Offset = 0;
    What = What.split("byte=").second;
    What.consumeInteger(10, Offset);
    return Malformed(positionAt(Text, Offset),
                     "not JSON: " + What.split("]: ").second);
  }
  EditSet Set;
  Set.Path = File.str();
  const json::Object *Object = Root->getAsObject();
  if (!Object)
    return Malformed({1, 1}, "an edit set must be a JSON object");
  if (!set(*Object, Set))
    return createStringError(inconvertibleErrorCode(), Message);
  if (std::optional<SecondKey> Second = findPositions(Set))
    return Malformed(Second->Where, "a second field '" + Second->Key +
                                        "' of the same object; remove one");
  return Set;
}

Expected<EditSet> gevo::parseEditSet(StringRef Text, StringRef Path) {
  // Some editors put a byte-order mark before UTF-8.
  Text.consume_front("\xef\xbb\xbf");
  return Reader(Text, Path).read();
}

Expected<EditSet> gevo::readEditSet(StringRef Path) {
  // A device may have no end.
  sys::fs::file_status Status;
  if (!sys::fs::status(Path, Status) &&
      (Status.type() == sys::fs::file_type::character_file ||
       Status.type() == sys::fs::file_type::block_file))
    return createStringError(inconvertibleErrorCode(),
                             "cannot read edit set '" + Path +
                                 "': it is a device");
  auto Buffer = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return createStringError(Buffer.getError(),
                             "cannot read edit set '" + Path +
                                 "': " + Buffer.getError().message());
  return parseEditSet((*Buffer)->getBuffer(), Path);
}
