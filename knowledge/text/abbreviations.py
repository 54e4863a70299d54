"""Words whose full stop ends no sentence, by language. Compared without case, written without the last stop."""

from __future__ import annotations

# Wherever they stand.
ABBREVIATIONS: dict[str, str] = {
    "en": "mr mrs ms dr prof st jr sr vs e.g i.e approx dept est inc ltd co corp u.s u.k jan feb mar apr jun jul aug sep sept "
    "oct nov dec gen col lt sgt rev hon ave blvd",
    "de": "z.b d.h u.a u.ä o.ä bzw ca evtl ggf inkl exkl vgl bd dr prof hr fr st jh mio mrd tel max min jan feb mär apr jun jul "
    "aug sep okt nov dez z.t i.d.r v.chr n.chr geb gest sog u.u",
    "es": "sr sra srta dr dra d dña ud uds p.ej ej aprox av avda c tel ee.uu a.c d.c s.a",
    "fr": "m mm mme mlle dr prof p.ex env av bd tél c.-à-d j.-c s.a cf ex st ste",
}
# Before a number alone: "No. 5", but "Is it safe? No."
NUMBERED: dict[str, str] = {
    "en": "no nos fig figs sec art vol ch p pp",
    "de": "nr abs art str kap s abb tab ziff",
    "es": "núm art pág págs vol cap fig p pp",
    "fr": "n° no art p pp vol chap fig",
}
# At the end of a sentence as often as not: what follows in lower case goes on.
CLOSING: dict[str, str] = {"en": "etc a.m p.m", "de": "usw etc", "es": "etc", "fr": "etc"}

# German writes ordinals with a stop; these words follow one.
_COUNTED = (
    "januar februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts kapitel "
    "absatz auflage stock tag woche monat quartal mal klasse weltkrieg weltkriegs platz teil artikel abschnitt"
)
COUNTED = frozenset(_COUNTED.split())


def words_of(table: dict[str, str]) -> frozenset[str]:
    return frozenset(word for words in table.values() for word in words.split())
