//===- MemoryImage.h - The memory of a case on a device ---------*- C++ -*-===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What memory holds before a run, what it should hold afterwards and what it
// did hold. Poison is a pattern that is NaN in every type of float and no
// likely number in the others.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_RUNTIME_MEASURE_MEMORYIMAGE_H
#define GEVO_RUNTIME_MEASURE_MEMORYIMAGE_H

#include "runtime/measure/Replay.h"

namespace gevo::measure {

/// See the file comment.
class MemoryImage {
public:
  explicit MemoryImage(const capture::Case &C);

  /// Where a variable is, on devices that do not keep addresses.
  void moveBuffer(size_t Buffer, uint64_t Address);

  /// Writes all that is known to the device.
  bool write(Device &D);
  /// Reads what a run left in the written \p Pages (ascending addresses) or,
  /// without them, everywhere.
  bool read(Device &D, const std::vector<uint64_t> *Pages);
  /// Undoes what the last read() saw.
  bool restore(Device &D);
  /// Overwrites all that is known with zeros.
  bool erase(Device &D);

  /// Judges what the last read() saw: sets result, reason, error and outputs.
  void judge(const ReplayOptions &O, ReplayResult &R);
  /// What the last read() saw of a buffer's pieces.
  capture::Bytes contents(size_t Buffer) const;

private:
  /// Bytes in a row that were stored with one type; None: not written.
  struct Run {
    uint64_t Offset = 0, Bytes = 0;
    ElementType Type = ElementType::None;
    bool Poisoned = false;
  };
  /// A piece of a buffer.
  struct Part {
    size_t Buffer = 0;
    const capture::Piece *Known = nullptr;
    uint64_t Address = 0;
    /// Empty: as it is known, and as it was at the start. What is only read
    /// needs no copies.
    capture::Bytes Start, Actual;
    capture::Bytes Late;   ///< What is expected, if it was not read before.
    std::vector<Run> Runs; ///< Of a part with outputs, as soon as it is judged.
    bool Dirty = false;

    bool isOutput() const { return !Known->Marks.empty(); }

    const capture::Bytes &start() const {
      return Start.empty() ? Known->Before : Start;
    }
    const capture::Bytes &current() const {
      return Actual.empty() ? start() : Actual;
    }
    /// What should be there after a run.
    const capture::Bytes &expected() {
      if (!Known->Late)
        return Known->After;
      if (Late.empty())
        Late = Known->Late(*Known);
      return Late;
    }
    /// What is there, to be changed.
    capture::Bytes &actual() {
      if (Actual.empty())
        Actual = start();
      return Actual;
    }
  };
  /// A stretch of a buffer: a part, or memory nobody knows (zeros).
  struct Segment {
    uint64_t Begin = 0, End = 0;
    size_t Owner = NoPart;
  };
  /// What a byte belongs to, as messages say it.
  struct Place {
    std::string Name;
    uint64_t Offset = 0;  ///< In that.
    uint64_t Address = 0; ///< Of the byte.
  };
  struct Touched {
    uint64_t Begin = 0, End = 0;
    size_t Owner = NoPart;
  };
  /// How a stretch compares, and as what.
  struct Compared {
    ElementType Type = ElementType::None;
    Difference Diff;
    bool ByLooks = false; ///< The type is not that of the store.
  };
  static constexpr size_t NoPart = ~size_t(0);

  static const std::vector<Run> &runsOf(Part &P);
  void layOut();
  void poisonOutputs();
  bool mapPart(Device &D, const Part &P);
  bool isPacked(const Part &P) const {
    return !C.Buffers[P.Buffer].Blocks.empty();
  }
  bool writePart(Device &D, const Part &P);
  bool readPacked(Device &D);
  Place placeOf(const Part &P, uint64_t Offset) const;
  bool readSegment(Device &D, const Segment &S, uint64_t Begin, uint64_t End);
  void judgePart(Part &P, const OutputRule &Rule, OutputResult &Out,
                 ReplayResult &R);
  void judgeRun(Part &P, const Run &Run, const OutputRule &Rule,
                OutputResult &Out, ReplayResult &R);
  bool changedOutside(Part &P, ReplayResult &R);
  static ElementType typeOf(const Part &P, const Run &Stretch,
                            ElementType Override);
  static std::string_view viewOf(const capture::Bytes &B, const Run &R) {
    return {reinterpret_cast<const char *>(&B[R.Offset]), R.Bytes};
  }
  size_t outputOf(size_t Buffer) const;
  /// Calls \p Do with each part and run of the output that \p Buffer is of.
  template <typename Fn> void forRuns(size_t Buffer, Fn Do);
  Compared compareRun(Part &P, const Run &Stretch, const OutputRule &Rule);
  const std::vector<ElementType> &floatsIn(size_t Buffer, ElementType Stored);
  double magnitudeOf(size_t Buffer, ElementType T, ElementType Override);

  const capture::Case &C;
  std::vector<uint64_t> Addresses; ///< By buffer.
  std::vector<Part> Parts;
  std::vector<Segment> Segments; ///< In order of address.
  std::vector<Touched> Changes;  ///< Read by the last read().
  uint64_t StrayAddress = 0;     ///< Changed where nothing is known; 0: none.
  /// By output, which all blocks of the heap are, by type, and by the type of
  /// the rule.
  std::map<std::tuple<size_t, ElementType, ElementType>, double> Magnitudes;
  /// By output and by the type of the store.
  std::map<std::pair<size_t, ElementType>, std::vector<ElementType>> Floats;
};

/// Compares what printf in device code printed.
void judgePrinted(const std::string &Expected, const std::string &Actual,
                  const ReplayOptions &O, ReplayResult &R);

/// The type that elements stored as \p Stored are compared as. PTX does not
/// tell the sign of whole numbers, so they count as signed.
ElementType comparedAs(ElementType Stored);

} // namespace gevo::measure

#endif // GEVO_RUNTIME_MEASURE_MEMORYIMAGE_H
