# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant
"""What asks without a mark is not told; none of these sentences is in `scripts/questions.yaml`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from gaia.digest.extractive import worth_choosing
from gaia.digest.question_classifier import QuestionClassifier
from tests.harness.turns import turns_of

SCRIPTS = Path(__file__).parents[3] / "scripts"

ASKED = """
whats the tallest mountain in africa
how do i get red wine out of a carpet
who painted the mona lisa
which bus goes to the airport
can u give me the number of a plumber
write a birthday message for my aunt
translate thank you into polish
wie lange fährt man von berlin nach hamburg
was heißt danke auf polnisch
wer hat die mona lisa gemalt
schreib eine absage an den vermieter
cuanto dura el vuelo a roma
quien pinto la mona lisa
dime un sinonimo de rapido
combien de temps dure le vol pour rome
qui a peint la joconde
écris un message d'anniversaire pour ma tante
quanto dura il volo per roma
chi ha dipinto la gioconda
quanto tempo dura o voo para roma
кто написал войну и мир
сколько лететь до рима
hoe lang duurt de vlucht naar rome
hur lång tid tar flyget till rom
ile trwa lot do rzymu
roma uçuşu kaç saat
飞罗马要多久
ローマまで何時間かかる
로마까지 몇 시간 걸려
كم تستغرق الرحلة إلى روما
रोम की उड़ान कितने घंटे की है
jak dlouho trvá let do říma
πόσο διαρκεί η πτήση για ρώμη
cât durează zborul spre roma
bay đến rome mất bao lâu
""".strip().splitlines()

TOLD = """
my sister lives in nairobi and works for a bank
i cant eat gluten
our son tim starts school in september
the plumber comes on wednesday at 10
when i was a kid we had a boat
i am terrified of spiders
meine schwester wohnt in nairobi
ich vertrage kein gluten
als kind hatten wir ein boot
der klempner kommt mittwoch um 10
mi hermana vive en nairobi
no puedo comer gluten
de pequeño teníamos un barco
ma soeur habite à nairobi
je ne supporte pas le gluten
petit on avait un bateau
mia sorella vive a nairobi
non posso mangiare glutine
minha irmã mora em nairóbi
não posso comer glúten
сестра живёт в найроби
мне нельзя глютен
mijn zus woont in nairobi
min syster bor i nairobi
moja siostra mieszka w nairobi
kız kardeşim nairobi'de yaşıyor
我妹妹住在内罗毕
妹はナイロビに住んでいます
여동생은 나이로비에 살아요
أختي تعيش في نيروبي
मेरी बहन नैरोबी में रहती है
moje sestra žije v nairobi
η αδερφή μου ζει στο ναϊρόμπι
sora mea locuiește în nairobi
chị tôi sống ở nairobi
""".strip().splitlines()


def test_most_of_what_asks_is_seen_without_a_mark() -> None:
    asks = QuestionClassifier().asks
    missed = [sentence for sentence in ASKED if not asks(sentence)]
    assert len(missed) <= len(ASKED) // 10, missed


def test_nothing_that_tells_is_taken_for_a_question() -> None:
    asks = QuestionClassifier().asks
    assert [sentence for sentence in TOLD if asks(sentence)] == []


@pytest.mark.thorough
def test_the_plane_is_what_the_sentences_make_it() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "fit_questions.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_sentence_here_is_one_of_those_that_it_was_made_from() -> None:
    learned = yaml.safe_load((SCRIPTS / "questions.yaml").read_text("utf-8"))
    known = {text for kinds in learned.values() for texts in kinds.values() for text in texts}
    assert not known & {*ASKED, *TOLD}


def test_only_what_was_told_is_offered() -> None:
    said = [
        "hi im marta and i live in sevilla",
        "nvm. whats 15% of 84",
        "que hora es en tokio",
        "lucia has swimming every tuesday at 5",
        "mach es bitte noch etwas kürzer",
    ]
    offered = [each.text for each in worth_choosing(turns_of(*said))]
    assert offered == ["hi im marta and i live in sevilla", "lucia has swimming every tuesday at 5"]


def test_without_the_embedder_all_that_was_told_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gaia.memory.index.embedded.PACKAGE", "no_such_package")
    assert len(worth_choosing(turns_of("I live in Sevilla", "que hora es en tokio"))) == 2
