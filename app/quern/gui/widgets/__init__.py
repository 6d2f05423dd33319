"""Parts of pages: each shows plain values, says by signals what a person did, and knows no view-model."""
