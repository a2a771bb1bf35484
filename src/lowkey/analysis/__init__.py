"""How accurate a mechanism is, and how accurate any could be."""
