"""The controller: decides owners and replicas, and has consumers move partitions."""
