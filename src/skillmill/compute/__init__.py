"""Arrays in, arrays out: the arithmetic, without files, models or SQL."""
