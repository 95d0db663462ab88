"""Small stand-ins: a BERT of two layers with random weights, pieces that are words."""

import json
import re
import string

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

SIZE, HEADS, LAYERS, INNER, ROOM = 32, 4, 2, 64, 18

MODULES = [
    ("", "Transformer"),
    ("1_Pooling", "Pooling"),
    ("2_Normalize", "Normalize"),
]

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
#: Each letter and digit is a piece, alone or inside a word.
VOCABULARY = [
    *SPECIAL,
    *string.ascii_lowercase,
    *string.digits,
    *(f"##{mark}" for mark in string.ascii_lowercase + string.digits),
    *".,!?",
]


def write_tiny(folder, seed=0, **config):
    """A model folder whose weights depend on the seed; its path as a name."""
    (folder / "1_Pooling").mkdir(parents=True)
    contents = {
        "config": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_size": SIZE,
            "num_attention_heads": HEADS,
            "num_hidden_layers": LAYERS,
            "intermediate_size": INNER,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "max_position_embeddings": ROOM,
            "type_vocab_size": 2,
            "vocab_size": len(VOCABULARY),
            "position_embedding_type": "absolute",
        }
        | config.get("config", {}),
        "modules": [
            {"path": path, "type": f"sentence_transformers.models.{kind}"}
            | {"idx": n, "name": str(n)}
            for n, (path, kind) in enumerate(MODULES)
        ],
        "sentence_bert_config": {"max_seq_length": ROOM, "do_lower_case": False},
        "1_Pooling/config": {
            "word_embedding_dimension": SIZE,
            "pooling_mode_mean_tokens": True,
        }
        | config.get("pooling", {}),
        "tokenizer_config": {
            "tokenizer_class": "BertTokenizer",
            "do_lower_case": True,
            **{f"{name[1:-1].lower()}_token": name for name in SPECIAL},
        },
    }
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "2_Normalize").mkdir()
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY), encoding="utf-8")
    tokenizer().save(str(folder / "tokenizer.json"))
    save_file(weights(seed), folder / "model.safetensors")
    return str(folder)


def tokenizer():
    """A tokenizer that cuts words into letters."""
    pieces = WordPiece(
        {piece: n for n, piece in enumerate(VOCABULARY)}, unk_token="[UNK]"
    )
    made = Tokenizer(pieces)
    made.normalizer = BertNormalizer(lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    made.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return made


def weights(seed):
    """Random weights by the names of a bare BertModel."""
    rng = np.random.default_rng(seed)
    shapes = {
        "embeddings.word_embeddings": (len(VOCABULARY), SIZE),
        "embeddings.position_embeddings": (ROOM, SIZE),
        "embeddings.token_type_embeddings": (2, SIZE),
    }
    found = {
        f"{name}.weight": rng.normal(size=shape).astype(np.float32)
        for name, shape in shapes.items()
    }
    linear = {"pooler.dense": (SIZE, SIZE)}
    norms = ["embeddings.LayerNorm"]
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}."
        linear |= {
            f"{layer}attention.self.{part}": (SIZE, SIZE)
            for part in ("query", "key", "value")
        }
        linear[f"{layer}attention.output.dense"] = (SIZE, SIZE)
        linear[f"{layer}intermediate.dense"] = (INNER, SIZE)
        linear[f"{layer}output.dense"] = (SIZE, INNER)
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    for name, shape in linear.items():
        found[f"{name}.weight"] = (0.3 * rng.normal(size=shape)).astype(np.float32)
        found[f"{name}.bias"] = (0.1 * rng.normal(size=shape[0])).astype(np.float32)
    for name in norms:
        found[f"{name}.weight"] = rng.uniform(0.5, 1.5, SIZE).astype(np.float32)
        found[f"{name}.bias"] = (0.1 * rng.normal(size=SIZE)).astype(np.float32)
    return found


class Words:
    """Pieces that are words, so that counts can be worked by hand."""

    def __init__(self, room):
        self.room = room

    def counts(self, texts):
        return [len(re.findall(r"\S+", text)) for text in texts]

    def starts(self, text):
        return np.array([m.start() for m in re.finditer(r"\S+", text)], dtype=np.int64)
