// A plugin that is named twice replays once; an edit set that is a device, which
// may have no end, is refused.

// REQUIRES: plugin, cuda
// RUN: cd %gevo_src/examples/replay && gevo-clang++ -O3 -S --cuda-device-only --gevo-strict \
// RUN:   --gevo-edits=app.gevo.json app.cu -o %t.once.s
// RUN: cd %gevo_src/examples/replay && gevo-clang++ -O3 -S --cuda-device-only --gevo-strict \
// RUN:   --gevo-edits=app.gevo.json -fpass-plugin=%gevo_plugin app.cu -o %t.twice.s 2>&1 | count 0
// RUN: cmp %t.once.s %t.twice.s

// RUN: cd %gevo_src/examples/replay && not gevo-clang++ -O3 -S --cuda-device-only \
// RUN:   --gevo-edits=/dev/full app.cu -o %t.device.s 2>&1 | FileCheck %s
// CHECK: error: gevo: cannot read edit set '/dev/full': it is a device{{$}}
