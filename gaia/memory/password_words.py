"""How people speak of passwords, in several languages: data of `credentials`."""

# ruff: noqa: RUF001 - letters of other scripts that look like Latin ones are meant

from __future__ import annotations

PASSWORDS = r"""
pass(?:[\s-]?word|wd|code|phrase)s? pwd pw
passwor[dt](?:e|s)? kennwort kennworte
mots?\s+de\s+passe contrase[nñ]a contrasenya
palabra\s+clave senha palavra-passe parola\s+d\Wordine
wachtwoord l[oö]senord adgangskode passord salasana has[lł]o heslo jelsz[oó]
parola\s+mea [sş]ifre m[aậ]t\s+kh[aẩ]u kata\s+sandi kod\s+dost[eę]pu
парол[ьяюе]м? κωδικ[οό]ς סיסמה סיסמא كلمة\s+(?:السر|المرور) رمز\s+المرور
पासवर्ड รหัสผ่าน
"""
"""What a password is called, a pattern each. Blanks inside one are written as `\\s+`."""

COMPOUNDS = r"""
passw[oö]r[dt] passord kennwort l[oö]senord wachtwoord adgangskod salasan zugangscod
"""
"""How words for a password begin that also end others: `Netflixpasswort`."""

STEMS = r"""
contrase[nñ] contrasenya senhas?\b has[lł](?:o|a|em|u|ami)\b hesl(?:o|a|em|u|y)\b
jelsz(?:[oó]|av) slapta[zž]od lozin[ck] zapork m[aậ]t\s+kh[aẩ]u (?:kata\s+)?sandi\b sandinya
парол пасс?ворд [הבלשוכמ]?סיסמ (?:ال)?باسوو?رد رمز\s+عبور पासवर्ड รหัสผ่าน
"""
"""How other words for a password begin, in whatever form they stand."""

LOOSE_STEMS = r"""
paro+l paraul[ae] clave [sş]ifre [sš]ifr[aeu] гесл κωδικ [סק]וד\s+ה?סודי ה?קוד\s+ה?סודי
رقمي?\s+السري secret\s+code code\s+secret c[oó]digo\s+secreto codice\s+segreto geheimcode
секретный\s+код card\s+code
"""
"""The same of words that mean other things as well: a code, a key, a word."""

CODES = r"code c[oó]dig codice kod код"
CARDS = "card \\w*karte carte tarjeta carta cart[aã]o kort kart карт"
"""A code that belongs to a card is a PIN: `le code de ma carte bleue`."""

DOORS = r"""
door gate garage lock entrance tür tor haustür garage porte portail entrée puerta portal garaje
porta cancello portone portão kapı bina apartman garaj дверь двери двер ворота домофон подъезд
drzwi bram dveř vrata θύρα πόρτα דלת שער باب deur poort dörr port dør ovi ajtó kapu ușă ușa
"""
"""What opens with a code that may be kept, as words begin."""

UNSPACED = "密码 密碼 口令 暗証番号 パスワード 비밀번호 비번 암호"
"""The same in scripts that set no blank between words."""

PINS = r"""
pin(?:[\s-]?(?:code|number|nummer|numéro))? code\s+pin c[oó]digo\s+pin codice\s+pin
pin[\s-]?k[oó]+d\w* geheimzahl geheimnummer cvv2? cvc2? п[иі]н(?:-?код\w*)? पिन
"""
"""What a PIN is called, and the digits beside a card's number: only digits are one."""

SECRETS = r"""
(?:api|access|secret|private|license|licence|encryption|recovery)[\s_-]?keys? client[\s_-]?secret
(?:access|bearer|auth|api|bot|refresh)?[\s_-]?token (?:recovery|backup)\s+codes?
(?:wi-?fi|wlan|wpa[23]?|network)[\s-]?(?:key|schl[uü]ssel)
api[\s-]?schl[uü]ssel cl[eé]\s+api clave\s+(?:de\s+)?api
"""
"""What else opens an account; its value is long, and no plain word."""

SEED_PHRASE = r"(?:seed|recovery|mnemonic|backup)\s+(?:phrase|words)"

WHOSE = r"""
for of to at on in from i we you that which für fürs von vom zu zum zur bei beim im am des der
para de del do da di della per du des pour d voor van till til på na od ke k от для к на від до
"""
"""Words that begin what a password is for: `the password for the laptop is …`. Of anything
else it is said by the way: `my password manager is …`."""

LINKS = r"""
is was are ist lautet war es era est était é è era jest to är er on je
равен это является είναι olan הוא היא هو هي है คือ là adalah goes reads
"""
"""What stands between the name and its value."""

UNSPACED_LINKS = "是 为 為 は 는 은 이 가"

MORE_LINKS = "e este esta são són служит sind sont sono son zijn"
"""The same beside what is no word: of words they link too much."""

AFTER_VALUE = "است है हैं था हो 야 이야 예요 이에요 입니다 です だ olarak dır dir"
"""What stands behind a value, where a language ends its sentences so."""

LINKS_BACK = """
is ist es est é è jest är er это as als como comme come jako как
"""
"""What stands between a value and the name that follows it: `hunter2 is my password`."""

YEAR_WORDS = "in since from until before after seit ab im en desde depuis dal nel em sinds od"
"""Words before a year, which is no PIN."""

_STATES = """
wrong right correct incorrect invalid valid weak strong short long safe unsafe secure insecure
secret private public important expired old new lost gone saved stored hidden required needed
necessary mandatory optional different unknown known empty changed good bad great hard easy
simple complex complicated there here it this that these mine yours ours his hers unique shared
written forgotten compromised leaked due blocked locked annoying fine ok okay correcta
falsch richtig stark schwach kurz lang sicher unsicher geheim wichtig abgelaufen alt neu weg
nötig anders unbekannt leer geändert gut schlecht schwer einfach da hier meins vergessen
incorrecta mala buena larga corta segura insegura secreta importante vieja nueva débil fuerte
faux bon mauvais long court sûr fort faible expiré nouveau perdu oublié secret changé ici
errada certa forte fraca longa curta secreta nova antiga sbagliata giusta debole lunga corta
sicura vecchia nuova scaduta verkeerd juist sterk zwak kort lang veilig geheim nieuw oud
verlopen złe stare nowe silne słabe неверный правильный сложный простой старый новый забыт
什么 错了 对的 很长 很短 忘了 安全 忘れた 間違い 正しい 長い 短い
"""
STATES = frozenset(_STATES.split())
"""What is said of a password without telling it: `my password is too weak` and the like."""
