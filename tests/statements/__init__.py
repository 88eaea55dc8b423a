"""Every kind of statement of the library, worlds in which the truth is known, and how often the statement is false.

``worlds/`` has a file per room. Each lists its kinds of statements (``KINDS``) and its worlds (``WORLDS``);
``python tests/statements --draws 2000`` measures the error rates and writes the page about them.
"""
