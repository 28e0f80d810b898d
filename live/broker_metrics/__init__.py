"""What running brokers say of themselves: the 37 metrics, read from their MBeans."""
