"""Dead letters on the error output: the first few, and how many more there are."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from purport.model.event_lines import DeadLetter


def show_dead_letters(first: Sequence[DeadLetter], count: int) -> None:
    """Tell what was refused; a letter about no line of its own says what it is about."""
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    for letter in first:
        place = f"line {letter.line}" if letter.line else letter.text
        console.print(f"refused: {letter.source}, {place}: {letter.reason}")
    if count > len(first):
        console.print(f"refused: {count - len(first):,} more")
