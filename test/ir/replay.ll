; What replay says and writes: remarks for applied edits, warnings and remarks for
; missed ones, the closing line, the JSON report; strict turns a miss into an error.
; Each function stands for itself: one that is refused or stale is left exactly as it
; was, while the others are edited.

; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %edit_set %t/edits.txt %t/kernel.ll > %t/edits.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/edits.json;report=%t/new/report>' -S %t/kernel.ll -o %t/replayed.ll \
; RUN:   -pass-remarks=gevo -pass-remarks-missed=gevo 2>&1 | FileCheck %s --check-prefix=SAYS
; RUN: FileCheck %s --check-prefix=CODE < %t/replayed.ll

; SAYS: remark: kernel.cu:3:5: edit 1 applied: delete i0 (store float)
; SAYS: remark: {{.*}}: edit 2 applied: operand i1.0 = float 2.000000e+00{{$}}
; SAYS: warning: gevo: {{.*}}edits.json:4:1: edit 1 (delete i9, from kernel.cu:14:7) of 'scale(float*)' does not apply: the function has no i9; the function is left as it was. Remove the edit from the file, or search again
; SAYS: remark: {{.*}}edits.json:4:1: edit 1 (delete i9, from kernel.cu:14:7) of 'scale(float*)' does not apply: the function has no i9
; SAYS: warning: gevo: {{.*}}edits.json:4:{{[0-9]+}}: the edits of 'gone()' do not apply: the module has no such function; the function is left as it was. Search again{{$}}
; SAYS: warning: gevo: kernel.cu (sm_70): applied 2 of 4 edits of {{.*}}edits.json

; CODE-LABEL: define void @edited(
; CODE-NEXT:    store float 2.0
; CODE-NEXT:    ret void
; CODE-LABEL: define void @_Z5scalePf(
; CODE-NEXT:    %dead = load float, ptr %p
; CODE-NEXT:    store float 1.0

; RUN: FileCheck %s --check-prefix=REPORT --match-full-lines --strict-whitespace < %t/new/report/kernel-*-sm_70.replay.json
;      REPORT:{
; REPORT-NEXT:  "source": "kernel.cu",
; REPORT-NEXT:  "arch": "sm_70",
; REPORT-NEXT:  "edits_file": "{{.*}}edits.json",
; REPORT-NEXT:  "applied": 2,
; REPORT-NEXT:  "total": 4,
; REPORT-NEXT:  "functions": [
; REPORT-NEXT:    {
; REPORT-NEXT:      "name": "edited",
; REPORT-NEXT:      "status": "applied",
; REPORT-NEXT:      "edits": 2,
; REPORT-NEXT:      "fingerprint": "{{[0-9a-f]+}}"
; REPORT-NEXT:    },
; REPORT-NEXT:    {
; REPORT-NEXT:      "name": "_Z5scalePf",
; REPORT-NEXT:      "status": "refused",
; REPORT-NEXT:      "edits": 1,
; REPORT-NEXT:      "fingerprint": "{{[0-9a-f]+}}",
; REPORT-NEXT:      "edit": 1,
; REPORT-NEXT:      "reason": "the function has no i9"
; REPORT-NEXT:    },
; REPORT-NEXT:    {
; REPORT-NEXT:      "name": "_Z4gonev",
; REPORT-NEXT:      "status": "stale",
; REPORT-NEXT:      "edits": 1,
; REPORT-NEXT:      "fingerprint": "",
; REPORT-NEXT:      "reason": "the module has no such function"
; REPORT-NEXT:    }
; REPORT-NEXT:  ]
; REPORT-NEXT:}

; RUN: not %opt_gevo -passes='gevo-replay<edits=%t/edits.json;strict>' -disable-output %t/kernel.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=STRICT
; STRICT: error: gevo: {{.*}}edits.json:4:1: edit 1 (delete i9

; When all apply, the closing line is a remark and nothing is a warning.
; RUN: head -2 %t/edits.txt > %t/good.txt
; RUN: %edit_set %t/good.txt %t/kernel.ll > %t/good.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/good.json;strict>' -disable-output %t/kernel.ll \
; RUN:   -pass-remarks=gevo 2>&1 | FileCheck %s --check-prefix=GOOD --implicit-check-not=warning
; GOOD: remark: {{.*}}kernel.cu (sm_70): applied 2 of 2 edits of {{.*}}good.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/good.json>' -disable-output %t/kernel.ll 2>&1 | count 0

; A set that has this function for another architecture only, as in a build for
; several: nothing changes, and a remark says so to those who ask.
; RUN: sed 's/"arch": "sm_70"/"arch": "sm_80"/' %t/edits.json > %t/sm_80.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/sm_80.json;strict>' -S %t/kernel.ll 2>&1 -o %t/same.ll | count 0
; RUN: opt -S %t/kernel.ll | cmp - %t/same.ll
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/sm_80.json>' -disable-output %t/kernel.ll -pass-remarks-missed=gevo 2>&1 \
; RUN:   | FileCheck %s --check-prefix=ELSEWHERE
; ELSEWHERE: remark: {{.*}}sm_80.json has no edits for sm_70, only for sm_80; kernel.cu (sm_70) is compiled without. Search for sm_70, too

; A stale list of a source of another name concerns us if nobody else can define
; the function, and not if it is one of those that every source may have.
; RUN: sed -e 's/kernel\.cu/other.cu/' -e 's/"fingerprint": "[0-9a-f]*"/"fingerprint": "0"/' %t/good.json > %t/other.json
; RUN: not %opt_gevo -passes='gevo-replay<edits=%t/other.json;strict>' -disable-output %t/kernel.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=RENAMED
; RENAMED: error: gevo: {{.*}} the edits of 'edited' do not apply: the function is not the one that the edits were made for
; RUN: sed 's/define void @edited/define weak_odr void @edited/' %t/kernel.ll > %t/weak.ll
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/other.json;strict>' -S %t/weak.ll 2>&1 -o %t/same.ll | count 0
; RUN: opt -S %t/weak.ll | cmp - %t/same.ll

; Another fingerprint: the set is stale. A second list for one function: refused.
; RUN: sed 's/"fingerprint": "[0-9a-f]*"/"fingerprint": "0"/' %t/good.json > %t/stale.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/stale.json>' -S %t/kernel.ll -o %t/same.ll 2>&1 | FileCheck %s --check-prefix=STALE
; STALE: warning: gevo: {{.*}}stale.json:1:{{[0-9]+}}: the edits of 'edited' do not apply: the function is not the one that the edits were made for: its source or the compiler's options, such as -O, have changed ({{[0-9]+}} instructions then, {{[0-9]+}} now); the function is left as it was. Search again, or let -gevo-remap (GEVO_REMAP=1) find the places anew
; STALE: warning: gevo: kernel.cu (sm_70): applied 0 of 2 edits of {{.*}}stale.json
; RUN: opt -S %t/kernel.ll | cmp - %t/same.ll
; RUN: gevo-edits format %t/good.json > %t/formatted.json
; RUN: %python %t/repeat.py < %t/formatted.json > %t/second.json
; RUN: %opt_gevo -passes='gevo-replay<edits=%t/second.json>' -disable-output %t/kernel.ll 2>&1 | FileCheck %s --check-prefix=SECOND
; SECOND: the edits of 'edited' do not apply: the file has a second list for the same function; the function is left as it was.
; SECOND: applied 2 of 4 edits

; A report that cannot be written is an error.
; RUN: not %opt_gevo -passes='gevo-replay<edits=%t/good.json;report=%t/good.txt/in>' -disable-output %t/kernel.ll 2>&1 \
; RUN:   | FileCheck %s --check-prefix=FOLDER
; FOLDER: error: gevo: cannot make folder '{{.*}}good.txt/in': Not a directory

;--- edits.txt
@edited {"kind": "delete", "at": "i0", "note": "store float"}
@edited {"kind": "operand", "at": "i1", "operand": 0, "value": "float 2.000000e+00"}
@_Z5scalePf {"kind": "delete", "at": "i9", "file": "kernel.cu", "line": 14, "column": 7}
@_Z4gonev {"kind": "delete", "at": "i0"}
;--- repeat.py
import json
import sys

edits = json.load(sys.stdin)
functions = edits["architectures"][0]["functions"]
functions += functions
json.dump(edits, sys.stdout)
;--- kernel.ll
source_filename = "kernel.cu"
target triple = "nvptx64-nvidia-cuda"
attributes #0 = { "target-cpu"="sm_70" }

define void @edited(ptr %p, ptr %q, float %x) #0 !dbg !4 {
  store float %x, ptr %p, !dbg !7
  store float %x, ptr %q
  ret void
}

define void @_Z5scalePf(ptr %p) #0 {
  %dead = load float, ptr %p
  store float 1.0, ptr %p
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "edited", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 3, column: 5, scope: !4)
