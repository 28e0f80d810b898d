"""Set-up: Python, packages, Java, JARs and databases; standard library alone."""
