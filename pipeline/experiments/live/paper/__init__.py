"""What Ezzeddine et al. publish on a group whose assignor asks, beside ours on a broker."""
