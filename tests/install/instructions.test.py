#!/usr/bin/python3
"""The program must run on every processor of its architecture. Instructions beyond the baseline may only be in the
kernels' own namespaces, which are entered only if the processor has them."""

import os
import platform
import re
import shutil
import subprocess

FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# Finds the mnemonic after the address in a line of objdump.
MNEMONIC = re.compile(r"^\s*[0-9a-f]+:\s+(?:(?:lock|rep|repz|repnz|notrack|bnd|data16) )*(\S+)")
# Instructions of AVX and later, BMI, and the streaming extensions after SSE2.
BEYOND = re.compile(
    r"v(?!err|erw|mcall)[a-z0-9]+|andn|bextr|bls[ir]|blsmsk|bzhi|mulx|pdep|pext|rorx|sarx|shlx|shrx|lzcnt|popcnt|crc32\w*"
    r"|pshufb|palignr|ph?(?:add|sub)(?:sw|[wd])3|h(?:add|sub)p[sd]|addsubp[sd]|mov(?:sh|sl|d)dup|lddqu|pabs[bwd]|psign[bwd]"
    r"|pmulhrsw|pmaddubsw|blendv?p[sd]|pblend\w+|dpp[sd]|round[sp][sd]|insertps|extractps|pinsr[bdq]|pextr[bdq]|ptest"
    r"|pm(?:in|ax)(?:s[bd]|u[wd])|pmulld|pmuldq|pmov[sz]x\w+|packusdw|pcmpeqq|pcmpgtq|pcmp[ei]str[im]|mpsadbw|aes\w+")
KERNELS = re.compile(r"::N_(?:SSSE3|SSE4|AVX2|AVX3)::")


def functions(program):
    """(name, mnemonic) of all instructions."""
    name = ""
    with subprocess.Popen(["objdump", "-d", "-C", "--no-show-raw-insn", program], text=True,
                          stdout=subprocess.PIPE) as objdump:
        for line in objdump.stdout:
            if line[0].isspace():
                match = MNEMONIC.match(line)
                if match:
                    yield name, match.group(1)
            else:
                match = FUNCTION.match(line)
                if match:
                    name = match.group(1)


def main():
    if platform.machine() != "x86_64":
        print("skip - instructions: their names are known here for x86-64 only")
        return
    if not shutil.which("objdump"):
        print("skip - instructions: this machine has no objdump")
        return
    strangers = {}
    widest = set()
    for name, mnemonic in functions(os.environ["HEADSCOPE"]):
        if not BEYOND.fullmatch(mnemonic):
            continue
        if KERNELS.search(name):
            widest |= set(KERNELS.findall(name))
        else:
            strangers.setdefault(name, mnemonic)
    print(f"{'not ok' if strangers else 'ok'} - outside the kernels there is only what every processor has")
    for name, mnemonic in sorted(strangers.items())[:20]:
        print(f"#   {name} has {mnemonic}")
    # If the search found none of these, its other results would prove nothing.
    seen = {"::N_AVX2::", "::N_AVX3::"} <= widest
    print(f"{'ok' if seen else 'not ok'} - the kernels have instructions of AVX2 and AVX-512")


main()
