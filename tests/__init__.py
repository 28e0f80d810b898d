"""Tests of Groupscale, mirroring the source folders."""
