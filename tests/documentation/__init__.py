"""Tests of the documentation: its examples do what its pages say."""
