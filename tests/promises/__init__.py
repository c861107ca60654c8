"""What Vermilion promises of a whole purchase, proved against the ledgers of both sides (facts: durable execution)."""
