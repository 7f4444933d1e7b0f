#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wordCountTest.sh PROGRAM: runs the example on files of every kind and compares lines, words and
# bytes with `LC_ALL=C wc`, the longest line with Python. WORDCOUNT_BIG=1: one line of 100 MB.
set -u
export LC_ALL=C

if [ $# -ne 1 ]; then
  echo "usage: wordCountTest.sh PROGRAM" >&2
  exit 2
fi
program=$1
if ! command -v python3 > /dev/null; then
  echo "SKIP: no python3"
  exit 77
fi
directory=$(mktemp -d) || exit 1
trap 'rm -rf "$directory"' EXIT

# Writes the files, and for each FILE its longest line's bytes to FILE.longest.
python3 - "$directory" "${WORDCOUNT_BIG:-0}" << 'PYTHON' || exit 1
import random, sys
directory, big = sys.argv[1], sys.argv[2] == "1"
generator = random.Random(1)

def write(name, data):
    with open(f"{directory}/{name}", "wb") as file:
        file.write(data)
    with open(f"{directory}/{name}.longest", "w") as file:
        file.write(str(max(map(len, data.split(b"\n")))))

def text(words, end):
    lines = [b" ".join(b"w" * generator.randint(1, 12) for _ in range(generator.randint(0, 9)))
             for _ in range(words)]
    return end.join(lines) + end

write("empty", b"")
write("newline", b"\n")
write("newlines", b"\n" * 5000)
write("oneByte", b"x")
write("noFinalNewline", b"one two\nthree")
write("spaces", b" \t\v\f\r" * 777)
write("crlf", text(2000, b"\r\n"))
write("utf8", "Zażółć gęślą jaźń — 漢字 🙂\u00a0\u2003x\n".encode() * 999)
write("onlyHighBytes", bytes(range(128, 256)) * 40)
write("allBytes", bytes(range(256)) * 33)
write("nul", b"\0" * 4099)
write("nulAmongText", b"a\0b \0 c\0\n\0\n" * 500)
write("lastLineLongest", b"a bc\ndef\n" + b"longest of all " * 9)
write("wordsAcrossCuts", b"word" * 70000 + b" " + b"\x80" * 70001 + b"x\n")
write("longLine", b"0123456 89abcdef" * ((100 if big else 20) * 62500) + b"\nshort\n")
for size in (1, 15, 16, 17, 255, 4096 + 3, (1 << 20) + 7):
    write(f"random{size}", generator.randbytes(size))
# Where one block of threads becomes many, and one byte beside it.
for size in range(65536 - 9, 65536 + 10, 3):
    write(f"text{size}", text(4000, b"\n")[:size])
# Short alphabets bring out every neighbourhood of white space, controls, high bytes and words.
for i in range(100):
    alphabet = generator.choice([b" a\x80\n", b"\n", b"a\n", b"\x80\x00a ", b"\x7f~ !\x08\x0e",
                                 b"\t\n\v\f\r\x1c\x85\xa0 x", b"a" * 27 + b" \n"])
    size = generator.choice([3, 8, 9, 64, 100, 1000, 70000, 300000]) + generator.randint(0, 40)
    write(f"seeded{i}", bytes(generator.choices(alphabet, k=size)))
PYTHON

# Newer versions of wc count bytes that cannot be printed as parts of words: take them out for it.
filter="cat"
if [ "$(printf '\200' | wc -w)" -ne 0 ]; then
  filter="tr -d '\\000-\\010\\016-\\037\\177-\\377'"
  echo "this wc counts unprintable words: its input goes through $filter"
fi

files=0
different=0
for file in "$directory"/*; do
  case $file in *.longest) continue ;; esac
  output=$("$program" --check "$file")
  status=$?
  if [ $status -eq 77 ]; then
    echo "$output"
    exit 77
  fi
  files=$((files + 1))
  read -r lines words bytes longest _ <<< "$output"
  expected="$(($(wc -l < "$file"))) $(($(eval "$filter" < "$file" | wc -w)))"
  expected="$expected $(($(wc -c < "$file"))) $(cat "$file.longest")"
  if [ $status -ne 0 ] || [ "$lines $words $bytes $longest" != "$expected" ]; then
    different=$((different + 1))
    echo "FAIL: ${file##*/}: status $status, expected $expected, got:"
    echo "$output"
  fi
done
echo "$files files compared with wc, $different differ"
written=$(find "$directory" -name '*.longest' | wc -l)
[ "$files" -eq "$written" ] && [ "$files" -ge 100 ] && [ "$different" -eq 0 ]
