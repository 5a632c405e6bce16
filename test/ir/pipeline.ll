; The passes' parameters survive -print-pipeline-passes: what it prints parses
; and prints the same again. Wrong parameters are refused with what is wrong and
; what the pass takes.

; REQUIRES: plugin
; DEFINE: %{print} = %opt_gevo -print-pipeline-passes -disable-output %s -passes=

; RUN: %{print}'gevo-record<to=dir;opt-level=2;fuse=0>' | FileCheck %s --check-prefix=RECORD
; RECORD: gevo-record<to=dir;opt-level=2;fuse=0>
; RUN: %{print}'gevo-record<to=embed>' | FileCheck %s --check-prefix=EMBED
; EMBED: gevo-record<to=embed;opt-level=3;fuse=1>
; RUN: %{print}'gevo-replay<edits=app.gevo.json;report=dir;strict;remap>' | FileCheck %s --check-prefix=REPLAY
; REPLAY: gevo-replay<edits=app.gevo.json;report=dir;strict;remap>
; RUN: %{print}'gevo-replay<remap;edits=a=b.json>' | FileCheck %s --check-prefix=ORDER
; ORDER: gevo-replay<edits=a=b.json;remap>
; RUN: %{print}'gevo-annotate,gevo-annotate<function=k>' | FileCheck %s --check-prefix=ANNOTATE
; ANNOTATE: gevo-annotate,gevo-annotate<function=k>
; RUN: %{print}'gevo-mutate<seed=18446744073709551615;count=7;edits=out.json>' | FileCheck %s --check-prefix=MUTATE
; MUTATE: gevo-mutate<seed=18446744073709551615;count=7;edits=out.json>
; RUN: %{print}'gevo-mutate' | FileCheck %s --check-prefix=DEFAULT
; DEFAULT: gevo-mutate<seed=1;count=1>

; RUN: not %{print}'gevo-replay<edit=f>' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
; UNKNOWN: gevo: gevo-replay: unknown parameter 'edit'; it takes edits=, report=, strict, remap
; RUN: not %{print}'gevo-replay<strict=1>' 2>&1 | FileCheck %s --check-prefix=FLAG
; FLAG: gevo: gevo-replay: 'strict=1' is not a value of 'strict'; it takes edits=, report=, strict, remap
; RUN: not %{print}'gevo-replay<edits>' 2>&1 | FileCheck %s --check-prefix=VALUE
; VALUE: gevo: gevo-replay: 'edits' is not a value of 'edits'
; RUN: not %{print}'gevo-mutate<seed=-1>' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
; NEGATIVE: gevo: gevo-mutate: 'seed=-1' is not a value of 'seed'; it takes seed=, count=, edits=
; RUN: not %{print}'gevo-mutate<count=4294967296>' 2>&1 | FileCheck %s --check-prefix=WIDE
; WIDE: gevo: gevo-mutate: 'count=4294967296' is not a value of 'count'
; RUN: not %{print}'gevo-record<fuse=2>' 2>&1 | FileCheck %s --check-prefix=BOOL
; BOOL: gevo: gevo-record: 'fuse=2' is not a value of 'fuse'; it takes to=, opt-level=, fuse=
; RUN: not %{print}'gevo-annotat' 2>&1 | FileCheck %s --check-prefix=NOPASS
; NOPASS: unknown pass name 'gevo-annotat'

; A record without a place, a replay without edits, and an unknown function are
; errors of the run.
; RUN: not %opt_gevo -passes=gevo-record -disable-output %s 2>&1 | FileCheck %s --check-prefix=NOWHERE
; NOWHERE: error: gevo: gevo-record needs to=embed or to=<folder>; the device module of {{.*}} is not recorded
; RUN: not %opt_gevo -passes=gevo-replay -disable-output %s 2>&1 | FileCheck %s --check-prefix=NOEDITS
; NOEDITS: error: gevo: gevo-replay needs edits=<file>
; RUN: not %opt_gevo -passes='gevo-annotate<function=kernell>' -disable-output %s 2>&1 | FileCheck %s --check-prefix=NOFUNCTION
; NOFUNCTION: error: gevo: gevo-annotate: {{.*}} defines no function 'kernell'; names are as in the module

target triple = "nvptx64-nvidia-cuda"

define void @kernel() "target-cpu"="sm_70" {
  ret void
}
