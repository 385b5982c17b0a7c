"""The laws of nature: how states move and how arms reward."""
