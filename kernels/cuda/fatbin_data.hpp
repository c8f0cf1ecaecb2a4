// A fat binary as data of the program: KERNSWEEP_FATBIN(launch) defines kernsweep_fatbin_launch[].
//
// The assembler includes it, because a compiler needs a hundred times as long for a C++ array. The build
// puts the file into KERNSWEEP_FATBIN_FOLDER; the source file depends on it there.
#pragma once

// The driver requires an alignment of 8; a fat binary contains its length.
#define KERNSWEEP_FATBIN(name)                       \
  __asm__(                                           \
      ".pushsection .rodata\n"                       \
      ".balign 64\n"                                 \
      ".globl kernsweep_fatbin_" #name               \
      "\n"                                           \
      ".hidden kernsweep_fatbin_" #name              \
      "\n"                                           \
      ".type kernsweep_fatbin_" #name                \
      ", %object\n"                                  \
      "kernsweep_fatbin_" #name                      \
      ":\n"                                          \
      ".incbin \"" KERNSWEEP_FATBIN_FOLDER "/" #name \
      ".fatbin\"\n"                                  \
      ".popsection\n")
