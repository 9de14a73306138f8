"""Other formats brought in: old APIs converted, objects, domains and flavors imported."""
