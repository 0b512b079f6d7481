# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant
"""What a sentence is; none of these sentences is in `scripts/sentences`."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import UTC
from functools import cache
from pathlib import Path

import pytest
import yaml

from gaia.digest.extractive import statements, worth_keeping
from gaia.memory.sentence_classifier import Nature, SentenceClassifier
from gaia.memory.when import find
from gaia.testing.clock import START
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
the roofer comes on tuesday at 9
when i was a kid we had a boat
i am terrified of spiders
meine schwester wohnt in nairobi
ich vertrage kein gluten
als kind hatten wir ein boot
der dachdecker kommt dienstag um 9
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


LASTING = """
my moms allergic to shellfish btw
im having knee surgery on the 14th
i work nights at the hospital
my sister Priya is vegan
The landlord's name is Mr Okafor
I can't stand coriander
I'm training for a half marathon in Bristol
Dad had a stroke last year
We have two cats, Miso and Tofu
meine mutter verträgt keine meeresfrüchte
am 15. werd ich am knie operiert
Lena kommt im september in die schule
mi madre es alérgica al marisco
vivo en Sevilla con mi novia
ma mère est allergique aux fruits de mer
on habite à Lyon depuis mars
mia madre è allergica ai crostacei
äitini on allerginen äyriäisille
у моєї мами алергія на морепродукти
моєму сину Левку шість років
η μαμά μου έχει αλλεργία στα θαλασσινά
ο γιος μου ο Λέων είναι έξι
""".strip().splitlines()

PASSING = """
so tired today
that recipe looks nice
the bus was late again
ok ill try it with less salt
my phone is at 3 percent
It worked, thanks a lot
It's pouring here
The second one is better
My neighbour is so loud right now
I read that coffee is getting more expensive
bin grad heimgekommen
das hat nicht geklappt
der film gestern war langweilig
que frio hace hoy
acabo de llegar a casa
je suis crevée
il pleut encore
sono stanca morta
sono appena tornata
olen tosi väsynyt
tulin juuri kotiin
моя кава холодна
щойно прийшла додому
είμαι πτώμα
πάλι βρέχει
""".strip().splitlines()


def nature(sentence: str) -> Nature:
    """What a sentence is."""
    found = classifier()(sentence)
    assert found is not None
    return found


@cache
def classifier() -> SentenceClassifier:
    return SentenceClassifier()


def test_most_of_what_matters_for_months_is_kept() -> None:
    missed = [sentence for sentence in LASTING if nature(sentence).worth <= 0]
    assert len(missed) <= len(LASTING) // 10, missed


def test_hardly_anything_of_the_moment_is_kept() -> None:
    kept = [sentence for sentence in PASSING if nature(sentence).worth > 0]
    assert len(kept) <= len(PASSING) // 10, kept


def test_most_of_what_asks_is_seen_without_a_mark() -> None:
    missed = [sentence for sentence in ASKED if not nature(sentence).asks]
    assert len(missed) <= len(ASKED) // 10, missed


def test_nothing_that_tells_is_taken_for_a_question() -> None:
    assert [sentence for sentence in TOLD if nature(sentence).asks] == []


@pytest.mark.thorough
def test_the_plane_is_what_the_sentences_make_it() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "fit_sentences.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_sentence_here_is_one_of_those_that_it_was_made_from() -> None:
    known = {
        text
        for file in (SCRIPTS / "sentences").glob("*.yaml")
        for kinds in yaml.safe_load(file.read_text("utf-8")).values()
        for texts in kinds.values()
        for text in texts
    }
    assert len(known) > 1500
    assert not known & {*ASKED, *TOLD, *LASTING, *PASSING, *AHEAD, *BEHIND}


def test_only_what_was_told_and_matters_is_kept() -> None:
    said = [
        "hi im marta and i live in sevilla",
        "nvm. whats 15% of 84",
        "que hora es en tokio",
        "lucia has swimming every tuesday at 5",
        "mach es bitte noch etwas kürzer",
        "ugh the printer is jammed again",
    ]
    kept = [each.text for each in worth_keeping(statements(turns_of(*said)))]
    assert kept == ["hi im marta and i live in sevilla", "lucia has swimming every tuesday at 5"]


def test_without_the_embedder_what_is_told_of_oneself_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gaia.memory.index.embedded.PACKAGE", "no_such_package")
    kept = worth_keeping(
        statements(turns_of("I live in Sevilla", "the printer is jammed", "que hora es"))
    )
    assert [each.text for each in kept] == ["I live in Sevilla"]


AHEAD = """
my driving lesson is on wednesday
we got invited to a barbecue on saturday
she said the results come on tuesday
der handwerker kommt am freitag vormittag
ich hab für sonntag theaterkarten bekommen
mañana no, el lunes viene el electricista
on m'a donné un rendez-vous pour mercredi
hanno rinviato la partita a domenica
в субботу идём в театр
zaterdag gaan we naar het strand
""".strip().splitlines()

BEHIND = """
my driving lesson on wednesday was a disaster
we had a barbecue on saturday
the results came on tuesday
der handwerker war am freitag da
am sonntag haben wir im theater geschlafen
el lunes vino el electricista
mercredi j'ai raté mon rendez-vous
domenica abbiamo perso la partita
в субботу мы ходили в театр
zaterdag waren we op het strand
""".strip().splitlines()


def test_with_the_tense_a_day_is_hardly_ever_on_the_wrong_side() -> None:
    def placed(sentence: str) -> str:
        days = find(sentence, START, UTC)
        return "" if not days else "ahead" if days[0].start > START else "behind"

    ahead, behind = Counter(map(placed, AHEAD)), Counter(map(placed, BEHIND))
    assert ahead["behind"] + behind["ahead"] <= 1
    assert ahead["ahead"] + behind["behind"] >= 10
