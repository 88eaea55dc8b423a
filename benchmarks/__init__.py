"""Speed and memory side by side with peers: ratios measured in one run. See README.md beside this file."""
