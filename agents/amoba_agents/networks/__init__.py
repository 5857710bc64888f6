"""Networks: what they see, their layers, and how they are asked."""
