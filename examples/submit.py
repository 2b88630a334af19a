"""The command `purport` for `spark-submit`, which wants a file: see docs/guides/cluster.md."""

from purport.cli.app import main

main()
