"""Short programs to copy: the environments in other people's libraries. README.md says which versions were tried."""
