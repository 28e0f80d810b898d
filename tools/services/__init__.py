"""The services of a nightly installation as processes of this machine."""
