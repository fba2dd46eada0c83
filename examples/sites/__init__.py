"""The example sites and the server that shows them."""
