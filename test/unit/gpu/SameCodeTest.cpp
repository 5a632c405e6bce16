//===- SameCodeTest.cpp - Texts that are one module -----------------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comments, white space at the ends of lines and debug information do not
// count; everything else does.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/ptx/SameCode.h"
#include <gtest/gtest.h>

using gevo::gpu::ptx::isSameCode;

TEST(SameCode, LeavesOutWhatIsNoCode) {
  EXPECT_TRUE(isSameCode("", ""));
  EXPECT_TRUE(isSameCode("// made\n.version 7.0\n\n\tret; // end\n}",
                         ".version 7.0\n  ret;\r\n}\n// more\n"));
  EXPECT_TRUE(isSameCode("ret;\n}\n", "\t.loc\t1 2 3\n\tret;\n}\n"
                                      "\t.file\t1 \"./a.cu\"\n"
                                      "\t.section\t.debug_loc\n{\n.b8 1\n}\n"));
}

TEST(SameCode, SeesOtherCode) {
  EXPECT_FALSE(isSameCode("mul.lo.s32 %r1, %r2, 3;\nret;",
                          "mul.lo.s32 %r1, %r2, 5;\nret;"));
  EXPECT_FALSE(isSameCode("ret;\n}\n", "ret;\n}\n.global .b8 x;\n"));
  EXPECT_FALSE(isSameCode("ret;\n}\n", ""));
  EXPECT_FALSE(isSameCode(".local .b8 a[8];\nret;", ".local .b8 a[4];\nret;"));
}
