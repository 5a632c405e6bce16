// Launches one kernel, then ends as its argument says.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>

__global__ void touch(int *data) { *data = 1; }

static void stop(int) { _exit(15); }

int main(int, char **argv) {
  int *data;
  if (cudaMalloc(&data, sizeof(int)))
    return 99;
  touch<<<1, 1>>>(data);
  std::string how = argv[1];
  if (how == "exit")
    std::exit(7);
  if (how == "_exit")
    _exit(8);
  if (how == "abort")
    std::abort();
  if (how == "crash")
    std::raise(SIGSEGV);
  if (how == "kill")
    kill(getpid(), SIGKILL);
  if (how == "orphan") {
    kill(getppid(), SIGKILL);
    pause();
  }
  if (how == "echo") {
    char line[100], folder[4096];
    if (std::fgets(line, sizeof(line), stdin) && getcwd(folder, sizeof(folder)))
      std::printf("%sin %s\n", line, folder);
    std::fprintf(stderr, "to standard error\n");
  }
  if (how == "pause")
    pause();
  if (how == "wait") {
    signal(SIGTERM, stop);
    std::puts("ready");
    std::fflush(stdout);
    pause();
  }
  return 0;
}
