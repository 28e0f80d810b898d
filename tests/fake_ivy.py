"""A shell script in the place of a Java that runs Ivy."""

from __future__ import annotations

DELIVERS = """\
while [ $# -gt 0 ]; do
    case $1 in -ivy) module=$2;; -retrieve) target=${{2%/*}};; esac
    shift
done
mkdir -p "$target"
sed -n 's/.* org="\\([^"]*\\)" name="\\([^"]*\\)" rev="\\([^"]*\\)".*/\\1_\\2-\\3.jar/p' "$module" |
    while read -r name; do printf '%s' '{content}' > "$target/$name"; done"""
"""Delivers a file of ``content`` for each dependency that the module of Ivy names."""
