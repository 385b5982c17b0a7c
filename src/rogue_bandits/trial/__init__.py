"""Planning a trial: how large it must be to find an effect (`power`)."""
