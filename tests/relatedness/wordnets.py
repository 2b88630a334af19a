"""A small WordNet to test with, in the files' own form."""

from pathlib import Path

from purport.relatedness.wordnet import WordNet
from purport.relatedness.wordnet_compiler import compile_wordnet

NOUNS = """\
  1 a licence, which is no synset
00000001 03 n 01 entity 0 002 ~ 00000002 n 0000 ~ 00000006 n 0000 | what exists
00000002 06 n 02 vehicle 0 conveyance 0 002 @ 00000001 n 0000 ~ 00000003 n 0000 | moves people
00000003 06 n 02 car 0 automobile 0 002 @ 00000002 n 0000 @ 00000006 n 0000 | has four wheels
00000004 06 n 01 bus 0 001 @ 00000002 n 0000 | carries many passengers
00000005 15 n 02 Spain 0 Kingdom_of_Spain 0 001 @i 00000006 n 0000 | a country
00000006 06 n 02 place 0 car_park 0 001 @ 00000001 n 0000 | where something is
"""
VERBS = """\
00000010 29 v 01 heat 0 002 ! 00000011 v 0101 @ 00000012 v 0000 01 + 08 00 | make warm
00000011 29 v 01 cool 0 001 ! 00000010 v 0101 01 + 08 00 | make cold
00000012 29 v 01 change 0 000 01 + 08 00 | become other
"""
INDEX_NOUNS = """\
entity n 1 0 1 1 00000001
vehicle n 1 0 1 1 00000002
conveyance n 1 0 1 0 00000002
car n 2 0 2 1 00000003 00000004
automobile n 1 0 1 0 00000003
bus n 1 0 1 1 00000004
spain n 1 0 1 1 00000005
kingdom_of_spain n 1 0 1 0 00000005
place n 1 0 1 1 00000006
car_park n 1 0 1 0 00000006
"""
INDEX_VERBS = """\
heat v 1 0 1 1 00000010
cool v 1 0 1 1 00000011
change v 1 0 1 1 00000012
"""
COUNTS = """\
wnver::3.0
1n 100 ROOT
2n 40
3n 10
4n 20
5n 5
6n 30
10v 4
11v 6 ROOT
12v 20 ROOT
"""


def wordnet_files(folder: Path) -> Path:
    """The folder of the small WordNet's own files."""
    folder.mkdir(parents=True)
    files = {
        "data.noun": NOUNS, "data.verb": VERBS, "data.adj": "", "data.adv": "",
        "index.noun": INDEX_NOUNS, "index.verb": INDEX_VERBS, "index.adj": "", "index.adv": "",
        "counts.txt": COUNTS,
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def small_wordnet(folder: Path) -> WordNet:
    """The small WordNet, compiled."""
    files = wordnet_files(folder / "files")
    return compile_wordnet(files, files / "counts.txt", folder / "wordnet", "none")
