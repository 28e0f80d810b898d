"""Print the data dictionary: ``python -m schemas > docs/data-dictionary.md``."""

import sys

from schemas import TABLES, VIEWS
from schemas.render import dictionary

sys.stdout.write(dictionary(TABLES, VIEWS))
