"""One person, or many, online: choose, record, learn, save."""
