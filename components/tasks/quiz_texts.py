"""Questions of the quiz about whole texts: opinions, questions to a passage, names."""

from __future__ import annotations

import math

from components.models.catalog import default_for
from components.models.families import Task
from components.tasks import question_answering, sentiment, token_classification
from components.tasks.lesson_live import PASSAGE
from components.tasks.lesson_parts import Compute, Desk, Live, Panel, Row, Unit
from components.tasks.quiz_parts import Item, asked, nearest, same, way

NO_ANSWER = "No answer in this passage"
BRIDGE = (
    "The bridge was designed by Anna Keller and opened in May 1931. It is 420 metres long and "
    "carries two railway tracks."
)
SPANS = ("Anna Keller", "May 1931", "two railway tracks", NO_ANSWER)
OPINIONS = (
    "This course is excellent.",
    "The service was disappointing.",
    "The meeting is on Tuesday.",
    "A warm, funny and moving film.",
)
NAMES = "Peter Miller lives in Berlin."


def opinion(text: str, why: str) -> Compute:
    """Ask for the class of one text."""

    def compute(desk: Desk, _: str) -> Live:
        model = desk.get(default_for(Task.SENTIMENT), Task.SENTIMENT)
        result = sentiment.predict(model, [text])
        fits = dict(zip(result.labels, result.texts[0].scores, strict=True))
        best = max(fits.values())
        return asked(
            f"“{text}” Which class does {model.id} choose?", fits, why, [best], model_id=model.id
        )

    return compute


def _least_sure(desk: Desk, _: str) -> Live:
    model = desk.get(default_for(Task.SENTIMENT), Task.SENTIMENT)
    sure = [max(one.scores) for one in sentiment.predict(model, OPINIONS).texts]
    return asked(
        f"Of which text is {model.id} least sure?",
        {text: 1 - score for text, score in zip(OPINIONS, sure, strict=True)},
        "Its best class gets {} there, and {} for the surest text. It has no class for what is "
        "no opinion, so 100 % has to be shared among those it knows.",
        [min(sure), max(sure)],
        model_id=model.id,
        rows=[Row(text, score) for text, score in zip(OPINIONS, sure, strict=True)],
        heading="What the best class gets",
    )


def _gap(desk: Desk, _: str) -> Live:
    model = desk.get(default_for(Task.SENTIMENT), Task.SENTIMENT)
    text = OPINIONS[0]
    low, high = sorted(sentiment.predict(model, [text]).texts[0].scores)
    gap = math.log(high / low)
    return asked(
        f"“{text}” gets two logits. About how far apart are they?",
        nearest(gap, {"0.6": 0.6, "6": 6, "60": 60}),
        "They are {} apart (to the whole number), for the two probabilities are e to that power "
        "to one. Logits have no scale of their own: only their difference counts.",
        [gap],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("difference of the logits", gap)],
    )


def span(question: str, passage: str, spans: tuple[str, ...], why: str) -> Compute:
    """Ask what is answered; the last of `spans` is that there is no answer.

    The figures of `why` are the best choice and “no answer”, or where that is best the next one.
    """

    def compute(desk: Desk, _: str) -> Live:
        model = desk.get(default_for(Task.QUESTION_ANSWERING), Task.QUESTION_ANSWERING)
        result = question_answering.predict(model, question, passage, top_k=20)
        scores = {one.text: one.score for one in result.answers}
        scores[NO_ANSWER] = result.no_answer.score
        fits = {one: scores.get(one, 0.0) for one in spans}
        best, second = sorted(fits.values(), reverse=True)[:2]
        return asked(
            f"“{question}” What does {model.id} answer from the passage?",
            fits,
            why,
            [best, fits[NO_ANSWER] if fits[NO_ANSWER] < best else second],
            model_id=model.id,
            before=[Panel("The passage", (Row("", text=passage),))],
        )

    return compute


def _name(desk: Desk, _: str) -> Live:
    model = desk.get(default_for(Task.TOKEN_CLASSIFICATION), Task.TOKEN_CLASSIFICATION)
    result = token_classification.predict(model, NAMES)
    start = NAMES.index("Berlin")
    piece = next(one for one in result.pieces if one.span[1] > start)
    kinds = {"a person": "PER", "a place": "LOC", "an organisation": "ORG", "no name": "O"}
    by_kind = dict.fromkeys(kinds, 0.0)
    for label, score in zip(result.labels, piece.scores, strict=True):
        for said, kind in kinds.items():
            by_kind[said] += score if label.split("-")[-1] == kind else 0.0
    return asked(
        f"“{NAMES}” What does {model.id} take the first piece of “Berlin” for?",
        by_kind,
        "A head on every token gives each piece its own classes: here a place gets {}, a person "
        "{}. Classifying tokens instead of texts is how encoders find names.",
        [by_kind["a place"], by_kind["a person"]],
        model_id=model.id,
    )


def _neutral(desk: Desk, _: str) -> Live:
    model = desk.get(default_for(Task.SENTIMENT), Task.SENTIMENT)
    count = len(sentiment.predict(model, [OPINIONS[2]]).labels)
    return asked(
        f"“{OPINIONS[2]}” From how many classes must {model.id} choose?",
        same(count, [1, 2, 3, 5]),
        "From {}: those it was fine-tuned with. There is none for a text without an opinion, "
        "and no score can say so.",
        [count],
        model_id=model.id,
        unit=Unit.COUNT,
        rows=[Row("classes", count)],
    )


def _opinion_item(key: str, title: str, text: str, why: str) -> Item:
    return Item(key, title, 5, way("sentiment", "Sentiment", text=text), opinion(text, why))


def _span_item(key: str, title: str, question: str, spans: tuple[str, ...], why: str) -> Item:
    passage = BRIDGE if len(spans) == 4 else PASSAGE
    there = way("question_answering", "Question answering", question=question, passage=passage)
    return Item(key, title, 6, there, span(question, passage, spans, why))


ITEMS = (
    _opinion_item(
        "not_bad",
        "Not bad",
        "The film was not bad at all.",
        "It gives its class {}. “bad” alone would say the opposite: its vector knows the “not” "
        "before it, for every token attends to every other.",
    ),
    _opinion_item(
        "boring",
        "Nobody could call it boring",
        "Nobody could call this film boring.",
        "It gives its class {}, and is wrong: this is praise. A high score says that a model is "
        "sure, not that it is right.",
    ),
    _opinion_item(
        "anything_but",
        "Anything but",
        "I expected it to be good, and it was anything but.",
        "It gives its class {}. The turn stands in the last two words; a model of a few layers "
        "follows “good”.",
    ),
    Item(
        "least_sure",
        "The least sure",
        5,
        way("sentiment", "Sentiment", text="\n".join(OPINIONS)),
        _least_sure,
    ),
    Item("neutral", "No opinion", 5, way("sentiment", "Sentiment", text=OPINIONS[2]), _neutral),
    Item("gap", "Two logits", 8, way("sentiment", "Sentiment", text=OPINIONS[0]), _gap),
    _span_item(
        "designed",
        "Who designed it",
        "Who designed the bridge?",
        SPANS,
        "That span gets {}, “no answer” {}. Two scores for each token say where an answer begins "
        "and where it ends; nothing is written anew.",
    ),
    _span_item(
        "opened",
        "When it opened",
        "When was the bridge opened?",
        SPANS,
        "That span gets {}, “no answer” {}. The question stands before the passage in one input, "
        "so its “When” is seen by every token of it.",
    ),
    _span_item(
        "carries",
        "What it carries",
        "What does the bridge carry?",
        SPANS,
        "That span gets {}, “no answer” {}. The rest went to spans that are a little shorter or "
        "longer.",
    ),
    _span_item(
        "destroyed",
        "Who destroyed it",
        "Who destroyed the bridge?",
        SPANS,
        "It gives this {}, and “no answer” {}, though the passage does not say. Somebody is named "
        "and “Who” asks for somebody: whether an answer is there at all is the hardest part.",
    ),
    _span_item(
        "invented",
        "Who invented them",
        "Who invented Transformers?",
        ("Transformers", "self-attention", NO_ANSWER),
        "“No answer” gets {}, the next of these choices {}. It is read off the first token, whose "
        "start and end scores compete with those of every span.",
    ),
    Item("name", "A name", 5, way("token_classification", "Named entities", text=NAMES), _name),
)
