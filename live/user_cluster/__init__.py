"""Users' own clusters: their client settings, a recorder of rates, a watcher, an assignor."""
