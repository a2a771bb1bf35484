"""`python -m lowkey`: the command, where its script is not on the path."""

from lowkey.cli import main

if __name__ == "__main__":
    main()
