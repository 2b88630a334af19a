"""Which class contains which: ontologies in OWL, their order, and its encoding in primes."""
