"""Labels from answers. In: retained submissions. Out: labels, models beside them, progress."""
