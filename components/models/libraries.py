"""The classes of transformers, for this whole layer: they are imported here and nowhere else.

transformers imports its modules when one of their names is first asked for. Two threads that ask
for different names at the same moment find modules half made, and fail ("cannot import name
AutoConfig"). One module of Python's is imported by one thread, and all others wait for it.
"""

import logging

from transformers import (
    AlbertForPreTraining,
    AutoConfig,
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForNextSentencePrediction,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    ElectraForPreTraining,
)
from transformers.utils.logging import disable_progress_bar, set_verbosity

__all__ = [
    "AlbertForPreTraining",
    "AutoConfig",
    "AutoModel",
    "AutoModelForMaskedLM",
    "AutoModelForNextSentencePrediction",
    "AutoModelForQuestionAnswering",
    "AutoModelForSequenceClassification",
    "AutoModelForTokenClassification",
    "AutoTokenizer",
    "ElectraForPreTraining",
]

set_verbosity(logging.ERROR)  # its load reports are read by loading.py, not in the log
disable_progress_bar()  # type: ignore[no-untyped-call]
