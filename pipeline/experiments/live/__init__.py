"""The family `live`: runs strategies on a real broker, and turns their evidence into tables."""
