"""SVG drawing: figures, axes, labels and elements."""
