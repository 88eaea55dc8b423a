"""``python -m idealrank``, for when the script is not on the path."""

from idealrank.cli import main

if __name__ == "__main__":
    main()
