"""What Hypothesis draws from."""

from hypothesis import strategies as st

#: Ids as they stand in files: any word without blanks; a leading '#' would make a comment of a line.
words = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1, max_size=12).filter(
    lambda word: not word.startswith("#") and len(word.split()) == 1
)
finite = st.floats(allow_nan=False, allow_infinity=False)
labels = st.one_of(st.integers(0, 4).map(float), st.floats(-10, 10))
#: {query: {document: number}}, no query empty, since a file cannot say that one is.
nested = st.dictionaries(words, st.dictionaries(words, finite, min_size=1, max_size=6), min_size=1, max_size=5)
