;--- empty.ll
source_filename = "empty.cu"
target triple = "nvptx64-nvidia-cuda"
define void @empty() "target-cpu"="sm_70" {
  ret void
}
;--- host.ll
source_filename = "host.cu"
target triple = "x86_64-pc-linux-gnu"
define i32 @host(i32 %n) "target-cpu"="x86-64" {
  %m = add i32 %n, 1
  ret i32 %m
}
;--- plain.ll
source_filename = "plain.cu"
target triple = "nvptx64-nvidia-cuda"
define i32 @kernel(i32 %n) {
  %m = add i32 %n, 1
  ret i32 %m
}
