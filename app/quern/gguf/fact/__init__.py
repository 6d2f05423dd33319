"""What headers say, in the words of the rest of Quern."""
