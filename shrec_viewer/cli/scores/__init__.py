"""Commands that compute scores and compare them."""
