; The fingerprint of a function is the same whatever its values, blocks, types and
; strings are called, whatever metadata, other attributes and debug information it has;
; and it differs for every change of what the code does.

; REQUIRES: plugin
; RUN: split-file %s %t
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/base.ll | grep fingerprint > %t/base
; RUN: count 1 < %t/base
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/renamed.ll | grep fingerprint > %t/renamed
; RUN: cmp %t/base %t/renamed
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/decorated.ll | grep fingerprint > %t/decorated
; RUN: cmp %t/base %t/decorated

; 27 functions that each differ from @base in one thing, and @base itself: all
; fingerprints are different.
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/different.ll | grep fingerprint > %t/different
; RUN: count 28 < %t/different
; RUN: sort -u %t/different | count 28

; What a function sees of a variable counts, too: its size, alignment and, if
; nobody can change it, its content.
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/variables.ll | grep fingerprint | sort -u | count 1
; RUN: sed 's/66 x float/68 x float/' %t/variables.ll > %t/size.ll
; RUN: sed 's/undef, align 4/undef, align 16/' %t/variables.ll > %t/align.ll
; RUN: sed 's/i32 7/i32 8/' %t/variables.ll > %t/content.ll
; RUN: sed 's/asm "membar/asm sideeffect "membar/' %t/variables.ll > %t/asm.ll
; RUN: cat %t/variables.ll > %t/again.ll
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/size.ll | grep fingerprint > %t/prints
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/align.ll | grep fingerprint >> %t/prints
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/content.ll | grep fingerprint >> %t/prints
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/asm.ll | grep fingerprint >> %t/prints
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/again.ll | grep fingerprint >> %t/prints
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/variables.ll | grep fingerprint >> %t/prints
; RUN: sort -u %t/prints | count 5

; Of the attributes, only the treatment of denormals counts.
; RUN: sed 's/"target-cpu"="sm_70"/& "denormal-fp-math-f32"="preserve-sign,preserve-sign"/' %t/base.ll > %t/flush.ll
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/flush.ll | grep fingerprint > %t/flush
; RUN: count 1 < %t/flush
; RUN: not cmp %t/base %t/flush
; RUN: sed 's/"target-cpu"="sm_70"/& "denormal-fp-math-f32"="ieee,ieee"/' %t/base.ll > %t/ieee.ll
; RUN: %opt_gevo -passes=gevo-annotate -disable-output %t/ieee.ll | grep fingerprint | cmp - %t/base

;--- variables.ll
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [66 x float] undef, align 4
@table = internal constant [2 x i32] [i32 7, i32 9]
; A constant that refers to itself, many times, must not be followed for ever.
@ring = private constant [4 x ptr] [ptr @ring, ptr @ring, ptr @ring, ptr @ring]
define i32 @variables(i32 %i) "target-cpu"="sm_70" {
  call void asm "membar.cta;", ""()
  %at = getelementptr [66 x float], ptr addrspace(3) @tile, i32 0, i32 %i
  store float 0.0, ptr addrspace(3) %at, align 4
  %entry = getelementptr [2 x i32], ptr @table, i32 0, i32 %i
  %value = load i32, ptr %entry, align 4
  %next = load ptr, ptr @ring, align 8
  store i32 %value, ptr %next, align 4
  ret i32 %value
}

;--- base.ll
target triple = "nvptx64-nvidia-cuda"
%struct.pair = type { float, i32 }
@.str = private constant [4 x i8] c"gevo"
declare void @f(ptr)
define float @base(ptr %pairs, i32 %n) "target-cpu"="sm_70" {
entry:
  %at = getelementptr inbounds %struct.pair, ptr %pairs, i32 %n
  %value = load float, ptr %at, align 4
  call void @f(ptr @.str)
  %positive = fcmp ogt float %value, 0.0
  br i1 %positive, label %then, label %done
then:
  %sum = fadd float %value, 1.0
  br label %done
done:
  %result = phi float [ %value, %entry ], [ %sum, %then ]
  ret float %result
}

;--- renamed.ll
target triple = "nvptx64-nvidia-cuda"
%struct.other.17 = type { float, i32 }
@.str.8 = private constant [4 x i8] c"gevo"
declare void @f(ptr)
define float @base(ptr %0, i32 %1) "target-cpu"="sm_70" {
  %3 = getelementptr inbounds %struct.other.17, ptr %0, i32 %1
  %4 = load float, ptr %3, align 4
  call void @f(ptr @.str.8)
  %5 = fcmp ogt float %4, 0.0
  br i1 %5, label %6, label %8
6:
  %7 = fadd float %4, 1.0
  br label %8
8:
  %9 = phi float [ %4, %2 ], [ %7, %6 ]
  ret float %9
}

;--- decorated.ll
target triple = "nvptx64-nvidia-cuda"
%struct.pair = type { float, i32 }
@.str = private unnamed_addr constant [4 x i8] c"gevo"
declare void @f(ptr) convergent nounwind
define weak_odr noundef float @base(ptr noalias nocapture readonly %pairs, i32 noundef %n) nounwind "target-cpu"="sm_70" !dbg !4 {
entry:
  %at = getelementptr inbounds %struct.pair, ptr %pairs, i32 %n, !dbg !9
  %value = load float, ptr %at, align 4, !tbaa !10, !dbg !9
  call void @f(ptr nonnull @.str) nounwind
  call void @llvm.dbg.value(metadata i32 %n, metadata !7, metadata !DIExpression()), !dbg !9
  %positive = fcmp ogt float %value, 0.0
  br i1 %positive, label %then, label %done, !prof !13
then:
  %sum = fadd float %value, 1.0
  br label %done
done:
  %result = phi float [ %value, %entry ], [ %sum, %then ]
  ret float %result, !dbg !9
}
declare void @llvm.dbg.value(metadata, metadata, metadata)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "k.cu", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 2, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "base", scope: !1, file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocalVariable(name: "n", arg: 2, scope: !4, file: !1, line: 1, type: !8)
!8 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!9 = !DILocation(line: 2, column: 3, scope: !4)
!10 = !{!11, !11, i64 0}
!11 = !{!"float", !12}
!12 = !{!"root"}
!13 = !{!"branch_weights", i32 1, i32 2}

;--- different.ll
target triple = "nvptx64-nvidia-cuda"
%struct.pair = type { float, i32 }
%struct.packed = type <{ float, i32 }>
@.str = private constant [4 x i8] c"gevo"
@.str.1 = private constant [4 x i8] c"GEVO"
@g = external addrspace(1) global i32
@h = external addrspace(1) global i32
declare void @f(ptr)
declare void @other(ptr)
define float @base(ptr %p, i32 %n) "target-cpu"="sm_70" {
  %v = load float, ptr %p, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @constant(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd float %v, 2.0
  ret float %a
}
define float @opcode(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fsub float %v, 1.0
  ret float %a
}
define float @flag(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd contract float %v, 1.0
  ret float %a
}
define float @operand(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd float %v, %v
  ret float %a
}
define float @order(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd float 1.0, %v
  ret float %a
}
define float @result(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd float %v, 1.0
  ret float %v
}
define float @alignment(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 8
  %a = fadd float %v, 1.0
  ret float %a
}
define float @volatile(ptr %p, i32 %n) {
  %v = load volatile float, ptr %p, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @atomic(ptr %p, i32 %n) {
  %v = load atomic float, ptr %p monotonic, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @ordering(ptr %p, i32 %n) {
  %v = load atomic float, ptr %p acquire, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @scope(ptr %p, i32 %n) {
  %v = load atomic float, ptr %p syncscope("block") acquire, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @parameter(ptr %p, i64 %n) {
  %v = load float, ptr %p, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @space(ptr addrspace(1) %p, i32 %n) {
  %v = load float, ptr addrspace(1) %p, align 4
  %a = fadd float %v, 1.0
  ret float %a
}
define float @blocks(ptr %p, i32 %n) {
  %v = load float, ptr %p, align 4
  br label %next
next:
  %a = fadd float %v, 1.0
  ret float %a
}
define i1 @predicate(float %x) {
  %c = fcmp ogt float %x, 0.0
  ret i1 %c
}
define i1 @predicate_2(float %x) {
  %c = fcmp oge float %x, 0.0
  ret i1 %c
}
define void @callee() {
  call void @f(ptr @.str)
  ret void
}
define void @callee_2() {
  call void @other(ptr @.str)
  ret void
}
define void @string() {
  call void @f(ptr @.str.1)
  ret void
}
define ptr @layout(ptr %p, i32 %n) {
  %q = getelementptr %struct.pair, ptr %p, i32 %n
  ret ptr %q
}
define ptr @layout_2(ptr %p, i32 %n) {
  %q = getelementptr %struct.packed, ptr %p, i32 %n
  ret ptr %q
}
define i32 @asm() {
  %v = call i32 asm "mov.u32 $0, %clock;", "=r"()
  ret i32 %v
}
define i32 @asm_2() {
  %v = call i32 asm "mov.u32 $0, %laneid;", "=r"()
  ret i32 %v
}
define i32 @exchange(ptr %p) {
  %v = atomicrmw add ptr %p, i32 1 monotonic
  ret i32 %v
}
define i32 @exchange_2(ptr %p) {
  %v = atomicrmw volatile add ptr %p, i32 1 monotonic
  ret i32 %v
}
define i1 @compare(ptr %p) {
  %v = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %c = extractvalue { i32, i1 } %v, 1
  ret i1 %c
}
define i1 @compare_2(ptr %p) {
  %v = cmpxchg volatile ptr %p, i32 0, i32 1 monotonic monotonic
  %c = extractvalue { i32, i1 } %v, 1
  ret i1 %c
}
