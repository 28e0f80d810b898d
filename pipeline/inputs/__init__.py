"""What users give: recorded traces, and trained policies as files."""
