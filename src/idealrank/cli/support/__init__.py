"""What commands share: options, tables, files, errors."""
