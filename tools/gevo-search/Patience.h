//===- Patience.h - Says what takes long ------------------------*- C++ -*-===//
//
// Part of the Gevo project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before a search begins the program is run several times, and only it knows
// how long that takes. Whoever waits wants to know what for.
//
//===----------------------------------------------------------------------===//

#ifndef GEVO_TOOLS_GEVO_SEARCH_PATIENCE_H
#define GEVO_TOOLS_GEVO_SEARCH_PATIENCE_H

#include "tools/gevo-search/View.h"
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace gevo {

/// While it lives, says after so many seconds that something is still going on,
/// then after twice as long, and so on. After none it says so at once, and then
/// after the usual ones.
class Patience {
public:
  static constexpr unsigned UsualSeconds = 10;

  /// \p What goes on, as "running './app'", and what can be done about it. The
  /// view must outlive this.
  Patience(View &V, std::string What, std::string Hint, unsigned Seconds);
  ~Patience();

private:
  void wait(std::chrono::seconds First);
  void tell(std::chrono::seconds SoFar);

  View &V;
  std::string What, Hint;
  std::mutex Lock;
  std::condition_variable Ended;
  bool Over = false;
  std::thread Thread;
};

} // namespace gevo

#endif // GEVO_TOOLS_GEVO_SEARCH_PATIENCE_H
