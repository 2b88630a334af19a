"""`python -m purport` is the command `purport`."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run the command, which loads much: Ctrl-C may come before that is done."""
    try:
        from purport.cli.app import main as run
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    run()


if __name__ == "__main__":
    main()
