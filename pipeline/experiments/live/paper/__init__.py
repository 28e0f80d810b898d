"""What Ezzeddine et al. publish on a group whose assignor asks, beside what ours did on a broker."""
