"""SpiffWorkflow task specifications, one class for each thing a drawn node can do."""
