"""``python -m idealrank.cli``, for where the script is not on the path."""

from idealrank.cli import main

if __name__ == "__main__":
    main()
