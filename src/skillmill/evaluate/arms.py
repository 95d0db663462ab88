"""Names that tell what an arm is."""

#: Before the name of an arm that knows the answer: it bounds others, it is none.
CEILING = "ceiling:"
#: Before the name of an arm that retrieval skills are held against.
BASELINE = "baseline:"
