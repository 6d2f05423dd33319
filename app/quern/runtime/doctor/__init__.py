"""What `quern doctor` and the Machine page find out and say."""
