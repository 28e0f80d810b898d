"""Around a live run: admission, brokers, folders, locks."""
