"""Which shard of a memory build a conversation belongs to."""

import hashlib


def shard_of(conversation: str, shards: int) -> int:
    """Shard number in [0, shards), by a hash of the id.

    Adding or removing one conversation never moves another to a different shard.
    """
    digest = hashlib.sha256(conversation.encode()).digest()
    return int.from_bytes(digest[:8], "big") % shards
