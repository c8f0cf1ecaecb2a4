// A fat binary as data of a program: KERNSWEEP_FATBIN(launch) is kernsweep_fatbin_launch[].
//
// The assembler reads it: as an array in C++ a compiler takes a hundred times as long.
// KERNSWEEP_FATBIN_FOLDER is where the build has put it; the source file depends on it there.
#pragma once

// The driver asks for an alignment of 8; a fat binary says itself how long it is.
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
