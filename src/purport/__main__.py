"""`python -m purport` is the command `purport`."""

from purport.cli.app import main

if __name__ == "__main__":
    main()
