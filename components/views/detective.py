"""The game on replaced tokens: a sentence to mark, then the truth, and two scores."""

from __future__ import annotations

from markupsafe import Markup

from components.tasks.generator import AlteredText, Replacement
from components.tasks.replaced_tokens import JudgedWord, Round, Score
from components.views.markup import Edit, button, editable, join
from components.views.markup import finding as draw_finding
from components.views.replaced_tokens import pieces, pressable, rule, said, sentence
from components.views.wording import percent


def question(game: Round) -> Markup:
    """Ask which words were replaced."""
    count, words = len(game.altered.replacements), sum(w.is_word for w in game.judged.words)
    verb = "was" if count == 1 else "were"
    which = "Which one?" if count == 1 else "Which ones?"
    return draw_finding(
        f"{count} of {words} words {verb} replaced. {which}",
        model_id=game.judged.model_id,
        notices=[_by_whom(game.altered), *game.altered.notices, *game.judged.notices],
    )


def _by_whom(altered: AlteredText) -> str:
    return f"Replaced by {altered.generator_id}, seed {altered.seed}."


def guess(game: Round, *, carry: str) -> Markup:
    """Draw the altered sentence without a hint; words can be marked, then all is revealed."""
    text = game.judged.text

    def word(number: int, judged: JudgedWord) -> Markup:
        written = text[slice(*judged.span)]
        if not (judged.is_word and judged.tokens):
            return Markup('<span class="lab-suspect">{}</span>').format(written)
        return pressable(written, number, is_pressed=False, title="Mark this word as replaced")

    return Markup(
        '<div data-carry="{}" data-field="marks">{}{}'
        '<button type="button" class="lab-next" data-next="reveal">Reveal</button></div>'
    ).format(
        carry,
        sentence(game.judged, word),
        said("Click every word that you think was put in; click again to take a mark back."),
    )


def verdict(game: Round) -> Markup:
    """State who found what."""
    return draw_finding(
        f"You found {_found(game.yours)}; the discriminator found {_found(game.machines)}",
        model_id=game.judged.model_id,
        notices=[_by_whom(game.altered), *game.altered.notices, *game.judged.notices],
    )


def _found(score: Score) -> str:
    alarms = {0: "no false alarm", 1: "1 false alarm"}.get(
        score.false_alarms, f"{score.false_alarms} false alarms"
    )
    return f"{score.hits} of {score.hits + score.misses} with {alarms}"


def truth(game: Round) -> Markup:
    """Draw the altered sentence with the truth, the marks and the suspicion on every token."""

    def word(number: int, judged: JudgedWord) -> Markup:
        notes = join([Markup("<small>{}</small>").format(n) for n in _notes(game, number)])
        css = "lab-suspect lab-replaced" if number in game.replaced else "lab-suspect"
        return Markup('<span class="{}"><span>{}</span>{}</span>').format(
            css, pieces(game.judged, judged), notes
        )

    hint = "Framed words were replaced. The number is the discriminator's suspicion of each token."
    on = button(
        "Go on with this sentence",
        Edit((0, 0), game.judged.text),
        css="lab-fix",
        title="Put it into the field",
    )
    return Markup("{}{}{}").format(
        sentence(game.judged, word), said(hint), editable("", on, css="lab-offer")
    )


def _notes(game: Round, number: int) -> list[str]:
    is_marked = number in game.marked
    if number not in game.replaced:
        return ["you: false alarm"] if is_marked else []
    span = game.judged.words[number].span
    swap = next(s for s in game.altered.replacements if s.span[0] < span[1] and span[0] < s.span[1])
    return [f"was “{swap.original}”", "you: found" if is_marked else "you: missed"]


def scoreboard(game: Round) -> Markup:
    """Draw both scores side by side, how they were counted, and where each word came from."""
    rows = join([_row("You", game.yours), _row("Discriminator", game.machines)])
    swaps = join([Markup("<li>{}</li>").format(_swap(s)) for s in game.altered.replacements])
    return Markup(
        '<table class="lab-score"><thead><tr><th></th><th scope="col">Found</th>'
        '<th scope="col">Missed</th><th scope="col">False alarms</th></tr></thead>'
        '<tbody>{}</tbody></table>{}<ul class="lab-swaps">{}</ul>'
    ).format(rows, said(_counting(game)), swaps)


def _row(name: str, score: Score) -> Markup:
    cells = [
        Markup("<td>{}</td>").format(value)
        for value in (score.hits, score.misses, score.false_alarms)
    ]
    return Markup('<tr><th scope="row">{}</th>{}</tr>').format(name, join(cells))


def _counting(game: Round) -> str:
    counted = (
        f"Counted in words. {rule()}, and a word when one of its tokens is. Punctuation marks are "
        "never replaced, and do not count."
    )
    several = [w for w in sorted(game.replaced) if len(game.judged.words[w].tokens) > 1]
    for number in several:
        word = game.judged.words[number]
        written = game.judged.text[slice(*word.span)]
        counted += f" “{written}” is {len(word.tokens)} tokens for the discriminator: one word."
    return counted


def _swap(swap: Replacement) -> str:
    told = f"“{swap.original}” became “{swap.put}”: the generator gave it {percent(swap.score)}."
    if len(swap.pieces) > 1:
        told += (
            f" “{swap.original}” was {len(swap.pieces)} tokens ({' + '.join(swap.pieces)}), and "
            "one word was put in their place."
        )
    return told
