//===- gevo-fatbinary.cpp - Bundles device code into a fatbin -------------===//
//
// Part of Gevo, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands in for CUDA's `fatbinary` where a CUDA tree has none, as those made
// of the CUDA 12 Python wheels. Takes the command lines of clang
// (--image=profile=sm_80,file=F) and of nvcc (--image3=kind=elf,sm=80,file=F).
// Images are stored uncompressed unless compression is asked for, so that a
// driver of any age reads them, and PTX is stored as it was given.
//
//===----------------------------------------------------------------------===//

#include "runtime/gpu/driver/Fatbin.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace gevo::gpu;

namespace {

const char Help[] =
    "usage: gevo-fatbinary [options] --create OUT --image=SPEC...\n"
    "\n"
    "Bundles PTX and cubins into the container that CUDA programs carry.\n"
    "\n"
    "  --create OUT                   the file to write\n"
    "  --image=profile=P,file=F       an image; P is sm_NN (cubin) or\n"
    "                                 compute_NN (PTX)\n"
    "  --image3=kind=K,sm=NN,file=F   an image; K is elf or ptx\n"
    "  --ident NAME                   source file to record\n"
    "  --cmdline OPTIONS              ptxas options to record\n"
    "  --compress[=true|false]        compress PTX (default: false)\n"
    "  --compress-all                 compress every image\n"
    "  --compress-mode MODE           default, size or balance (Zstandard),\n"
    "                                 speed (LZ4), none\n"
    "  -g, --debug                    the images are debug builds\n"
    "  -64, -32                       address size (default: 64)\n"
    "  --cuda, -c, --device-c, --link, --no-asm   accepted, without effect\n"
    "  --help, --version\n";

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "gevo-fatbinary: error: %s\n", Message.c_str());
  std::exit(1);
}

struct ImageSpec {
  std::string Profile, Kind, Arch, File;
};

struct CommandLine {
  std::string Output, Identifier, Options;
  std::vector<ImageSpec> Images;
  bool Is64Bit = true, IsDebug = false;
  bool CompressPTX = false, CompressAll = false;
  FatbinCompression Mode = FatbinCompression::Zstd;
};

/// Splits "key=value,key=value" at commas before a known key only: a file name
/// may hold commas.
ImageSpec parseImage(const std::string &Text) {
  ImageSpec Spec;
  const std::pair<const char *, std::string *> Keys[] = {
      {"profile=", &Spec.Profile},
      {"kind=", &Spec.Kind},
      {"sm=", &Spec.Arch},
      {"file=", &Spec.File}};
  std::string *Value = nullptr;
  for (size_t Pos = 0; Pos < Text.size();) {
    bool AtKey = Pos == 0 || Text[Pos] == ',';
    size_t KeyPos = Pos + (Text[Pos] == ',' ? 1 : 0);
    bool Found = false;
    for (auto &[Key, Target] : Keys) {
      if (!AtKey || Text.compare(KeyPos, std::strlen(Key), Key))
        continue;
      Value = Target;
      Pos = KeyPos + std::strlen(Key);
      Found = true;
      break;
    }
    if (Found)
      continue;
    if (!Value)
      fail("image '" + Text +
           "' does not start with profile=, kind=, sm= or "
           "file=");
    Value->push_back(Text[Pos++]);
  }
  if (Spec.File.empty())
    fail("image '" + Text + "' names no file");
  return Spec;
}

FatbinCompression parseMode(const std::string &Mode) {
  if (Mode == "none")
    return FatbinCompression::None;
  if (Mode == "speed")
    return FatbinCompression::LZ4;
  if (Mode == "default" || Mode == "size" || Mode == "balance")
    return FatbinCompression::Zstd;
  fail("unknown compression mode '" + Mode +
       "'; expected default, size, balance, speed or none");
}

bool isIgnored(const std::string &Option) {
  for (const char *Known : {"--cuda", "-cuda", "-c", "--device-c", "-device-c",
                            "--link", "-link", "--no-asm", "-no-asm"})
    if (Option == Known)
      return true;
  return false;
}

CommandLine parseCommandLine(const std::vector<std::string> &Args) {
  CommandLine Line;
  for (size_t I = 0; I < Args.size(); ++I) {
    std::string Name = Args[I], Value;
    size_t Equals = Name.find('=');
    bool HasValue = Equals != std::string::npos;
    if (HasValue) {
      Value = Name.substr(Equals + 1);
      Name.resize(Equals);
    }
    // CUDA's tool takes its long options with one dash as well.
    if (Name.size() > 3 && Name[0] == '-' && Name[1] != '-')
      Name.insert(0, "-");
    auto value = [&]() -> std::string {
      if (HasValue)
        return Value;
      if (I + 1 == Args.size())
        fail("option '" + Name + "' needs a value");
      return Args[++I];
    };
    if (Name == "--create")
      Line.Output = value();
    else if (Name == "--image" || Name == "--image3")
      Line.Images.push_back(parseImage(value()));
    else if (Name == "--ident")
      Line.Identifier = value();
    else if (Name == "--cmdline")
      Line.Options = value();
    else if (Name == "--compress")
      Line.CompressPTX = !HasValue || Value == "true";
    else if (Name == "--compress-all")
      Line.CompressAll = true;
    else if (Name == "--compress-mode") {
      Line.Mode = parseMode(value());
      Line.CompressPTX = true;
    } else if (Name == "-g" || Name == "--debug")
      Line.IsDebug = true;
    else if (Name == "-64" || Name == "--64")
      Line.Is64Bit = true;
    else if (Name == "-32" || Name == "--32")
      Line.Is64Bit = false;
    else if (!isIgnored(Name))
      fail("unknown option '" + Args[I] + "'; see --help");
  }
  if (Line.Output.empty())
    fail("no output file; give --create OUT");
  if (Line.Images.empty())
    fail("no images; give --image=profile=P,file=F");
  return Line;
}

std::string readFile(const std::string &Name) {
  std::ifstream In(Name, std::ios::binary);
  // Of a folder this fails, where the iterator would throw.
  In.peek();
  if (!In.is_open() || In.bad())
    fail("cannot read '" + Name + "': " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(In), std::istreambuf_iterator<char>()};
}

/// Reads "80" or "90a" into \p Image.
void parseArch(const std::string &Text, FatbinImage &Image) {
  char *End;
  unsigned long Arch = std::strtoul(Text.c_str(), &End, 10);
  bool HasSuffix = *End == 'a' || *End == 'f';
  if (End == Text.c_str() || Arch < 10 || Arch > 999 || End[HasSuffix])
    fail("'" + Text + "' is not an architecture; expected a number such as 80");
  Image.Arch = unsigned(Arch);
  Image.ArchSuffix = HasSuffix ? *End : 0;
}

FatbinImage makeImage(const CommandLine &Line, ImageSpec Spec) {
  if (!Spec.Profile.empty()) {
    size_t Underscore = Spec.Profile.find('_');
    std::string Family = Spec.Profile.substr(0, Underscore);
    if (Underscore == std::string::npos ||
        (Family != "sm" && Family != "compute"))
      fail("unknown profile '" + Spec.Profile +
           "'; expected sm_NN or compute_NN");
    Spec.Kind = Family == "sm" ? "elf" : "ptx";
    Spec.Arch = Spec.Profile.substr(Underscore + 1);
  }
  FatbinImage Image;
  if (Spec.Kind == "ptx")
    Image.Kind = FatbinKind::PTX;
  else if (Spec.Kind == "elf")
    Image.Kind = FatbinKind::ELF;
  else
    fail("unknown kind '" + Spec.Kind + "' of image '" + Spec.File +
         "'; expected elf or ptx");
  parseArch(Spec.Arch, Image);
  Image.Data = readFile(Spec.File);
  bool IsELF = Image.Data.compare(0, 4,
                                  "\x7f"
                                  "ELF") == 0;
  if (IsELF != (Image.Kind == FatbinKind::ELF))
    fail("'" + Spec.File + "' is given as " + Spec.Kind + " but is " +
         (IsELF ? "an ELF file" : "none"));
  Image.Is64Bit = Line.Is64Bit;
  Image.IsDebug = Line.IsDebug;
  Image.Identifier = Line.Identifier;
  Image.Options = Line.Options;
  bool Compress =
      Line.CompressAll || (Line.CompressPTX && Image.Kind == FatbinKind::PTX);
  if (Compress)
    Image.Compression = Line.Mode;
  return Image;
}

} // namespace

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  for (const std::string &Arg : Args) {
    if (Arg == "--help" || Arg == "-h") {
      std::fputs(Help, stdout);
      return 0;
    }
    if (Arg == "--version" || Arg == "-V") {
      std::puts("gevo-fatbinary " GEVO_VERSION);
      return 0;
    }
  }
  CommandLine Line = parseCommandLine(Args);
  std::vector<FatbinImage> Images;
  for (const ImageSpec &Spec : Line.Images)
    Images.push_back(makeImage(Line, Spec));
  std::string Bytes = writeFatbin(Images);
  std::ofstream Out(Line.Output, std::ios::binary);
  Out.write(Bytes.data(), std::streamsize(Bytes.size()));
  Out.close();
  if (!Out)
    fail("cannot write '" + Line.Output + "': " + std::strerror(errno));
  return 0;
}
