//===- PoolEvaluator.cpp - Variants spread over workers -------------------===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A worker is first asked to build. Only if the code is new is it asked to run
// it; code that another worker is running at the moment is waited for. One that
// died while it built is replaced, and the next is asked for the first part of
// the work alone, so that it is known of which part it died.
//
//===----------------------------------------------------------------------===//

#include "search/Evaluator.h"
#include "search/MachineError.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>

using namespace llvm;
using namespace gevo;

// A message: the edit list as a JSON array to build, or with one of these
// before it to run, or to apply and clean up alone.
static constexpr StringLiteral RunMessage = "run ", CleanUpMessage = "clean ";

static std::string text(const json::Value &Value) {
  std::string Text;
  raw_string_ostream(Text) << Value;
  return Text;
}

static Fitness cleanUpOf(Program &P, StringRef Text) {
  Expected<EditList> Edits = json::parse<EditList>(Text);
  if (Edits)
    return P.cleanUp(*Edits);
  return Fitness::failed(Stage::Apply, toString(Edits.takeError()));
}

static Built buildOf(Program &P, StringRef Text) {
  Expected<EditList> Edits = json::parse<EditList>(Text);
  if (Edits)
    return P.build(*Edits);
  return {Fitness::failed(Stage::Apply, toString(Edits.takeError())), {}};
}

Service gevo::variantService(Program &P, Runner &R) {
  // What was built last is what is run next, unless the worker that built it
  // died since.
  auto Last = std::make_shared<std::pair<std::string, Built>>();
  return [&P, &R, Last](StringRef Message) {
    auto &[Text, B] = *Last;
    if (Message.consume_front(CleanUpMessage))
      return text(
          json::Object{{"code", ""}, {"result", cleanUpOf(P, Message)}});
    bool Run = Message.consume_front(RunMessage);
    if (!Run || Text != Message) {
      Text = Message.str();
      B = buildOf(P, Message);
    }
    return text(
        json::Object{{"code", B.ok() ? B.Code.hash() : ""},
                     {"result", Run && B.ok() ? R.run(B.Code) : B.Failure}});
  };
}

/// One batch: what waits, and what each worker is doing.
class PoolEvaluator::BatchInProgress {
public:
  BatchInProgress(PoolEvaluator &Owner, ArrayRef<Variant *> Batch,
                  const std::function<bool()> &Stop, const OnFinished &Finished)
      : Owner(Owner), Waiting(Batch.begin(), Batch.end()), Stop(Stop),
        Finished(Finished), Working(Owner.Pool.count(), nullptr) {}

  Error run() {
    for (unsigned W = 0; W < Working.size(); ++W)
      next(W);
    while (UnderWay) {
      Expected<Workers::Reply> R = Owner.Pool.wait();
      if (!R)
        return R.takeError();
      if (Error E = take(*R))
        return E;
    }
    return Error::success();
  }

private:
  void next(unsigned Worker) {
    Working[Worker] = nullptr;
    if (Waiting.empty() || Stop())
      return;
    Working[Worker] = Waiting.front();
    Waiting.pop_front();
    ++UnderWay;
    Owner.Pool.send(Worker, text(json::Array(Working[Worker]->Edits)));
  }

  Error take(const Workers::Reply &R);
  Error read(StringRef Reply, Variant &V) const;
  bool explain(const Workers::Reply &R, Variant &V);
  Error built(unsigned Worker, Variant &V);
  Error measured(Variant &V, bool Died);

  Error finish(Variant &V, const Fitness &Result) {
    V.Result = Result;
    V.Finished = true;
    return Finished(V);
  }

  PoolEvaluator &Owner;
  std::deque<Variant *> Waiting;
  const std::function<bool()> &Stop;
  const OnFinished &Finished;
  std::vector<Variant *> Working;
  unsigned UnderWay = 0;
  /// Those that were a worker's death while it built.
  DenseSet<const Variant *> Deadly;
  /// By the hash of code that is being run: those that wait for it.
  StringMap<std::vector<Variant *>> Runs;
};

// The code is there, or it is not: run it unless its result is known, or will
// be.
Error PoolEvaluator::BatchInProgress::built(unsigned Worker, Variant &V) {
  const Fitness *Known =
      V.Result.valid() ? Owner.Cache.find(V.PayloadHash) : &V.Result;
  if (!V.Result.valid())
    V.PayloadHash.clear();
  if (Known) {
    next(Worker);
    return finish(V, Fitness(*Known));
  }
  auto [Run, New] = Runs.try_emplace(V.PayloadHash);
  Run->second.push_back(&V);
  if (!New) {
    next(Worker);
    return Error::success();
  }
  ++Owner.Runs;
  ++UnderWay;
  Owner.Pool.send(Worker, RunMessage.str() + text(json::Array(V.Edits)));
  return Error::success();
}

Error PoolEvaluator::BatchInProgress::measured(Variant &V, bool Died) {
  Fitness Result = V.Result;
  std::vector<Variant *> Equal = std::move(Runs[V.PayloadHash]);
  Runs.erase(V.PayloadHash);
  // A death may be of this machine's making; another search tries again.
  if (!Died && Result.Lasting)
    if (Error E = Owner.Cache.add(V.PayloadHash, Result))
      return E;
  for (Variant *Other : Equal)
    if (Error E = finish(*Other, Result))
      return E;
  return Error::success();
}

Error PoolEvaluator::BatchInProgress::read(StringRef Reply, Variant &V) const {
  Expected<json::Value> Value = json::parse(Reply);
  if (!Value)
    return Value.takeError();
  json::Path::Root Root;
  json::ObjectMapper Map(*Value, Root);
  if (!Map || !Map.map("code", V.PayloadHash) || !Map.map("result", V.Result))
    return createStringError(inconvertibleErrorCode(),
                             "a worker's reply makes no sense");
  if (!V.Result.Judged)
    return make_error<MachineError>(V.Result.Reason);
  return Error::success();
}

// What a death while building was of: the code generator's, unless a worker
// that does no more than clean up dies, too. False if that is yet to be seen.
bool PoolEvaluator::BatchInProgress::explain(const Workers::Reply &R,
                                             Variant &V) {
  if (Deadly.insert(&V).second) {
    V.Result = Fitness::failed(Stage::Lower, "the worker died: " + R.Death);
    ++UnderWay;
    Owner.Pool.send(R.Worker,
                    CleanUpMessage.str() + text(json::Array(V.Edits)));
    return false;
  }
  Deadly.erase(&V);
  if (!R.Text)
    V.Result = Fitness::failed(Stage::CleanUp, "the worker died: " + R.Death);
  return true;
}

Error PoolEvaluator::BatchInProgress::take(const Workers::Reply &R) {
  --UnderWay;
  Variant &V = *Working[R.Worker];
  bool Ran = Runs.count(V.PayloadHash);
  if (Ran && !R.Text)
    V.Result = Fitness::failed(Stage::Run, "the worker died: " + R.Death);
  else if (!Ran && (!R.Text || Deadly.count(&V))) {
    if (!explain(R, V))
      return Error::success();
  } else if (Error E = read(*R.Text, V)) {
    return E;
  }
  if (!Ran)
    return built(R.Worker, V);
  // The worker goes on while the log waits for the disk.
  next(R.Worker);
  return measured(V, !R.Text);
}

Error PoolEvaluator::evaluate(ArrayRef<Variant *> Batch,
                              const std::function<bool()> &Stop,
                              const OnFinished &Finished) {
  return BatchInProgress(*this, Batch, Stop, Finished).run();
}
