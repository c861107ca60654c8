"""Documents are tested by following them word by word."""
