"""The steps of the lesson and the goals of the module, as tables. Add a step as an entry of STEPS.

What a step computes is looked up by its key in tasks/lesson.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from components.models.families import Task


@dataclass(frozen=True, slots=True)
class Way:
    """A tab that a step speaks of, and what is put into its fields on the way there."""

    tab: str  # id
    name: str  # on the button
    part: str = ""  # id of a part of that tab
    fields: tuple[tuple[str, str], ...] = ()  # elem_id, and what goes in: {text} is the learner's
    runs: bool = True  # whether its button is pressed there
    needs: Task | None = None  # there only where a model that ships has a head for it


@dataclass(frozen=True, slots=True)
class Step:
    """One idea, one live thing, one question."""

    key: str
    title: str
    lead: str  # two or three short sentences
    ways: tuple[Way, ...]  # the first that is there is offered
    text: str = ""  # what the learner may change; empty: nothing
    label: str = ""  # of its field
    model_type: str = ""  # the family it is about, a key of FAMILIES


MODELS = Way("families", "Models")

STEPS: tuple[Step, ...] = (
    Step(
        "encoder",
        "What an encoder is",
        "An encoder reads a text and gives every token a vector that knows its neighbours. It "
        "writes nothing: a small head on top turns vectors into an answer. Press the boxes from "
        "top to bottom and follow your own sentence.",
        (Way("fill_mask", "Fill-mask · Layer lens", "lens", (("lens-text", "{text}"),)),),
        "Paris is the [MASK] of France.",
        "Your sentence, with a [MASK]",
    ),
    Step(
        "contexts",
        "Both contexts at once",
        "GPT reads from left to right. BERT reads the words on both sides of a blank at the same "
        "time. Here the words of one side are hidden as well: what is left to go by?",
        (Way("fill_mask", "Fill-mask", "", (("fill_mask-text", "{text}"),)),),
        "She opened the [MASK] with her key.",
        "Your sentence, with a [MASK]",
    ),
    Step(
        "masked_words",
        "Masked words",
        "BERT's first objective: hide 15 % of the tokens of a text and guess them from what is "
        "left. Nobody has to label anything, so any text will do. Here every word of your "
        "sentence is hidden once, each on its own.",
        (Way("fill_mask", "Every word", "every_word", (("every_word-text", "{text}"),)),),
        "The dog chased the cat across the green garden.",
        "Your sentence",
    ),
    Step(
        "next_sentence",
        "Next sentence",
        "BERT's second objective: does sentence B go on where sentence A ends? In training half of "
        "the pairs were neighbours, the others came from two texts. Sentence A is “The weather is "
        "nice today.”; you write B.",
        (
            Way(
                "next_sentence",
                "Next sentence",
                "",
                (("next_sentence-first", "{first}"), ("next_sentence-second", "{text}")),
            ),
        ),
        "Let's go for a walk.",
        "Sentence B",
        "bert",
    ),
    Step(
        "roberta",
        "RoBERTa: better training",
        "RoBERTa is the network of BERT, trained better: more text, larger batches, longer. And "
        "each time a text is read, other words are hidden (dynamic masking).",
        (MODELS,),
        "The old farmer sold his best horse at the market in spring.",
        "Your sentence",
        "roberta",
    ),
    Step(
        "albert",
        "ALBERT: one layer for all",
        "ALBERT stores one layer and uses it again and again. It also splits the table of tokens "
        "into two smaller ones. So there is far less to download, and as much to compute.",
        (MODELS,),
        model_type="albert",
    ),
    Step(
        "distilbert",
        "DistilBERT: a student",
        "A large model is the teacher. A student with half of its layers learns to give the same "
        "probabilities: not only the right word, also how likely the others are. That is "
        "knowledge distillation.",
        (Way("compare", "Compare", "", (("compare-fill-mask-text", "{text}"),)),),
        "Paris is the [MASK] of France.",
        "Your sentence, with a [MASK]",
        "distilbert",
    ),
    Step(
        "electra",
        "ELECTRA: spot the fake",
        "A generator puts its own guess in place of a word. The discriminator then says of every "
        "token whether it is real or fake. So it learns from all tokens, not from 15 % of them.",
        (
            Way("replaced_tokens", "Replaced tokens", needs=Task.REPLACED_TOKENS),
            MODELS,
        ),
        model_type="electra",
    ),
    Step(
        "deberta",
        "DeBERTa: what and where apart",
        "BERT adds what a word is and where it stands into one vector. DeBERTa keeps the two "
        "apart: its attention weighs content and distance on their own. Write a sentence in which "
        "a word stands twice.",
        (
            Way(
                "tokenization",
                "Tokens · Into layer 1",
                "input_embeddings",
                (("input_embeddings-text", "{text}"), ("input_embeddings-pair", "")),
            ),
        ),
        "The dog saw the other dog.",
        "A sentence with a word that stands twice",
        "deberta-v2",
    ),
    Step(
        "sentiment",
        "Practice: sentiment",
        "Text classification: one more layer reads the vector of the first token and gives each "
        "class a score. This one was fine-tuned on film reviews. Its labels are all it knows.",
        (Way("sentiment", "Sentiment", "", (("sentiment-text", "{text}"),)),),
        "Nobody could call this film boring.",
        "Your sentence",
    ),
    Step(
        "question_answering",
        "Practice: questions",
        "Extractive question answering: two scores for each token say where the answer begins and "
        "where it ends. The model copies from the passage, and it may say that the answer is not "
        "there.",
        (
            Way(
                "question_answering",
                "Question answering",
                "",
                (
                    ("question_answering-question", "{text}"),
                    ("question_answering-passage", "{passage}"),
                ),
            ),
        ),
        "Who invented Transformers?",
        "Your question",
    ),
    Step(
        "fine_tune",
        "Mini project: your own classes",
        "A new head begins with weights drawn by chance, so its logits mean nothing. Fine-tuning "
        "shows it labelled examples until they do. First look at heads that nobody trained.",
        (Way("fine_tune", "Fine-tune", "", (("fine_tune-own", "{text}"),), False),),
        "I learned a lot.",
        "Your sentence",
    ),
    Step(
        "choice",
        "Which model to choose",
        "There is no best encoder, only one that suits. Ask what matters most: accuracy, speed, "
        "memory, training. Then look at what was measured.",
        (MODELS,),
    ),
    Step(
        "goals",
        "What you can do now",
        "These are the goals of the module. Each has a step where you met it and a tab where you "
        "can go further.",
        (MODELS,),
    ),
)


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of the module, the steps where it is reached (keys) and the tabs to go on in (ids)."""

    text: str
    steps: tuple[str, ...]
    tabs: tuple[str, ...]


GOALS: tuple[Goal, ...] = (
    Goal(
        "Explain the architecture and purpose of encoder-only Transformer models.",
        ("encoder", "contexts"),
        ("lens", "attention", "embeddings"),
    ),
    Goal(
        "Understand the differences between BERT, RoBERTa, ALBERT, DistilBERT, ELECTRA and "
        "DeBERTa.",
        ("roberta", "albert", "distilbert", "electra", "deberta"),
        ("families", "compare"),
    ),
    Goal(
        "Describe how masked language modeling trains bidirectional language models.",
        ("contexts", "masked_words"),
        ("fill_mask", "every_word"),
    ),
    Goal(
        "Explain the role of next sentence prediction in the original BERT.",
        ("next_sentence", "roberta"),
        ("next_sentence",),
    ),
    Goal(
        "Choose the encoder that suits by accuracy, efficiency and where it has to run.",
        ("choice", "albert", "distilbert"),
        ("families", "compare"),
    ),
    Goal(
        "Build text classification with pretrained encoders.",
        ("sentiment",),
        ("sentiment", "fine_tune"),
    ),
    Goal(
        "Build extractive question answering with models of the BERT family.",
        ("question_answering",),
        ("question_answering",),
    ),
    Goal(
        "Load encoder models with Hugging Face Transformers, and run them.",
        ("encoder", "sentiment"),
        ("tokenization", "embeddings"),
    ),
    Goal("Fine-tune an encoder, and read its logits.", ("fine_tune",), ("fine_tune",)),
)
